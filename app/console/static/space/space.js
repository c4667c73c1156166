// A space: its pages as readers see them, and what state it is in.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Avatar, Badge, Bones, Button, Glyph, Note, Nothing } from "../parts/basic.js";
import { later, whenIdle } from "../parts/later.js";
import { Failed } from "../parts/lists.js";
import { attempt, opening, say } from "../parts/overlays.js";
import { Rendered } from "../parts/rendered.js";
import { useShortcuts } from "../parts/shortcuts.js";
import { go, hasScreen, here } from "../router.js";
import { opened } from "../session.js";
import { BASE } from "../settings.js";
import { useCommands } from "../shell/palette.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { placeOf } from "../comments/place.js";
import { mayWrite, SpaceSide, spacePath } from "./side.js";

const CommentsBeside = later(() => import("../comments/beside.js"), "CommentsBeside", () => html`<aside class="beside stack" aria-label=${t("comments.title")}><h2>${t("comments.title")}</h2><${Bones} /></aside>`);
const ComputedNote = later(() => import("../sources/computed.js"), "ComputedNote", () => null);
const PageBlock = later(() => import("../integrations/page-block.js"), "PageBlock", () => html`<${Bones} lines=${3} />`);
const SpaceExport = later(() => import("./export.js"), "SpaceExport", opening);

/** @typedef {import("../parts/rendered.js").Heading} Heading */

/** Show the comments beside the text, or hide them; the address says which. */
function toggleComments() {
  const { path, query } = here.peek();
  void go(query.has("comments") ? path : `${path}?comments`, { replace: true });
}

/**
 * Shows and hides the comments; it is drawn as pressed at once, since the comments take a moment.
 * @param {{ isOn: boolean }} props
 */
function CommentsButton({ isOn }) {
  const [shown, setShown] = useState(isOn);
  useEffect(() => setShown(isOn), [isOn]);
  const press = () => (setShown(!shown), void requestAnimationFrame(() => setTimeout(toggleComments)));
  return html`<${Button} kind=${shown ? "pressed" : "quiet"} glyph="comment" label=${t(shown ? "comments.hide" : "comments.show")} aria-pressed=${String(shown)} onClick=${press} />`;
}

