(() => {
  const found = [];
  const channels = (color) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const context = canvas.getContext("2d");
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((part, place) => part * top[3] + below[place] * (1 - top[3]));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => part / 255).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  const name = (element) => (element.getAttribute("aria-label") || element.innerText || element.textContent ||
    element.labels?.[0]?.innerText || [...element.querySelectorAll("img")].map((image) => image.alt).join("")).trim();
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const checked = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || checked.has(element) || !seen(element)) continue;
    if (element.closest(".unseen, .skip, :disabled")) continue;
    checked.add(element);
    const style = getComputedStyle(element), below = ground(element);
    const [lighter, darker] = [luminance(over(channels(style.color), below)), luminance(below)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (lighter + 0.05) / (darker + 0.05);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, element);
  }
  for (const element of document.querySelectorAll("a[href], button, input, summary"))
    if (seen(element) && !name(element)) say("no name", element);
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) say("no alt", image);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`twice: ${id}`);
  for (const element of document.querySelectorAll("[aria-controls]"))
    if (!document.getElementById(element.getAttribute("aria-controls"))) say("controls nothing", element);
  let level = 0;
  for (const heading of document.querySelectorAll("main h1, main h2, main h3, main h4, main h5, main h6")) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) say(`from h${level} to h${now}`, heading);
    level = now;
  }
  if (document.querySelectorAll("main").length !== 1) found.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
  if (document.querySelectorAll("body > header").length !== 1) found.push("not one header");
  const navigations = [...document.querySelectorAll("nav")].filter(seen).map((nav) => nav.getAttribute("aria-label"));
  if (navigations.includes(null) || new Set(navigations).size !== navigations.length) found.push(`navs: ${navigations}`);
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title) found.push("no title");
  if (document.querySelector("body [style], style, script:not([src], [type='application/ld+json'], [type='application/json'])")) found.push("inline style or script");
  const sideways = document.documentElement.scrollWidth - innerWidth;
  if (sideways > 0) found.push(`scrolls sideways by ${sideways}`);
  return found;
})()
