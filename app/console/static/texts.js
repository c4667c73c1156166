// The interface's texts, from `texts/LANGUAGE/*.json`: by key, with places for values and with plural forms.

import { recall, remember } from "./settings.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };

/** @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Text */

/** @type {Record<string, Text>} */
let texts = {};
/** @type {Record<string, Text>} */
let english = {};
let language = "en";
let plurals = new Intl.PluralRules("en");

/** Load the texts of the chosen language, or else that of the page; English stands in for what is missing. */
export async function loadTexts() {
  const chosen = recall("language", "") || document.documentElement.lang;
  language = chosen in LANGUAGES ? chosen : "en";
  const known = await Promise.all([import("./texts/en.js"), language === "en" ? null : import(`./texts/${language}.js`)]);
  english = known[0].default;
  texts = known[1]?.default ?? english;
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/** Return the language of the interface. */
export function currentLanguage() {
  return language;
}

/**
 * Choose the language of the interface; the page is loaded again.
 * @param {string} chosen
 */
export function chooseLanguage(chosen) {
  remember("language", chosen);
  location.reload();
}

/**
 * Return a text. `{name}` in it stands for a value; a text with plural forms is chosen by `count`.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = texts[key] ?? english[key];
  if (found === undefined) return key;
  let text = found;
  if (typeof text !== "string") {
    const count = Number(values["count"] ?? 0);
    text = (count === 0 && text.zero) || text[plurals.select(count)] || text.other || key;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

/**
 * Return what follows a beginning in the keys of texts.
 * @param {string} beginning
 */
export function keysBelow(beginning) {
  return Object.keys(english).filter((each) => each.startsWith(beginning)).map((each) => each.slice(beginning.length));
}

/**
 * Return a number as the language writes it.
 * @param {number} value
 */
export function number(value) {
  return value.toLocaleString(language);
}

/**
 * Return a number of bytes in a unit that people read.
 * @param {number} count
 */
export function bytes(count) {
  const [unit, size] = count < 1e6 ? ["kilobyte", 1e3] : count < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9];
  return (count / Number(size)).toLocaleString(language, { style: "unit", unit: String(unit), maximumFractionDigits: count < 10 * Number(size) ? 1 : 0 });
}

/**
 * Return a date, with its time if wanted.
 * @param {string | number | Date} value
 * @param {boolean} [withTime]
 */
export function date(value, withTime = false) {
  return new Date(value).toLocaleString(language, { dateStyle: "medium", ...(withTime ? { timeStyle: "short" } : {}) });
}

const STEPS = /** @type {const} */ ([
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
]);

/**
 * Return how long ago a moment was, in words.
 * @param {string | number | Date} value
 */
export function ago(value) {
  const seconds = (new Date(value).getTime() - Date.now()) / 1000;
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return words.format(Math.round(seconds / length), unit);
  return t("time.now");
}