/** @param {{ params: Record<string, string> }} props */
export default function SpaceScreen({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "", path = params["page"] ?? "";
  const found = useQuery("Space", { space: id });
  const tree = useQuery("SpaceTree", { space: id });
  const space = found.data?.space;
  const first = firstPage(tree.data?.space?.pages ?? []);
  const wanted = path || first?.path || "";
  const page = useQuery("SpacePage", { space: id, path: wanted }, { skip: !wanted });
  useEffect(() => {
    if (space) opened({ restId: space.restId, title: space.title, emoji: space.emoji, organization: space.organizationId });
  }, [space?.restId, space?.title, space?.emoji]);
  const [exporting, setExporting] = useState(false);
  const base = space ? spacePath(space) : "";
  const edit = space && wanted && mayWrite(space) ? `${base}/~/edit/${wanted.split("/").map(encodeURIComponent).join("/")}` : "";
  const shown = page.data?.space?.page;
  useEffect(() => (shown ? whenIdle(CommentsBeside.ahead) : undefined), [!!shown]);
  const gone = useGone(id, wanted, page, tree, base);
  useShortcuts(edit ? [{ keys: "e", label: t("space.edit"), run: () => go(edit) }] : []);
  useCommands([
    !!edit && { label: t("space.edit"), glyph: "edit", run: () => go(edit) },
    !!space && mayWrite(space) && { label: t("space.new-page"), glyph: "add", run: () => go(`${base}/~/edit/`) },
    !!shown && !!edit && { label: t("space.new-page-below", { title: shown.title }), glyph: "add", run: () => go(`${base}/~/edit/?into=${shown.restId}`) },
    !!space && { label: t("space.goto", { name: t("changes.title") }), glyph: "branch", run: () => go(`${base}/~/changes`) },
    !!space && { label: t("space.goto", { name: t("history.title") }), glyph: "history", run: () => go(`${base}/~/revisions`) },
    !!space && { label: t("export.title"), glyph: "download", run: () => setExporting(true) },
  ]);
  if (!space) return html`<${Without} query=${found} organization=${organization} />`;
  const isPage = shown && ["DOCUMENT", "COMPUTED"].includes(shown.type), withComments = isPage && here.value.query.has("comments");
  const actions = html`
    ${isPage && html`<${CommentsButton} isOn=${!!withComments} />`}
    ${isPage && html`<${Button} kind="quiet" glyph="history" label=${t("history.of-page")} href=${`${BASE}${base}/~/revisions?page=${shown.restId}`} />`}
    <${Button} kind="quiet" glyph="download" label=${t("export.title")} onClick=${() => setExporting(true)} />
    ${space.urls.published && html`<${Button} kind="quiet" glyph="out" href=${space.urls.published} target="_blank" label=${t("space.open-site")} />`}
    ${edit && html`<${Button} kind="main" glyph="edit" href=${BASE + edit}>${t("space.edit-short")}<//>`}`;
  const crumbs = [
    { label: space.title, to: base },
    ...(shown?.ancestors ?? []).map((/** @type {any} */ each) => ({ label: each.title, ...(each.path ? { to: `${base}/${each.path}` } : {}) })),
  ];
  return html`<${Screen} title=${shown?.title ?? space.title} heading=${null} crumbs=${crumbs} organization=${organization}
      side=${html`<${SpaceSide} space=${space} page=${shown?.id} />`} actions=${actions} wide>
    ${space.deletedAt ? html`<${Deleted} space=${space} />` : html`<${Status} space=${space} />`}
    ${gone ? html`<${Gone} base=${base} page=${gone} />` : wanted || !tree.data ? html`<${PageView} key=${path} query=${page} page=${shown} organization=${organization} space=${space} place=${withComments ? placeOf(space) : null} />` : html`<${Empty} space=${space} />`}
    ${exporting && html`<${SpaceExport} space=${space} page=${shown} onClose=${() => setExporting(false)} />`}
  <//>`;
}

/**
 * Follow the page that is shown when somebody moves it; return it once somebody has deleted it.
 * @param {string} space
 * @param {string} path
 * @param {import("../api/queries.js").Query} query of the page
 * @param {import("../api/queries.js").Query} tree
 * @param {string} base
 * @returns {any}
 */
function useGone(space, path, query, tree, base) {
  const seen = useRef(/** @type {any} */ (null)), shown = query.data?.space?.page, key = `${space} ${path}`;
  if (shown) seen.current = { ...shown, key };
  const lost = !shown && !!query.data?.space && !query.isLoading && !tree.isLoading && seen.current?.key === key ? seen.current : null;
  const there = lost && pageOf(tree.data?.space?.pages ?? [], lost.id), to = there && there.path !== path ? there.path : "";
  useEffect(() => {
    if (!to) return;
    say(t("page.moved", { title: lost.title }));
    void go(`${base}/${to.split("/").map(encodeURIComponent).join("/")}`, { replace: true });
  }, [to]);
  return there ? null : lost;
}

/** @param {{ base: string, page: any }} props */
function Gone({ base, page }) {
  const history = html`<${Button} glyph="history" href=${`${BASE}${base}/~/revisions?page=${page.restId}`}>${t("history.title")}<//>`;
  return html`<h1 class="unseen">${page.title}</h1><${Nothing} title=${t("page.gone", { title: page.title })} actions=${history}>${t("page.gone-text")}<//>`;
}

/**
 * What state a space is in: how it is edited, its repository, broken links, who changed it last.
 * @param {{ space: any }} props
 */
function Status({ space }) {
  const base = BASE + spacePath(space), last = space.last?.nodes?.[0], git = space.gitInfo, broken = space.broken?.totalCount;
  const failed = git && ["FAILURE", "TIMEOUT"].includes(git.operation.state);
  return html`<div class="status" role="group" aria-label=${t("space.status")}>
    <${Badge} kind=${space.editMode === "LIVE" ? "info" : ""}><${Glyph} name=${space.editMode === "LIVE" ? "live" : "lock"} />${t(`space.${space.editMode}`)}<//>
    ${git && html`<a class=${`badge ${failed ? "bad" : git.operation.state === "RUNNING" ? "info" : "good"}`} href=${`${base}/~/settings/git`}>
      <${Glyph} name="sync" />${t(`git.${git.operation.state}`, { name: git.repoName })}</a>`}
    ${broken ? html`<a class="badge warn" href=${`${base}/~/links`}><${Glyph} name="link" />${t("space.broken-links", { count: broken })}</a>` : null}
    ${last && html`<a class="badge" href=${`${base}/~/revisions`}><${Glyph} name="clock" /><span class="cut">${t("space.last-change")} <${Ago} at=${last.createdAt} />${last.author ? ` · ${last.author.displayName}` : ""}</span></a>`}
  </div>`;
}

/** @param {{ space: any }} props */
function Deleted({ space }) {
  const restore = () => attempt(() => mutate("RestoreSpace", { space: space.restId }, { refresh: ["Space", "SpaceTree"] }));
  const actions = space.permissions.restore && html`<${Button} small onClick=${restore}>${t("space.restore")}<//>`;
  return html`<${Note} kind="warn" actions=${actions}>${t("space.is-deleted")} <${Ago} at=${space.deletedAt} /><//>`;
}

/**
 * A page as readers see it, with its outline, or with its comments where `place` says where these are.
 * @param {{ query: import("../api/queries.js").Query, page: any, organization: string,
 *   place?: import("../comments/place.js").Place | null, space?: any, change?: any }} props `space` and perhaps `change` say where the page is read now
 */
export function PageView({ query, page, organization, place, space, change }) {
  const [clicked, setClicked] = useState(/** @type {{ text: string } | null} */ (null)), [pointed, setPointed] = useState(/** @type {{ text: string } | null} */ (null));
  const [outline, setOutline] = useState(/** @type {Heading[] | null} */ (null)), [goTo, setGoTo] = useState("");
  const hash = here.value.hash;
  useEffect(() => setGoTo(hash), [hash, page?.id]);
  const isWaiting = !page && !query.error && query.data === undefined;
  if (!page && !isWaiting) {
    if (query.error && !["NOT_FOUND", "FORBIDDEN"].includes(query.error.code)) return html`<${Failed} error=${query.error} retry=${() => query.refresh()} />`;
    return html`<${Without} query=${query} organization=${organization} bare />`;
  }
  const note = page?.computed && space && html`<${ComputedNote} page=${page} space=${space} change=${change} />`;
  if (page?.type === "GROUP") return html`<h1 dir="auto">${page.title}</h1>`;
  const clickedOn = (/** @type {string} */ _, /** @type {number} */ _top, /** @type {string} */ text) => setClicked({ text });
  return html`<div class=${`page-view ${place ? "with-comments" : ""}`}>
    <article class="page-text">
      ${page ? html`<h1 class="unseen">${page.title}</h1>` : html`<${Bones} />`}
      ${note}
      <${Rendered} text=${page ? (page.html ?? "") : null} title=${page?.title} description=${page?.description} label=${page?.title} goTo=${goTo} goToText=${pointed} onOutline=${setOutline} onBlock=${place ? clickedOn : undefined} draw=${(/** @type {any} */ block) => html`<${PageBlock} block=${block} space=${query.data?.space?.id ?? ""} />`} />
      ${page && outline && html`<p class="soft small row page-foot">${page.lastEditedBy && html`<${Avatar} user=${page.lastEditedBy} small />`}
        <span>${page.lastEditedBy ? `${page.lastEditedBy.displayName} · ` : ""}<${Ago} at=${page.updatedAt} /></span>
        ${page.hidden && html`<${Badge}>${t("page.hidden")}<//>`}</p>`}
    </article>
    ${page && outline && outline.length > 1 && html`<nav class="outline" aria-label=${t("page.outline")}><h2>${t("page.outline")}</h2><ul>
      ${outline.map((each) => html`<li key=${each.id} style=${{ paddingInlineStart: `${(each.level - 2) * 0.75}rem` }}>
        <a href=${`#${each.id}`} dir="auto" onClick=${() => (setGoTo(""), setTimeout(() => setGoTo(each.id)))}>${each.text}</a></li>`)}
    </ul></nav>`}
    ${place && page && html`<${CommentsBeside} place=${place} page=${page} clicked=${clicked} onShow=${(/** @type {string} */ text) => setPointed({ text })} />`}
  </div>`;
}

/** @param {{ space: any }} props */
function Empty({ space }) {
  const base = BASE + spacePath(space), importing = `/o/${space.organizationId}/import?space=${space.restId}`;
  const actions = mayWrite(space) && html`<div class="row"><${Button} kind="main" glyph="add" href=${`${base}/~/edit/`}>${t("page.first")}<//>
    ${hasScreen(importing) && html`<${Button} glyph="import" href=${BASE + importing}>${t("import.title")}<//>`}</div>`;
  return html`<h1 class="unseen">${space.title}</h1><${Nothing} title=${t("space.no-pages")} actions=${actions}>${t("space.no-pages-text")}<//>`;
}

/**
 * Return the page with an id from a tree.
 * @param {any[]} pages
 * @param {string} id
 * @returns {any}
 */
function pageOf(pages, id) {
  for (const page of pages) {
    const found = page.id === id ? page : pageOf(page.pages ?? [], id);
    if (found) return found;
  }
  return null;
}

/**
 * Return the first page of a tree that has a text.
 * @param {any[]} pages
 * @returns {any}
 */
function firstPage(pages) {
  for (const page of pages) {
    if (page.type === "DOCUMENT" || page.type === "COMPUTED") return page;
    const below = firstPage(page.pages ?? []);
    if (below) return below;
  }
  return null;
}
