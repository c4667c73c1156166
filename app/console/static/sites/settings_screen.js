// The frame of what is set up for a site: its look, its redirects, and the claims of its visitors.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Nothing } from "../parts/basic.js";
import { LinkTabs } from "../parts/lists.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SiteClaims } from "./claims.js";
import { SiteLook } from "./look.js";
import { SiteRedirects } from "./redirects.js";

/** @type {Record<string, (props: any) => any>} */
const PARTS = { look: SiteLook, redirects: SiteRedirects, claims: SiteClaims };

/** @param {{ params: Record<string, string> }} props */
export default function SiteSettings({ params }) {
  const organization = params["organization"] ?? "", id = params["site"] ?? "", part = params["part"] ?? "";
  const found = useQuery("SiteSettings", { organization, site: id }), site = found.data?.organization?.site;
  if (!site) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}/site/${id}`, shown = PARTS[part];
  const tabs = Object.keys(PARTS).filter((each) => each !== "claims" || site.permissions.viewAdaptiveSchema).map((each) => ({ to: `${base}/${each}`, label: t(`${each}.title`) }));
  return html`<${Screen} title=${t(shown ? `${part}.title` : "missing.title")} heading=${site.title} crumbs=${[{ label: site.title }]} organization=${organization} wide=${part === "look"}>
    <div class="stack">
      <${LinkTabs} label=${site.title} tabs=${tabs} />
      ${shown ? html`<${shown} site=${site} organization=${organization} />` : html`<${Nothing} title=${t("missing.title")} />`}
    </div>
  <//>`;
}
