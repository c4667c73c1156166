// What the page says of its server, and what this browser remembers.

/** The path below which the server answers, without a slash at its end. */
export const BASE = document.documentElement.dataset.base ?? "";
/** The origin and path of published sites. */
export const SITES = document.querySelector("meta[name=docyard-sites]")?.getAttribute("content") ?? "";

/**
 * Return what was remembered under a name, or `otherwise`.
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @returns {T}
 */
export function recall(name, otherwise) {
  try {
    const kept = localStorage.getItem(`docyard.${name}`);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch {
    return otherwise; // storage may be switched off, or hold something else
  }
}

/**
 * Remember a value in this browser.
 * @param {string} name
 * @param {unknown} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`docyard.${name}`, JSON.stringify(value));
  } catch {
    // then it is forgotten
  }
}

/**
 * Set the appearance: "light", "dark", or "" for that of the system.
 * @param {string} chosen
 */
export function setAppearance(chosen) {
  try {
    localStorage.setItem("docyard.appearance", chosen);
  } catch {
    // then for this page only
  }
  if (chosen) document.documentElement.dataset.appearance = chosen;
  else delete document.documentElement.dataset.appearance;
}

/** Return the chosen appearance, "" for that of the system. */
export function appearance() {
  return document.documentElement.dataset.appearance ?? "";
}
/** Origins that integrations have for themselves, with `*` for the name of each; empty where there are none. */
export const ORIGINS = document.querySelector("meta[name=docyard-origins]")?.getAttribute("content") ?? "";
