// What a page can do beyond being read: everything here only helps, and nothing needs it.
"use strict";
(() => {
  const { src } = document.currentScript;
  const fetches = self.origin !== "null"; // in a sandbox nothing is: links and forms lead on
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const made = (name, text, kind) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  const said = JSON.parse(document.body.dataset.texts ?? "{}");

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
    button.hidden = !fetches;
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
  if (tried && fetches) import(tried.dataset.try);

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

  // Forms are answered in their place by a script that pages with blocks of integrations have loaded already
  let blocks = one("script[src$='/blocks.js']") ? "loaded" : "";
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form.filled"), button = event.submitter;
    if (!form || !fetches || blocks === "loaded") return;
    event.preventDefault();
    if (blocks) return;
    blocks = "asked for";
    try { await import(new URL("blocks.js", src)); } catch { /* the form leads on */ }
    blocks = "loaded";
    form.requestSubmit(button);
  });

  // The search opens over the page, and a module answers it
  const dialog = one("dialog.search");
  if (!dialog?.showModal || !fetches) return; // the link leads to a form
  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    one("input[type=search]", dialog).select();
    import(new URL("search.js", src)).catch(() => { /* the form leads to a page */ });
  };
  dialog.addEventListener("click", (event) => { if (event.target === dialog || event.target.closest("[data-close]")) dialog.close(); });
  for (const button of all("[data-search]")) button.addEventListener("click", (event) => { event.preventDefault(); open(); });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    const asks = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing && !event.ctrlKey && !event.altKey && !event.metaKey);
    if (asks && !dialog.open) { event.preventDefault(); open(); }
  });
})();
