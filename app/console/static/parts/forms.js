// Fields of forms. Each has a label; a hint and what is wrong with the value are read out with it.

import { html, useId } from "../vendor/preact.js";

/**
 * A label with a field, its hint and what is wrong. `children` gets the attributes that tie the field to them.
 * @param {{ label: string, hint?: any, wrong?: string | null, children: (ties: Record<string, any>) => any }} props
 */
export function Field({ label, hint, wrong, children }) {
  const id = useId();
  const told = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children({ id, class: "input", "aria-describedby": told, "aria-invalid": wrong ? "true" : undefined })}
    ${hint && html`<span class="hint" id=${`${id}-hint`}>${hint}</span>`}
    ${wrong && html`<span class="wrong" id=${`${id}-wrong`} role="alert">${wrong}</span>`}
  </div>`;
}

/**
 * A line of text, or several with `rows`. `onInput` gets the text.
 * @param {{ label: string, value: string, onInput: (value: string) => void, hint?: any, wrong?: string | null,
 *   rows?: number, [attribute: string]: any }} props
 */
export function TextField({ label, value, onInput, hint, wrong, rows, ...more }) {
  const typed = (/** @type {any} */ event) => onInput(event.currentTarget.value);
  return html`<${Field} label=${label} hint=${hint} wrong=${wrong}>${(/** @type {any} */ ties) =>
    rows
      ? html`<textarea ...${ties} dir="auto" rows=${rows} value=${value} onInput=${typed} ...${more}></textarea>`
      : html`<input ...${ties} dir="auto" value=${value} onInput=${typed} ...${more} />`}<//>`;
}

/**
 * A choice among few. `options` are pairs of value and label.
 * @param {{ label: string, value: string, options: [string, string][], onChange: (value: string) => void,
 *   hint?: any, wrong?: string | null, [attribute: string]: any }} props
 */
export function Select({ label, value, options, onChange, hint, wrong, ...more }) {
  const chosen = (/** @type {any} */ event) => onChange(event.currentTarget.value);
  return html`<${Field} label=${label} hint=${hint} wrong=${wrong}>${(/** @type {any} */ ties) =>
    html`<select ...${ties} value=${value} onChange=${chosen} ...${more}>
      ${options.map(([each, text]) => html`<option key=${each} value=${each}>${text}</option>`)}
    </select>`}<//>`;
}

/**
 * @param {{ label: any, checked: boolean, onChange: (checked: boolean) => void, hint?: any, type?: "checkbox" | "radio",
 *   [attribute: string]: any }} props
 */
export function Checkbox({ label, checked, onChange, hint, type = "checkbox", ...more }) {
  const changed = (/** @type {any} */ event) => onChange(event.currentTarget.checked);
  return html`<label class="check">
    <input type=${type} checked=${checked} onChange=${changed} ...${more} />
    <span>${label}${hint && html`<span class="hint">${hint}</span>`}</span>
  </label>`;
}

/**
 * A form: Enter sends it, and it is sent once. `onSubmit` may return a promise.
 * @param {{ onSubmit: () => unknown, children?: any, [attribute: string]: any }} props
 */
export function Form({ onSubmit, children, ...more }) {
  const sent = (/** @type {Event} */ event) => {
    event.preventDefault();
    void onSubmit();
  };
  return html`<form class="stack" onSubmit=${sent} ...${more}>${children}</form>`;
}
