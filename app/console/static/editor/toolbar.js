// The bar above the text: marks, links, pictures, tables, and all blocks.

import { html, useRef } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { later } from "../parts/later.js";
import { say } from "../parts/overlays.js";
import { t } from "../texts.js";

/** @typedef {import("../vendor/codemirror.js").EditorView} EditorView */

const InsertMenu = later(() => import("./insert.js"), "InsertMenu", () => html`<${Button} kind="quiet" glyph="add" label=${t("editor.insert-block")} disabled />`);

/**
 * @param {{ view: () => EditorView | null, opened: () => Promise<EditorView | null>, commands: () => any, onFiles: (files: File[]) => void }} props
 *   `opened` waits for the editor, which is loaded later, and so are the `commands` of `source.js`
 */
export function Toolbar({ view, opened, commands, onFiles }) {
  const bar = useRef(/** @type {HTMLDivElement | null} */ (null)), files = useRef(/** @type {HTMLInputElement | null} */ (null));
  const on = (/** @type {(view: EditorView) => unknown} */ how) => {
    const now = view();
    if (now) how(now);
    else void opened().then((found) => (found ? how(found) : say(t("editor.plain"))));
  };
  const run = (/** @type {string} */ name) => () => on((found) => (commands()[name](found), found.focus()));
  const table = () => on(async (found) => (await import("./table.js")).insertTable(found));
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
    <${InsertMenu} on=${on} />
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
