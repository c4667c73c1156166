// What a page can do beyond being read: everything here only helps, and nothing needs it.
"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const made = (name, text, kind) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  // How high the head is, so that nothing that is linked to is hidden under it.
  const top = one(".top");
  if (top) {
    const measure = () => root.style.setProperty("--bar", `${top.offsetHeight}px`);
    new ResizeObserver(measure).observe(top);
  }

  // Dark and light
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme === "dark" || root.dataset.theme === "light" ? root.dataset.theme === "dark" : dark.matches);
  for (const button of all("[data-switch]")) {
    const tell = () => button.setAttribute("aria-pressed", String(isDark()));
    button.hidden = false;
    tell();
    dark.addEventListener("change", tell);
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      tell();
      try { localStorage.setItem("docyard-theme", root.dataset.theme); } catch { /* not remembered */ }
    });
  }

  // The pages of a space, as a drawer on small screens
  const side = one(".side");
  const drawer = (open) => {
    side.toggleAttribute("data-open", open);
    (open ? one("a, summary", side) : one(".menu-button"))?.focus();
  };
  for (const link of all("[data-menu]")) {
    link.addEventListener("click", (event) => {
      if (!side) return;
      event.preventDefault();
      drawer(!side.hasAttribute("data-open"));
    });
  }
  document.addEventListener("click", (event) => {
    const outside = side?.hasAttribute("data-open") && !side.contains(event.target) && !event.target.closest("[data-menu]");
    if (outside) drawer(false);
    for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (side?.hasAttribute("data-open")) drawer(false);
    for (const menu of all("details.menu[open]")) {
      menu.open = false;
      one("summary", menu).focus();
    }
  });
  const current = side && one("[aria-current=page]", side);
  if (current && current.offsetTop > side.clientHeight - 80) side.scrollTop = current.offsetTop - side.clientHeight / 2;

  // Code is copied as it was written
  for (const figure of all("figure.code")) {
    const button = made("button", "Copy", "copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(one("pre", figure).innerText);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(one("pre", figure));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    figure.append(button);
  }

  // What an address leads to on this page; anybody may have written it
  const named = (hash) => {
    try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return null; }
  };

  // What is linked to is shown, also where it is in a closed tab or under a title
  const reveal = () => {
    const target = named(location.hash);
    if (!target || !one("main")?.contains(target)) return;
    for (let inside = target; inside; inside = inside.parentElement) {
      if (inside.matches("details")) inside.open = true;
      if (inside.matches(".panel")) inside.previousElementSibling.previousElementSibling.checked = true;
    }
    target.scrollIntoView({ behavior: "instant" });
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  addEventListener("beforeprint", () => { for (const details of all("main details")) details.open = true; });

  // The outline says what is being read
  const entries = all(".outline a");
  if (entries.length) {
    const targets = entries.map((entry) => named(entry.hash));
    let waiting = false;
    const mark = () => {
      waiting = false;
      const line = (top?.offsetHeight ?? 0) + 90;
      let now = 0;
      targets.forEach((target, place) => { if (target && target.getBoundingClientRect().top < line) now = place; });
      if (innerHeight + scrollY >= document.body.scrollHeight - 4) now = entries.length - 1;
      entries.forEach((entry, place) => {
        if (place === now) entry.setAttribute("aria-current", "true");
        else entry.removeAttribute("aria-current");
      });
    };
    addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, { passive: true });
    mark();
  }

  // Blocks of integrations: asked for when somebody comes near them, and told what is pressed there
  const fetches = self.origin !== "null"; // in a sandbox nothing is: links and forms lead on
  const filled = async (place, address, body) => {
    place.setAttribute("aria-busy", "true");
    const focused = place.contains(document.activeElement) && document.activeElement.name;
    try {
      const asked = new URL(address, location.href);
      asked.searchParams.set("theme", isDark() ? "dark" : "light");
      const answer = await fetch(asked, body ? { method: "POST", body } : {});
      if (!answer.ok) throw new Error(String(answer.status));
      const shown = one("form.filled", new DOMParser().parseFromString(await answer.text(), "text/html"));
      place.replaceChildren(document.adoptNode(shown));
      if (focused) shown.elements[focused]?.focus?.();
    } catch {
      if (body) place.append(made("p", "This does not answer. Try again.", "failed"));
    }
    place.removeAttribute("aria-busy");
  };
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      filled(target, target.dataset.block);
    }
  }, { rootMargin: "400px" });
  if (fetches) for (const place of all("[data-block]")) near.observe(place);
  const sent = (form, told) => {
    const body = new URLSearchParams(new FormData(form));
    if (told) body.set("~do", told);
    filled(form.parentElement, form.action, body);
  };
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form.filled"), button = event.submitter;
    if (!form) return;
    const goes = !button?.dataset.confirm || confirm(button.dataset.confirm);
    if (!goes || fetches) event.preventDefault();
    if (goes && fetches) sent(form, button?.value);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form.filled"), told = event.target.dataset.change;
    if (form && told && fetches) sent(form, told);
  });
  document.addEventListener("click", (event) => {
    const back = event.target.closest("a[data-back]"), place = back?.closest("[data-block]");
    if (!place || !fetches) return;
    event.preventDefault();
    filled(place, back.href);
  });

  // Search as somebody types
  const dialog = one("dialog.search");
  if (!dialog?.showModal || !fetches) return; // the link leads to a form
  const form = one("form", dialog), input = one("input[type=search]", dialog), list = one("ul", dialog), said = one(".said", dialog);
  let chosen = -1, asked = 0, pause = 0, running = null;
  const open = () => { if (!dialog.open) { dialog.showModal(); input.select(); } };
  const choose = (place) => {
    const options = [...list.children];
    chosen = options.length ? (place + options.length) % options.length : -1;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === chosen)));
    options[chosen]?.scrollIntoView({ block: "nearest" });
    if (chosen < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", options[chosen].id);
  };
  const marked = (text, words) => {
    const element = made("p");
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
    text.split(words.length ? pattern : undefined).forEach((part, place) => element.append(place % 2 ? made("mark", part) : part));
    return element;
  };
  const show = (items, query) => {
    const words = query.split(/\s+/).filter((word) => word.length > 1).slice(0, 10);
    list.replaceChildren(...items.map((item, place) => {
      const option = made("li"), link = made("a");
      option.id = `~hit-${place}`;
      option.setAttribute("role", "option");
      link.href = item.href;
      link.tabIndex = -1;
      link.append(made("strong", item.heading && item.heading !== item.title ? `${item.title} › ${item.heading}` : item.title));
      if (item.place) link.append(made("small", item.place));
      if (item.excerpt) link.append(marked(item.excerpt, words));
      option.append(link);
      return option;
    }));
    input.setAttribute("aria-expanded", String(items.length > 0));
    said.textContent = items.length ? "" : `Nothing was found for “${query}”.`;
    choose(0);
  };
  const search = async () => {
    const query = input.value.trim(), mine = ++asked;
    running?.abort();
    if (!query) { list.replaceChildren(); said.textContent = ""; choose(-1); return; }
    running = new AbortController();
    try {
      const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
      const answer = await fetch(address, { headers: { Accept: "application/json" }, signal: running.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      const found = await answer.json();
      if (mine === asked) show(found.hits, query);
    } catch (error) {
      if (error.name !== "AbortError" && mine === asked) said.textContent = "The search does not answer.";
    }
  };
  input.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(search, 120); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Escape") {
      event.preventDefault(); // it would only empty the field
      dialog.close();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      one("a", list.children[chosen])?.click();
    }
  });
  list.addEventListener("pointermove", (event) => {
    const place = [...list.children].indexOf(event.target.closest("li"));
    if (place >= 0 && place !== chosen) choose(place);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog || event.target.closest("[data-close], a")) dialog.close(); });
  for (const button of all("[data-search]")) button.addEventListener("click", (event) => { event.preventDefault(); open(); });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const asks = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing && !event.ctrlKey && !event.altKey && !event.metaKey);
    if (asks && !dialog.open) { event.preventDefault(); open(); }
  });
})();
