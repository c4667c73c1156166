// A secret that is shown once.

import { html } from "../vendor/preact.js";
import { Button, Note } from "../parts/basic.js";
import { copy } from "../parts/overlays.js";
import { t } from "../texts.js";

/** @param {{ secret: string, onDone: () => void }} props */
export function Secret({ secret, onDone }) {
  return html`<${Note} kind="good">
    <p>${t("account.secret-once")}</p>
    <p><code class="breaks secret" tabindex="0">${secret}</code></p>
    <div class="row"><${Button} small glyph="copy" onClick=${() => copy(secret)}>${t("account.copy")}<//><${Button} small onClick=${onDone}>${t("account.secret-kept")}<//></div>
  <//>`;
}
