// The source of a page in CodeMirror. It stands in a shadow root: there its styles may be made by script, which the
// policy of the page refuses otherwise. Loaded when somebody begins to write.

import {
  autocompletion, completionKeymap, defaultKeymap, drawSelection, dropCursor, EditorSelection, EditorState, EditorView,
  highlightActiveLine, highlightSelectionMatches, highlightSpecialChars, history, historyKeymap, keymap, Prec, search, searchKeymap, undo,
} from "../vendor/codemirror.js";
import { t } from "../texts.js";
import { blockMarks } from "./blockmarks.js";
import { markdown } from "./dialect.js";

/** @typedef {import("../vendor/codemirror.js").Extension} Extension */
/** @typedef {{ text: string, label: string, more?: Extension[], onChange: (text: string) => void, onScroll?: () => void }} Options */

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "transparent", fontSize: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--code)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { padding: "1rem 0 40vh", caretColor: "var(--ink)", maxWidth: "52rem" },
  ".cm-line": { padding: "0 1.25rem" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--chosen)" },
  ".cm-selectionMatch": { backgroundColor: "var(--hover)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-ground)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panels input, .cm-panels button": { font: "inherit", color: "inherit", backgroundColor: "var(--raised)", backgroundImage: "none", border: "1px solid var(--line-strong)", borderRadius: "4px" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "var(--shadow)", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--letters)", maxHeight: "20rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.35rem 0.75rem", lineHeight: "1.3" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--chosen)", color: "var(--ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > completion-section": { color: "var(--soft)", fontSize: "var(--tiny)", padding: "0.35rem 0.75rem", opacity: "1", borderBottom: "0" },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal", marginInlineStart: "0.6em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650" },
  ".cm-inside": { boxShadow: "inset 3px 0 var(--line)", backgroundColor: "var(--sunken)" },
  ".cm-inside-2": { boxShadow: "inset 3px 0 var(--line), inset 9px 0 var(--sunken), inset 12px 0 var(--line)" },
  ".cm-inside-3, .cm-inside-4": { boxShadow: "inset 3px 0 var(--line), inset 9px 0 var(--sunken), inset 12px 0 var(--line), inset 17px 0 var(--sunken), inset 20px 0 var(--line)" },
  "@media (max-width: 800px)": { ".cm-line": { padding: "0 1rem" } },
});

/**
 * Put an editor into an element; returns it. The caller destroys it.
 * @param {HTMLElement} parent
 * @param {Options} options
 */
export function openSource(parent, { text, label, more = [], onChange, onScroll }) {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const heard = EditorView.updateListener.of((update) => {
    if (update.docChanged && !update.transactions.some((each) => each.isUserEvent("given"))) onChange(update.state.doc.toString());
  });
  const state = EditorState.create({
    doc: text,
    extensions: [
      ...more,
      history(),
      drawSelection(),
      dropCursor(),
      highlightSpecialChars(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      EditorView.lineWrapping,
      EditorState.allowMultipleSelections.of(true),
      EditorState.lineSeparator.of("\n"),
      EditorView.contentAttributes.of({ "aria-label": label, dir: "auto", spellcheck: "true", autocapitalize: "sentences", tabindex: "0" }),
      EditorState.phrases.of(phrases()),
      Prec.high(keymap.of(completionKeymap)),
      keymap.of([...marks, ...defaultKeymap, ...searchKeymap, ...historyKeymap]),
      markdown,
      blockMarks,
      look,
      heard,
    ],
  });
  const view = new EditorView({ state, root, parent: /** @type {any} */ (root) });
  // A list of choices that scrolls is no trap for who cannot point at it.
  const choices = new MutationObserver(() => root.querySelector(".cm-tooltip-autocomplete > ul:not([tabindex])")?.setAttribute("tabindex", "0"));
  choices.observe(view.dom, { childList: true, subtree: true });
  if (onScroll) view.scrollDOM.addEventListener("scroll", onScroll, { passive: true });
  return view;
}

/** @param {import("../vendor/codemirror.js").CompletionSource[]} sources */
export function completions(sources) {
  return autocompletion({ override: sources, icons: false, closeOnBlur: true, defaultKeymap: false, interactionDelay: 0 });
}

/**
 * Show another text; the editor's history knows it, and where the texts agree the cursor stays.
 * @param {EditorView} view
 * @param {string} text
 */
export function giveText(view, text) {
  const before = view.state.doc.toString();
  if (before === text) return;
  let start = 0, end = 0;
  const most = Math.min(before.length, text.length);
  while (start < most && before[start] === text[start]) start++;
  while (end < most - start && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({ changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) }, userEvent: "given" });
}

/**
 * Return a command that puts signs around what is selected, or takes them away.
 * @param {string} signs
 * @returns {import("../vendor/codemirror.js").Command}
 */
function around(signs) {
  return (view) => {
    const { state } = view;
    view.dispatch(state.changeByRange((range) => {
      const { from, to } = range, long = signs.length;
      const is = state.sliceDoc(from - long, from) === signs && state.sliceDoc(to, to + long) === signs;
      if (is) return { changes: [{ from: from - long, to: from }, { from: to, to: to + long }], range: EditorSelection.range(from - long, to - long) };
      return { changes: [{ from, insert: signs }, { from: to, insert: signs }], range: EditorSelection.range(from + long, to + long) };
    }), { userEvent: "input" });
    return true;
  };
}

/** @type {import("../vendor/codemirror.js").Command} */
function link(view) {
  const { from, to } = view.state.selection.main, text = view.state.sliceDoc(from, to);
  view.dispatch({ changes: { from, to, insert: `[${text}]()` }, selection: { anchor: text ? to + 3 : from + 1 }, userEvent: "input" });
  return true;
}

const WORDS = {
  Find: "find", Replace: "replace-with", next: "next", previous: "previous", all: "all", "match case": "case", regexp: "pattern",
  "by word": "word", replace: "replace", "replace all": "replace-all", close: "close", Completions: "completions",
};

/** What the bar above the text does. */
export const commands = { bold: around("**"), italic: around("_"), code: around("`"), link, undo };

const marks = [
  { key: "Mod-b", run: commands.bold },
  { key: "Mod-i", run: commands.italic },
  { key: "Mod-e", run: commands.code },
  { key: "Mod-Shift-k", run: link },
];

/** The words of CodeMirror's own panels: they stand for themselves in English. */
function phrases() {
  return Object.fromEntries(Object.entries(WORDS).map(([word, key]) => [word, t(`editor.find-${key}`)]));
}
