// A table edited as a table: a grid of cells that arrows go through, rows and columns that come, go and move.

import { html, signal, useEffect, useRef, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Dialog, Menu } from "../parts/overlays.js";
import { t } from "../texts.js";
import { BLOCKS } from "./blocks.js";
import { insert } from "./insert.js";
import { changed, tableAt, writtenTable } from "./tables.js";

/** @typedef {import("../vendor/codemirror.js").EditorView} EditorView */
/** @typedef {import("./tables.js").Table} Table */

/** The table that is edited, and where it stands. */
const edited = signal(/** @type {(import("./tables.js").Found & { view: EditorView }) | null} */ (null));

/**
 * Edit the table in which the cursor is, or insert one where it is in none.
 * @param {EditorView} view
 */
export function insertTable(view) {
  const { doc, selection: { main: { head } } } = view.state, found = tableAt(doc, doc.lineAt(head).number);
  const block = BLOCKS.find((each) => each.name === "table");
  if (found) edited.value = { ...found, view };
  else if (block) insert(view, block, head, head);
}

/** The table that is edited, if there is one. */
export function TableForm() {
  const now = edited.value;
  return now && html`<${Grid} key=${now.from} ...${now} />`;
}

/** @param {{ view: EditorView, from: number, to: number, indent: string, table: Table }} props */
function Grid({ view, from, to, indent, table: first }) {
  const [table, setTable] = useState(first), [at, setAt] = useState([0, 0]);
  const grid = useRef(/** @type {HTMLTableElement | null} */ (null)), wanted = useRef("0,0"); // the cell that takes the focus once it is there
  const [row = 0, column = 0] = at, rows = table.rows.length, columns = table.aligns.length;
  useEffect(() => {
    const cell = wanted.current && grid.current?.querySelector(`[data-cell="${wanted.current}"]`);
    if (!(cell instanceof HTMLElement)) return;
    wanted.current = "";
    cell.focus();
  });
  const goTo = (/** @type {number} */ toRow, /** @type {number} */ toColumn) => {
    const cell = [Math.min(Math.max(toRow, 0), rows - 1), Math.min(Math.max(toColumn, 0), columns - 1)];
    wanted.current = String(cell);
    setAt(cell);
  };
  const close = () => ((edited.value = null), setTimeout(() => view.focus()));
  const done = () => {
    edited.value = null;
    view.dispatch({ changes: { from, to, insert: writtenTable(table, indent) }, selection: { anchor: from }, userEvent: "input" });
    setTimeout(() => view.focus());
  };
  const typed = (/** @type {number} */ r, /** @type {number} */ c) => (/** @type {any} */ event) => {
    const { value } = event.currentTarget;
    setTable({ ...table, rows: table.rows.map((each, n) => (n === r ? each.map((cell, m) => (m === c ? value : cell)) : each)) });
  };
  const change = (/** @type {"row" | "column"} */ what, /** @type {"before" | "after" | "remove" | "back" | "on"} */ how) => {
    const made = changed(table, what, how, what === "row" ? row : column), step = how === "after" || how === "on" ? 1 : how === "back" ? -1 : 0;
    const cell = what === "row" ? [Math.min(row + step, made.rows.length - 1), column] : [row, Math.min(column + step, made.aligns.length - 1)];
    wanted.current = String(cell);
    setTable(made);
    setAt(cell);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.target), atStart = input.selectionEnd === 0, atEnd = input.selectionStart === input.value.length;
    if (!("cell" in input.dataset)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done();
    else if (event.key === "Enter" && row === rows - 1) change("row", "after");
    else if (event.key === "Enter" || event.key === "ArrowDown") goTo(row + 1, column);
    else if (event.key === "ArrowUp") goTo(row - 1, column);
    else if (event.key === "ArrowLeft" && atStart && column > 0) goTo(row, column - 1);
    else if (event.key === "ArrowRight" && atEnd && column < columns - 1) goTo(row, column + 1);
    else return;
    event.preventDefault();
  };
  const align = (/** @type {import("./tables.js").Align} */ to) => setTable({ ...table, aligns: table.aligns.map((each, n) => (n === column ? to : each)) });
  const said = (/** @type {string} */ what, /** @type {string} */ how) => t(`editor.table-${what}-${how}`);
  const foot = html`<${Button} onClick=${close}>${t("cancel")}<//><${Button} kind="main" onClick=${done}>${t("editor.done")}<//>`;
  return html`<${Dialog} title=${t("editor.block-table")} onClose=${close} foot=${foot} wide>
    <div class="row">
      <${Menu} label=${t("editor.table-row")} className="button small" choices=${[
        row > 0 && { label: said("row", "before"), onChoose: () => change("row", "before") },
        { label: said("row", "after"), onChoose: () => change("row", "after") },
        row > 1 && { label: said("row", "back"), onChoose: () => change("row", "back") },
        row > 0 && row < rows - 1 && { label: said("row", "on"), onChoose: () => change("row", "on") },
        row > 0 && { label: said("row", "remove"), danger: true, onChoose: () => change("row", "remove") },
      ]}>${t("editor.table-row")}<//>
      <${Menu} label=${t("editor.table-column")} className="button small" choices=${[
        { label: said("column", "before"), onChoose: () => change("column", "before") },
        { label: said("column", "after"), onChoose: () => change("column", "after") },
        column > 0 && { label: said("column", "back"), onChoose: () => change("column", "back") },
        column < columns - 1 && { label: said("column", "on"), onChoose: () => change("column", "on") },
        "-",
        .../** @type {const} */ (["", "left", "center", "right"]).map((each) => ({ label: t(`editor.align-${each || "none"}`), checked: table.aligns[column] === each, onChoose: () => align(each) })),
        "-",
        columns > 1 && { label: said("column", "remove"), danger: true, onChoose: () => change("column", "remove") },
      ]}>${t("editor.table-column")}<//>
    </div>
    <div class="grid-scroll"><table class="grid" ref=${grid} onKeyDown=${pressed}>
      <caption class="unseen">${t("editor.table-how")}</caption>
      <tbody>${table.rows.map((cells, r) => html`<tr key=${r}>${cells.map((cell, c) => html`<td key=${c}>
        <input data-cell=${`${r},${c}`} value=${cell} dir="auto" class=${r ? "" : "head"} style=${{ textAlign: table.aligns[c] || "start" }} aria-label=${t(r ? "editor.table-cell" : "editor.table-head", { row: r, column: c + 1 })}
          onInput=${typed(r, c)} onFocus=${() => setAt([r, c])} /></td>`)}</tr>`)}</tbody>
    </table></div>
  <//>`;
}
