// Values that people enter elsewhere: buttons that copy them.

import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button } from "./basic.js";
import { attempt, say } from "./overlays.js";

/**
 * Put an address on the clipboard and say so.
 * @param {string} address
 */
export function copy(address) {
  return attempt(async () => (await navigator.clipboard.writeText(address), say(t("account.copied"))));
}

/**
 * Values to be entered elsewhere, each with a button that copies it.
 * @param {{ values: [string, string][] }} props pairs of name and value
 */
export function ToCopy({ values }) {
  return html`<dl class="to-copy">${values.map(([name, value]) => html`<div key=${name}>
    <dt>${name}</dt>
    <dd><code class="breaks" dir="ltr">${value}</code><${Button} kind="quiet" small glyph="copy" label=${t("copy-named", { name })} onClick=${() => copy(value)} /></dd>
  </div>`)}</dl>`;
}
