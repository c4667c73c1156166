// The members of an organization: found, given other roles, shut out, removed.

import { html, useState } from "../vendor/preact.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Ago, Avatar, Badge, Button } from "../parts/basic.js";
import { Form, Select } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, Dialog, Menu, say } from "../parts/overlays.js";
import { SearchFilter } from "../parts/search.js";
import { addressWith, go } from "../router.js";
import { askWho, me } from "../session.js";
import { BASE } from "../settings.js";
import { date, t } from "../texts.js";
import { SignInLink } from "./sign_in_link.js";
import { GUEST, RoleField, roleName, roleOf, roleOptions } from "./roles.js";

/** @type {Record<string, { field: string, direction: string }>} */
const ORDERS = {
  joined: { field: "JOINED_AT", direction: "DESC" },
  name: { field: "NAME", direction: "ASC" },
  seen: { field: "LAST_SEEN_AT", direction: "DESC" },
};

/** @param {{ organization: any, query: URLSearchParams }} props */
export function Members({ organization, query }) {
  const search = query.get("search") ?? "", role = query.get("role") ?? "", order = query.get("order") ?? "joined";
  const found = useQuery("Members", {
    organization: organization.restId,
    filter: { ...(search ? { search } : {}), ...(role ? { role } : {}) },
    orderBy: ORDERS[order] ?? ORDERS["joined"],
  });
  const [changed, setChanged] = useState(/** @type {any} */ (null)), [link, setLink] = useState(/** @type {any} */ (null));
  const set = (/** @type {string} */ name, /** @type {string} */ value) => go(addressWith(name, value), { replace: true });
  const members = found.data?.organization?.members;
  const row = (/** @type {any} */ member) => html`<${Member} member=${member} organization=${organization} onChangeRole=${() => setChanged(member)} onLink=${setLink} />`;
  return html`
    <div class="people-filters" role="search">
      <${SearchFilter} label=${t("people.search")} />
      <${Select} label=${t("people.role")} value=${role} onChange=${(/** @type {string} */ chosen) => set("role", chosen)}
        options=${[["", t("people.every-role")], ...roleOptions()]} />
      <${Select} label=${t("people.order")} value=${order} onChange=${(/** @type {string} */ chosen) => set("order", chosen === "joined" ? "" : chosen)}
        options=${Object.keys(ORDERS).map((each) => [each, t(`people.order-${each}`)])} />
      ${organization.permissions.admin && html`<${Button} kind="main" glyph="add" href=${`${BASE}/o/${organization.restId}/people/invitations`}>${t("people.invite")}<//>`}
    </div>
    <p class="soft small" role="status">${members ? t("people.count", { count: members.totalCount }) : ""}</p>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.members} label=${t("people.members")} empty=${t("people.none")} row=${row} />
    ${changed && html`<${RoleDialog} member=${changed} organization=${organization} onClose=${() => setChanged(null)} />`}
    ${link && html`<${SignInLink} link=${link} onClose=${() => setLink(null)} />`}`;
}

/** @param {{ member: any, organization: any, onChangeRole: () => void, onLink: (link: any) => void }} props */
function Member({ member, organization, onChangeRole, onLink }) {
  const { user } = member, name = user.displayName, own = user.restId === me.value?.restId;
  const here = { organization: organization.restId, user: user.restId };
  const disable = async () => {
    const question = { title: t("people.disable-title", { name }), text: t("people.disable-text"), yes: t("people.disable"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("UpdateMember", { ...here, disabled: true }));
  };
  const enable = () => attempt(() => mutate("UpdateMember", { ...here, disabled: false }));
  const end = async () => {
    const question = { title: t("people.sessions-end-title", { name }), text: t("people.sessions-end-text"), yes: t("people.sessions-end"), danger: true };
    if (await confirm(question)) await attempt(async () => (await mutate("EndMemberSessions", here), say(t("people.sessions-ended", { name }))));
  };
  const makeLink = () => attempt(async () => onLink({ ...(await mutate("CreateMemberSignInLink", here)), user }));
  const remove = async () => {
    const question = { title: t("people.remove-title", { name, organization: organization.title }), text: t("people.remove-text"), yes: t("people.remove"), danger: true };
    if (await confirm(question)) await attempt(async () => (await mutate("RemoveMember", here, { refresh: ["Members"] }), say(t("people.removed", { name }))));
  };
  const leave = async () => {
    const question = { title: t("people.leave-title", { organization: organization.title }), text: t("people.leave-text"), yes: t("people.leave"), danger: true };
    if (!(await confirm(question)) || !(await attempt(() => mutate("RemoveMember", here)))) return;
    await askWho().refresh();
    await go("/", { replace: true });
  };
  const may = organization.permissions.admin;
  const choices = [
    may && { label: t("people.role-change"), glyph: "key", onChoose: onChangeRole },
    may && !own && !member.disabled && { label: t("people.sign-in-link"), glyph: "link", onChoose: makeLink },
    may && organization.ssoLogins?.length > 0 && { label: t("people.sessions-end"), glyph: "out", onChoose: end },
    may && !own && (member.disabled ? { label: t("people.enable"), glyph: "check", onChoose: enable } : { label: t("people.disable"), glyph: "lock", danger: true, onChoose: disable }),
    may && !own && { label: t("people.remove"), glyph: "trash", danger: true, onChoose: remove },
    own && { label: t("people.leave"), glyph: "out", danger: true, onChoose: leave },
  ];
  return html`<${Avatar} user=${user} />
    <div class="grow stack tight">
      <span class="row"><strong class="breaks" dir="auto">${name}</strong>
        ${own && html`<${Badge}>${t("people.you")}<//>`}
        ${member.disabled && html`<${Badge} kind="warn">${t("people.disabled")}<//>`}
        ${member.sso && html`<${Badge}>${t("people.sso")}<//>`}</span>
      <span class="soft small breaks"><span class="people-role-small">${roleName(member.role)} · </span>${user.email ? `${user.email} · ` : ""}${
        member.lastSeenAt ? html`${t("people.seen")} <${Ago} at=${member.lastSeenAt} />` : t("people.joined", { date: date(member.joinedAt) })}</span>
    </div>
    <span class="people-role">${roleName(member.role)}</span>
    ${choices.some(Boolean) && html`<${Menu} label=${t("people.do", { name })} end choices=${choices} />`}`;
}

/** @param {{ member: any, organization: any, onClose: () => void }} props */
function RoleDialog({ member, organization, onClose }) {
  const [role, setRole] = useState(member.role ?? GUEST), name = member.user.displayName;
  const save = () =>
    attempt(async () => {
      await mutate("UpdateMember", { organization: organization.restId, user: member.user.restId, role: roleOf(role) });
      onClose();
      await refresh(["Members", ...(member.user.restId === me.value?.restId ? ["People", "Session"] : [])]);
      say(t("people.role-changed", { name, role: roleName(roleOf(role)) }));
    });
  return html`<${Dialog} title=${t("people.role-title", { name })} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      <${RoleField} value=${role} onChange=${setRole} />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${role === (member.role ?? GUEST)}>${t("save")}<//></div>
    <//>
  <//>`;
}
