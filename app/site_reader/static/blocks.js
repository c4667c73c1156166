// Blocks of integrations, and forms that are answered in their place. Pages with such blocks load it at once, others
// when a form is sent. Nothing needs it: without it links and forms lead to pages of their own.
"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const said = JSON.parse(document.body.dataset.texts ?? "{}");
  const isDark = () => getComputedStyle(root).colorScheme === "dark";

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
      const failed = document.createElement("p");
      failed.className = "failed";
      failed.textContent = said["block-failed"];
      if (body) place.append(failed);
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
})();
