// Single sign-on of an organization: its identity providers, and whether everybody has to use them.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Bones, Button, Nothing, Note } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { attempt, confirm, Menu, say } from "../parts/overlays.js";
import { go } from "../router.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";
import { NewProvider } from "./new_provider.js";
import { Provider } from "./provider.js";

/** @param {{ organization: any, rest: string }} props `rest` is the id of a provider, or empty for all */
export function SingleSignOn({ organization, rest }) {
  const found = useQuery("SingleSignOn", { organization: organization.restId }), data = found.data?.organization;
  if (!data) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  const providers = [...data.samlProviders.nodes, ...data.oidcProviders.nodes];
  if (!rest) return html`<${Providers} organization=${organization} data=${data} providers=${providers} /><${Required} organization=${organization} data=${data} providers=${providers} />`;
  const one = providers.find((each) => each.restId === rest);
  return one ? html`<${Provider} key=${one.id} organization=${organization} provider=${one} />` : html`<${Nothing} title=${t("missing.title")} />`;
}

/** Tell whether people can sign in through a provider. @param {any} provider */
const isActive = (provider) => provider.issuer || provider.status === "ACTIVE";

/** @param {{ organization: any, data: any, providers: any[] }} props */
function Providers({ organization, data, providers }) {
  const [adding, setAdding] = useState(/** @type {"saml" | "oidc" | null} */ (null));
  const base = `/o/${organization.restId}/people`;
  const domains = html`<${Button} small href=${`${BASE}${base}/domains`}>${t("sso.to-domains")}<//>`;
  return html`<section class="stack people-part">
    <h2>${t("sso.providers")}</h2>
    <p class="soft">${t("sso.text")}</p>
    ${!data.provenDomains.totalCount && html`<${Note} kind="warn" actions=${domains}>${t("sso.no-domain")}<//>`}
    <div class="row"><${Button} kind="main" glyph="add" onClick=${() => setAdding("saml")}>${t("sso.add-saml")}<//>
      <${Button} glyph="add" onClick=${() => setAdding("oidc")}>${t("sso.add-oidc")}<//></div>
    ${providers.length
      ? html`<ul class="list" aria-label=${t("sso.providers")}>${providers.map((each) => html`<li key=${each.id}><${Row} organization=${organization} provider=${each} base=${base} /></li>`)}</ul>`
      : html`<p>${t("sso.none")}</p>`}
    ${adding && html`<${NewProvider} organization=${organization.restId} kind=${adding} onClose=${() => setAdding(null)} />`}
  </section>`;
}

/** @param {{ organization: any, provider: any, base: string }} props */
function Row({ organization, provider, base }) {
  const isOidc = !!provider.issuer, name = provider.label;
  const remove = async () => {
    const question = { title: t("sso.delete-title", { name }), text: t("sso.delete-text"), yes: t("delete"), danger: true };
    if (!(await confirm(question))) return;
    const input = { organization: organization.restId, [isOidc ? "oidcProvider" : "samlProvider"]: provider.restId };
    await attempt(() => mutate(isOidc ? "DeleteOIDCProvider" : "DeleteSAMLProvider", input, { refresh: ["SingleSignOn", "People"] }));
  };
  const choices = [
    { label: t("sso.edit"), glyph: "edit", onChoose: () => go(`${base}/sso/${provider.restId}`) },
    isActive(provider) && { label: t("sso.test"), glyph: "key", hint: t("sso.test-hint"), href: provider.service.startURL, target: "_blank" },
    { label: t("delete"), glyph: "trash", danger: true, onChoose: remove },
  ];
  return html`<a class="whole" href=${`${BASE}${base}/sso/${provider.restId}`}>
      <span class="grow stack tight"><strong class="breaks" dir="auto">${name}</strong>
        <span class="soft small breaks">${isOidc ? "OpenID Connect" : "SAML"} · ${provider.issuer ?? provider.entityID ?? t("sso.not-set-up")}</span></span>
      <${Badge} kind=${isActive(provider) ? "good" : "warn"}>${t(isActive(provider) ? "sso.active" : "sso.pending")}<//>
    </a>
    <${Menu} label=${t("sso.do", { name })} end choices=${choices} />`;
}

/** @param {{ organization: any, data: any, providers: any[] }} props */
function Required({ organization, data, providers }) {
  const require = (/** @type {boolean} */ sso) =>
    attempt(async () => {
      if (sso && !(await confirm({ title: t("sso.require-title"), text: t("sso.require-sure"), yes: t("sso.require"), danger: true }))) return;
      await mutate("RequireSingleSignOn", { organization: organization.restId, sso });
      say(t(sso ? "sso.required-now" : "sso.optional-now"));
    });
  const ready = data.sso || providers.some(isActive);
  return html`<section class="stack people-part">
    <h2>${t("sso.required")}${data.sso && html` <${Badge} kind="good">${t("sso.on")}<//>`}</h2>
    <p>${t("sso.required-text")}</p>
    <ul class="plain-list">${["tokens", "guests", "lockout"].map((each) => html`<li key=${each}>${t(`sso.required-${each}`)}</li>`)}</ul>
    ${!ready && html`<p class="soft">${t("sso.required-first")}</p>`}
    <div>${data.sso
      ? html`<${Button} onClick=${() => require(false)}>${t("sso.require-not")}<//>`
      : html`<${Button} disabled=${!ready} onClick=${() => require(true)}>${t("sso.require")}…<//>`}</div>
  </section>`;
}
