// The front matter that has parts: layout, cover and variables. The editor holds each as one text, so that it is
// compared, kept and chosen like any other field; "" where the page says nothing.

export const PARTS = /** @type {const} */ (["title", "description", "tableOfContents", "outline", "pagination", "cover"]);
const UNSAID = /** @type {const} */ (["metadata", "tags", "actions", "anchors"]); // shown as the reader does it by default
const LOOKS = /** @type {const} */ (["width", "coverSize", "coverMask"]);

const ALL = Object.fromEntries(PARTS.map((name) => [name, true]));

/** The layouts that have a name: the parts of each, and how they look; null is the reader's default.
 * @type {Record<string, Record<string, boolean | string | null>>} */
export const PRESETS = {
  docs: { ...ALL, coverSize: null, width: null },
  editorial: { ...ALL, outline: false, coverSize: null, width: "WIDE" },
  landing: { ...ALL, coverSize: "FULL", tableOfContents: false, outline: false, pagination: false, width: "WIDE" },
};
/** @type {Record<string, string>} */
const DEFAULTS = { coverSize: "HERO", width: "DEFAULT" };

/** @typedef {Record<string, boolean | string>} Layout which parts are shown, and how; what is not said is left out */
/** @typedef {{ ref: string, refDark: string, yPos: number, height: number | null }} Cover pictures by their addresses */
/** @typedef {[string, string | number | boolean][]} Variables */

/** @type {Record<"layout" | "cover" | "variables", (value: any) => string>} the text of each field of a page of the API */
export const TEXTS = { layout: layoutText, cover: coverText, variables: variablesText };

/** @type {Record<string, (text: string) => unknown>} what the API takes for each of these texts */
export const SENT = {
  layout: (text) => (text ? { layout: sentLayout(layoutOf(text)) } : null),
  cover: (text) => (text ? sentCover(coverOf(text)) : null),
  variables: (text) => Object.fromEntries(variablesOf(text)),
};

/**
 * Return one of these texts as people read it.
 * @param {string} text
 */
export function readable(text) {
  const said = text ? JSON.parse(text) : [], entries = Array.isArray(said) ? said : Object.entries(said);
  return entries.filter(([, value]) => value !== "" && value !== null).map(([name, value]) => `${name}: ${value}`).join("\n");
}

/** @param {any} layout */
export function layoutText(layout) {
  const said = [...PARTS, ...UNSAID, ...LOOKS].filter((name) => layout?.[name] != null).map((name) => [name, layout[name]]);
  return said.every(([, value]) => value === true) ? "" : JSON.stringify(Object.fromEntries(said));
}

/** @param {string} text @returns {Layout} */
export function layoutOf(text) {
  return { ...ALL, ...(text ? JSON.parse(text) : {}) };
}

/** Return the name of a layout that has one, else "". @param {Layout} layout */
export function presetOf(layout) {
  const isIn = (/** @type {string} */ name) => Object.entries(PRESETS[name] ?? {}).every(([part, value]) => (layout[part] ?? DEFAULTS[part]) === (value ?? DEFAULTS[part]));
  return Object.keys(PRESETS).find(isIn) ?? "";
}

/** @param {Layout} layout */
function sentLayout(layout) {
  return Object.fromEntries(Object.entries(layout).map(([name, value]) => [name, typeof value === "boolean" ? { visible: value } : value]));
}

/** @param {any} cover as the API has it */
export function coverText(cover) {
  if (!cover) return "";
  return textOfCover({ ref: addressOf(cover.ref), refDark: addressOf(cover.refDark), yPos: cover.yPos, height: cover.height ?? null });
}

/** @param {Cover} cover */
export function textOfCover({ ref, refDark, yPos, height }) {
  return ref || refDark ? JSON.stringify({ ref, refDark, yPos, height }) : "";
}

/** @param {string} text @returns {Cover} */
export function coverOf(text) {
  return { ref: "", refDark: "", yPos: 0, height: null, ...(text ? JSON.parse(text) : {}) };
}

/** @param {any} reference */
function addressOf(reference) {
  if (!reference) return "";
  return reference.fileId ? `${reference.spaceId ? `/spaces/${reference.spaceId}` : ""}/files/${reference.fileId}` : reference.url;
}

/** @param {Cover} cover */
function sentCover({ ref, refDark, yPos, height }) {
  const picture = (/** @type {string} */ address) => {
    const file = /^\/files\/([\w-]+)$/.exec(address)?.[1];
    return file ? { file } : { url: address };
  };
  return { ...(ref ? { ref: picture(ref) } : {}), ...(refDark ? { refDark: picture(refDark) } : {}), yPos, ...(height ? { height } : {}) };
}

/** @param {Record<string, string | number | boolean> | null | undefined} variables */
export function variablesText(variables) {
  return textOfVariables(Object.entries(variables ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** @param {Variables} variables those without a name are left out */
export function textOfVariables(variables) {
  const named = variables.filter(([name]) => name);
  return named.length ? JSON.stringify(named) : "";
}

/** @param {string} text @returns {Variables} */
export function variablesOf(text) {
  return text ? JSON.parse(text) : [];
}

/**
 * Return the value that somebody means by what they type, as YAML would read it.
 * @param {string} typed
 */
export function valueOf(typed) {
  const text = typed.trim();
  if (text === "true" || text === "false") return text === "true";
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? Number(text) : typed;
}
