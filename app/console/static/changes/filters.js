// What lists of change requests are narrowed to; it is in the address, so that it can be shared and gone back to.

import { html } from "../vendor/preact.js";
import { PersonFilter } from "../parts/people.js";
import { SearchFilter } from "../parts/search.js";
import { addressWith, here } from "../router.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";

/** @type {Record<string, string[]>} */
const STATUSES = { open: ["OPEN"], draft: ["DRAFT"], merged: ["MERGED"], archived: ["ARCHIVED"], all: ["OPEN", "DRAFT", "MERGED", "ARCHIVED"] };

/**
 * Return what a list asks the API for.
 * @param {URLSearchParams} query of the address
 * @param {string} [space]
 */
export function filterOf(query, space) {
  const creator = query.get("author"), requestedReviewer = query.get("reviewer"), search = query.get("search");
  return {
    status: STATUSES[query.get("status") ?? "open"] ?? STATUSES["open"],
    ...(search ? { search } : {}),
    ...(creator ? { creator } : {}),
    ...(requestedReviewer ? { requestedReviewer } : {}),
    ...(space ? { space } : {}),
  };
}

/** @param {{ organization: string, mayFindPeople: boolean }} props */
export function Filters({ organization, mayFindPeople }) {
  const { query } = here.value, status = query.get("status") ?? "open";
  return html`<div class="filters">
    <nav class="tabs" aria-label=${t("changes.by-status")}>
      ${Object.keys(STATUSES).map((each) => html`<a key=${each} href=${BASE + addressWith("status", each === "open" ? "" : each)}
        aria-current=${each === status ? "page" : undefined}>${t(`changes.status-${each}`)}</a>`)}
    </nav>
    <div class="filter-fields" role="search">
      <${SearchFilter} label=${t("changes.search")} />
      ${mayFindPeople && html`<${PersonFilter} organization=${organization} name="author" label=${t("changes.author")} />
        <${PersonFilter} organization=${organization} name="reviewer" label=${t("changes.reviewer")} />`}
    </div>
  </div>`;
}
