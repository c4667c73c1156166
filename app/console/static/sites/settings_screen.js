// The frame of a site: its overview, its look, its redirects, and the claims of its visitors.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Nothing } from "../parts/basic.js";
import { LinkTabs } from "../parts/lists.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SiteClaims } from "./claims.js";
import { SiteLook } from "./look.js";
import { SiteOverview } from "./overview.js";
import { SiteRedirects } from "./redirects.js";

/** @type {Record<string, (props: any) => any>} */
const PARTS = { overview: SiteOverview, look: SiteLook, redirects: SiteRedirects, claims: SiteClaims };

/** @param {{ params: Record<string, string> }} props */
export default function SiteSettings({ params }) {
  const organization = params["organization"] ?? "", id = params["site"] ?? "", part = params["part"] || "overview";
  const found = useQuery("SiteSettings", { organization, site: id }), site = found.data?.organization?.site;
  if (!site) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}/site/${id}`, shown = PARTS[part];
  const tabs = Object.keys(PARTS).filter((each) => each !== "claims" || site.permissions.viewAdaptiveSchema).map((each) => ({ to: each === "overview" ? base : `${base}/${each}`, label: t(`${each}.title`) }));
  return html`<${Screen} title=${t(shown ? `${part}.title` : "missing.title")} heading=${site.title} crumbs=${[{ label: t("sites.title"), to: `/o/${organization}/sites` }, { label: site.title, to: base }]} organization=${organization} wide=${part === "look"}>
    <div class="stack">
      <${LinkTabs} label=${site.title} tabs=${tabs} />
      ${shown ? html`<${shown} site=${site} organization=${organization} />` : html`<${Nothing} title=${t("missing.title")} />`}
    </div>
  <//>`;
}
