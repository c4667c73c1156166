// All comments of a space: those on its pages and those on the whole.

import { html } from "../vendor/preact.js";
import { refresh, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { here } from "../router.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { SpaceSide, spacePath } from "../space/side.js";
import { t } from "../texts.js";
import { About } from "./about.js";
import { namedComment, OneComment } from "./one.js";
import { placeOf, QUERIES } from "./place.js";
import { NewComment, Threads } from "./threads.js";

/** @param {{ params: Record<string, string> }} props */
export default function SpaceComments({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "", status = statusOf(here.value.query);
  const found = useQuery("Space", { space: id }), named = namedComment();
  const comments = useQuery("SpaceComments", { space: id, status }, { skip: !!named }), one = useQuery("SpaceComment", { space: id, comment: named }, { skip: !named });
  useLive("CommentChanged", { space: id }, () => void refresh(QUERIES));
  const space = found.data?.space;
  if (!space) return html`<${Without} query=${found} organization=${organization} />`;
  const place = placeOf(space), base = BASE + spacePath(space);
  const context = (/** @type {any} */ comment) => html`<${About} comment=${comment} base=${base} />`;
  return html`<${Screen} title=${t("comments.title")} lead=${t("comments.lead")} crumbs=${[{ label: space.title, to: spacePath(space) }]} organization=${organization}
      side=${html`<${SpaceSide} space=${space} />`}>
    <div class="stack">
      ${named
        ? html`<${OneComment} query=${one} found=${(/** @type {any} */ data) => data.space?.comment} place=${place} context=${context} />`
        : html`<${StatusTabs} />
          ${place.mayComment && status !== "RESOLVED" && html`<${NewComment} place=${place} label=${t("comments.new-on-space")} />`}
          <${Threads} query=${comments} list=${(/** @type {any} */ data) => data.space?.comments} place=${place} empty=${t(`comments.none-${status}`)} context=${context} />`}
    </div>
  <//>`;
}

/** @param {URLSearchParams} query */
export function statusOf(query) {
  return query.get("status") === "resolved" ? "RESOLVED" : "OPEN";
}

/** Open or resolved comments, as addresses. */
export function StatusTabs() {
  const { path, query } = here.value, status = statusOf(query);
  return html`<nav class="tabs" aria-label=${t("comments.by-status")}>
    ${["OPEN", "RESOLVED"].map((each) => html`<a key=${each} href=${BASE + path + (each === "OPEN" ? "" : "?status=resolved")} aria-current=${each === status ? "page" : undefined}>${t(`comments.${each}`)}</a>`)}
  </nav>`;
}
