// The parts of a change request besides its overview: its changes page by page, its comments, its history.

import { html, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Bones } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { About } from "../comments/about.js";
import { CommentsBeside } from "../comments/beside.js";
import { StatusTabs, statusOf } from "../comments/list.js";
import { namedComment, OneComment } from "../comments/one.js";
import { placeOf } from "../comments/place.js";
import { NewComment, Threads } from "../comments/threads.js";
import { RevisionRows } from "../history/rows.js";
import { here } from "../router.js";
import { BASE } from "../settings.js";
import { NoSuchPage } from "../shell/refused.js";
import { spacePath } from "../space/side.js";
import { t } from "../texts.js";
import { Compared, LISTED, MOST } from "./compared.js";
import { ChangeFrame } from "./frame.js";

/** @param {{ params: Record<string, string> }} props */
export default function ChangeRequestPart({ params }) {
  const [part, ...rest] = (params["part"] ?? "").split("/");
  if (part === "changes")
    return html`<${ChangeFrame} params=${params} part=${t("changes.changes")} wide>${(/** @type {any} */ change, /** @type {any} */ space) => html`<${Changes} change=${change} space=${space} chosen=${rest[0] ?? ""} />`}<//>`;
  if (part === "comments")
    return html`<${ChangeFrame} params=${params} part=${t("comments.title")}>${(/** @type {any} */ change, /** @type {any} */ space) => html`<${Discussion} change=${change} space=${space} />`}<//>`;
  if (part === "revisions")
    return html`<${ChangeFrame} params=${params} part=${t("history.title")}>${(/** @type {any} */ change, /** @type {any} */ space) => html`<${History} change=${change} space=${space} />`}<//>`;
  return html`<${NoSuchPage} />`;
}

/**
 * The revision of the space that a change request is compared with.
 * @param {any} change
 */
export function baseOf(change) {
  return change.revisionMergedAncestorId ?? change.revisionInitialId;
}

/** @param {{ change: any, space: any, chosen: string }} props */
function Changes({ change, space, chosen }) {
  const ids = { space: space.restId, change: change.restId };
  const [most, setMost] = useState(LISTED);
  const found = useQuery("ChangedPages", { ...ids, first: most }), changes = found.data?.space?.changeRequest?.changes;
  if (!changes) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  const own = `${spacePath(space)}/~/changes/${change.number}/~/changes`;
  return html`<${Compared} changes=${changes} chosen=${chosen} to=${(/** @type {string} */ key) => `${own}/${key}`}
    load=${(/** @type {string} */ page) => ({ name: "ChangedPage", variables: { ...ids, base: baseOf(change), page } })}
    onAll=${most < MOST ? () => setMost(MOST) : undefined}
    beside=${(/** @type {any} */ page, /** @type {string} */ key, /** @type {import("./compared.js").Clicked} */ block) => html`<${CommentsBeside} place=${placeOf(space, change)}
      page=${{ id: page.id, restId: key }} clicked=${block.clicked} onShow=${block.show} live=${false} />`} />`;
}

/** @param {{ change: any, space: any }} props */
function History({ change, space }) {
  const found = useQuery("ChangeRequestRevisions", { space: space.restId, change: change.restId });
  return html`<${RevisionRows} query=${found} list=${(/** @type {any} */ data) => data.space?.changeRequest?.revisions} own=${`${spacePath(space)}/~/revisions`} />`;
}

/** @param {{ change: any, space: any }} props */
function Discussion({ change, space }) {
  const status = statusOf(here.value.query), place = placeOf(space, change), named = namedComment();
  const at = { space: space.restId, change: change.restId };
  const found = useQuery("ChangeRequestComments", { ...at, status }, { skip: !!named }), one = useQuery("ChangeRequestComment", { ...at, comment: named }, { skip: !named });
  const context = (/** @type {any} */ comment) => html`<${About} comment=${comment} base=${`${BASE}${spacePath(space)}/~/changes/${change.number}`} />`;
  if (named) return html`<div class="stack"><${OneComment} query=${one} found=${(/** @type {any} */ data) => data.space?.changeRequest?.comment} place=${place} context=${context} /></div>`;
  return html`<div class="stack">
    <${StatusTabs} />
    ${place.mayComment && status === "OPEN" && html`<${NewComment} place=${place} label=${t("comments.new-on-change")} />`}
    <${Threads} query=${found} list=${(/** @type {any} */ data) => data.space?.changeRequest?.comments} place=${place} empty=${t(`comments.none-${status}`)} context=${context} />
  </div>`;
}
