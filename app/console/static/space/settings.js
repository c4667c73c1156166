// The settings of a space: its name and how it is edited, who may do what, its repository, its end.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Ago, Badge, Bones, Button, Note } from "../parts/basic.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { LinkTabs } from "../parts/lists.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { Access } from "../people/access.js";
import { go } from "../router.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
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
  const [title, setTitle] = useState(known.title), [mode, setMode] = useState(known.editMode), [level, setLevel] = useState(known.defaultLevel ?? "");
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  useEffect(() => (setTitle(known.title), setMode(known.editMode), setLevel(known.defaultLevel ?? "")), [known.title, known.editMode, known.defaultLevel]);
  const save = async () => {
    setWrong(null);
    try {
      await mutate("UpdateSpace", { space: space.restId, title: title.trim(), editMode: mode, defaultLevel: level || null });
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
        options=${[...LEVELS, ...(space.parent ? ["INHERIT"] : [])].map((each) => [each, t(each ? `level.${each}` : "level.none")])} />
      <div><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t("save")}<//></div>
    <//>
    ${space.permissions.delete && html`<section class="card stack tight" style=${{ maxWidth: "36rem" }}>
      <h2>${t("space.delete")}</h2><p class="soft">${t("space.delete-text")}</p>
      <div><${Button} kind="danger" onClick=${remove}>${t("space.delete")}<//></div>
    </section>`}`;
}

/** @param {{ space: any, known: any }} props */
function Git({ space, known }) {
  const git = known.gitInfo, may = space.permissions.triggerGitSync;
  const [url, setUrl] = useState(git?.url ?? ""), [branch, setBranch] = useState("main");
  const [message, setMessage] = useState(t("git.message"));
  const again = () => refresh(["SpaceSettings", "Space"]);
  useLive("JobChanged", { space: space.restId }, again);
  const from = { space: space.restId, url: url.trim(), ref: branch.trim() };
  const pull = () => attempt(async () => (await mutate("ImportGitRepository", from), say(t("git.started")), again()));
  const push = () => attempt(async () => (await mutate("ExportToGitRepository", { ...from, commitMessage: message }), say(t("git.started")), again()));
  const end = async () => {
    if (!(await confirm({ title: t("git.end-title"), text: t("git.end-text"), yes: t("git.end") }))) return;
    await attempt(() => mutate("EndGitSync", { space: space.restId }));
    await again();
  };
  const state = git?.operation.state;
  return html`
    ${git && html`<section class="card stack tight">
      <div class="row spread"><h2 class="breaks">${git.repoName}</h2>
        <${Badge} kind=${state === "SUCCESS" ? "good" : state === "RUNNING" ? "info" : "bad"}>${t(`git.state-${state}`)}<//></div>
      <p class="soft small breaks">${git.url} · <${Ago} at=${git.updatedAt} /></p>
      ${git.operation.message && html`<${Note} kind=${state === "FAILURE" ? "bad" : ""}>${git.operation.message}<//>`}
      ${may && known.gitSync && html`<div><${Button} small onClick=${end}>${t("git.end")}<//></div>`}
    </section>`}
    ${may
      ? html`<${Form} onSubmit=${pull} style=${{ maxWidth: "36rem" }}>
          <p class="soft">${t("git.text")}</p>
          <${TextField} label=${t("git.url")} hint=${t("git.url-hint")} type="url" value=${url} onInput=${setUrl} required dir="ltr" />
          <${TextField} label=${t("git.branch")} value=${branch} onInput=${setBranch} required dir="ltr" />
          <${TextField} label=${t("git.message-label")} value=${message} onInput=${setMessage} required />
          <div class="row">
            <${Button} kind="main" type="submit" glyph="download" disabled=${!url.trim() || state === "RUNNING"}>${t("git.pull")}<//>
            <${Button} glyph="upload" disabled=${!url.trim() || state === "RUNNING"} onClick=${push}>${t("git.push")}<//>
          </div>
        <//>`
      : !git && html`<p class="soft">${t("git.none")}</p>`}`;
}
