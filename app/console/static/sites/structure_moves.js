// How items of a site's structure move: into sections and groups, and beside others.

import { mutate } from "../api/queries.js";

/** @typedef {{ organization: string, site: string }} Place ids of REST */

/** What each kind is called in inputs of the API.
 * @type {Record<string, string>} */
export const KINDS = { SiteSection: "siteSection", SiteSectionGroup: "siteSectionGroup", SiteExternalLink: "siteExternalLink", SiteSpace: "siteSpace" };

/** What the mutation that updates each kind is called, and its field for the section or group that the item is in.
 * @type {Record<string, { update: string, into: string }>} */
export const UPDATES = {
  SiteSection: { update: "UpdateSiteSection", into: "sectionGroup" },
  SiteSectionGroup: { update: "UpdateSiteSectionGroup", into: "" },
  SiteExternalLink: { update: "UpdateSiteExternalLink", into: "parent" },
  SiteSpace: { update: "UpdateSiteSpace", into: "sectionId" },
};

/** The section or group that an item is in: its id of REST. @param {any} node @returns {string | null} */
export const parentOf = (node) => node.section?.restId ?? node.sectionGroupId ?? node.parentId ?? null;

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
  const type = node.__typename, updates = UPDATES[type], own = { [KINDS[type] ?? ""]: node.restId };
  if (updates?.into && parentOf(node) !== (into?.restId ?? null)) await mutate(updates.update, { ...place, ...own, [updates.into]: into?.restId ?? null });
  if (!siblings.length) return;
  const beside = siblings[at] ?? siblings.at(-1), side = { [KINDS[beside.__typename] ?? ""]: beside.restId };
  await mutate("SortSiteStructure", { ...place, item: own, position: siblings[at] ? { before: side } : { after: side } });
}
