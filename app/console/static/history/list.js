// The history of a space: its revisions, the newest first; two of them can be chosen to be compared.

import { html, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { go, here } from "../router.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { SpaceSide, spacePath } from "../space/side.js";
import { t } from "../texts.js";
import { RevisionRows } from "./rows.js";

/** @param {{ params: Record<string, string> }} props */
export default function SpaceHistory({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "", page = here.value.query.get("page") ?? "";
  const found = useQuery("Space", { space: id }), revisions = useQuery("Revisions", { space: id, ...(page ? { page } : {}) });
  const named = useQuery("NamedPage", { space: id, page }, { skip: !page });
  const [chosen, setChosen] = useState(/** @type {any[]} */ ([]));
  const space = found.data?.space;
  if (!space) return html`<${Without} query=${found} organization=${organization} />`;
  const own = `${spacePath(space)}/~/revisions`, of = named.data?.space?.page?.title;
  const choose = (/** @type {any} */ revision) => setChosen(chosen.some((each) => each.id === revision.id) ? chosen.filter((each) => each.id !== revision.id) : [...chosen.slice(-1), revision]);
  const compare = () => {
    const [older, newer] = [...chosen].sort((a, b) => a.number - b.number);
    return go(`${own}/${newer.restId}?with=${older.restId}`);
  };
  return html`<${Screen} title=${t("history.title")} lead=${page ? null : t("history.lead")} crumbs=${[{ label: space.title, to: spacePath(space) }]} organization=${organization}
      side=${html`<${SpaceSide} space=${space} />`}>
    <div class="stack">
      ${page && html`<div class="row"><span class="badge" dir="auto">${of ?? "…"}</span><${Button} small glyph="close" onClick=${() => go(own, { replace: true })}>${t("history.all-pages")}<//></div>`}
      <div class="row spread compare-bar"><span class="soft small">${t("history.choose", { count: chosen.length })}</span>
        <${Button} small disabled=${chosen.length !== 2} onClick=${compare}>${t("history.compare")}<//></div>
      <${RevisionRows} query=${revisions} list=${(/** @type {any} */ data) => data.space?.revisions} own=${own} chosen=${chosen} onChoose=${choose} />
    </div>
  <//>`;
}
