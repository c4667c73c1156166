// The broken links of a space, with the page that each is on.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Badge, Nothing } from "../parts/basic.js";
import { Listing } from "../parts/lists.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SpaceSide, spacePath } from "./side.js";

/** @param {{ params: Record<string, string> }} props */
export default function BrokenLinks({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "";
  const found = useQuery("Space", { space: id }), links = useQuery("BrokenLinks", { space: id });
  const space = found.data?.space;
  if (!space) return html`<${Without} query=${found} organization=${organization} />`;
  return html`<${Screen} title=${t("links.title")} lead=${t("links.lead")} crumbs=${[{ label: space.title, to: spacePath(space) }]}
      organization=${organization} side=${html`<${SpaceSide} space=${space} />`}>
    <${Listing} query=${links} list=${(/** @type {any} */ data) => data.space?.links} label=${t("links.title")} row=${row}
      empty=${html`<${Nothing} title=${t("links.none")}>${t("links.none-text")}<//>`} />
  <//>`;
}

/** @param {any} link */
function row(link) {
  const places = link.locationReferences.filter((/** @type {any} */ each) => each.page);
  return html`<div class="grow stack tight">
    <code class="breaks">${link.href}</code>
    <span class="soft small row">${t("links.on")} ${places.map((/** @type {any} */ each) => html`<a href=${each.page.urls.app} dir="auto">${each.page.title}</a>`)}</span>
  </div>
  ${link.reason && html`<${Badge} kind="warn">${t(`links.${link.reason}`)}<//>`}`;
}
