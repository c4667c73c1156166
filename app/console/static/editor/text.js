// The text of a page while it is written, as a component: the editor is loaded when this is shown.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Bones, Note } from "../parts/basic.js";
import { t } from "../texts.js";
import { blockCompletions, BlockForm } from "./insert.js";
import { linkCompletions } from "./links.js";
import { TableForm } from "./table.js";
import { Toolbar } from "./toolbar.js";

/** @typedef {import("./writing.js").Writing} Writing */

/** @param {{ writing: Writing, sync: any, mayUpload: () => boolean }} props `mayUpload` says why not, if not */
export function Source({ writing, sync, mayUpload }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null)), view = useRef(/** @type {any} */ (null)), tools = useRef(/** @type {any} */ (null));
  const may = useRef(mayUpload);
  may.current = mayUpload;
  const [state, setState] = useState(/** @type {"loading" | "shown" | "failed"} */ ("loading"));
  useEffect(() => {
    let gone = false;
    Promise.all([import("./source.js"), import("./images.js")]).then(([{ openSource, giveText, completions, commands }, { put, uploads }]) => {
      if (gone || !place.current) return;
      view.current = openSource(place.current, {
        text: writing.content.peek().text,
        label: t("editor.text"),
        more: [completions([blockCompletions, linkCompletions(writing)]), uploads(writing, () => may.current())],
        onChange: (text) => writing.change({ text }, true),
        onScroll: () => sync.follow?.(),
      });
      tools.current = { giveText, commands, put };
      sync.line = () => where(view.current);
      setState("shown");
    }).catch(() => setState("failed"));
    return () => ((gone = true), view.current?.destroy());
  }, [writing]);
  const replaced = writing.replaced.value;
  useEffect(() => {
    if (view.current) tools.current.giveText(view.current, writing.content.peek().text);
  }, [replaced, state]);
  const typed = (/** @type {any} */ event) => writing.change({ text: event.currentTarget.value });
  const upload = (/** @type {File[]} */ files) => {
    if (view.current && files.length && mayUpload()) void tools.current.put(writing, view.current, files, view.current.state.selection.main.from);
  };
  return html`<${Toolbar} view=${() => view.current} commands=${() => tools.current?.commands} onFiles=${upload} />
    <${BlockForm} place=${writing.place} /><${TableForm} />
    ${state === "loading" && html`<div class="editor-waits"><${Bones} /></div>`}
    ${state === "failed" && html`<${Note} kind="warn">${t("editor.plain")}<//>
      <textarea class="editor-plain" aria-label=${t("editor.text")} dir="auto" value=${writing.content.value.text} onInput=${typed}></textarea>`}
    <div class="editor-source" ref=${place} hidden=${state !== "shown"}></div>`;
}

/**
 * Return after which heading the upper edge of an editor is, and how far it is to the next one, from 0 to 1.
 * @param {import("../vendor/codemirror.js").EditorView} view
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
