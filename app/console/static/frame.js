// The frame in which a text is shown as readers see it. It has no origin of its own, so what is in it can reach
// nothing of the console's; the console sends it the text, and is told where a link leads and what was clicked.
{
  const article = document.querySelector("article");
  let port = null, watch = null;

  const drawn = new Map(); // blocks of integrations, which the console draws above the room that they have here
  const heights = new Map(); // of those, by their keys
  const moved = new ResizeObserver(() => measure());

  const tell = (message) => port?.postMessage(message);
  const measure = () => {
    const places = headings().map((each) => ({ text: words(each), top: each.getBoundingClientRect().top }));
    const rooms = [...drawn].map(([key, place]) => ({ key, ...rectangle(place) }));
    tell({ height: Math.ceil(document.documentElement.getBoundingClientRect().height), places, rooms });
  };
  const rectangle = (place) => {
    const { top, left, width } = place.getBoundingClientRect();
    return { top, left, width };
  };
  const headings = () => [...article.querySelectorAll("h2, h3, h4, h5, h6")].filter((each) => each.id);
  const words = (heading) => heading.textContent.replace(/#$/, "").trim();

  const show = ({ html, title, description, before, appearance, dir }) => {
    if (appearance !== undefined) document.documentElement.style.colorScheme = appearance || "light dark";
    if (appearance) document.documentElement.dataset.theme = appearance;
    else delete document.documentElement.dataset.theme;
    if (dir) document.documentElement.dir = dir;
    if (html === undefined) return;
    let parts = assembled({ html, title, description });
    if (before) parts = changesBetween(assembled(before), parts);
    article.replaceChildren(...parts);
    if (!before) findBlocks();
    if (!watch) (watch = new ResizeObserver(measure)).observe(document.documentElement);
    const outlined = headings().filter((each) => each.matches("h2, h3, h4"));
    tell({ outline: outlined.map((each) => ({ id: each.id, text: words(each), level: Number(each.tagName[1]) })) });
    measure();
  };

  const assembled = ({ html, title, description }) => {
    const made = new DOMParser().parseFromString(html, "text/html");
    const parts = [...made.body.childNodes];
    if (description) parts.unshift(Object.assign(document.createElement("p"), { className: "lead", textContent: description }));
    if (title) parts.unshift(Object.assign(document.createElement("h1"), { textContent: title, dir: "auto" }));
    return parts;
  };

  const findBlocks = () => {
    drawn.clear();
    moved.disconnect();
    const blocks = [...article.querySelectorAll("[data-integration]")].map((place, n) => {
      const { integration, component, title, props, url, frames } = place.dataset;
      const key = JSON.stringify([n, integration, component, props, url]);
      drawn.set(key, place);
      moved.observe(place);
      makeRoom(key, heights.get(key));
      return { key, integration, component, title, props: JSON.parse(props), url, frames };
    });
    tell({ blocks });
  };

  const makeRoom = (key, height) => {
    const place = drawn.get(key);
    if (!place || height === undefined) return;
    heights.set(key, height);
    place.classList.add("drawn");
    place.style.height = `${height}px`;
    measure();
  };

  const goTo = (id) => {
    const found = id && document.getElementById(id);
    if (found) tell({ at: found.getBoundingClientRect().top });
  };

  const said = (block) => { // without what is only shown because it was removed
    const copy = block.cloneNode(true);
    for (const each of copy.querySelectorAll("del, .was-removed")) each.remove();
    return words(copy).replace(/\s+/g, " ");
  };

  const goToText = (text) => {
    const wanted = text.replace(/\s+/g, " ").replace(/…$/, "").trim();
    const found = [...article.children].find((each) => wanted && !each.matches(".was-removed") && said(each).startsWith(wanted));
    if (!found) return;
    tell({ at: found.getBoundingClientRect().top });
    for (const each of article.querySelectorAll(".pointed-at")) each.classList.remove("pointed-at");
    found.classList.add("pointed-at");
  };

  addEventListener("message", ({ source, ports, data }) => {
    if (source !== parent || port || !ports[0]) return;
    port = ports[0];
    port.onmessage = ({ data: sent }) => ("goTo" in sent ? goTo(sent.goTo) : "goToText" in sent ? goToText(sent.goToText) : "room" in sent ? makeRoom(sent.room, sent.height) : show(sent));
    show(data);
  });

  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link) {
      const block = event.target.closest?.("[data-block], article > *");
      if (block && !block.closest(".was-removed")) tell({ block: block.dataset.block ?? block.id ?? "", top: block.getBoundingClientRect().top, text: said(block).slice(0, 400) });
      return;
    }
    event.preventDefault();
    const href = link.getAttribute("href");
    if (href.startsWith("#")) goTo(decodeURIComponent(href.slice(1)));
    else tell({ link: link.href });
  });

  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey } = event;
    if ((ctrlKey || metaKey) && key.toLowerCase() === "k") {
      event.preventDefault();
      tell({ key, ctrlKey, metaKey });
    }
  });
}
