// The settings of an organization: its name and picture, what its people may do, and what it uses.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, useQuery } from "../api/queries.js";
import { Bones, Button, Progress } from "../parts/basic.js";
import { DeleteByName } from "../parts/deleting.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { Failed, useAll } from "../parts/lists.js";
import { attempt, say } from "../parts/overlays.js";
import { GUEST, roleHint, roleOf, roleOptions } from "../people/roles.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { bytes, date, number, t } from "../texts.js";

const QUOTAS = ["bytes", "requests", "events", "jobs"];
const NEAR = 0.9; // of a limit

/** @param {{ params: Record<string, string> }} props */
export default function OrganizationSettings({ params }) {
  const organization = params["organization"] ?? "", found = useQuery("OrganizationSettings", { organization });
  const known = found.data?.organization;
  if (!known) return html`<${Without} query=${found} organization=${organization} />`;
  const inside = known.deletedAt
    ? html`<${Deleted} known=${known} />`
    : known.permissions.admin
    ? html`<${General} key=${JSON.stringify([known.title, known.hostname, known.urls.logo, known.defaultRole, known.defaultContent, known.inviteLinks, known.contentTransfers])} known=${known} /><${Quotas} organization=${organization} /><${Delete} known=${known} />`
    : html`<${NeedsPermission} permission="admin" organization=${organization} />`;
  return html`<${Screen} title=${t("settings.title")} organization=${organization}><div class="stack">${inside}</div><//>`;
}

/** @param {{ known: any }} props */
function General({ known }) {
  const organization = known.restId, sites = useAll(useQuery("OrganizationSites", { organization }), (data) => data.organization?.sites);
  const before = {
    title: known.title,
    hostname: known.hostname ?? "",
    logo: known.urls.logo ?? "",
    defaultRole: known.defaultRole ?? GUEST,
    site: known.defaultContent?.site?.restId ?? "",
    inviteLinks: known.inviteLinks,
    contentTransfers: known.contentTransfers,
  };
  const [now, setNow] = useState(before), [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const put = (/** @type {string} */ name) => (/** @type {unknown} */ value) => setNow({ ...now, [name]: value });
  const at = (/** @type {string} */ name) => (wrong?.path.includes(name) ? wrong.message : null);
  const save = async () => {
    setWrong(null);
    const sent = {
      title: now.title.trim(),
      hostname: now.hostname.trim() || null,
      logo: now.logo.trim() || null,
      defaultRole: roleOf(now.defaultRole),
      defaultContent: now.site ? { site: now.site } : null,
      inviteLinks: now.inviteLinks,
      contentTransfers: now.contentTransfers,
    };
    try {
      await mutate("UpdateOrganization", { organization, ...sent }, { refresh: ["Session", "OrganizationSettings", "OrganizationContent"] });
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const options = sites.some((/** @type {any} */ each) => each.restId === now.site) || !now.site ? sites : [known.defaultContent.site, ...sites];
  return html`<${Form} onSubmit=${save} class="stack form-width">
    <${TextField} label=${t("organization.name")} value=${now.title} onInput=${put("title")} wrong=${at("title")} required minlength="2" maxlength="255" />
    <${TextField} label=${t("organization.logo")} hint=${t("organization.logo-hint")} type="url" dir="ltr" value=${now.logo} onInput=${put("logo")} wrong=${at("logo")} maxlength="2048" placeholder="https://" />
    <${TextField} label=${t("organization.hostname")} hint=${t("organization.hostname-hint")} dir="ltr" value=${now.hostname} onInput=${put("hostname")} wrong=${at("hostname")} maxlength="32" />
    <${Select} label=${t("organization.default-content")} hint=${t("organization.default-content-hint")} value=${now.site} onChange=${put("site")} wrong=${at("defaultContent")}
      options=${[["", t("organization.no-default-content")], ...options.map((/** @type {any} */ each) => [each.restId, each.title])]} />
    <${Select} label=${t("organization.default-role")} hint=${html`${t("organization.default-role-hint")} ${roleHint(roleOf(now.defaultRole))}`} value=${now.defaultRole} onChange=${put("defaultRole")} wrong=${at("defaultRole")} options=${roleOptions()} />
    <${Checkbox} label=${t("organization.invite-links")} hint=${t("organization.invite-links-hint")} checked=${now.inviteLinks} onChange=${put("inviteLinks")} />
    <${Checkbox} label=${t("organization.transfers")} hint=${t("organization.transfers-hint")} checked=${now.contentTransfers} onChange=${put("contentTransfers")} />
    <div><${Button} kind="main" type="submit" disabled=${now.title.trim().length < 2 || JSON.stringify(now) === JSON.stringify(before)}>${t("save")}<//></div>
  <//>`;
}

const CHANGED = { refresh: ["Session", "OrganizationSettings", "OrganizationContent"] };

/** @param {{ known: any }} props */
function Delete({ known }) {
  const remove = async () => {
    await mutate("DeleteOrganization", { organization: known.restId, title: known.title }, CHANGED);
    say(t("organization.deleted", { name: known.title }));
  };
  return known.permissions.delete && html`<${DeleteByName} title=${t("organization.delete")} text=${t("organization.delete-text")} name=${known.title} remove=${remove} />`;
}

/** @param {{ known: any }} props */
function Deleted({ known }) {
  const restore = async () => {
    await mutate("RestoreOrganization", { organization: known.restId }, CHANGED);
    say(t("organization.restored", { name: known.title }));
  };
  return html`<section class="card stack tight form-width">
    <h2>${t("organization.is-deleted")}</h2>
    <p>${t("organization.is-deleted-text", { until: date(known.restorableUntil, true) })}</p>
    ${known.permissions.restore && html`<div><${Button} kind="main" onClick=${() => attempt(restore)}>${t("organization.restore")}<//></div>`}
  </section>`;
}

/** @param {{ organization: string }} props */
function Quotas({ organization }) {
  const found = useQuery("OrganizationQuotas", { organization }), quotas = found.data?.organization?.quotas;
  return html`<section class="stack people-part">
    <h2>${t("organization.quotas")}</h2>
    ${quotas
      ? html`<ul class="list form-width" aria-label=${t("organization.quotas")}>${QUOTAS.map((name) => html`<li key=${name}><${Quota} name=${name} quota=${quotas[name]} /></li>`)}</ul>`
      : found.error
        ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />`
        : html`<${Bones} lines=${4} />`}
  </section>`;
}

/** @param {{ name: string, quota: { used: number, limit: number | null } }} props */
function Quota({ name, quota: { used, limit } }) {
  const shown = name === "bytes" ? bytes : number, label = t(`organization.quota-${name}`);
  const said = limit === null || limit === undefined ? t("organization.unlimited", { used: shown(used) }) : t("organization.used", { used: shown(used), limit: shown(limit) });
  return html`<div class="grow stack tight">
    <span class="row spread"><span>${label}</span><span class=${limit && used / limit > NEAR ? "wrong" : "soft"}>${said}</span></span>
    ${!!limit && html`<${Progress} value=${used / limit} label=${label} />`}
  </div>`;
}
