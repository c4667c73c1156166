// An integration as it is installed: its configuration, what it sees, and the spaces and sites that it is on.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Bones, Button, Note, Nothing } from "../parts/basic.js";
import { Checkbox, Select } from "../parts/forms.js";
import { Failed, useAll } from "../parts/lists.js";
import { attempt, confirm, Dialog } from "../parts/overlays.js";
import { SpaceField } from "../parts/spaces.js";
import { t } from "../texts.js";
import { Configuration, plain } from "./configuration.js";
import { Status } from "./list.js";

const REFRESH = ["Installation", "Integration", "Integrations"];

/** @param {{ organization: string, integration: any, id: string, may: boolean }} props `may` tells whether one may install in the organization */
export function Installation({ organization, integration, id, may }) {
  const found = useQuery("Installation", { integration: integration.name, installation: id }, { poll: 10 });
  const installation = found.data?.integration?.installation;
  if (!installation) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  const named = { integration: integration.name, installation: id }, { account } = integration.configurations, status = installation.status;
  const update = (/** @type {Record<string, unknown>} */ change) => mutate("UpdateInstallation", { ...named, ...change }, { refresh: REFRESH });
  const props = { installation: { id, status: status.toLowerCase(), configuration: values(installation.configuration) } };
  const all = (/** @type {string} */ field) => (/** @type {boolean} */ on) => void attempt(() => update({ [field]: on ? "ALL" : "SELECTED" }));
  const part = (/** @type {"space" | "site"} */ kind) => html`<${Places} kind=${kind} organization=${organization} integration=${integration} query=${found} installation=${installation} props=${props} />`;
  const onSpaces = ["ALL", "SPACE"].includes(integration.target), onSites = ["ALL", "SITE"].includes(integration.target);
  return html`<div class="stack integration-about">
    ${status === "PENDING" && html`<${Note} kind="warn">${t("integrations.pending-text")}<//>`}
    ${status === "PAUSED" && html`<${Note} kind="bad">${t("integrations.paused-text")}<//>`}
    <section class="stack"><h2>${t("integrations.configuration")}</h2>
      ${may ? html`<${Configuration} asked=${account} values=${installation.configuration ?? []} integration=${integration.name} frames=${integration.urls.publicContentEndpoint} place=${{ type: "CONFIGURATION_ACCOUNT", organizationId: organization }}
        props=${props} endpoint=${installation.urls.publicEndpoint} label=${t("integrations.configuration")} save=${(/** @type {any} */ configuration) => update({ configuration })} />`
        : html`<p class="soft">${t("integrations.configured-by-others")}</p>`}</section>
    ${may && (onSpaces || onSites) && html`<section class="stack tight"><h2>${t("integrations.sees")}</h2>
      ${onSpaces && html`<${Checkbox} label=${t("integrations.all-spaces")} hint=${t("integrations.all-spaces-hint")} checked=${installation.spaceSelection === "ALL"} onChange=${all("spaceSelection")} />`}
      ${onSites && html`<${Checkbox} label=${t("integrations.all-sites")} hint=${t("integrations.all-sites-hint")} checked=${installation.siteSelection === "ALL"} onChange=${all("siteSelection")} />`}</section>`}
    ${onSpaces && part("space")}
    ${onSites && part("site")}
  </div>`;
}

const ON = /** @type {const} */ ({
  space: { list: "spaceInstallations", add: "InstallOnSpace", update: "UpdateSpaceInstallation", remove: "UninstallFromSpace", after: "afterSpaces", field: "space", first: "space", context: "CONFIGURATION_SPACE", id: "spaceId", props: "spaceInstallation" },
  site: { list: "siteInstallations", add: "InstallOnSite", update: "UpdateSiteInstallation", remove: "UninstallFromSite", after: "afterSites", field: "site", first: "siteId", context: "CONFIGURATION_SITE", id: "siteId", props: "siteInstallation" },
});

/** @param {{ kind: "space" | "site", organization: string, integration: any, query: import("../api/queries.js").Query, installation: any, props: Record<string, unknown> }} props */
function Places({ kind, organization, integration, query, installation, props }) {
  const on = ON[kind], [adding, setAdding] = useState(false);
  const placed = useAll(query, (data) => data.integration?.installation?.[on.list], on.after), there = placed.map((each) => each[on.id]);
  const row = (/** @type {any} */ each) => html`<${Placed} key=${each.id} kind=${kind} organization=${organization} integration=${integration} installation=${installation} placed=${each} may=${each[kind]?.permissions.installIntegration} props=${props} />`;
  return html`<section class="stack tight" aria-label=${t(`integrations.on-${kind}`)}>
    <div class="row spread"><h2>${t(`integrations.on-${kind}`)}</h2><${Button} small glyph="add" onClick=${() => setAdding(true)}>${t(`integrations.add-${kind}`)}<//></div>
    ${placed.length ? html`<ul class="list" aria-label=${t(`integrations.on-${kind}`)}>${placed.map(row)}</ul>` : html`<${Nothing} title=${t(`integrations.on-${kind}-none`)} />`}
    ${adding && html`<${AddDialog} kind=${kind} organization=${organization} integration=${integration.name} installation=${installation.restId} there=${there} onClose=${() => setAdding(false)} />`}
  </section>`;
}

/** @param {{ kind: "space" | "site", organization: string, integration: any, installation: any, placed: any, may: boolean, props: Record<string, unknown> }} props */
function Placed({ kind, organization, integration, installation, placed, may, props }) {
  const on = ON[kind], [open, setOpen] = useState(false), asked = integration.configurations[kind], id = placed[on.id], title = placed[kind]?.title ?? id;
  const input = { integration: integration.name, installation: installation.restId, [on.field]: id };
  const remove = async () => {
    const question = { title: t("integrations.remove-title", { name: title }), text: t("integrations.remove-text"), yes: t("integrations.remove"), danger: true };
    if (await confirm(question)) await attempt(() => mutate(on.remove, input, { refresh: REFRESH }));
  };
  const place = { type: on.context, [on.id]: id, organizationId: organization };
  const own = { ...props, [on.props]: { [kind]: id, status: placed.status.toLowerCase(), configuration: values(placed.configuration) } };
  return html`<li><div class="grow stack">
    <div class="row spread"><span class="row"><span class="breaks" dir="auto">${title}</span><${Status} status=${placed.status} /></span>
      ${may && html`<span class="row">${asked && html`<${Button} small aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>${t("integrations.configure")}<//>`}
        <${Button} small kind="quiet" glyph="trash" label=${t("integrations.remove-named", { name: title })} onClick=${remove} /></span>`}</div>
    ${open && html`<${Configuration} asked=${asked} values=${placed.configuration ?? []} integration=${integration.name} frames=${integration.urls.publicContentEndpoint} place=${place} props=${own} endpoint=${placed.urls.publicEndpoint}
      label=${t("integrations.configure-named", { name: title })} save=${(/** @type {any} */ configuration) => mutate(on.update, { ...input, configuration }, { refresh: REFRESH })} />`}
  </div></li>`;
}

/** @param {{ kind: "space" | "site", organization: string, integration: string, installation: string, there: string[], onClose: () => void }} props `there` are the ids of those that it is on */
function AddDialog({ kind, organization, integration, installation, there, onClose }) {
  const on = ON[kind], [chosen, setChosen] = useState(/** @type {any} */ (null));
  const add = () => attempt(async () => {
    await mutate(on.add, { integration, installation, [on.first]: chosen.restId }, { refresh: REFRESH });
    onClose();
  });
  const foot = html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" disabled=${!chosen} onClick=${add}>${t("integrations.install")}<//>`;
  const fits = (/** @type {any} */ each) => each.permissions?.installIntegration && !there.includes(each.restId);
  return html`<${Dialog} title=${t(`integrations.add-${kind}`)} onClose=${onClose} foot=${foot}>
    ${kind === "space"
      ? html`<${SpaceField} label=${t("integrations.space")} placeholder=${t("structure.find-space")} organization=${organization} value=${chosen} onChange=${setChosen} may=${fits} />`
      : html`<${SiteSelect} organization=${organization} fits=${fits} chosen=${chosen} onChange=${setChosen} />`}
  <//>`;
}

/** @param {{ organization: string, fits: (site: any) => boolean, chosen: any, onChange: (site: any) => void }} props */
function SiteSelect({ organization, fits, chosen, onChange }) {
  const sites = useAll(useQuery("SitesToInstallOn", { organization }), (data) => data.organization?.sites).filter(fits);
  const options = /** @type {[string, string][]} */ ([["", t("integrations.choose")], ...sites.map((each) => [each.restId, each.title])]);
  return html`<${Select} label=${t("integrations.site")} value=${chosen?.restId ?? ""} options=${options} onChange=${(/** @type {string} */ id) => onChange(sites.find((each) => each.restId === id) ?? null)} />`;
}

/** @param {any[] | null | undefined} configuration */
function values(configuration) {
  return Object.fromEntries((configuration ?? []).map((each) => [each.name, plain(each.value)]));
}
