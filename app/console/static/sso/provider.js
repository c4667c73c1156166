// An identity provider: what it has to know of this server, and what this server has to know of it.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button, Note } from "../parts/basic.js";
import { ToCopy } from "../parts/copying.js";
import { Field, Form, Select, TextField } from "../parts/forms.js";
import { useAll } from "../parts/lists.js";
import { say } from "../parts/overlays.js";
import { useRefusals } from "../parts/refusals.js";
import { GUEST, roleOf, roleOptions } from "../people/roles.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";
import { OidcFields } from "./fields.js";

/** @param {{ organization: any, provider: any }} props */
export function Provider({ organization, provider }) {
  const isOidc = !!provider.issuer, isActive = isOidc || provider.status === "ACTIVE", { service } = provider;
  return html`<section class="stack people-part">
      <p><a href=${`${BASE}/o/${organization.restId}/people/sso`}>${t("sso.all")}</a></p>
      <div class="row"><h2 class="breaks" dir="auto">${provider.label}</h2>
        <${Badge} kind=${isActive ? "good" : "warn"}>${t(isActive ? "sso.active" : "sso.pending")}<//></div>
      <h3>${t("sso.theirs")}</h3>
      <p class="soft">${t(isOidc ? "sso.theirs-oidc" : "sso.theirs-saml")}</p>
      <${ToCopy} values=${isOidc
        ? [[t("sso.redirect-uri"), service.redirectURI]]
        : [[t("sso.acs-url"), service.acsURL], [t("sso.entity-id-here"), service.entityID], [t("sso.metadata-here"), service.entityID], [t("sso.name-id"), "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"]]} />
    </section>
    <section class="stack people-part">
      <h3>${t("sso.ours")}</h3>
      <${Settings} organization=${organization.restId} provider=${provider} isOidc=${isOidc} />
    </section>
    <section class="stack people-part">
      <h3>${t("sso.test")}</h3>
      ${isActive
        ? html`<p class="soft">${t("sso.test-text")}</p><${ToCopy} values=${[[t("sso.start-url"), service.startURL]]} />
          <div><${Button} href=${service.startURL} target="_blank" glyph="key">${t("sso.test")}<//></div>`
        : html`<${Note} kind="warn">${t("sso.test-not-yet")}<//>`}
    </section>`;
}

/** @param {{ organization: string, provider: any, isOidc: boolean }} props */
function Settings({ organization, provider, isOidc }) {
  const [label, setLabel] = useState(provider.label), [role, setRole] = useState(provider.defaultRole ?? GUEST);
  const [team, setTeam] = useState(provider.defaultTeam?.restId ?? "");
  const [oidc, setOidc] = useState({ issuer: provider.issuer ?? "", clientId: provider.clientId ?? "", clientSecret: "" });
  const [saml, setSaml] = useState(samlOf(provider)), [metadata, setMetadata] = useState(NO_METADATA);
  const teams = useQuery("Teams", { organization }), { wrong, tried } = useRefusals();
  const options = useAll(teams, (data) => data.organization?.teams).map((/** @type {any} */ each) => [each.restId, each.title]);
  const save = () =>
    tried(async () => {
      const common = { organization, label: label.trim(), defaultRole: roleOf(role), defaultTeam: team || null };
      if (isOidc) {
        const { clientSecret, ...others } = oidc;
        await mutate("UpdateOIDCProvider", { ...common, oidcProvider: provider.restId, ...others, ...(clientSecret ? { clientSecret } : {}) });
        setOidc({ ...oidc, clientSecret: "" });
      } else {
        const { url, xml } = metadata;
        const given = url.trim() ? { metadataURL: url.trim() } : xml.trim() ? { metadata: xml } : Object.fromEntries(Object.entries(saml).map(([name, value]) => [name, value.trim() || null]));
        const { samlProvider } = await mutate("UpdateSAMLProvider", { ...common, samlProvider: provider.restId, ...given }, { refresh: ["People"] });
        setSaml(samlOf(samlProvider));
        setMetadata(NO_METADATA);
      }
      say(t("sso.saved"));
    });
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => setSaml({ ...saml, [name]: value });
  return html`<${Form} onSubmit=${save}>
    ${isOidc
      ? html`<${OidcFields} given=${oidc} onChange=${setOidc} wrong=${wrong} />`
      : html`<${Metadata} value=${metadata} onChange=${setMetadata} wrong=${wrong} />
        <${TextField} label=${t("sso.entity-id")} hint=${t("sso.entity-id-hint")} dir="ltr" value=${saml.entityID} onInput=${set("entityID")} wrong=${wrong("entityID")} autocomplete="off" />
        <${TextField} label=${t("sso.sso-url")} hint=${t("sso.sso-url-hint")} type="url" dir="ltr" value=${saml.ssoURL} onInput=${set("ssoURL")} wrong=${wrong("ssoURL")} autocomplete="off" />
        <${TextField} label=${t("sso.certificate")} hint=${t("sso.certificate-hint")} dir="ltr" rows=${5} class="input code" value=${saml.certificate} onInput=${set("certificate")} wrong=${wrong("certificate")} spellcheck="false" />`}
    <${TextField} label=${t("sso.label")} hint=${t("sso.label-hint")} value=${label} onInput=${setLabel} wrong=${wrong("label")} required maxlength="30" />
    <${Select} label=${t("sso.default-role")} hint=${t("sso.default-role-hint")} value=${role} onChange=${setRole} options=${roleOptions()} />
    ${options.length > 0 && html`<${Select} label=${t("sso.default-team")} value=${team} onChange=${setTeam} options=${[["", t("access.no-team")], ...options]} />`}
    <div class="foot"><${Button} kind="main" type="submit" disabled=${!label.trim()}>${t("save")}<//></div>
  <//>`;
}

const NO_METADATA = { url: "", xml: "" };

/** Return the fields of a SAML provider. @param {any} provider */
function samlOf({ entityID, ssoURL, certificate }) {
  return { entityID: entityID ?? "", ssoURL: ssoURL ?? "", certificate: certificate ?? "" };
}

/**
 * The metadata of a provider, by its URL, pasted or from a file. When it is saved it fills the fields below.
 * @param {{ value: { url: string, xml: string }, onChange: (value: { url: string, xml: string }) => void, wrong: (field: string) => string | null }} props
 */
function Metadata({ value, onChange, wrong }) {
  const chosen = async (/** @type {any} */ event) => onChange({ url: "", xml: (await event.currentTarget.files[0]?.text()) ?? "" });
  return html`<${TextField} label=${t("sso.metadata-url")} hint=${t("sso.metadata-url-hint")} type="url" dir="ltr" value=${value.url} onInput=${(/** @type {string} */ url) => onChange({ ...value, url })} wrong=${wrong("metadataURL")} autocomplete="off" placeholder="https://" />
    <details open=${!!value.xml || !!wrong("metadata")}><summary>${t("sso.metadata-xml")}</summary><div class="stack">
      <${TextField} label=${t("sso.metadata")} hint=${t("sso.metadata-hint")} dir="ltr" rows=${4} class="input code" value=${value.xml} onInput=${(/** @type {string} */ xml) => onChange({ url: "", xml })} wrong=${wrong("metadata")} spellcheck="false" />
      <${Field} label=${t("sso.metadata-file")}>${(/** @type {any} */ ties) => html`<input ...${ties} type="file" accept=".xml,application/xml,text/xml,application/samlmetadata+xml" onChange=${chosen} />`}<//>
    </div></details>`;
}
