// What lies over the screen: dialogs, questions, menus, and short messages.

import { batch, html, signal, useEffect, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Bones, Button, Glyph, isAsking } from "./basic.js";

/**
 * A dialog, open while it is rendered; Escape and the cross call `onClose`.
 * @param {{ title: string, onClose: () => void, children?: any, foot?: any, wide?: boolean, kind?: string, bare?: boolean }} props
 *   `foot` holds the buttons; `bare` leaves out the head, whose title is then the dialog's label
 */
export function Dialog({ title, onClose, children, foot, wide, kind = "", bare }) {
  const place = useRef(/** @type {HTMLDialogElement | null} */ (null)), id = useId();
  useLayoutEffect(() => { // before anything else happens: no key may reach what is behind it
    const before = document.activeElement;
    const dialog = /** @type {HTMLDialogElement} */ (place.current);
    dialog.showModal();
    /** @type {HTMLElement | null} */ (dialog.querySelector("[autofocus], .inside input, .inside textarea, .inside select"))?.focus();
    return () => (dialog.close(), before instanceof HTMLElement && before.focus());
  }, []);
  const cancelled = (/** @type {Event} */ event) => {
    event.preventDefault();
    onClose();
  };
  const pressed = (/** @type {MouseEvent} */ event) => event.target === place.current && onClose();
  return html`<dialog
    ref=${place} class=${`dialog ${wide ? "wide" : ""} ${kind}`} onCancel=${cancelled} onMouseDown=${pressed}
    aria-labelledby=${bare ? undefined : id} aria-label=${bare ? title : undefined}
  >
    <div class="inside">
      ${!bare && html`<div class="head">
        <h2 id=${id}>${title}</h2>
        <${Button} kind="quiet" small glyph="close" label=${t("close")} onClick=${onClose} />
      </div>`}
      ${children}
      ${foot && html`<div class="foot">${foot}</div>`}
    </div>
  </dialog>`;
}

/**
 * What stands in the place of a dialog while its module is loaded.
 * @param {{ onClose: () => void }} props
 */
export function opening({ onClose }) {
  return html`<${Dialog} title=${t("loading")} onClose=${onClose}><${Bones} lines=${3} /><//>`;
}

/** @typedef {{ title: string, text?: any, yes: string, danger?: boolean }} Question */

const asked = signal(/** @type {(Question & { answer: (yes: boolean) => void }) | null} */ (null));

/**
 * Ask a question and resolve to whether the answer is yes.
 * @param {Question} question `yes` is the label of the button that says what will happen
 * @returns {Promise<boolean>}
 */
export function confirm(question) {
  return new Promise((answer) => {
    const ask = (/** @type {typeof asked.value} */ next) => batch(() => ((asked.value = next), (isAsking.value = !!next)));
    ask({ ...question, answer: (yes) => (ask(null), answer(yes)) });
  });
}

/** The question that is asked now; the shell shows it. */
export function Questions() {
  const question = asked.value;
  if (!question) return null;
  const foot = html`
    <${Button} onClick=${() => question.answer(false)}>${t("cancel")}<//>
    <${Button} kind=${question.danger ? "main danger" : "main"} autofocus onClick=${() => question.answer(true)}>${question.yes}<//>`;
  return html`<${Dialog} title=${question.title} onClose=${() => question.answer(false)} foot=${foot}>
    ${question.text && html`<p class="breaks">${question.text}</p>`}
  <//>`;
}

/**
 * A button that opens a menu. A choice has a `label` and `onChoose` or `href`; "-" is a line.
 * @typedef {{ label: string, glyph?: string, hint?: string, href?: string, onChoose?: () => unknown, danger?: boolean,
 *   disabled?: boolean, checked?: boolean, target?: string }} Choice
 * @param {{ label: string, choices: (Choice | "-" | false | null | undefined)[], children?: any, glyph?: string,
 *   kind?: string, small?: boolean, end?: boolean, className?: string }} props
 *   `end`: the sheet ends where the button does
 */
