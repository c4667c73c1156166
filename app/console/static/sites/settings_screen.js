// The frame of a site: its overview, what it shows, who may read it, its look, its redirects, what visitors say of its pages, their claims, who may manage it, its settings.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Nothing } from "../parts/basic.js";
import { LinkTabs } from "../parts/lists.js";
import { Access } from "../people/access.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SiteAudience } from "./audience.js";
import { SiteClaims } from "./claims.js";
import { SiteFeedback } from "./feedback.js";
import { SiteGeneral } from "./general.js";
import { SiteLook } from "./look.js";
import { SiteOverview } from "./overview.js";
import { SiteRedirects } from "./redirects.js";
import { SiteStructure } from "./structure.js";

/** @type {Record<string, (props: any) => any>} */
const PARTS = { overview: SiteOverview, structure: SiteStructure, audience: SiteAudience, look: SiteLook, redirects: SiteRedirects, feedback: SiteFeedback, claims: SiteClaims, access: SiteAccess, settings: SiteGeneral };
/** What somebody needs for a part; everybody who sees the site sees its overview.
 * @type {Record<string, string>} */
const NEEDS = { audience: "admin", look: "edit", redirects: "edit", feedback: "edit", claims: "edit", access: "admin", settings: "admin" };

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
