// The teams of an organization, and who is in one.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Avatar, Badge, Button } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, Dialog, Menu, say } from "../parts/overlays.js";
import { PersonField } from "../parts/people.js";
import { go } from "../router.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { t } from "../texts.js";

/** @param {{ organization: any, rest: string }} props `rest` is the id of a team, or empty for all */
export function Teams({ organization, rest }) {
  return rest ? html`<${Team} organization=${organization} id=${rest} />` : html`<${AllTeams} organization=${organization} />`;
}

/** @param {{ organization: any }} props */
function AllTeams({ organization }) {
  const found = useQuery("Teams", { organization: organization.restId }), [making, setMaking] = useState(false);
  const base = `/o/${organization.restId}/people/teams`;
  const made = (/** @type {any} */ team) => go(`${base}/${team.restId}`);
  const row = (/** @type {any} */ team) => html`<a class="whole" href=${`${BASE}${base}/${team.restId}`}>
      <strong class="grow breaks" dir="auto">${team.title}</strong>
      <span class="soft small">${t("teams.count", { count: team.some?.totalCount ?? 0 })} · ${t("teams.spaces", { count: team.spaces?.totalCount ?? 0 })}</span>
    </a>`;
  return html`<section class="stack people-part">
    <p class="soft">${t("teams.text")}</p>
    ${organization.permissions.ownTeam && html`<div><${Button} kind="main" glyph="add" onClick=${() => setMaking(true)}>${t("teams.create")}<//></div>`}
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.teams} label=${t("people.teams")} empty=${html`<p>${t("teams.none")}</p>`} row=${row} />
    ${making && html`<${TeamDialog} organization=${organization} onSaved=${made} onClose=${() => setMaking(false)} />`}
  </section>`;
}

/** @param {{ organization: any, team?: any, onSaved: (team: any) => unknown, onClose: () => void }} props */
function TeamDialog({ organization, team, onSaved, onClose }) {
  const [title, setTitle] = useState(team?.title ?? ""), [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const save = async () => {
    setWrong(null);
    try {
      const input = { organization: organization.restId, title: title.trim() };
      const done = await (team ? mutate("RenameTeam", { ...input, team: team.restId }) : mutate("CreateTeam", input, { refresh: ["Teams"] }));
      onClose();
      await onSaved(done.team);
    } catch (error) {
      if (error instanceof ApiError && error.path.includes("title")) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  return html`<${Dialog} title=${t(team ? "teams.rename" : "teams.create")} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("teams.title")} value=${title} onInput=${setTitle} wrong=${wrong?.message} required maxlength="64" />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t(team ? "save" : "create")}<//></div>
    <//>
  <//>`;
}

/** @param {{ organization: any, id: string }} props */
function Team({ organization, id }) {
  const found = useQuery("Team", { organization: organization.restId, team: id }), [renaming, setRenaming] = useState(false);
  const team = found.data?.organization?.team;
  if (!team) return html`<${Without} query=${found} organization=${organization.restId} bare />`;
  const here = { organization: organization.restId, team: team.restId }, may = team.permissions.admin;
  const remove = async () => {
    const question = { title: t("teams.delete-title", { name: team.title }), text: t("teams.delete-text"), yes: t("delete"), danger: true };
    if (!(await confirm(question))) return;
    if (await attempt(() => mutate("DeleteTeam", here, { refresh: ["Teams"] }))) await go(`/o/${organization.restId}/people/teams`, { replace: true });
  };
  const put = (/** @type {any} */ user, /** @type {string} */ role) => attempt(() => mutate("PutTeamMember", { ...here, user: user.restId, role }, { refresh: ["Team", "Teams"] }));
  const leave = (/** @type {any} */ user) => attempt(() => mutate("RemoveTeamMember", { ...here, user: user.restId }, { refresh: ["Team", "Teams"] }));
  const row = (/** @type {any} */ { member, membership }) => html`<${Avatar} user=${member.user} />
    <div class="grow stack tight">
      <span class="row"><strong class="breaks" dir="auto">${member.user.displayName}</strong>
        ${membership.role === "OWNER" && html`<${Badge} kind="info">${t("teams.OWNER")}<//>`}</span>
      <span class="soft small breaks">${member.user.email ?? ""}</span>
    </div>
    ${may && html`<${Menu} label=${t("people.do", { name: member.user.displayName })} end choices=${[
      membership.role === "OWNER"
        ? { label: t("teams.no-owner"), glyph: "user", onChoose: () => put(member.user, "MEMBER") }
        : { label: t("teams.make-owner"), glyph: "key", onChoose: () => put(member.user, "OWNER") },
      { label: t("teams.remove"), glyph: "trash", danger: true, onChoose: () => leave(member.user) },
    ]} />`}`;
  const actions = [
    { label: t("teams.rename"), glyph: "edit", onChoose: () => setRenaming(true) },
    organization.permissions.ownTeam && { label: t("delete"), glyph: "trash", danger: true, onChoose: remove },
  ];
  return html`<section class="stack people-part">
    <a href=${`${BASE}/o/${organization.restId}/people/teams`}>${t("teams.all")}</a>
    <div class="row spread"><h2 class="breaks" dir="auto">${team.title}</h2>
      ${may && html`<${Menu} label=${t("people.do", { name: team.title })} end choices=${actions} />`}</div>
    ${may && html`<${PersonField} label=${t("teams.add")} organization=${organization.restId} value=${null}
      onChange=${(/** @type {any} */ user) => user && put(user, "MEMBER")} />`}
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.team.members} label=${t("people.members")} empty=${html`<p>${t("teams.nobody")}</p>`} row=${row} />
    ${renaming && html`<${TeamDialog} organization=${organization} team=${team} onSaved=${() => refresh(["Teams"])} onClose=${() => setRenaming(false)} />`}
  </section>`;
}
