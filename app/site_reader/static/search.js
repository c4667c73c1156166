// The search of a site as somebody types: a module that is loaded when its dialog is opened for the first time.
const dialog = document.querySelector("dialog.search");
const one = (selector, within = dialog) => within.querySelector(selector);
const all = (selector, within = dialog) => [...within.querySelectorAll(selector)];
const said = JSON.parse(document.body.dataset.texts ?? "{}");
const made = (name, text) => {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  return element;
};
const form = one("form"), input = one("input[type=search]"), list = one("#\\~hits"), told = one(".said");
const lacking = made("div");
dialog.append(lacking);
let chosen = -1, asked = 0, pause = 0, running = null;
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
list.addEventListener("click", (event) => follow(event.target.closest("[role=option]"), event));
for (const box of all("input[type=checkbox]", form)) box.addEventListener("change", () => { search(); input.focus(); });
if (input.value.trim()) search(); // what was typed before this was here
