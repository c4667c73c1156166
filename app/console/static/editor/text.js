// The text of a page while it is written: a plain field at once, and CodeMirror in its place as soon as that is loaded.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Bones, Note } from "../parts/basic.js";
import { later, whenIdle } from "../parts/later.js";
import { t } from "../texts.js";
import { linkCompletions } from "./links.js";
import { Toolbar } from "./toolbar.js";

/** @typedef {import("./writing.js").Writing} Writing */
/** @typedef {import("../vendor/codemirror.js").EditorView} EditorView */

const LONGEST = 100_000; // characters that a plain field shows before CodeMirror is there: it lays out all of them
const BlockForm = later(() => import("./insert.js"), "BlockForm", () => null);
const TableForm = later(() => import("./table.js"), "TableForm", () => null);

/** @param {{ writing: Writing, sync: any, mayUpload: () => boolean }} props `mayUpload` says why not, if not */
export function Source({ writing, sync, mayUpload }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null)), plain = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const view = useRef(/** @type {EditorView | null} */ (null)), tools = useRef(/** @type {any} */ (null));
  const opened = useRef(/** @type {Promise<EditorView | null>} */ (Promise.resolve(null)));
  const may = useRef(mayUpload), isUsed = useRef(false);
  may.current = mayUpload;
  const [state, setState] = useState(/** @type {"plain" | "shown" | "failed"} */ ("plain"));
  const { text } = writing.content.value, isLong = text.length > LONGEST;
  useEffect(() => {
    let gone = false;
    const begun = writing.content.peek().text;
    const open = async () => {
      if (!isLong) await idle();
      const [{ openSource, giveText, completions, commands }, { put, uploads }, { blockCompletions }] = await Promise.all([import("./source.js"), import("./images.js"), import("./insert.js")]);
      if (!isLong) await idle();
      await composed(plain.current);
      if (gone || !place.current) return null;
      place.current.hidden = false; // what is out of sight has no size
      const made = openSource(place.current, {
        text: begun,
        label: t("editor.text"),
        more: [completions([blockCompletions, linkCompletions(writing)]), uploads(writing, () => may.current())],
        onChange: (now) => writing.change({ text: now }, true),
        onScroll: () => sync.follow?.(),
      });
      giveText(made, writing.content.peek().text);
      if (plain.current) goOn(made, plain.current, isUsed.current);
      view.current = made;
      tools.current = { giveText, commands, put };
      sync.line = () => where(made);
      setState("shown");
      return made;
    };
    opened.current = open().catch(() => (setState("failed"), null));
    return () => ((gone = true), view.current?.destroy(), (view.current = null), setState("plain"));
  }, [writing]);
  const replaced = writing.replaced.value;
  useEffect(() => {
    if (view.current) tools.current.giveText(view.current, writing.content.peek().text);
  }, [replaced, state]);
  const typed = (/** @type {any} */ event) => ((isUsed.current = true), writing.change({ text: event.currentTarget.value }));
  const upload = (/** @type {File[]} */ files) => {
    if (view.current && files.length && mayUpload()) void tools.current.put(writing, view.current, files, view.current.state.selection.main.from);
  };
  return html`<${Toolbar} view=${() => view.current} opened=${() => opened.current} commands=${() => tools.current?.commands} onFiles=${upload} />
    <${BlockForm} place=${writing.place} /><${TableForm} />
    ${state === "failed" && html`<${Note} kind="warn">${t("editor.plain")}<//>`}
    ${state === "plain" && isLong && html`<div class="editor-waits"><${Bones} /></div>`}
    ${(state === "failed" || (state === "plain" && !isLong)) && html`<textarea class="editor-plain" ref=${plain} aria-label=${t("editor.text")} dir="auto" spellcheck
      value=${text} onInput=${typed} onFocus=${() => (isUsed.current = true)}
      onCompositionStart=${composes(true)} onCompositionEnd=${composes(false)}></textarea>`}
    <div class="editor-source" ref=${place} hidden=${state !== "shown"}></div>`;
}

/** Resolve once nothing else is to be done. @returns {Promise<void>} */
function idle() {
  return new Promise((done) => whenIdle(done));
}

/** Return what notes whether a field composes. @param {boolean} is */
function composes(is) {
  return (/** @type {any} */ { currentTarget: { dataset } }) => (is ? (dataset["composing"] = "true") : delete dataset["composing"]);
}

/**
 * Resolve once a field is not in the middle of composing a character from several keys.
 * @param {HTMLTextAreaElement | null} field
 * @returns {Promise<void>}
 */
async function composed(field) {
  while (field?.isConnected && field.dataset["composing"])
    await new Promise((done) => field.addEventListener("compositionend", () => setTimeout(done), { once: true })); // what was typed may come after that
}

/**
 * Go on in the editor where somebody was in the plain field, which is taken away.
 * @param {EditorView} view
 * @param {HTMLTextAreaElement} field
 * @param {boolean} isUsed whether somebody has been in it
 */
function goOn(view, field, isUsed) {
  const { selectionStart: start, selectionEnd: end, selectionDirection, scrollTop } = field, has = document.activeElement === field;
  const long = view.state.doc.length, from = Math.min(start, long), to = Math.min(end, long);
  field.hidden = true;
  if (isUsed) view.dispatch({ selection: selectionDirection === "backward" ? { anchor: to, head: from } : { anchor: from, head: to } });
  view.scrollDOM.scrollTop = scrollTop;
  if (has) view.focus();
}

/**
 * Return after which heading the upper edge of an editor is, and how far it is to the next one, from 0 to 1.
 * @param {EditorView} view
 */
function where(view) {
  const { doc } = view.state, top = view.scrollDOM.scrollTop;
  const at = doc.lineAt(view.lineBlockAtHeight(top).from).number;
  let heading = -1, from = 1, to = doc.lines + 1, fence = "";
  for (let n = 1; n <= doc.lines; n++) {
    const { text } = doc.line(n), mark = /^\s*(```+|~~~+)/.exec(text)?.[1];
    if (mark) fence = fence ? (text.trim().startsWith(fence) ? "" : fence) : mark;
    if (fence || !/^#{1,6}[ \t]/.test(text)) continue;
    if (n > at) {
      to = n;
      break;
    }
    heading++;
    from = n;
  }
  const high = (/** @type {number} */ line) => (line > doc.lines ? view.contentHeight : view.lineBlockAt(doc.line(line).from).top);
  const start = high(from), end = high(to);
  return { heading, part: end > start ? Math.min(Math.max((top - start) / (end - start), 0), 1) : 0 };
}
