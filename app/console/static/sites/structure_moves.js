// How items of a site's structure move: into sections and groups, and beside others.

import { mutate } from "../api/queries.js";

/** @typedef {{ organization: string, site: string }} Place ids of REST */

/** What each kind is called in inputs of the API.
 * @type {Record<string, string>} */
export const KINDS = { SiteSection: "siteSection", SiteSectionGroup: "siteSectionGroup", SiteExternalLink: "siteExternalLink", SiteSpace: "siteSpace" };

/**
 * Tell whether an item may be in another one, or at the top level.
 * @param {any} node
 * @param {any} into null: the top level
 * @param {boolean} hasSections
 */
export function mayBeIn(node, into, hasSections) {
  if (node.__typename === "SiteSpace") return hasSections ? into?.__typename === "SiteSection" : !into;
  return !into || (into.__typename === "SiteSectionGroup" && node.__typename !== "SiteSectionGroup");
}

/**
 * Put an item into another one (null: the top level), before what is there at a position.
 * @param {Place} place
 * @param {any} node
 * @param {any} into
 * @param {any[]} siblings what is there besides it
 * @param {number} at
 */
export async function moveNode(place, node, into, siblings, at) {
  const kind = node.__typename, before = node.section?.restId ?? node.sectionGroupId ?? node.parentId ?? null;
  if (before !== (into?.restId ?? null)) await rehouse(place, node, into);
  if (!siblings.length) return;
  const beside = siblings[at] ?? siblings.at(-1), side = { [KINDS[beside.__typename] ?? ""]: beside.restId };
  await mutate("SortSiteStructure", { ...place, item: { [KINDS[kind] ?? ""]: node.restId }, position: siblings[at] ? { before: side } : { after: side } });
}

/**
 * Put an item into another section or group, or out of its group.
 * @param {Place} place
 * @param {any} node
 * @param {any} into
 */
export function rehouse(place, node, into) {
  const own = { ...place, [KINDS[node.__typename] ?? ""]: node.restId };
  if (node.__typename === "SiteSpace") return mutate("UpdateSiteSpace", { ...own, sectionId: into.restId });
  if (node.__typename === "SiteExternalLink") return mutate("UpdateSiteExternalLink", { ...own, parent: into?.restId ?? null });
  if (into) return mutate("AddSectionToGroup", { ...place, siteSectionGroup: into.restId, sectionId: node.restId });
  return mutate("RemoveSectionFromGroup", { ...own, siteSectionGroup: node.sectionGroupId });
}
