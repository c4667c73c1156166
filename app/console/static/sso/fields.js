// Fields of identity providers, and what the server refuses of them.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { Button } from "../parts/basic.js";
import { TextField } from "../parts/forms.js";
import { copy, say } from "../parts/overlays.js";
import { t } from "../texts.js";

/** Return what runs an action and keeps the refusal of a field, and what tells it. */
export function useRefusals() {
  const [refused, setRefused] = useState(/** @type {ApiError | null} */ (null));
  const tried = async (/** @type {() => Promise<unknown>} */ act) => {
    setRefused(null);
    try {
      await act();
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setRefused(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const wrong = (/** @type {string} */ field) => (refused?.path.includes(field) ? refused.message : null);
  return { tried, wrong };
}

/**
 * What an OpenID Connect provider gave; the secret is never shown again.
 * @param {{ given: { issuer: string, clientId: string, clientSecret: string }, onChange: (given: any) => void,
 *   wrong: (field: string) => string | null, required?: boolean }} props `required`: the secret has to be given
 */
export function OidcFields({ given, onChange, wrong, required }) {
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => onChange({ ...given, [name]: value.trim() });
  return html`<${TextField} label=${t("sso.issuer")} hint=${t("sso.issuer-hint")} type="url" dir="ltr" value=${given.issuer} onInput=${set("issuer")} wrong=${wrong("issuer")} required />
    <${TextField} label=${t("sso.client-id")} dir="ltr" value=${given.clientId} onInput=${set("clientId")} wrong=${wrong("clientId")} required autocomplete="off" />
    <${TextField} label=${t("sso.client-secret")} hint=${required ? undefined : t("sso.client-secret-hint")} type="password" dir="ltr" value=${given.clientSecret}
      onInput=${set("clientSecret")} wrong=${wrong("clientSecret")} required=${required} autocomplete="new-password" />`;
}

/**
 * Values to be entered elsewhere, each with a button that copies it.
 * @param {{ values: [string, string][] }} props pairs of name and value
 */
export function ToCopy({ values }) {
  return html`<dl class="to-copy">${values.map(([name, value]) => html`<div key=${name}>
    <dt>${name}</dt>
    <dd><code class="breaks" dir="ltr">${value}</code><${Button} kind="quiet" small glyph="copy" label=${t("sso.copy", { name })} onClick=${() => copy(value)} /></dd>
  </div>`)}</dl>`;
}
