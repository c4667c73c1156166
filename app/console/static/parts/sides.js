// Two versions beside each other, of which one is chosen, or both.

import { html } from "../vendor/preact.js";

/**
 * One of the versions, with what chooses it.
 * @param {{ name: string, label: string, chosen: boolean, taken: boolean, onChoose: () => void, children?: any }} props
 *   `name` is that of the choice; `taken` marks a version that will be there, `chosen` one that was chosen alone
 */
export function Side({ name, label, chosen, taken, onChoose, children }) {
  return html`<div class=${`version ${taken ? "taken" : ""}`}><${Choose} name=${name} label=${label} chosen=${chosen} onChoose=${onChoose} />${children}</div>`;
}

/** @param {{ name: string, label: string, chosen: boolean, onChoose: () => void }} props */
export function Choose({ name, label, chosen, onChoose }) {
  return html`<label class="check"><input type="radio" name=${name} checked=${chosen} onChange=${onChoose} /><span>${label}</span></label>`;
}
