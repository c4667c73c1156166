// Inserting blocks: `/` where a line begins shows them all, and a form asks what a block needs.

import { html, signal, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { Dialog, Menu } from "../parts/overlays.js";
import { t } from "../texts.js";
import { begun, BLOCKS, written } from "./blocks.js";
import { PICKERS } from "./pickers.js";

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("./writing.js").Place} Place */
/** @typedef {import("../vendor/codemirror.js").EditorView} EditorView */
/** @typedef {import("../vendor/codemirror.js").CompletionContext} CompletionContext */

/** The block whose form is shown, and where it goes. */
const asked = signal(/** @type {{ block: Block, view: EditorView, from: number, to: number } | null} */ (null));
const GROUPS = [...new Set(BLOCKS.map(({ group }) => group))];
const START = /^(\s*(?:[-*+>]\s+|\d+[.)]\s+)*)\/([\p{L}\p{N} -]*)$/u;

/**
 * The source of completions for `/`.
 * @param {CompletionContext} context
 */
export function blockCompletions(context) {
  const line = context.state.doc.lineAt(context.pos), found = START.exec(line.text.slice(0, context.pos - line.from));
  if (!found) return null;
  const from = line.from + (found[1] ?? "").length;
  return {
    from,
    filter: false,
    options: matching(found[2] ?? "").map((block) => ({
      label: t(`editor.block-${block.name}`),
      section: { name: t(`editor.group-${block.group}`), rank: GROUPS.indexOf(block.group) },
      apply: (/** @type {EditorView} */ view, /** @type {unknown} */ _, /** @type {number} */ start, /** @type {number} */ end) => insert(view, block, start, end),
    })),
  };
}

/**
 * Return the blocks whose names have all these words.
 * @param {string} words
 */
function matching(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return BLOCKS.filter(({ name }) => wanted.every((word) => `${t(`editor.block-${name}`)} ${name}`.toLowerCase().includes(word)));
}

/**
 * Insert a block in the place of what stands there; one that needs something asks first.
 * @param {EditorView} view
 * @param {Block} block
 * @param {number} from
 * @param {number} to
 */
export function insert(view, block, from, to) {
  if (block.asks) asked.value = { block, view, from, to };
  else put(view, block, {}, from, to);
}

/**
 * @param {EditorView} view
 * @param {Block} block
 * @param {import("./blocks.js").Values} values
 * @param {number} from
 * @param {number} to
 */
function put(view, block, values, from, to) {
  const { doc } = view.state, line = doc.lineAt(from), { text, cursor } = written(block, values);
  if (block.end) return putNote(view, text, block.end(values), from, to);
  const before = doc.sliceString(line.from, from);
  const indent = /^[\s>]*$/.test(before) ? before : before.replace(/\S/g, " ");
  const lead = before.trim() && !/^[\s>]*$/.test(before) && !/^\s*([-*+]|\d+[.)])\s+$/.test(before) ? "\n\n" : "";
  const after = doc.sliceString(to, doc.lineAt(to).to).trim() ? "\n\n" : "";
  const indented = (/** @type {string} */ part) => part.replaceAll("\n", `\n${lead ? "" : indent}`);
  view.dispatch({
    changes: { from, to, insert: lead + indented(text) + after },
    selection: { anchor: from + lead.length + indented(text.slice(0, cursor)).length },
    scrollIntoView: true,
    userEvent: "input.complete",
  });
  view.focus();
}

/**
 * Insert what has a part at the end of the text, as a footnote has.
 * @param {EditorView} view
 * @param {string} text
 * @param {string} end
 * @param {number} from
 * @param {number} to
 */
function putNote(view, text, end, from, to) {
  const all = view.state.doc.toString(), numbers = [...all.matchAll(/\[\^(\d+)\]/g)].map((each) => Number(each[1]));
  const free = String(Math.max(0, ...numbers) + 1), mark = text.replace("#", free), note = `${all.endsWith("\n") ? "" : "\n"}\n${end.replace("#", free)}\n`;
  view.dispatch({ changes: [{ from, to, insert: mark }, { from: all.length, insert: note }], selection: { anchor: from + mark.length }, userEvent: "input.complete" });
  view.focus();
}

