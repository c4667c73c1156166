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
 * Put an item into another one (null: the top level), before what is there at a position. It is one request, which the
 * server does as a whole; into what is empty an item goes like into the parent that its dialog names.
 * @param {Place} place
 * @param {any} node
 * @param {any} into
 * @param {any[]} siblings what is there besides it
 * @param {number} at
 */
export async function moveNode(place, node, into, siblings, at) {
  const enters = parentOf(node) !== (into?.restId ?? null), beside = siblings[at] ?? siblings.at(-1), updates = UPDATES[node.__typename];
  if (beside) {
    const position = siblings[at] ? { before: named(beside) } : { after: named(beside) };
    await mutate("SortSiteStructure", { ...place, item: named(node), position, ...(enters ? { parent: into && named(into) } : {}) });
  } else if (enters && updates) await mutate(updates.update, { ...place, ...named(node), [updates.into]: into?.restId ?? null });
}

/** Return an item as inputs of the API name it. @param {any} node */
function named(node) {
  return { [KINDS[node.__typename] ?? ""]: node.restId };
}
