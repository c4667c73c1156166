// The change requests of all spaces of an organization that one may see.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Nothing } from "../parts/basic.js";
import { Listing } from "../parts/lists.js";
import { here } from "../router.js";
import { organizationOf } from "../session.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { filterOf, Filters } from "./filters.js";
import { ChangeRow } from "./row.js";

/** @param {{ params: Record<string, string> }} props */
export default function OrganizationChangeRequests({ params }) {
  const organization = params["organization"] ?? "";
  const found = useQuery("ChangeRequests", { organization, filter: filterOf(here.value.query) });
  const empty = html`<${Nothing} title=${t("changes.none")}>${t("changes.none-text")}<//>`;
  return html`<${Screen} title=${t("changes.title")} organization=${organization}>
    <div class="stack">
      <${Filters} organization=${organization} mayFindPeople=${!!organizationOf(organization)?.permissions["listMembers"]} />
      <${Listing} query=${found} list=${(/** @type {any} */ data) => data.organization?.changeRequests} label=${t("changes.title")} empty=${empty}
        row=${(/** @type {any} */ each) => html`<${ChangeRow} change=${each} withSpace />`} />
    </div>
  <//>`;
}
