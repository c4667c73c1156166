// The settings of a collection: its name, where it is, who may do what with it, and its end.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form, Select, TextField } from "../parts/forms.js";
import { LinkTabs, useAll } from "../parts/lists.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { Access } from "../people/access.js";
import { LEVELS } from "../people/roles.js";
import { go } from "../router.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";

const AGAIN = ["CollectionSettings", "CollectionContent", "OrganizationContent", "OrganizationCollections"];

/** @param {{ params: Record<string, string> }} props */
export default function CollectionSettings({ params }) {
  const organization = params["organization"] ?? "", id = params["collection"] ?? "", part = params["part"] ?? "";
  const found = useQuery("CollectionSettings", { collection: id }), collection = found.data?.collection;
  if (!collection) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}/c/${id}`, may = collection.permissions, isAccess = part === "access";
  const tabs = [
    { to: `${base}/settings`, label: t("settings.general") },
    { to: `${base}/settings/access`, label: t("settings.access") },
  ];
  const general = html`<${General} key=${JSON.stringify([collection.title, collection.description, collection.defaultLevel, collection.parent?.id])} collection=${collection} organization=${organization} />`;
  const crumbs = [{ label: t("organization.content"), to: `/o/${organization}` }, { label: collection.title, to: base }];
  return html`<${Screen} title=${t("settings.title")} heading=${collection.title} crumbs=${crumbs} organization=${organization}>
    <div class="stack">
      <${LinkTabs} label=${t("settings.title")} tabs=${tabs} />
      ${!may[isAccess ? "admin" : "edit"] ? html`<${NeedsPermission} permission=${isAccess ? "admin" : "edit"} organization=${organization} />` : isAccess ? html`<${Access} place=${{ kind: "Collection", id, organization }} />` : general}
    </div>
  <//>`;
}

/** @param {{ collection: any, organization: string }} props */
function General({ collection, organization }) {
  const { restId: id, permissions: may } = collection, above = collection.parent?.restId ?? "";
  const [title, setTitle] = useState(collection.title), [description, setDescription] = useState(collection.description ?? "");
  const [level, setLevel] = useState(collection.defaultLevel ?? ""), [parent, setParent] = useState(above);
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const all = useAll(useQuery("OrganizationCollections", { organization }), (data) => data.organization?.collections);
  const at = (/** @type {string} */ name) => (wrong?.path.includes(name) ? wrong.message : null);
  const save = async () => {
    setWrong(null);
    try {
      const levels = may.admin && level !== (collection.defaultLevel ?? "") ? { defaultLevel: level || null } : {};
      if (parent !== above) await mutate("MoveCollection", { collection: id, parent: parent || null });
      await mutate("UpdateCollection", { collection: id, title: title.trim(), description: description.trim() || null, ...levels }, { refresh: AGAIN });
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const remove = async () => {
    const question = { title: t("collection.delete-ask", { name: collection.title }), text: t("collection.delete-text"), yes: t("delete"), danger: true };
    if (!(await confirm(question)) || !(await attempt(() => mutate("DeleteCollection", { collection: id })))) return;
    say(t("collection.deleted", { name: collection.title }));
    await refresh(AGAIN);
    await go(`/o/${organization}${above ? `/c/${above}` : ""}`, { replace: true });
  };
  const places = all.filter((/** @type {any} */ each) => each.restId !== id && (each.permissions.create || each.restId === above));
  const named = (/** @type {any} */ each) => [each.restId, each.parent ? `${each.parent.title} / ${each.title}` : each.title];
  return html`<${Form} onSubmit=${save} class="stack form-width">
      <${TextField} label=${t("collection.name")} value=${title} onInput=${setTitle} wrong=${at("title")} required maxlength="50" />
      <${TextField} label=${t("collection.description")} value=${description} onInput=${setDescription} wrong=${at("description")} maxlength="100" />
      <${Select} label=${t("collection.place")} value=${parent} onChange=${setParent} wrong=${at("parent")} options=${[["", t("collection.root")], ...places.map(named)]} />
      ${may.admin && html`<${Select} label=${t("space.default-level")} hint=${t("collection.level-hint")} value=${level} onChange=${setLevel} wrong=${at("defaultLevel")}
        options=${["", ...LEVELS.toReversed(), "INHERIT"].map((each) => [each, t(each === "INHERIT" ? (above ? "level.INHERIT" : "collection.level-root") : each ? `level.${each}` : "collection.level-none")])} />`}
      <div><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t("save")}<//></div>
    <//>
    ${may.delete && html`<section class="card stack tight form-width">
      <h2>${t("collection.delete")}</h2><p class="soft">${t("collection.delete-text")}</p>
      <div><${Button} kind="danger" onClick=${remove}>${t("collection.delete")}<//></div>
    </section>`}`;
}
