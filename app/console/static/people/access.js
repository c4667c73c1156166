// Who may do what with a space, collection or site: what people and teams were given, and why somebody may.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Avatar, Badge, Bones, Button, Glyph, Note } from "../parts/basic.js";
import { Form, Select } from "../parts/forms.js";
import { Failed, Listing, useAll } from "../parts/lists.js";
import { attempt, confirm, Dialog, Menu } from "../parts/overlays.js";
import { PersonField } from "../parts/people.js";
import { t } from "../texts.js";
import { levelOptions, LEVELS } from "./roles.js";

/** @type {Record<string, string[]>} */
const ACTIONS = {
  Space: ["VIEW", "COMMENT", "EDIT", "REVIEW", "MERGE", "ADMIN"],
  Collection: ["VIEW", "CREATE", "EDIT", "ADMIN"],
  Site: ["VIEW", "EDIT", "CREATE", "ADMIN"],
};

/**
 * @typedef {{ kind: "Space" | "Collection" | "Site", id: string, organization: string }} Place
 * @param {{ place: Place }} props
 */
export function Access({ place }) {
  const found = useQuery(`${place.kind}Access`, variables(place)), [giving, setGiving] = useState(false);
  const object = objectOf(place, found.data);
  if (!object) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  const may = object.permissions.admin;
  const grants = [
    ...(object.teamPermissions?.nodes ?? []).map((/** @type {any} */ each) => ({ ...each, name: each.team.title, input: { teams: [each.team.restId] } })),
    ...(object.userPermissions?.nodes ?? []).map((/** @type {any} */ each) => ({ ...each, name: each.user.displayName, input: { users: [each.user.restId] } })),
  ];
  return html`<section class="stack people-part">
      <h2>${t("access.given")}</h2>
      <p class="soft">${t("access.given-text")}</p>
      ${may && html`<div><${Button} kind="main" glyph="add" onClick=${() => setGiving(true)}>${t("access.give")}<//></div>`}
      ${grants.length
        ? html`<ul class="list" aria-label=${t("access.given")}>${grants.map((each) => html`<li key=${each.user?.id ?? each.team.id}><${Grant} place=${place} grant=${each} may=${may} /></li>`)}</ul>`
        : html`<p>${t("access.given-none")}</p>`}
    </section>
    <${Audience} place=${place} />
    ${giving && html`<${GiveDialog} place=${place} onClose=${() => setGiving(false)} />`}`;
}

/** The variables of a place's queries. @param {Place} place */
function variables({ kind, id, organization }) {
  return { place: id, ...(kind === "Site" ? { organization } : {}) };
}

/** The object of a place in an answer. @param {Place} place @param {any} data */
function objectOf({ kind }, data) {
  return kind === "Site" ? data?.organization?.site : data?.[kind.toLowerCase()];
}

/** The fields of a mutation that name a place. @param {Place} place */
function named({ kind, id, organization }) {
  return { [kind.toLowerCase()]: id, ...(kind === "Site" ? { organization } : {}) };
}

/** The queries that a grant changes. @param {Place} place */
const changed = ({ kind }) => [`${kind}Access`, `${kind}Audience`];

/** @param {{ place: Place, grant: any, may: boolean }} props */
function Grant({ place, grant, may }) {
  const { name, permission, user, team } = grant;
  const give = (/** @type {string} */ role) => attempt(() => mutate(`Grant${place.kind}Access`, { ...named(place), ...grant.input, role }, { refresh: changed(place) }));
  const withdraw = async () => {
    const question = { title: t("access.withdraw-title", { name }), text: t("access.withdraw-text"), yes: t("access.withdraw"), danger: true };
    if (!(await confirm(question))) return;
    const input = { ...named(place), ...(user ? { user: user.restId } : { team: team.restId }) };
    await attempt(() => mutate(`Remove${user ? "User" : "Team"}From${place.kind}`, input, { refresh: changed(place) }));
  };
  const choices = [
    ...LEVELS.map((each) => ({ label: t(`level.${each}`), checked: each === permission, onChoose: () => give(each) })),
    /** @type {"-"} */ ("-"),
    { label: t("access.withdraw"), glyph: "trash", danger: true, onChoose: withdraw },
  ];
  return html`${user ? html`<${Avatar} user=${user} />` : html`<span class="avatar" aria-hidden="true"><${Glyph} name="people" /></span>`}
    <strong class="grow breaks" dir="auto">${name}</strong>
    <${Badge}>${t(`level.${permission}`)}<//>
    ${may && html`<${Menu} label=${t("people.do", { name })} end choices=${choices} />`}`;
}

/** @param {{ place: Place, onClose: () => void }} props */
function GiveDialog({ place, onClose }) {
  const teams = useQuery("Teams", { organization: place.organization });
  const [person, setPerson] = useState(/** @type {any} */ (null)), [team, setTeam] = useState(""), [level, setLevel] = useState("READ");
  const options = useAll(teams, (data) => data.organization?.teams).map((/** @type {any} */ each) => [each.restId, each.title]);
  const give = () =>
    attempt(async () => {
      const whom = { ...(person ? { users: [person.restId] } : {}), ...(team ? { teams: [team] } : {}) };
      await mutate(`Grant${place.kind}Access`, { ...named(place), ...whom, role: level }, { refresh: changed(place) });
      onClose();
    });
  return html`<${Dialog} title=${t("access.give")} onClose=${onClose}>
    <${Form} onSubmit=${give}>
      <${PersonField} label=${t("access.person")} organization=${place.organization} value=${person} onChange=${setPerson} />
      ${options.length > 0 && html`<${Select} label=${t("access.team")} value=${team} onChange=${setTeam} options=${[["", t("access.no-team")], ...options]} />`}
      <${Select} label=${t("people.level")} value=${level} onChange=${setLevel} options=${levelOptions()} />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!person && !team}>${t("access.give-it")}<//></div>
    <//>
  <//>`;
}

