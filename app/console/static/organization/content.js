// An organization: its spaces and collections.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Button, Nothing } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { More } from "../parts/lists.js";
import { attempt, Dialog } from "../parts/overlays.js";
import { go, hasScreen, pathOf } from "../router.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SpaceCards } from "./cards.js";

/** @param {{ params: Record<string, string>, query: URLSearchParams }} props */
export default function Content({ params, query }) {
  const organization = params["organization"] ?? "";
  const found = useQuery("OrganizationContent", { organization });
  const data = found.data?.organization;
  const [making, setMaking] = useState(query.get("new") === "space");
  if (!data) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}`, may = data.permissions.createContent;
  const create = may && html`<${NewCollectionButton} organization=${organization} /><${Button} kind="main" glyph="add" onClick=${() => setMaking(true)}>${t("space.new")}<//>`;
  const nodes = data.children?.nodes ?? [];
  return html`<${Screen} title=${t("organization.content")} heading=${data.title} organization=${organization} actions=${create}>
    ${nodes.length
      ? html`<div class="stack"><${SpaceCards} spaces=${nodes} />
          ${data.children.pageInfo.hasNextPage && html`<${More} load=${() => found.more((each) => each.organization.children)} />`}</div>`
      : html`<${Nothing} title=${t("organization.empty")} actions=${may && html`<div class="row">${create}${hasScreen(`${base}/import`) && html`<${Button} glyph="import" href=${`${BASE}${base}/import`}>${t("import.title")}<//>`}</div>`}>
          ${t("organization.empty-text")}<//>`}
    ${making && html`<${NewSpace} organization=${organization} onClose=${() => setMaking(false)} />`}
  <//>`;
}

/**
 * A button that asks for the name of a new collection, in another one if `parent` is one.
 * @param {{ organization: string, parent?: string }} props
 */
export function NewCollectionButton({ organization, parent }) {
  const [asks, setAsks] = useState(false), [title, setTitle] = useState("");
  const close = () => (setAsks(false), setTitle(""));
  const make = () =>
    attempt(async () => {
      const { collection } = await mutate("CreateCollection", { organization, title: title.trim(), parent }, { refresh: ["OrganizationContent", "CollectionContent"] });
      close();
      await go(pathOf(collection.urls.app) ?? "/");
    });
  return html`<${Button} kind="quiet" glyph="folder" label=${t("collection.new")} onClick=${() => setAsks(true)} />
    ${asks && html`<${Dialog} title=${t("collection.new")} onClose=${close}>
      <${Form} onSubmit=${make}>
        <${TextField} label=${t("collection.name")} value=${title} onInput=${setTitle} required maxlength="50" autofocus />
        <div class="foot"><${Button} onClick=${close}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t("create")}<//></div>
      <//>
    <//>`}`;
}

/**
 * A dialog that creates a space, in a collection if `parent` is one.
 * @param {{ organization: string, parent?: string, onClose: () => void }} props
 */
export function NewSpace({ organization, parent, onClose }) {
  const [title, setTitle] = useState("");
  const make = () =>
    attempt(async () => {
      const { space } = await mutate("CreateSpace", { organization, title: title.trim(), parent }, { refresh: ["OrganizationContent", "CollectionContent"] });
      onClose();
      await go(pathOf(space.urls.app) ?? "/");
    });
  return html`<${Dialog} title=${t("space.new")} onClose=${onClose}>
    <${Form} onSubmit=${make}>
      <${TextField} label=${t("space.new-title")} value=${title} onInput=${setTitle} required maxlength="50" autofocus />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t("create")}<//></div>
    <//>
  <//>`;
}
