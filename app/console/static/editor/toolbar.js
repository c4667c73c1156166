// The bar above the text: marks, links, pictures, tables, and all blocks.

import { html, useRef } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { say } from "../parts/overlays.js";
import { t } from "../texts.js";
import { BLOCKS } from "./blocks.js";
import { insert, InsertMenu } from "./insert.js";
import { editTable } from "./table.js";

/** @typedef {import("../vendor/codemirror.js").EditorView} EditorView */

/**
 * @param {{ view: () => EditorView | null, commands: () => any, onFiles: (files: File[]) => void }} props
 *   `commands` are those of `source.js`, which is loaded later
 */
export function Toolbar({ view, commands, onFiles }) {
  const bar = useRef(/** @type {HTMLDivElement | null} */ (null)), files = useRef(/** @type {HTMLInputElement | null} */ (null));
  const run = (/** @type {string} */ name) => () => {
    const found = view();
    if (found) commands()[name](found), found.focus();
  };
  const table = () => {
    const found = view(), block = BLOCKS.find((each) => each.name === "table");
    if (!found || !block || editTable(found)) return;
    const { head } = found.state.selection.main;
    insert(found, block, head, head);
  };
  const chosen = (/** @type {any} */ event) => {
    onFiles([...event.currentTarget.files]);
    event.currentTarget.value = "";
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const all = /** @type {HTMLElement[]} */ ([...(bar.current?.querySelectorAll(":scope > button, :scope > .menu > button") ?? [])]);
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target)), step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    all[(at + step + all.length) % all.length]?.focus();
  };
  const button = (/** @type {string} */ name, /** @type {string} */ glyph, /** @type {() => unknown} */ onClick) => html`<${Button} kind="quiet" small glyph=${glyph} label=${t(`editor.tool-${name}`)} onClick=${onClick} />`;
  return html`<div class="editor-tools" role="toolbar" aria-label=${t("editor.tools")} ref=${bar} onKeyDown=${pressed}>
    <${InsertMenu} view=${view} />
    ${button("bold", "bold", run("bold"))}
    ${button("italic", "italic", run("italic"))}
    ${button("code", "code", run("code"))}
    ${button("link", "link", run("link"))}
    ${button("table", "table", table)}
    ${button("upload", "image", () => files.current?.click() ?? say(t("editor.plain")))}
    ${button("undo", "undo", run("undo"))}
    <input type="file" multiple hidden ref=${files} onChange=${chosen} aria-label=${t("editor.tool-upload")} />
  </div>`;
}
