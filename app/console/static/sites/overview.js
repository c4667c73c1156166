// Whether a site is published, where, and for whom.

import { html } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Button, Note } from "../parts/basic.js";
import { attempt, confirm } from "../parts/overlays.js";
import { Without, NeedsPermission } from "../shell/refused.js";
import { t } from "../texts.js";
import { SiteState } from "./list.js";

/** @param {{ site: any, organization: string }} props */
export function SiteOverview({ site: { restId, permissions }, organization }) {
  const found = useQuery("SiteOverview", { organization, site: restId }), site = found.data?.organization?.site;
  if (!site) return html`<${Without} query=${found} organization=${organization} bare />`;
  const change = async () => {
    if (site.published && !(await confirm({ title: t("sites.unpublish-ask", { name: site.title }), yes: t("sites.unpublish"), danger: true }))) return;
    await attempt(() => mutate(site.published ? "UnpublishSite" : "PublishSite", { organization, site: restId }, { refresh: ["SiteOverview", "Sites"] }));
  };
  return html`<div class="stack">
    <div class="row"><${SiteState} site=${site} /><span>${!site.published && `${t("sites.once")} `}${t(`sites.visibility.${site.visibility}`)}</span></div>
    ${!site.siteSpaces?.nodes.length && html`<${Note}>${t("sites.shows-nothing")}<//>`}
    ${site.urls.published && html`<p><a class="breaks" href=${site.urls.published} target="_blank" rel="noopener">${site.urls.published}</a></p>`}
    ${permissions.admin
      ? html`<div class="row"><${Button} kind=${site.published ? "" : "main"} onClick=${change}>${t(site.published ? "sites.unpublish" : "sites.publish")}<//></div>`
      : html`<${NeedsPermission} permission="admin" organization=${organization} />`}
  </div>`;
}
