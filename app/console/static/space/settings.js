// The settings of a space: its name and how it is edited, who may do what, its repository, its end.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Bones, Button } from "../parts/basic.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { LinkTabs } from "../parts/lists.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { Access } from "../people/access.js";
import { go } from "../router.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { languageOptions } from "../translations/languages.js";
import { Git } from "./git.js";
import { SpaceSide, spacePath } from "./side.js";

const LEVELS = ["", "READ", "COMMENT", "EDIT", "REVIEW", "CREATE", "ADMIN"];

/** @param {{ params: Record<string, string> }} props */
export default function SpaceSettings({ params }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "", part = params["part"] ?? "";
  const found = useQuery("Space", { space: id }), settings = useQuery("SpaceSettings", { space: id });
  const space = found.data?.space, known = settings.data?.space;
  if (!space) return html`<${Without} query=${found} organization=${organization} />`;
  const base = spacePath(space), may = space.permissions;
  const tabs = [
    { to: `${base}/~/settings`, label: t("settings.general") },
    { to: `${base}/~/settings/access`, label: t("settings.access") },
    { to: `${base}/~/settings/git`, label: t("settings.git") },
  ];
  const place = { kind: "Space", id: space.restId, organization: space.organizationId };
  const inside = part === "access" ? html`<${Access} place=${place} />` : !known ? html`<${Bones} />` : part === "git" ? html`<${Git} space=${space} known=${known} />` : html`<${General} space=${space} known=${known} />`;
  return html`<${Screen} title=${t("settings.title")} crumbs=${[{ label: space.title, to: base }]} organization=${organization}
      side=${html`<${SpaceSide} space=${space} />`}>
    <div class="stack">
      <${LinkTabs} label=${t("settings.title")} tabs=${tabs} />
      ${may.admin || (part === "git" && may.triggerGitSync) ? inside : html`<${NeedsPermission} permission="admin" organization=${organization} />`}
    </div>
  <//>`;
}

/** @param {{ space: any, known: any }} props */
function General({ space, known }) {
  const [title, setTitle] = useState(known.title), [mode, setMode] = useState(known.editMode), [level, setLevel] = useState(known.defaultLevel ?? ""), [language, setLanguage] = useState(known.language ?? "");
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  useEffect(() => (setTitle(known.title), setMode(known.editMode), setLevel(known.defaultLevel ?? ""), setLanguage(known.language ?? "")), [known.title, known.editMode, known.defaultLevel, known.language]);
  const save = async () => {
    setWrong(null);
    try {
      await mutate("UpdateSpace", { space: space.restId, title: title.trim(), editMode: mode, defaultLevel: level || null, language: language || null });
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.includes("title")) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const remove = async () => {
    const sure = await confirm({ title: t("space.delete-title", { name: space.title }), text: t("space.delete-text"), yes: t("delete"), danger: true });
    if (!sure || !(await attempt(() => mutate("DeleteSpace", { space: space.restId })))) return;
    say(t("space.deleted", { name: space.title }));
    await refresh(["OrganizationContent", "CollectionContent", "Home"]);
    await go(`/o/${space.organizationId}`, { replace: true });
  };
  const modes = /** @type {const} */ (["LIVE", "LOCKED"]);
  return html`<${Form} onSubmit=${save} style=${{ maxWidth: "36rem" }}>
      <${TextField} label=${t("space.new-title")} value=${title} onInput=${setTitle} wrong=${wrong?.message} required maxlength="50" />
      <fieldset class="field stack tight"><legend class="label">${t("space.mode")}</legend>
        ${modes.map((each) => html`<${Checkbox} key=${each} type="radio" name="mode" checked=${mode === each} onChange=${() => setMode(each)}
          label=${t(`space.${each}`)} hint=${t(`space.${each}-hint`)} />`)}
      </fieldset>
      <${Select} label=${t("space.default-level")} hint=${t("space.default-level-hint")} value=${level} onChange=${setLevel}
        options=${[...LEVELS, "INHERIT"].map((each) => [each, t(each === "INHERIT" && !space.parent ? "collection.level-root" : each ? `level.${each}` : "level.none")])} />
      <${Select} label=${t("space.language")} hint=${t("space.language-hint")} value=${language} onChange=${setLanguage} options=${[["", t("space.language-none")], ...languageOptions()]} />
      <div><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t("save")}<//></div>
    <//>
    ${space.permissions.delete && html`<section class="card stack tight" style=${{ maxWidth: "36rem" }}>
      <h2>${t("space.delete")}</h2><p class="soft">${t("space.delete-text")}</p>
      <div><${Button} kind="danger" onClick=${remove}>${t("space.delete")}<//></div>
    </section>`}`;
}
