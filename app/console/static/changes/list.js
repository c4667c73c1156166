// The change requests of a space.

import { html } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Button, Nothing } from "../parts/basic.js";
import { Listing } from "../parts/lists.js";
import { attempt } from "../parts/overlays.js";
import { go, here, pathOf } from "../router.js";
import { organizationOf } from "../session.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { mayWrite, SpaceSide, spacePath } from "../space/side.js";
import { t } from "../texts.js";
import { filterOf, Filters } from "./filters.js";
import { ChangeRow } from "./row.js";

/** @param {{ params: Record<string, string> }} props */
export default function SpaceChangeRequests({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "";
  const found = useQuery("Space", { space: id }), space = found.data?.space;
  const changes = useQuery("ChangeRequests", { organization, filter: filterOf(here.value.query, id) });
  if (!space) return html`<${Without} query=${found} organization=${organization} />`;
  const begin = () =>
    attempt(async () => {
      const { changeRequest } = await mutate("CreateChangeRequest", { space: id }, { refresh: ["ChangeRequests", "Space"] });
      await go(pathOf(changeRequest.urls.app) ?? "/");
    });
  const actions = mayWrite(space) && html`<${Button} kind="main" glyph="add" onClick=${begin}>${t("changes.new")}<//>`;
  const empty = html`<${Nothing} title=${t("changes.none")}>${t("changes.none-text")}<//>`;
  return html`<${Screen} title=${t("changes.title")} crumbs=${[{ label: space.title, to: spacePath(space) }]} organization=${organization}
      side=${html`<${SpaceSide} space=${space} />`} actions=${actions}>
    <div class="stack">
      <${Filters} organization=${organization} mayFindPeople=${!!organizationOf(organization)?.permissions["listMembers"]} />
      <${Listing} query=${changes} list=${(/** @type {any} */ data) => data.organization?.changeRequests} label=${t("changes.title")} empty=${empty}
        row=${(/** @type {any} */ each) => html`<${ChangeRow} change=${each} />`} />
    </div>
  <//>`;
}
