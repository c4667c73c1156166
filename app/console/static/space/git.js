// The Git repository of a space: connected, synchronised, disconnected.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Ago, Badge, Button, Note } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";
import { repositoryInput, RepositoryFields, useRepository } from "./git_fields.js";
import { spacePath } from "./side.js";

/** @type {Record<string, string>} */
const KINDS = { SUCCESS: "good", RUNNING: "info" };

const POLL = 3; // seconds between two looks at a sync that runs

function again() {
  return refresh(["SpaceSettings", "Space", "SpaceTree"]);
}

/** @param {{ space: any, known: any }} props */
export function Git({ space, known }) {
  const git = known.gitInfo, may = space.permissions.triggerGitSync, [changing, setChanging] = useState(false);
  const isRunning = git?.operation.state === "RUNNING";
  useQuery("SpaceSettings", { space: space.restId }, { poll: isRunning ? POLL : 0, skip: !isRunning }); // it may end before the stream begins
  useLive("JobChanged", { space: space.restId }, again);
  return html`<div class="stack sections git">
    ${git ? html`<${Connected} space=${space} known=${known} git=${git} />` : html`<p class="soft">${t(may ? "git.text" : "git.none")}</p>`}
    ${may && (!git || changing) && html`<${Connect} key=${git?.updatedAt} space=${space} git=${git} onDone=${() => setChanging(false)} />`}
    ${may && git && !changing && html`<div class="row"><${Button} glyph="edit" onClick=${() => setChanging(true)}>${t("git.change")}<//>
      ${space.permissions.admin && html`<${Disconnect} space=${space} />`}</div>`}
  </div>`;
}

/** @param {{ space: any, known: any, git: any }} props */
function Connected({ space, known, git }) {
  const { state, direction, message } = git.operation, isRunning = state === "RUNNING", may = space.permissions.triggerGitSync;
  const [commit, setCommit] = useState(t("git.message"));
  const from = { space: space.restId, url: git.url, ref: git.ref, repoProjectDirectory: git.directory };
  const run = (/** @type {string} */ document, /** @type {Record<string, string>} */ more = {}) => attempt(async () => (await mutate(document, { ...from, ...more }), say(t("git.started")), again()));
  return html`<section class="card stack" aria-label=${t("git.connection")}>
    <div class="row spread"><h2 class="breaks">${git.repoName}</h2><${Badge} kind=${KINDS[state] ?? "bad"}>${t(`git.state-${state}`)}<//></div>
    <dl class="facts">
      <dt>${t("git.url")}</dt><dd class="breaks">${git.url}</dd>
      <dt>${t("git.branch")}</dt><dd class="breaks">${git.ref}${git.directory && html` · <span>${git.directory}</span>`}</dd>
      <dt>${t("git.last")}</dt><dd>${t(`git.direction-${direction}`)} · <${Ago} at=${git.updatedAt} /></dd>
    </dl>
    ${isRunning ? html`<p role="status" class="row"><span class="waiting" aria-hidden="true"></span>${t("git.running")}</p>`
      : message && html`<${Note} kind=${KINDS[state] ? "" : "bad"}>${message}<//>`}
    ${!isRunning && state === "SUCCESS" && known.gitSync && html`<p><a href=${BASE + spacePath(space)}>${t("git.open")}</a></p>`}
    ${may && html`<${Form} onSubmit=${() => run("ExportToGitRepository", { commitMessage: commit.trim() })}>
      <${TextField} label=${t("git.message-label")} value=${commit} onInput=${setCommit} required />
      <p class="soft small">${t("git.sync-hint")}</p>
      <div class="row"><${Button} kind="main" type="submit" glyph="sync" disabled=${isRunning || !commit.trim()}>${t("git.sync")}<//>
        <${Button} glyph="download" disabled=${isRunning} onClick=${() => run("ImportGitRepository")}>${t("git.pull")}<//></div>
    <//>`}
  </section>`;
}

/** @param {{ space: any, git: any, onDone: () => void }} props */
function Connect({ space, git, onDone }) {
  const repository = useRepository(git), [first, setFirst] = useState("ImportGitRepository"), [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const connect = async () => {
    setWrong(null);
    try {
      const more = first === "ExportToGitRepository" ? { commitMessage: t("git.message") } : {};
      await mutate(first, { space: space.restId, ...repositoryInput(repository), ...more });
      say(t("git.started"));
      await again();
      onDone();
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  return html`<${Form} onSubmit=${connect}>
    <${RepositoryFields} repository=${repository} wrong=${wrong} />
    <fieldset class="field stack tight"><legend class="label">${t("git.first")}</legend>
      ${["ImportGitRepository", "ExportToGitRepository"].map((each) => html`<${Checkbox} key=${each} type="radio" name="first" checked=${first === each} onChange=${() => setFirst(each)} label=${t(`git.first-${each}`)} hint=${t(`git.first-${each}-hint`)} />`)}
    </fieldset>
    <div class="row"><${Button} kind="main" type="submit" disabled=${!repository.url.trim()}>${t("git.connect")}<//>
      ${git && html`<${Button} onClick=${onDone}>${t("cancel")}<//>`}</div>
  <//>`;
}

/** @param {{ space: any }} props */
function Disconnect({ space }) {
  const end = async () => {
    if (!(await confirm({ title: t("git.end-title"), text: t("git.end-text"), yes: t("git.end") }))) return;
    await attempt(() => mutate("EndGitSync", { space: space.restId }));
    await again();
  };
  return html`<${Button} onClick=${end}>${t("git.end")}<//>`;
}
