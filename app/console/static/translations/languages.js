// The languages that content may have, by their names in the language of the interface.

import { currentLanguage } from "../texts.js";

/** As the API names them. */
const LANGUAGES = ("EN FR DE ES IT PT PT_BR RU JA ZH ZH_TW YUE KO AR HI NL PL TR SV NO DA FI EL CS HU RO TH VI ID MS HE UK SK BG HR LT" +
  " LV ET SL").split(" ");

/** @param {string} language as the API names it, such as PT_BR */
export function languageName(language) {
  const code = language.toLowerCase().replace("_", "-");
  const name = new Intl.DisplayNames([currentLanguage()], { type: "language", fallback: "none" }).of(code);
  return name ? (name[0] ?? "").toLocaleUpperCase(currentLanguage()) + name.slice(1) : code;
}

/** Return all languages as pairs of value and name, by their names. @returns {[string, string][]} */
export function languageOptions() {
  const options = LANGUAGES.map((each) => /** @type {[string, string]} */ ([each, languageName(each)]));
  return options.sort(([, one], [, other]) => one.localeCompare(other, currentLanguage()));
}
