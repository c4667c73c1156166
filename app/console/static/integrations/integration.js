// One integration: what it does and may do, and how it is installed in an organization.

import { html, useEffect } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button } from "../parts/basic.js";
import { LinkTabs } from "../parts/lists.js";
import { attempt, confirm } from "../parts/overlays.js";
import { go } from "../router.js";
import { organizations } from "../session.js";
import { recall } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { Events } from "./events.js";
import { Installation } from "./installation.js";
import { Icon, Status } from "./list.js";
import { Owner } from "./owner.js";
import { Summary } from "./summary.js";

/** @param {{ params: Record<string, string> }} props `organization` is missing in the address of the integration itself */
export default function Integration({ params }) {
  const name = params["name"] ?? "", part = params["part"] ?? "", organization = params["organization"] || recall("organization", "") || organizations.value[0]?.restId || "";
  const found = useQuery("Integration", { organization, integration: name }, { skip: !organization });
  const integration = found.data?.integration, here = found.data?.organization, missing = !integration || !here;
  useEffect(() => {
    if (!params["organization"] && !missing) void go(`/o/${organization}/integrations/${name}`, { replace: true });
  }, [organization, missing]);
  if (missing) return html`<${Without} query=${found} organization=${params["organization"]} />`;
  const installed = here.installations?.nodes.find((/** @type {any} */ each) => each.integrationId === integration.restId || each.integrationId === name);
  const may = here.permissions, base = `/o/${organization}/integrations/${name}`, input = { integration: name, organization };
  const install = async () => {
    const question = { title: t("integrations.install-title", { name: integration.title }), text: html`<${Scopes} scopes=${integration.scopes} />`, yes: t("integrations.install") };
    if (await confirm(question) && await attempt(() => mutate("InstallIntegration", input, { refresh: ["Integration", "Integrations"] }))) await go(`${base}/settings`);
  };
  const uninstall = async () => {
    const question = { title: t("integrations.uninstall-title", { name: integration.title }), text: t("integrations.uninstall-text"), yes: t("integrations.uninstall"), danger: true };
    if (await confirm(question) && await attempt(() => mutate("UninstallIntegration", { integration: name, installation: installed.restId }, { refresh: ["Integration", "Integrations"] }))) await go(base);
  };
  const actions = may.installIntegration && (installed
    ? html`<${Button} kind="danger" onClick=${uninstall}>${t("integrations.uninstall")}<//>`
    : html`<${Button} kind="main" glyph="add" onClick=${install}>${t("integrations.install")}<//>`);
  const tabs = [
    { to: base, label: t("integrations.about") },
    ...(installed ? [{ to: `${base}/settings`, label: t("integrations.settings") }] : []),
    ...(may.installIntegration && (installed || integration.permissions.admin) ? [{ to: `${base}/events`, label: t("integrations.events") }] : []),
    ...(integration.permissions.admin ? [{ to: `${base}/publishing`, label: t("integrations.publishing") }] : []),
  ];
  return html`<${Screen} title=${integration.title} heading=${null} crumbs=${[{ label: t("integrations.title"), to: `/o/${organization}/integrations` }]} organization=${organization} actions=${actions}>
    <div class="stack">
      <div class="integration-head"><${Icon} integration=${integration} /><div class="stack tight"><h1 class="breaks" dir="auto">${integration.title}</h1>
        <p class="row"><${Status} status=${installed?.status} /><span class="soft">${t("integrations.by", { name: integration.owner.title })}</span>
          ${integration.visibility !== "PUBLIC" && html`<${Badge}>${t(`integrations.visibility-${integration.visibility}`)}<//>`}</p></div></div>
      ${tabs.length > 1 && html`<${LinkTabs} label=${integration.title} tabs=${tabs} exact />`}
      ${part === "settings" && installed ? html`<${Installation} organization=${organization} integration=${integration} id=${installed.restId} may=${may.installIntegration} />`
        : part === "publishing" && integration.permissions.admin ? html`<${Owner} organization=${organization} integration=${integration} />`
        : part === "events" && may.installIntegration ? html`<${Events} integration=${name} />` : html`<${About} integration=${integration} />`}
    </div>
  <//>`;
}

/** @param {{ integration: any }} props */
function About({ integration }) {
  return html`<div class="stack integration-about">
    <p class="breaks" dir="auto">${integration.description}</p>
    ${integration.previewImages.length > 0 && html`<div class="integration-pictures" role="region" aria-label=${t("integrations.pictures")} tabindex="0">${integration.previewImages.map((/** @type {string} */ url, /** @type {number} */ n) =>
      html`<img key=${url} src=${url} alt=${t("integrations.picture", { count: n + 1 })} loading="lazy" />`)}</div>`}
    ${integration.summary && html`<${Summary} text=${integration.summary} />`}
    <section class="stack tight"><h2>${t("integrations.scopes")}</h2><${Scopes} scopes=${integration.scopes} /></section>
    ${integration.externalLinks.length > 0 && html`<section class="stack tight"><h2>${t("integrations.links")}</h2><ul class="integration-list">${integration.externalLinks.map((/** @type {any} */ each) =>
      html`<li key=${each.url}><a class="breaks" dir="auto" href=${each.url} target="_blank" rel="noopener noreferrer">${each.label}</a></li>`)}</ul></section>`}
    <p class="soft small">${t("integrations.version", { version: integration.version })} · <code>${integration.name}</code></p>
  </div>`;
}

/** What an integration may read, write and be told. @param {{ scopes: string[] }} props */
function Scopes({ scopes }) {
  if (!scopes.length) return html`<p>${t("integrations.scopes-none")}</p>`;
  return html`<ul class="integration-list">${scopes.map((each) => html`<li key=${each}>${t(`integrations.scope-${each}`)}</li>`)}</ul>`;
}
