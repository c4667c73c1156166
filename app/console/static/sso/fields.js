// Fields of identity providers.

import { html } from "../vendor/preact.js";
import { TextField } from "../parts/forms.js";
import { t } from "../texts.js";

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
