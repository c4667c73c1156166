// Links to pages: `[[` completes the pages of the space, and after `#` the headings of one.

import { send } from "../api/client.js";
import { query } from "../api/queries.js";
import { t } from "../texts.js";

/** @typedef {{ id: string, restId: string, title: string, path: string }} Page */
/** @typedef {{ anchor: string, title: string, level: number }} Heading */
/** @typedef {import("../vendor/codemirror.js").CompletionContext} CompletionContext */
/** @typedef {import("../vendor/codemirror.js").EditorView} EditorView */

const OPEN = /\[\[([^\][\n]*)$/;
const MOST = 50;
/** @type {Map<string, Promise<Heading[]>>} */
const known = new Map();

/**
 * The address by which a page is named in a text, wherever it is moved.
 * @param {string} page
 * @param {string} [anchor]
 */
export function addressOf(page, anchor = "") {
  return `/pages/${page}${anchor ? `#${encodeURIComponent(anchor)}` : ""}`;
}

/**
 * Return the pages of a space in their order, as far as its tree is known.
 * @param {string} space
 * @returns {Page[]}
 */
export function pagesOf(space) {
  /** @type {Page[]} */
  const found = [];
  const visit = (/** @type {any[]} */ pages) => {
    for (const page of pages) {
      if (page.title !== undefined && ["DOCUMENT", "COMPUTED"].includes(page.type)) found.push(page);
      visit(page.pages ?? []);
    }
  };
  visit(query("SpaceTree", { space }).data?.space?.pages ?? []);
  return found;
}

/**
 * Return the source of completions for `[[`.
 * @param {import("./writing.js").Writing} writing
 */
export function linkCompletions(writing) {
  return async (/** @type {CompletionContext} */ context) => {
    const line = context.state.doc.lineAt(context.pos), found = OPEN.exec(line.text.slice(0, context.pos - line.from));
    if (!found) return null;
    const [whole, typed = ""] = found, from = context.pos - whole.length, cut = typed.indexOf("#");
    const pages = pagesOf(writing.place.space);
    if (cut < 0) return { from, filter: false, options: best(pages, typed, (page) => `${page.title} ${page.path}`).map((page) => option(page.title, page.path, page.title, addressOf(page.restId))) };
    const name = typed.slice(0, cut).trim().toLowerCase();
    const page = name ? pages.find((each) => each.title.toLowerCase() === name) ?? best(pages, name, (each) => each.title)[0] : pages.find((each) => each.restId === writing.place.page);
    if (!page) return null;
    const headings = await headingsOf(page.id);
    const isOwn = page.restId === writing.place.page;
    return {
      from,
      filter: false,
      options: best(headings, typed.slice(cut + 1), (each) => each.title).map((each) =>
        option(each.title, page.title, each.title, isOwn ? `#${encodeURIComponent(each.anchor)}` : addressOf(page.restId, each.anchor))),
    };
  };
}

/**
 * @param {string} label
 * @param {string} detail
 * @param {string} text
 * @param {string} href
 */
function option(label, detail, text, href) {
  const link = `[${text.replace(/[\\[\]]/g, "\\$&")}](${href})`;
  const apply = (/** @type {EditorView} */ view, /** @type {unknown} */ _, /** @type {number} */ from, /** @type {number} */ to) => {
    const end = view.state.sliceDoc(to, to + 2) === "]]" ? to + 2 : to;
    view.dispatch({ changes: { from, to: end, insert: link }, selection: { anchor: from + link.length }, userEvent: "input.complete" });
  };
  return { label: label || t("editor.untitled"), detail, apply };
}

/**
 * Return those of which the words fit, those that begin so first.
 * @template T
 * @param {T[]} all
 * @param {string} typed
 * @param {(each: T) => string} words
 * @param {number} [most]
 */
export function best(all, typed, words, most = MOST) {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter((each) => wanted.every((word) => words(each).toLowerCase().includes(word)));
  const begins = (/** @type {T} */ each) => (words(each).toLowerCase().startsWith(typed.toLowerCase()) ? 0 : 1);
  return fits.sort((one, other) => begins(one) - begins(other)).slice(0, most);
}

/**
 * Return the headings of a page as it is saved.
 * @param {string} page
 */
function headingsOf(page) {
  let found = known.get(page);
  if (!found) {
    known.set(page, (found = send("PageHeadings", { page }).then(({ data }) => (data?.node?.text?.contents ?? []).filter((/** @type {Heading} */ each) => each.level > 0))));
    found.catch(() => undefined).finally(() => setTimeout(() => known.delete(page), 30_000)); // headings change
  }
  return found;
}
