// What lists of change requests are narrowed to; it is in the address, so that it can be shared and gone back to.

import { html, useEffect, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { PersonField } from "../parts/people.js";
import { addressWith, go, here } from "../router.js";
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
  const creator = query.get("author"), requestedReviewer = query.get("reviewer");
  return {
    status: STATUSES[query.get("status") ?? "open"] ?? STATUSES["open"],
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
    ${mayFindPeople && html`<div class="filter-people" role="search">
      <${ByPerson} organization=${organization} name="author" label=${t("changes.author")} />
      <${ByPerson} organization=${organization} name="reviewer" label=${t("changes.reviewer")} />
    </div>`}
  </div>`;
}

/** @param {{ organization: string, name: string, label: string }} props */
function ByPerson({ organization, name, label }) {
  const { query } = here.value, id = query.get(name) ?? "";
  const named = useQuery("NamedPerson", { user: id }, { skip: !id });
  const [chosen, setChosen] = useState(/** @type {import("../parts/people.js").User | null} */ (null));
  useEffect(() => {
    if (chosen && chosen.restId !== id) setChosen(null);
  }, [id]);
  const value = id ? (chosen?.restId === id ? chosen : (named.data?.user ?? { id, restId: id, displayName: "…" })) : null;
  const change = (/** @type {import("../parts/people.js").User | null} */ user) => {
    setChosen(user);
    void go(addressWith(name, user?.restId ?? ""), { replace: true });
  };
  return html`<${PersonField} label=${label} organization=${organization} value=${value} onChange=${change} unlabelled />`;
}