/** @param {{ place: Place }} props */
function Audience({ place }) {
  const [role, setRole] = useState(""), [asked, setAsked] = useState(/** @type {any} */ (null));
  const found = useQuery(`${place.kind}Audience`, { ...variables(place), filter: role ? { role } : {} });
  const list = (/** @type {any} */ all) => objectOf(place, all)?.audience;
  const row = (/** @type {any} */ { user, permission }) => html`<${Avatar} user=${user} />
    <strong class="grow breaks" dir="auto">${user.displayName}</strong>
    <${Badge}>${t(`level.${permission}`)}<//>
    <${Button} small label=${t("access.why-label", { name: user.displayName })} onClick=${() => setAsked(user)}>${t("access.why")}<//>`;
  return html`<section class="stack people-part">
    <h2>${t("access.everybody")}</h2>
    <p class="soft">${t("access.everybody-text")}</p>
    <div class="people-level"><${Select} label=${t("access.level")} value=${role} onChange=${setRole} options=${[["", t("access.every-level")], ...levelOptions()]} /></div>
    <${Listing} query=${found} list=${list} label=${t("access.everybody")} empty=${html`<p>${t("access.nobody")}</p>`} row=${row} />
    ${asked && html`<${Why} place=${place} user=${asked} onClose=${() => setAsked(null)} />`}
  </section>`;
}

/** @param {{ place: Place, user: any, onClose: () => void }} props */
function Why({ place, user, onClose }) {
  const [action, setAction] = useState("VIEW");
  const found = useQuery(`${place.kind}Explanation`, { ...variables(place), user: user.restId, action });
  const told = objectOf(place, found.data)?.explanation;
  return html`<${Dialog} title=${t("access.why-title", { name: user.displayName })} onClose=${onClose}>
    <${Select} label=${t("access.action")} value=${action} onChange=${setAction}
      options=${(ACTIONS[place.kind] ?? []).map((each) => [each, t(`action.${each}`)])} />
    <div aria-live="polite">
      ${!told
        ? found.error
          ? html`<${Failed} error=${found.error} />`
          : html`<${Bones} lines=${2} />`
        : html`<${Note} kind=${told.allowed ? "good" : "warn"}>
            <strong>${t(told.allowed ? "access.allowed" : "access.refused")}</strong>
            <p>${told.message}${told.source.team ? ` (${told.source.team.title})` : ""}</p>
          <//>`}
    </div>
  <//>`;
}
