// What to look at before a change request is merged: reviews, conflicts, links that it breaks, missing descriptions.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Glyph } from "../parts/basic.js";
import { BASE } from "../settings.js";
import { spacePath } from "../space/side.js";
import { number, t } from "../texts.js";
import { lastReviews } from "./change.js";

/** @typedef {{ kind: "good" | "warn" | "bad" | "wait", text: string, inside?: any }} Check */

const GLYPHS = { good: "check", warn: "warn", bad: "warn", wait: "clock" };

/** @param {{ change: any, space: any }} props */
export function Checks({ change, space }) {
  const ids = { space: space.restId, change: change.restId };
  const met = useQuery("Conflicts", ids), links = useQuery("LinksBrokenByChange", ids), changed = useQuery("DescriptionsOfChange", ids);
  const checks = [reviewed(change), conflicting(met.data?.space?.changeRequest?.conflicts), breaking(links.data?.space), undescribed(changed.data?.space?.changeRequest?.all, change, space)];
  return html`<section class="stack tight" aria-labelledby="checks"><h2 id="checks">${t("checks.title")}</h2>
    <ul class="list checks">${checks.map((each) => html`<li key=${each.text} class=${each.kind}><${Glyph} name=${GLYPHS[each.kind]} />
      <div class="grow stack tight"><span>${each.text}</span>${each.inside}</div></li>`)}</ul>
  </section>`;
}

/**
 * @param {any} change
 * @returns {Check}
 */
function reviewed(change) {
  const given = lastReviews(change), against = given.filter((each) => each.status !== "APPROVED"), current = given.filter((each) => each.status === "APPROVED" && !each.outdated);
  if (against.length) return { kind: "bad", text: t("checks.changes-wanted", { names: against.map((each) => each.reviewer.displayName).join(", ") }) };
  if (current.length) return { kind: "good", text: t("checks.approved", { names: current.map((each) => each.reviewer.displayName).join(", ") }) };
  return { kind: "wait", text: t(given.length ? "checks.outdated" : "checks.no-review") };
}

/**
 * @param {any} found
 * @returns {Check}
 */
function conflicting(found) {
  if (!found) return { kind: "wait", text: t("checks.conflicts-wait") };
  if (found.mergeable) return { kind: "good", text: t("checks.no-conflicts") };
  const pages = [...new Set(found.conflicts.map((/** @type {any} */ each) => each.page?.title ?? each.field))];
  return { kind: "warn", text: t("checks.conflicts", { count: found.conflicts.length }), inside: html`<span class="small soft breaks">${pages.join(", ")}</span>` };
}

/**
 * The links that are broken in the change request and not in the space.
 * @param {any} found
 * @returns {Check}
 */
function breaking(found) {
  const broken = found?.changeRequest?.broken;
  if (!broken) return { kind: "wait", text: t("checks.links-wait") };
  const count = broken.totalCount, rest = count - broken.nodes.length;
  if (!count) return { kind: "good", text: t("checks.links-good") };
  const lines = broken.nodes.map((/** @type {any} */ each, /** @type {number} */ n) => {
    const page = each.locationReferences[0]?.page;
    return html`<li key=${n}><code>${each.href}</code> ${t("links.on")} ${page ? html`<a href=${page.urls.app} dir="auto">${page.title}</a>` : ""}</li>`;
  });
  return { kind: "warn", text: t("checks.links", { count }), inside: html`<ul class="small breaks plain">${lines}${rest > 0 && html`<li>+ ${number(rest)}</li>`}</ul>` };
}

/**
 * @param {any} found
 * @param {any} change
 * @param {any} space
 * @returns {Check}
 */
function undescribed(found, change, space) {
  if (!found) return { kind: "wait", text: t("checks.described-wait") };
  /** @type {Map<string, string>} */
  const without = new Map();
  for (const { page, pageSummary } of found.changes)
    if (page?.type === "DOCUMENT" && !page.description) without.set(pageSummary.restId, pageSummary.title);
  if (!without.size && found.more) return { kind: "wait", text: t("checks.described-part", { count: found.changes.length }) };
  if (!without.size) return { kind: "good", text: t("checks.described") };
  const base = `${BASE}${spacePath(space)}/~/changes/${change.number}/~/changes`;
  const lines = [...without].slice(0, 10).map(([id, title]) => html`<li key=${id}><a href=${`${base}/${id}`} dir="auto">${title}</a></li>`);
  const rest = without.size - lines.length;
  return { kind: "warn", text: t("checks.undescribed", { count: without.size }), inside: html`<ul class="small breaks plain">${lines}${rest > 0 && html`<li>+ ${number(rest)}</li>`}</ul>` };
}
