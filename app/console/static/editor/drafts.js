// Texts that are written and not saved yet, kept in this browser: one for each page, place and person.

import { me } from "../session.js";

/** @typedef {import("./writing.js").Content} Content */
/** @typedef {{ content: Content, before: Content, document: string | null, revision: string, at: number, path?: string, page?: string }} Draft
 *   `before` is the page that the draft was begun from, without its text; `document` and `revision` name that; `path` and
 *   `page` are the page's path and id then */

const PREFIX = "docyard.draft.";
const LONGEST = 90; // days for which a draft is kept

/**
 * Return the name of a draft.
 * @param {{ space: string, change: string, page: string }} place `page` is an id, or `new` and the address
 */
export function draftName({ space, change, page }) {
  return `${PREFIX}${me.value?.id ?? ""}.${space}.${change}.${page}`;
}

/**
 * Return a draft, null if there is none.
 * @param {string} name
 * @returns {Draft | null}
 */
export function keptDraft(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name) ?? "null");
    return typeof found?.content?.text === "string" ? found : null;
  } catch {
    return null;
  }
}

/**
 * Keep a draft; tells whether the browser took it.
 * @param {string} name
 * @param {Draft} draft
 */
export function keepDraft(name, draft) {
  const text = JSON.stringify(draft);
  for (const again of [true, false]) {
    try {
      localStorage.setItem(name, text);
      return true;
    } catch {
      if (!again || !forgetOldest(name)) return false; // storage is full or switched off
    }
  }
  return false;
}

/**
 * Return the draft of a page by the path that it had, for a page that is no longer there; null if there is none.
 * @param {{ space: string, change: string, path: string }} place
 * @returns {Draft | null}
 */
export function draftAt({ space, change, path }) {
  const under = draftName({ space, change: change || "live", page: "" });
  try {
    const found = Object.keys(localStorage).filter((name) => name.startsWith(under)).map(keptDraft);
    return found.find((each) => each?.path === path) ?? null;
  } catch {
    return null; // storage is switched off
  }
}

/** @param {string} name */
export function dropDraft(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // then there is none
  }
}

/**
 * Forget drafts that nobody has touched for a long time; tells whether there were any.
 * @param {string} besides the draft that stays
 */
function forgetOldest(besides) {
  const limit = Date.now() - LONGEST * 86_400_000;
  const old = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX) && name !== besides && (keptDraft(name)?.at ?? 0) < limit);
  for (const name of old) dropDraft(name);
  return old.length > 0;
}
