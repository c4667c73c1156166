// The way through a site: its head, its theme, the tree of pages, the outline. Nothing needs this script.
"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // How high the head is, so that nothing that is linked to is hidden under it.
  const top = one(".top");
  if (top) new ResizeObserver(() => root.style.setProperty("--bar", `${top.offsetHeight}px`)).observe(top);

  // The theme: from the system's to the other one, to the first again, and back to the system's
  const dark = matchMedia("(prefers-color-scheme: dark)");
  for (const button of all("[data-switch]")) {
    const label = button.getAttribute("aria-label"), names = JSON.parse(button.dataset.switch);
    const tell = () => {
      const said = `${label}: ${names[root.dataset.theme] ?? names.system}`;
      button.setAttribute("aria-label", said);
      button.title = said;
    };
    button.hidden = false;
    tell();
    button.addEventListener("click", () => {
      const [first, other] = dark.matches ? ["light", "dark"] : ["dark", "light"];
      const next = { system: first, [first]: other, [other]: "system" };
      root.dataset.theme = next[root.dataset.theme] ?? first;
      tell();
      try { localStorage.setItem("docyard-theme", root.dataset.theme); } catch { /* not remembered */ }
    });
  }

  // The pages of a space, as a drawer on small screens; all else is out of reach while it is open
  const side = one(".side"), small = matchMedia("(max-width: 60rem)");
  const behind = all(".top, .outline, main, .foot, .announcement, .skip");
  const drawer = (open) => {
    side.toggleAttribute("data-open", open);
    side.setAttribute("role", open ? "dialog" : "region");
    if (open) side.setAttribute("aria-modal", "true");
    else side.removeAttribute("aria-modal");
    for (const each of behind) each.inert = open;
    if (open) reach();
    (open ? one("a, summary", side) : one(".menu-button"))?.focus({ preventScroll: true });
  };
  for (const link of all("[data-menu]")) {
    link.addEventListener("click", (event) => {
      if (!side) return;
      event.preventDefault();
      drawer(!side.hasAttribute("data-open"));
    });
  }
  const isOpen = () => side?.hasAttribute("data-open");
  small.addEventListener("change", () => { if (isOpen()) drawer(false); });
  document.addEventListener("click", (event) => {
    if (isOpen() && !side.contains(event.target) && !event.target.closest("[data-menu]")) drawer(false);
    for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (isOpen()) drawer(false);
    for (const menu of all("details.menu[open]")) {
      menu.open = false;
      one("summary", menu).focus();
    }
  });
  const current = side && one("[aria-current=page]", side);
  const reach = () => {
    if (!current) return;
    const below = current.getBoundingClientRect().top - side.getBoundingClientRect().top;
    if (below > side.clientHeight - 80) side.scrollTop += below - side.clientHeight / 2;
  };
  reach();

  // Branches of the tree open where they are; what is below one comes when somebody first asks for it
  const tree = one("[data-tree]");
  const switched = async (button) => {
    const item = button.parentElement, open = button.getAttribute("aria-expanded") !== "true";
    let list = one(":scope > ul", item);
    if (open && !list) {
      const asked = new URL(tree.dataset.tree, location.href);
      asked.searchParams.set("page", item.dataset.branch);
      try {
        const answer = await fetch(asked, { headers: { Accept: "text/html" } });
        list = answer.ok && one("ul", new DOMParser().parseFromString(await answer.text(), "text/html"));
      } catch { list = null; }
      if (!list) { location.assign(one("a", item).href); return; }
      branched(list);
      item.append(document.adoptNode(list));
    }
    if (list) list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  };
  const branched = (list) => {
    for (const item of all("[data-branch]", list)) {
      const link = one(":scope > a", item), sign = link && one("svg:last-child", link);
      if (!sign) continue;
      const button = document.createElement("button");
      button.type = "button";
      const open = Boolean(one(":scope > ul", item));
      button.className = open ? "was-open" : "was-closed";
      button.setAttribute("aria-expanded", String(open));
      button.setAttribute("aria-label", link.textContent);
      button.append(sign);
      button.addEventListener("click", () => switched(button));
      link.after(button);
    }
  };
  if (tree && self.origin !== "null") branched(tree);

  // The outline says what is being read; where the page has no room beside it, it is a bar that opens
  const outline = one("nav.outline"), entries = outline ? all("a", outline) : [];
  if (!entries.length) return;
  const details = one("details", outline), now = one(".now", outline), narrow = matchMedia("(max-width: 78rem)");
  const fit = () => { details.open = !narrow.matches; outline.classList.add("is-ready"); };
  narrow.addEventListener("change", fit);
  fit();
  const named = (hash) => {
    try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return null; }
  };
  const targets = entries.map((entry) => named(entry.hash));
  let waiting = false, chosen = -1, marked = -1;
  const isSeen = (target) => target && target.getBoundingClientRect().bottom > 0 && target.getBoundingClientRect().top < innerHeight;
  const mark = () => {
    waiting = false;
    // What stands so near the end that it cannot come to the top is reached as the page comes to its end.
    const start = (top?.offsetHeight ?? 0) + 90, most = Math.max(document.body.scrollHeight - innerHeight, 0);
    const last = Math.min(most, innerHeight), done = last ? Math.max(0, 1 - (most - scrollY) / last) : 0;
    const line = start + Math.max(innerHeight - start, 0) * done;
    let at = -1;
    targets.forEach((target, place) => { if (target && target.getBoundingClientRect().top < line) at = place; });
    if (chosen >= 0 && isSeen(targets[chosen])) at = chosen;
    if (at === marked) return;
    marked = at;
    entries.forEach((entry, place) => {
      if (place === at) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    });
    now.textContent = entries[at]?.textContent ?? "";
    const entry = entries[at], box = narrow.matches ? one("ul", outline) : outline;
    if (entry && (entry.offsetTop < box.scrollTop || entry.offsetTop > box.scrollTop + box.clientHeight - 60)) box.scrollTop = entry.offsetTop - box.clientHeight / 2;
  };
  const choose = () => { chosen = entries.findIndex((entry) => entry.hash === location.hash && location.hash); mark(); };
  const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  for (const kind of ["wheel", "touchmove", "keydown"]) addEventListener(kind, () => { chosen = -1; }, { passive: true });
  addEventListener("hashchange", choose);
  outline.addEventListener("click", (event) => {
    if (!event.target.closest("a")) return;
    if (narrow.matches) details.open = false;
    choose();
  });
  document.addEventListener("click", (event) => { if (narrow.matches && !outline.contains(event.target)) details.open = false; });
  outline.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !narrow.matches || !details.open) return;
    details.open = false;
    one("summary", details).focus();
  });
  choose();
})();
