// A collection: the spaces and collections in it.

import { html, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Button, Nothing } from "../parts/basic.js";
import { More } from "../parts/lists.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SpaceCards } from "./cards.js";
import { NewCollectionButton, NewSpace } from "./content.js";

/** @param {{ params: Record<string, string> }} props */
export default function CollectionScreen({ params }) {
  const organization = params["organization"] ?? "";
  const found = useQuery("CollectionContent", { collection: params["collection"] });
  const collection = found.data?.collection;
  const [making, setMaking] = useState(false);
  if (!collection) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}`;
  const above = collection.parent && { label: collection.parent.title, to: `${base}/c/${collection.parent.restId}` };
  const crumbs = [{ label: t("organization.content"), to: base }, ...(above ? [above] : [])];
  const create = collection.permissions.create && html`<${NewCollectionButton} organization=${organization} parent=${collection.restId} /><${Button} kind="main" glyph="add" onClick=${() => setMaking(true)}>${t("space.new")}<//>`;
  const settings = collection.permissions.edit && html`<${Button} kind="quiet" glyph="settings" label=${t("settings.title")} href=${`${BASE}${base}/c/${collection.restId}/settings`} />`;
  const actions = html`${settings}${create}`, nodes = collection.children?.nodes ?? [];
  return html`<${Screen} title=${collection.title} lead=${collection.description} crumbs=${crumbs} organization=${organization} actions=${actions}>
    ${nodes.length
      ? html`<div class="stack"><${SpaceCards} spaces=${nodes} />
          ${collection.children.pageInfo.hasNextPage && html`<${More} load=${() => found.more((each) => each.collection.children)} />`}</div>`
      : html`<${Nothing} title=${t("organization.empty")} actions=${create} />`}
    ${making && html`<${NewSpace} organization=${organization} parent=${collection.restId} onClose=${() => setMaking(false)} />`}
  <//>`;
}
