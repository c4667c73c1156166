// The side of a space: where one is in it, and the tree of its pages.

import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { send } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Bones, Button, Emoji, Glyph } from "../parts/basic.js";
import { later } from "../parts/later.js";
import { attempt, opening, say } from "../parts/overlays.js";
import { Failed } from "../parts/lists.js";
import { Tree } from "../parts/tree.js";
import { BASE } from "../settings.js";
import { isSideSeen, SideLink } from "../shell/screen.js";
import { t } from "../texts.js";

const InsertSource = later(() => import("../sources/insert.js"), "InsertSource", opening);

/** @typedef {import("../parts/tree.js").Item} Item */

/**
 * The address of a space below the base.
 * @param {{ restId: string, organizationId: string }} space
 */
export function spacePath(space) {
  return `/o/${space.organizationId}/s/${space.restId}`;
}

/**
 * Tell whether somebody may perhaps write in a space, or in a change request on it: of a locked space nobody may
 * edit the content itself, and only the server tells commenters and editors apart.
 * @param {{ editMode: string, permissions: Record<string, boolean> }} space
 */
export function mayWrite({ editMode, permissions }) {
  return !!permissions["edit"] || (editMode === "LOCKED" && !!permissions["comment"]);
}

/**
 * The navigation of a space for `side` of a screen; it follows changes that others make.
 * @param {{ space: any, page?: string | undefined, tree?: any, still?: boolean }} props `still` subscribes to nothing
 *   `space` has the fields of the document `Space`; `page` is the id of the page that is shown; `tree` stands in the
 *   place of the tree of the space
 */
export function SpaceSide({ space, page, tree, still }) {
  const base = spacePath(space), may = space.permissions, [inserting, setInserting] = useState(false);
  useLive("SpaceChanged", still ? null : { space: space.restId }, () => void refresh(["Space", "SpaceTree", "SpacePage", "Revisions"]));
  return html`
    <nav aria-label=${t("space.parts")}><ul>
      <li><a href=${`${BASE}/o/${space.organizationId}`}><${Glyph} name="back" /><span class="cut">${t("organization.content")}</span></a></li>
      <li><a href=${BASE + base} class="space-name"><${Emoji} code=${space.emoji} glyph="book" /><span class="cut" dir="auto">${space.title}</span></a></li>
      <${SideLink} to=${`${base}/~/changes`} glyph="branch" label=${t("changes.title")} count=${space.openChangeRequests?.totalCount} />
      <${SideLink} to=${`${base}/~/comments`} glyph="comment" label=${t("comments.title")} />
      <${SideLink} to=${`${base}/~/revisions`} glyph="history" label=${t("history.title")} />
      ${may.admin && html`<${SideLink} to=${`${base}/~/settings`} glyph="settings" label=${t("settings.title")} />`}
    </ul></nav>
    <div class="tree-head"><h2>${t("space.pages")}</h2>
      ${!tree && mayWrite(space) && html`<span class="row"><${Button} kind="quiet" small glyph="plug" label=${t("sources.insert")} onClick=${() => setInserting(true)} />
        <${Button} kind="quiet" small glyph="add" label=${t("space.new-page")} href=${`${BASE + base}/~/edit/`} /></span>`}</div>
    ${inserting && html`<${InsertSource} space=${space} onClose=${() => setInserting(false)} />`}
    ${tree ?? html`<${SpaceTree} space=${space} page=${page} />`}`;
}

/**
 * The tree of a space's pages; whoever may edit a live space moves them in it.
 * @param {{ space: any, page?: string | undefined }} props
 */
export function SpaceTree({ space, page }) {
  const found = useQuery("SpaceTree", { space: space.restId });
  const pages = found.data?.space?.pages, deeper = useMemo(() => unknown(pages ?? []), [pages]);
  useEffect(() => {
    if (deeper.length) void Promise.all(deeper.map((each) => loadBelow(found, each.id)));
  }, [deeper]);
  const base = BASE + spacePath(space), isSeen = isSideSeen.value;
  const items = useMemo(() => (isSeen ? (pages ?? []) : []).map((/** @type {any} */ each) => itemOf(each, base)), [pages, isSeen]);
  if (!isSeen) return null;
  if (!pages) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} lines=${9} />`;
  if (!items.length) return html`<p class="soft small">${t("space.no-pages")}</p>`;
  const may = space.permissions.edit && space.permissions.merge && space.editMode === "LIVE";
  const move = async (/** @type {Item} */ item, /** @type {Item | null} */ into, /** @type {number} */ at) => {
    found.update((data) => ((data.space.pages = moved(data.space.pages, item.id, into?.id ?? null, at)), data));
    const changes = [{ updatePage: { page: item.id, into: into?.id ?? null, at } }];
    const done = await attempt(() => mutate("MovePage", { space: space.restId, changes }));
    if (done) say(t("tree.moved", { name: item.label, place: into?.label ?? t("tree.top"), position: at + 1 }));
    await found.refresh();
  };
  return html`<${Tree} items=${items} label=${t("space.pages")} current=${page} move=${may ? move : undefined} />`;
}

/**
 * Return the pages of which only the ids of those below are known.
 * @param {any[]} pages
 * @returns {any[]}
 */
function unknown(pages) {
  return pages.flatMap((each) => (each.pages?.some((/** @type {any} */ below) => below.title === undefined) ? [each] : unknown(each.pages ?? [])));
}

/**
 * Put the pages below a page into the tree.
 * @param {import("../api/queries.js").Query} tree
 * @param {string} id
 */
async function loadBelow(tree, id) {
  const { data } = await send("SubTree", { page: id });
  const put = (/** @type {any[]} */ pages) => pages.map((each) => ({ ...each, pages: each.id === id ? (data.node?.pages ?? []) : each.pages && put(each.pages) }));
  tree.update((known) => ((known.space.pages = put(known.space.pages)), known));
}

/**
 * @param {any} page
 * @param {string} base
 * @returns {Item}
 */
export function itemOf(page, base) {
  const isGroup = page.type === "GROUP", isLink = page.type === "LINK";
  const path = String(page.path ?? "").split("/").map(encodeURIComponent).join("/");
  return {
    id: page.id,
    label: page.linkTitle || page.title,
    emoji: page.emoji,
    isGroup,
    faint: page.hidden,
    children: (page.pages ?? []).map((/** @type {any} */ each) => itemOf(each, base)),
    ...(isGroup ? {} : { href: isLink ? (page.href ?? `${base}/${path}`) : `${base}/${path}` }),
    ...(isLink ? { glyph: "link" } : {}),
  };
}

/**
 * @param {any[]} pages
 * @param {string} id
 * @param {string | null} into
 * @param {number} at
 * @returns {any[]}
 */
function moved(pages, id, into, at) {
  /** @type {any} */
  let taken = null;
  const without = (/** @type {any[]} */ list) => list.filter((each) => each.id !== id || ((taken = each), false)).map((each) => ({ ...each, pages: each.pages ? without(each.pages) : each.pages }));
  const put = (/** @type {any[]} */ list) => [...list.slice(0, at), taken, ...list.slice(at)];
  const rest = without(pages);
  const place = (/** @type {any[]} */ list) => list.map((each) => ({ ...each, pages: each.id === into ? put(each.pages ?? []) : each.pages && place(each.pages) }));
  return into === null ? put(rest) : place(rest);
}
