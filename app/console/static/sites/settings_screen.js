// The frame of a site: its overview, what it shows, who may read it, its look, its redirects, what visitors read, search and say, their claims, who may manage it, its settings.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Nothing } from "../parts/basic.js";
import { later } from "../parts/later.js";
import { LinkTabs } from "../parts/lists.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SiteOverview } from "./overview.js";

const Access = later(() => import("../people/access.js"), "Access");
/** @type {Record<string, (props: any) => any>} */
const PARTS = {
  overview: SiteOverview,
  structure: later(() => import("./structure.js"), "SiteStructure"),
  audience: later(() => import("./audience.js"), "SiteAudience"),
  look: later(() => import("./look.js"), "SiteLook"),
  redirects: later(() => import("./redirects.js"), "SiteRedirects"),
  statistics: later(() => import("./statistics.js"), "SiteStatistics"),
  feedback: later(() => import("./feedback.js"), "SiteFeedback"),
  claims: later(() => import("./claims.js"), "SiteClaims"),
  access: SiteAccess,
  settings: later(() => import("./general.js"), "SiteGeneral"),
};
/** What somebody needs for a part; everybody who sees the site sees its overview.
 * @type {Record<string, string>} */
const NEEDS = { audience: "admin", look: "edit", redirects: "edit", statistics: "edit", feedback: "edit", claims: "edit", access: "admin", settings: "admin" };

/** @param {{ site: any, organization: string }} props */
function SiteAccess({ site, organization }) {
  return html`<${Access} place=${{ kind: "Site", id: site.restId, organization }} />`;
}

/** @param {{ params: Record<string, string> }} props */
export default function SiteSettings({ params }) {
  const organization = params["organization"] ?? "", id = params["site"] ?? "", part = params["part"] || "overview";
  const found = useQuery("SiteSettings", { organization, site: id }), site = found.data?.organization?.site;
  if (!site) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}/site/${id}`, shown = PARTS[part];
  const may = (/** @type {string} */ each) => !NEEDS[each] || site.permissions[NEEDS[each] ?? ""];
  const tabs = Object.keys(PARTS).filter(may).map((each) => ({ to: each === "overview" ? base : `${base}/${each}`, label: t(`${each}.title`) }));
  return html`<${Screen} title=${t(shown ? `${part}.title` : "missing.title")} heading=${site.title} crumbs=${[{ label: t("sites.title"), to: `/o/${organization}/sites` }, { label: site.title, to: base }]} organization=${organization} wide=${part === "look"}>
    <div class="stack">
      <${LinkTabs} label=${site.title} tabs=${tabs} />
      ${!shown ? html`<${Nothing} title=${t("missing.title")} />` : may(part) ? html`<${shown} site=${site} organization=${organization} />` : html`<${NeedsPermission} permission=${NEEDS[part]} organization=${organization} />`}
    </div>
  <//>`;
}