export function Menu({ label, choices, children, glyph = "more", kind = "quiet", small, end, className }) {
  const [open, setOpen] = useState(false);
  const place = useRef(/** @type {HTMLDivElement | null} */ (null)), id = useId();
  const items = () => /** @type {HTMLElement[]} */ ([...(place.current?.querySelectorAll(".choice:not(:disabled)") ?? [])]);
  const button = () => place.current?.querySelector("button");
  useLayoutEffect(() => {
    if (open) items()[0]?.focus();
  }, [open]);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (/** @type {Event} */ event) => !place.current?.contains(/** @type {Node} */ (event.target)) && setOpen(false);
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const close = () => (setOpen(false), button()?.focus());
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (!open) return;
    const all = items(), at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[to % all.length]?.focus();
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") return setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const ties = { "aria-haspopup": "menu", "aria-expanded": String(open), "aria-controls": open ? id : undefined };
  const toggle = () => setOpen(!open);
  return html`<div class="menu" ref=${place} onKeyDown=${pressed}>
    ${className
      ? html`<button type="button" class=${className} title=${label} onClick=${toggle} ...${ties}>${children}<span class="unseen">${label}</span></button>`
      : html`<${Button} kind=${kind} small=${small} glyph=${glyph} label=${label} onClick=${toggle} ...${ties}>${children}<//>`}
    ${open && html`<div class=${`sheet ${end ? "end" : ""}`} role="menu" id=${id} aria-label=${label}>
      ${choices.map((each) => each && (each === "-" ? html`<hr role="separator" />` : html`<${MenuChoice} choice=${each} close=${close} />`))}
    </div>`}
  </div>`;
}

/** @param {{ choice: Choice, close: () => void }} props */
function MenuChoice({ choice, close }) {
  const inside = html`${choice.glyph && html`<${Glyph} name=${choice.glyph} />`}<span class="breaks">${choice.label}
    ${choice.hint && html`<span class="hint">${choice.hint}</span>`}</span>${choice.checked && html`<${Glyph} name="check" />`}`;
  const role = choice.checked === undefined ? "menuitem" : "menuitemradio";
  const ties = { class: `choice ${choice.danger ? "danger" : ""}`, role, tabindex: -1, "aria-checked": choice.checked };
  if (choice.href) return html`<a href=${choice.href} target=${choice.target} ...${ties} onClick=${close}>${inside}</a>`;
  const chosen = () => (close(), choice.onChoose?.());
  return html`<button type="button" disabled=${choice.disabled} onClick=${chosen} ...${ties}>${inside}</button>`;
}

/** @typedef {{ id: number, text: string, kind: string, action?: { label: string, onClick: () => unknown } }} Toast */

const toasts = signal(/** @type {Toast[]} */ ([]));
let count = 0;

/**
 * Say something that passes: it goes by itself, errors stay until they are closed.
 * @param {string | Error} said
 * @param {{ action?: { label: string, onClick: () => unknown }, seconds?: number }} [options]
 */
export function say(said, { action, seconds = 6 } = {}) {
  const failed = said instanceof Error, id = ++count;
  const toast = { id, text: failed ? said.message : said, kind: failed ? "bad" : "", ...(action ? { action } : {}) };
  toasts.value = [...toasts.value.slice(-3), toast];
  if (!failed) setTimeout(() => dismiss(id), seconds * 1000);
}

/** @param {number} id */
function dismiss(id) {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** What was said last; the shell shows it. */
export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.value.map((each) => html`<div class=${`toast ${each.kind}`} key=${each.id}>
      <p>${each.text}</p>
      ${each.action && html`<${Button} small onClick=${() => (dismiss(each.id), each.action?.onClick())}>${each.action.label}<//>`}
      <${Button} kind="quiet" small glyph="close" label=${t("close")} onClick=${() => dismiss(each.id)} />
    </div>`)}
  </div>`;
}

/**
 * Put a text on the clipboard and say so.
 * @param {string} text
 */
export function copy(text) {
  return attempt(async () => (await navigator.clipboard.writeText(text), say(t("copied"))));
}

/**
 * Do something and say what goes wrong; returns what it returns, undefined if it failed.
 * @template T
 * @param {() => Promise<T>} action
 */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    say(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}
