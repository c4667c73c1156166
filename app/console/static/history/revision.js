// A revision: what it changed or how it differs from another, and every page as it was then.

import { html, useMemo, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Compared, LISTED, MOST } from "../changes/compared.js";
import { Ago, Badge, Bones, Button, Glyph, Note, Person } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { Tree } from "../parts/tree.js";
import { here } from "../router.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { PageView } from "../space/space.js";
import { itemOf, SpaceSide, spacePath } from "../space/side.js";
import { date, t } from "../texts.js";
import { useDifferences } from "./differences.js";
import { RestorePage, RevisionActions } from "./restore.js";
import { deedOf } from "./rows.js";

/** @param {{ params: Record<string, string> }} props */
export default function RevisionScreen({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "", revisionId = params["revision"] ?? "", path = params["page"] ?? "";
  const inSpace = useQuery("Space", { space: id }), [most, setMost] = useState(LISTED);
  const found = useQuery("Revision", { space: id, revision: revisionId, first: most });
  const tree = useQuery("RevisionTree", { space: id, revision: revisionId });
  const page = useQuery("RevisionPage", { space: id, revision: revisionId, path }, { skip: !path });
  const space = inSpace.data?.space, revision = found.data?.space?.revision, other = here.value.query.get("with") ?? "";
  const own = space ? `${spacePath(space)}/~/revisions/${revisionId}` : "";
  const pages = tree.data?.space?.revision?.pages;
  const items = useMemo(() => (pages ?? []).map((/** @type {any} */ each) => itemOf(each, BASE + own)), [pages, own]);
  if (!space) return html`<${Without} query=${inSpace} organization=${organization} />`;
  if (!revision) return html`<${Without} query=${found} organization=${organization} />`;
  const shown = page.data?.space?.revision?.page, name = t("revision.number", { number: revision.number });
  const crumbs = [
    { label: space.title, to: spacePath(space) },
    { label: t("history.title"), to: `${spacePath(space)}/~/revisions` },
    ...(path ? [{ label: name, to: own }] : []),
  ];
  const side = html`<${SpaceSide} space=${space} tree=${pages ? html`<${Tree} items=${items} label=${t("space.pages")} current=${shown?.id} />` : html`<${Bones} lines=${9} />`} />`;
  const lead = html`<span class="row">${revision.author && html`<${Person} user=${revision.author} />`}<${Ago} at=${revision.createdAt} />
    ${revision.mergedFrom && html`<a href=${revision.mergedFrom.urls.app}><${Glyph} name="merge" /> #${revision.mergedFrom.number}</a>`}
    ${revision.git && html`<${Badge}><code>${revision.git.oid.slice(0, 7)}</code><//>`}</span>`;
  const heading = path ? null : html`${deedOf(revision)} <span class="soft number">#${revision.number}</span>`;
  return html`<${Screen} title=${path ? (shown?.title ?? path) : name} heading=${heading} lead=${lead} crumbs=${crumbs} organization=${organization} side=${side} wide
      actions=${html`<${RevisionActions} space=${space} revision=${revision} />`}>
    ${path
      ? html`<div class="stack"><${Note} actions=${shown && html`<${RestorePage} space=${space} revision=${revision} page=${shown} />`}>${t("revision.page-then", { when: date(revision.createdAt, true) })}<//>
          <${PageView} query=${page} page=${shown} organization=${organization} /></div>`
      : other
        ? html`<${Differences} space=${space} revision=${revision} other=${other} own=${own} />`
        : html`<${Changes} space=${space} revision=${revision} own=${own} onAll=${most < MOST ? () => setMost(MOST) : undefined} />`}
  <//>`;
}

/** @param {{ space: any, revision: any, own: string, onAll: (() => void) | undefined }} props */
function Changes({ space, revision, own, onAll }) {
  const chosen = here.value.query.get("changed") ?? "", base = revision.parentIds[0] ?? revision.restId;
  return html`<${Compared} changes=${revision.changes ?? { changes: [] }} chosen=${chosen} onAll=${onAll} to=${(/** @type {string} */ key) => `${own}?changed=${key}`}
    load=${(/** @type {string} */ page) => ({ name: "RevisionPageChange", variables: { space: space.restId, base, revision: revision.restId, page } })}
    beside=${(/** @type {any} */ page, /** @type {string} */ key) => html`<${PageLinks} space=${space} revision=${revision} page=${{ ...page, restId: key }} own=${own} />`} />`;
}

/** @param {{ space: any, revision: any, page: any, own: string }} props */
function PageLinks({ space, revision, page, own }) {
  const path = (page.path ?? "").split("/").map(encodeURIComponent).join("/");
  return html`<div class="row">
    ${path && html`<${Button} small glyph="eye" href=${`${BASE}${own}/${path}`}>${t("revision.page")}<//>`}
    <${Button} small glyph="history" href=${`${BASE}${spacePath(space)}/~/revisions?page=${page.restId}`}>${t("history.of-page")}<//>
    <${RestorePage} space=${space} revision=${revision} page=${page} />
  </div>`;
}

/** @param {{ space: any, revision: any, other: string, own: string }} props */
function Differences({ space, revision, other, own }) {
  const { found, error, older } = useDifferences(space.restId, other, revision.restId);
  if (error) return html`<${Failed} error=${error} />`;
  if (!found) return html`<${Bones} />`;
  const chosen = here.value.query.get("changed") ?? "";
  const note = older && html`<${Note}>${t("revision.compared", { older: older.number, newer: revision.number, when: date(older.createdAt, true) })}<//>`;
  return html`<${Compared} changes=${{ changes: found }} chosen=${chosen} note=${note} to=${(/** @type {string} */ key) => `${own}?with=${other}&changed=${key}`}
    load=${(/** @type {string} */ page) => ({ name: "ComparedPages", variables: { space: space.restId, base: other, revision: revision.restId, page } })} />`;
}
