// A new identity provider: a label is enough for SAML, OpenID Connect needs what the provider gave.

import { html, useState } from "../vendor/preact.js";
import { mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { Dialog } from "../parts/overlays.js";
import { useRefusals } from "../parts/refusals.js";
import { go } from "../router.js";
import { t } from "../texts.js";
import { OidcFields } from "./fields.js";

/** @param {{ organization: string, kind: "saml" | "oidc", onClose: () => void }} props */
export function NewProvider({ organization, kind, onClose }) {
  const [label, setLabel] = useState(""), [given, setGiven] = useState({ issuer: "", clientId: "", clientSecret: "" });
  const { wrong, tried } = useRefusals(), isOidc = kind === "oidc";
  const add = () =>
    tried(async () => {
      const input = { organization, label: label.trim(), ...(isOidc ? given : {}) };
      const made = await mutate(isOidc ? "CreateOIDCProvider" : "CreateSAMLProvider", input, { refresh: ["SingleSignOn", "People"] });
      await go(`/o/${organization}/people/sso/${(made.samlProvider ?? made.oidcProvider).restId}`);
    });
  return html`<${Dialog} title=${t(isOidc ? "sso.add-oidc" : "sso.add-saml")} onClose=${onClose}>
    <${Form} onSubmit=${add}>
      <${TextField} label=${t("sso.label")} hint=${t("sso.label-hint")} value=${label} onInput=${setLabel} wrong=${wrong("label")} required maxlength="30" autofocus />
      ${isOidc ? html`<${OidcFields} given=${given} onChange=${setGiven} wrong=${wrong} required />` : html`<p class="soft">${t("sso.saml-next")}</p>`}
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!label.trim()}>${t("create")}<//></div>
    <//>
  <//>`;
}
