// A link that signs a member in, shown once to the administrator who made it.

import { html } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { copy, Dialog } from "../parts/overlays.js";
import { date, t } from "../texts.js";

/** @param {{ link: { url: string, expiresAt: string, user: { displayName: string } }, onClose: () => void }} props */
export function SignInLink({ link, onClose }) {
  const name = link.user.displayName;
  const foot = html`<${Button} onClick=${onClose}>${t("account.secret-kept")}<//>
    <${Button} kind="main" glyph="copy" onClick=${() => copy(link.url)}>${t("account.copy")}<//>`;
  return html`<${Dialog} title=${t("people.sign-in-link-title", { name })} onClose=${onClose} foot=${foot}>
    <p>${t("people.sign-in-link-text", { name, until: date(link.expiresAt, true) })}</p>
    <p><code class="breaks secret" tabindex="0">${link.url}</code></p>
  <//>`;
}