/** The form of the block that is to be inserted, if there is one. @param {{ place: Place }} props */
export function BlockForm({ place }) {
  const now = asked.value;
  if (!now) return null;
  return html`<${Asking} key=${now.block.name} ...${now} place=${place} />`;
}

/** @param {{ block: Block, view: EditorView, from: number, to: number, place: Place }} props */
function Asking({ block, view, from, to, place }) {
  const [values, setValues] = useState(() => begun(block)), [tried, setTried] = useState(false);
  const isMissing = (/** @type {import("./blocks.js").Asked} */ ask) => !!ask.required && !values[ask.name];
  const close = () => ((asked.value = null), setTimeout(() => view.focus()));
  const send = () => {
    setTried(true);
    if (block.asks?.some(isMissing)) return;
    asked.value = null;
    setTimeout(() => put(view, block, values, from, to));
  };
  return html`<${Dialog} title=${t(`editor.block-${block.name}`)} onClose=${close}>
    <${Form} onSubmit=${send}>
      ${(block.asks ?? []).map((ask, n) => html`<${Ask} key=${ask.name} ask=${ask} place=${place} missing=${tried && isMissing(ask)} first=${n === 0} value=${values[ask.name] ?? ""}
        onChange=${(/** @type {string} */ value) => setValues({ ...values, [ask.name]: value })} />`)}
      <div class="foot"><${Button} onClick=${close}>${t("cancel")}<//><${Button} kind="main" type="submit">${t("editor.insert")}<//></div>
    <//>
  <//>`;
}

/** @param {{ ask: import("./blocks.js").Asked, place: Place, value: string, missing: boolean, first: boolean, onChange: (value: string) => void }} props */
function Ask({ ask, place, value, missing, first, onChange }) {
  const label = t(`editor.field-${ask.name}`), more = first ? { autofocus: true } : {};
  if (ask.kind === "check") return html`<${Checkbox} label=${label} checked=${!!value} onChange=${(/** @type {boolean} */ is) => onChange(is ? "true" : "")} />`;
  if (ask.kind === "choice") return html`<${Select} label=${label} value=${value} onChange=${onChange} options=${(ask.options ?? []).map((each) => [each, optionOf(each)])} ...${more} />`;
  const Picker = PICKERS[ask.kind ?? ""];
  if (Picker) return html`<${Picker} label=${label} value=${value} onChange=${onChange} wrong=${missing ? t("editor.choose") : null} place=${place} />`;
  const kind = ask.kind === "number" ? { type: "number", min: 1, max: ask.name === "width" ? 4000 : 20 } : ask.kind === "area" ? { rows: 3 } : {};
  const hint = ask.name === "titles" || ask.name === "addresses" || ask.name === "schemas" ? t("editor.one-each") : undefined;
  return html`<${TextField} label=${label} hint=${hint} value=${value} onInput=${onChange} required=${!!ask.required} ...${kind} ...${more} />`;
}

/** @param {string} name */
function optionOf(name) {
  const key = `editor.option-${name}`, text = t(key);
  return text === key ? name.toUpperCase() : text;
}

/**
 * The button that shows all blocks.
 * @param {{ on: (how: (view: EditorView) => void) => void }} props `on` does something with the editor
 */
export function InsertMenu({ on }) {
  const chosen = (/** @type {Block} */ block) => on((view) => {
    const { head } = view.state.selection.main;
    insert(view, block, head, head);
  });
  /** @type {any[]} */
  const choices = [];
  let group = "";
  for (const block of BLOCKS) {
    if (group && block.group !== group) choices.push("-");
    group = block.group;
    choices.push({ label: t(`editor.block-${block.name}`), onChoose: () => chosen(block) });
  }
  return html`<${Menu} label=${t("editor.insert-block")} glyph="add" choices=${choices} />`;
}
