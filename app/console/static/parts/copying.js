// Values that people enter elsewhere: buttons that copy them.

import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button } from "./basic.js";
import { copy } from "./overlays.js";

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
