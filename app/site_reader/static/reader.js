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

  const said = JSON.parse(document.body.dataset.texts ?? "{}");
  const isDark = () => getComputedStyle(root).colorScheme === "dark";

  // Code is copied as it was written
  for (const figure of all("figure.code")) {
    const button = made("button", said.copy, "copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(one("pre", figure).textContent.replace(/\n$/, ""));
        button.textContent = said.copied;
      } catch {
        getSelection().selectAllChildren(one("pre", figure));
        button.textContent = said.selected;
      }
      setTimeout(() => { button.textContent = said.copy; }, 2000);
    });
    figure.append(button);
  }

  // The page is copied as Markdown
  for (const button of all("[data-copy]")) {
    const label = button.lastChild, words = label.textContent;
    button.hidden = self.origin === "null";
    button.addEventListener("click", async () => {
      try {
        const answer = await fetch(button.dataset.copy);
        if (!answer.ok) throw new Error(String(answer.status));
        await navigator.clipboard.writeText(await answer.text());
        label.textContent = said.copied;
      } catch { location.assign(button.dataset.copy); }
      setTimeout(() => { label.textContent = words; }, 2000);
    });
  }

  // Requests to an API, where the page may send any
  const tried = one("[data-try]");
  if (tried && self.origin !== "null") import(tried.dataset.try);

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

  // Web frames of integrations: as high as they say, and told the state of their block. A frame hears and is
  // heard only as long as it shows a page of its integration.
  const FRAME = ".web-frame > iframe", ready = new WeakSet();
  const sized = (frame, { aspectRatio, height, maxHeight }) => {
    const ratio = Number(aspectRatio), most = Math.min(Number(height ?? maxHeight), 10000);
    if (!(ratio > 0) && !(most > 0)) return;
    frame.style.aspectRatio = ratio > 0 ? String(ratio) : "auto";
    frame.style.height = ratio > 0 ? "auto" : `${Math.max(most, 32)}px`;
    frame.style.maxHeight = most > 0 ? `${Math.max(most, 32)}px` : "";
  };
  const tell = (frame) => {
    const { origin, state } = frame.parentElement.dataset;
    if (ready.has(frame) && state) frame.contentWindow.postMessage({ state: JSON.parse(state) }, origin === "null" ? "*" : origin);
  };
  const resizes = (text) => { // as embedded pages of many kinds say it
    try {
      const { context, height } = JSON.parse(text);
      return context === "iframe.resize" ? { action: "@webframe.resize", size: { height } } : null;
    } catch { return null; }
  };
  addEventListener("message", ({ source, origin, data }) => {
    const frame = all(FRAME).find((each) => each.contentWindow === source);
    if (!frame || frame.parentElement.dataset.origin !== origin) return;
    const action = typeof data === "string" ? resizes(data) : data?.action;
    if (action?.action === "@webframe.ready") {
      ready.add(frame);
      tell(frame);
    } else if (action?.action === "@webframe.resize") sized(frame, action.size ?? {});
    else if (typeof action?.action === "string") sent(frame.closest("form"), JSON.stringify(action), "~framed");
  });
  // What was shown becomes what is shown now, around frames that stay: one that moves would load again.
  const framed = (node) => node.nodeType === 1 && (node.matches(FRAME) || Boolean(one(FRAME, node)));
  const merge = (was, now) => {
    if (was.matches(FRAME)) return;
    for (const { name, value } of now.attributes) was.setAttribute(name, value);
    const kept = [...was.childNodes].filter(framed);
    for (const node of [...was.childNodes]) if (!framed(node)) node.remove();
    for (const node of [...now.childNodes]) {
      if (framed(node) && kept.length) merge(kept.shift(), node);
      else if (!framed(node)) was.insertBefore(node, kept[0] ?? null);
    }
  };
  for (const frame of all(FRAME)) sized(frame, { aspectRatio: frame.parentElement.dataset.ratio });

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
      for (const frame of all(FRAME, shown)) sized(frame, { aspectRatio: frame.parentElement.dataset.ratio });
      const was = one("form.filled", place), sources = (form) => form && all(FRAME, form).map((each) => each.getAttribute("src")).join(" ");
      const stays = Boolean(sources(was)) && sources(was) === sources(shown);
      if (stays) merge(was, document.importNode(shown, true));
      if (!stays || sources(was) !== sources(shown)) place.replaceChildren(document.adoptNode(shown));
      for (const frame of all(FRAME, place)) tell(frame);
      if (focused) shown.elements[focused]?.focus?.();
    } catch {
      if (body) place.append(made("p", said["block-failed"], "failed"));
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
  const sent = (form, told, field = "~do") => {
    const body = new URLSearchParams(new FormData(form));
    if (told) body.set(field, told);
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
  const form = one("form", dialog), input = one("input[type=search]", dialog), list = one("#\\~hits", dialog), told = one(".said", dialog), lacking = made("div");
  let chosen = -1, asked = 0, pause = 0, running = null;
  dialog.append(lacking);
  const open = () => { if (!dialog.open) { dialog.showModal(); input.select(); } };
  const choose = (place) => {
    const options = all("[role=option]", list);
    chosen = options.length ? (place + options.length) % options.length : -1;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === chosen)));
    options[chosen]?.scrollIntoView({ block: "nearest" });
    if (chosen < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", options[chosen].id);
  };
  // An option is no link, since it may hold nothing that can be used by itself; it is followed by hand.
  const marked = (name, parts) => {
    const element = made(name);
    parts.forEach((part, place) => element.append(place % 2 ? made("mark", part) : part));
    return element;
  };
  const option = (href, ...inside) => {
    const element = made("div");
    element.setAttribute("role", "option");
    element.dataset.href = href;
    element.append(...inside);
    return element;
  };
  const grouped = (page) => {
    const group = made("div"), title = marked("strong", page.title_parts);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", page.title);
    const first = option(page.href, title);
    if (page.place) first.append(made("small", page.place));
    if (page.excerpt) first.append(marked("p", page.excerpt_parts));
    const below = page.sections.map((section) => {
      const made = option(section.href, marked("span", section.heading_parts));
      if (section.excerpt) made.append(marked("p", section.excerpt_parts));
      return made;
    });
    group.append(first, ...below);
    return group;
  };
  const show = ({ hits = [], said: found = "", missing = "" }) => {
    list.replaceChildren(...hits.map(grouped));
    all("[role=option]", list).forEach((element, number) => { element.id = `~hit-${number}`; });
    input.setAttribute("aria-expanded", String(hits.length > 0));
    told.textContent = found;
    lacking.replaceChildren(...new DOMParser().parseFromString(missing, "text/html").body.children);
    choose(0);
  };
  const follow = (option, event) => {
    if (!option) return;
    if (event.ctrlKey || event.metaKey) { window.open(option.dataset.href, "_blank", "noopener"); return; }
    dialog.close();
    location.assign(option.dataset.href);
  };
  const search = async () => {
    const query = input.value.trim(), mine = ++asked;
    running?.abort();
    if (!query) { show({}); return; }
    running = new AbortController();
    try {
      const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
      const answer = await fetch(address, { headers: { Accept: "application/json" }, signal: running.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      const found = await answer.json();
      if (mine === asked) show(found);
    } catch (error) {
      if (error.name !== "AbortError" && mine === asked) told.textContent = said["search.failed"];
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
      follow(all("[role=option]", list)[chosen], event);
    }
  });
  list.addEventListener("pointermove", (event) => {
    const place = all("[role=option]", list).indexOf(event.target.closest("[role=option]"));
    if (place >= 0 && place !== chosen) choose(place);
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog || event.target.closest("[data-close]")) dialog.close(); });
  list.addEventListener("click", (event) => follow(event.target.closest("[role=option]"), event));
  for (const box of all("input[type=checkbox]", form)) box.addEventListener("change", () => { search(); input.focus(); });
  for (const button of all("[data-search]")) button.addEventListener("click", (event) => { event.preventDefault(); open(); });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const asks = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing && !event.ctrlKey && !event.altKey && !event.metaKey);
    if (asks && !dialog.open) { event.preventDefault(); open(); }
  });
})();
