// Invitations by mail, which wait for those they are for, and links that anybody may follow.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Ago, Badge, Button, Note } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, copy, Dialog, Menu, say } from "../parts/overlays.js";
import { t } from "../texts.js";
import { LinkDialog } from "./link_dialog.js";
import { GUEST, RoleField, roleName, roleOf } from "./roles.js";

/** @param {{ organization: any }} props */
export function Invitations({ organization }) {
  return html`<${ByMail} organization=${organization} /><${ByLink} organization=${organization} />`;
}

/** @param {{ organization: any }} props */
function ByMail({ organization }) {
  const found = useQuery("Invitations", { organization: organization.restId }), [inviting, setInviting] = useState(false);
  const withdraw = async (/** @type {any} */ invite) => {
    const question = { title: t("people.withdraw-title", { address: invite.email }), text: t("people.withdraw-text"), yes: t("people.withdraw"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("WithdrawInvite", { organization: organization.restId, invite: invite.restId }, { refresh: ["Invitations"] }));
  };
  const row = (/** @type {any} */ invite) => html`<div class="grow stack tight">
      <span class="row"><strong class="breaks" dir="auto">${invite.email}</strong>${invite.sso && html`<${Badge}>${t("people.sso")}<//>`}</span>
      <span class="soft small breaks">${roleName(invite.role)} · ${t("people.invited")} <${Ago} at=${invite.createdAt} /></span>
    </div>
    <${Menu} label=${t("people.invite-do", { address: invite.email })} end choices=${[
      { label: t("people.copy-address"), glyph: "copy", hint: t("people.copy-address-hint"), onChoose: () => copy(invite.urls.app) },
      { label: t("people.withdraw"), glyph: "trash", danger: true, onChoose: () => withdraw(invite) },
    ]} />`;
  return html`<section class="stack people-part">
    <h2>${t("people.by-mail")}</h2>
    <p class="soft">${t("people.by-mail-text")}</p>
    <div><${Button} kind="main" glyph="add" onClick=${() => setInviting(true)}>${t("people.invite")}<//></div>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.invites} label=${t("people.by-mail")} empty=${html`<p>${t("people.by-mail-none")}</p>`} row=${row} />
    ${inviting && html`<${InviteDialog} organization=${organization} onClose=${() => setInviting(false)} />`}
  </section>`;
}

/** @param {{ organization: any, onClose: () => void }} props */
function InviteDialog({ organization, onClose }) {
  const [text, setText] = useState(""), [role, setRole] = useState(organization.defaultRole ?? GUEST), [sso, setSso] = useState(false);
  const [wrong, setWrong] = useState(/** @type {string | null} */ (null)), [failed, setFailed] = useState(/** @type {string[]} */ ([]));
  const addresses = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const invite = async () => {
    setWrong(null);
    try {
      const input = { organization: organization.restId, emails: addresses.map((each) => ({ text: each })), role: roleOf(role) };
      const done = await mutate("InvitePeople", { ...input, ...(sso ? { sso } : {}) }, { refresh: ["Invitations"] });
      if (done.invited.length) say(t("people.invited-these", { count: done.invited.length }));
      if (done.users.length) say(t("people.belong-already", { names: done.users.map((/** @type {any} */ each) => each.displayName).join(", ") }));
      if (!done.failedSSOEmails.length) return onClose();
      setFailed(done.failedSSOEmails);
      setText(done.failedSSOEmails.join("\n"));
    } catch (error) {
      const path = error instanceof ApiError ? error.path.map(String) : [], place = path.indexOf("emails") + 1;
      if (place) setWrong([addresses[Number(path[place])], /** @type {Error} */ (error).message].filter(Boolean).join(": "));
      else say(/** @type {Error} */ (error));
    }
  };
  return html`<${Dialog} title=${t("people.invite")} onClose=${onClose}>
    <${Form} onSubmit=${invite}>
      ${failed.length > 0 && html`<${Note} kind="warn">${t("people.invite-failed-sso", { addresses: failed.join(", ") })}<//>`}
      <${TextField} label=${t("people.addresses")} hint=${t("people.addresses-hint")} rows=${3} value=${text} onInput=${setText} wrong=${wrong} required autocapitalize="off" />
      <${RoleField} value=${role} onChange=${setRole} />
      ${organization.ssoLogins?.length > 0 && html`<${Checkbox} label=${t("people.sso")} hint=${t("people.sso-hint")} checked=${sso} onChange=${setSso} />`}
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!addresses.length}>${t("people.invite-do-it", { count: addresses.length })}<//></div>
    <//>
  <//>`;
}

/** Say what an invite link gives. @param {any} invite */
function gives(invite) {
  const place = invite.space ?? invite.collection;
  return place ? t("people.link-level", { level: t(`level.${invite.level}`), place: place.title }) : roleName(invite.role);
}

/** @param {{ organization: any }} props */
function ByLink({ organization }) {
  const found = useQuery("InviteLinks", { organization: organization.restId });
  const [edited, setEdited] = useState(/** @type {any} */ (undefined)); // null: a new one
  const remove = async (/** @type {any} */ invite) => {
    const question = { title: t("people.link-delete-title"), text: t("people.link-delete-text"), yes: t("people.link-delete"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("DeleteInviteLink", { organization: organization.restId, invite: invite.restId }, { refresh: ["InviteLinks"] }));
  };
  const row = (/** @type {any} */ invite) => html`<div class="grow stack tight">
      <strong class="breaks" dir="auto">${gives(invite)}</strong>
      <span class="soft small breaks">${invite.urls.app}</span>
    </div>
    <${Menu} label=${t("people.link-do", { what: gives(invite) })} end choices=${[
      { label: t("people.copy-address"), glyph: "copy", onChoose: () => copy(invite.urls.app) },
      { label: t("people.link-change"), glyph: "edit", onChoose: () => setEdited(invite) },
      { label: t("people.link-delete"), glyph: "trash", danger: true, onChoose: () => remove(invite) },
    ]} />`;
  const saved = () => (setEdited(undefined), void refresh(["InviteLinks"]));
  return html`<section class="stack people-part">
    <h2>${t("people.by-link")}</h2>
    <p class="soft">${t("people.by-link-text")}</p>
    ${organization.inviteLinks
      ? html`<div><${Button} glyph="add" onClick=${() => setEdited(null)}>${t("people.link-create")}<//></div>`
      : html`<${Note} kind="warn">${t("people.links-off")}<//>`}
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.linkInvites} label=${t("people.by-link")} empty=${html`<p>${t("people.by-link-none")}</p>`} row=${row} />
    ${edited !== undefined && html`<${LinkDialog} organization=${organization} invite=${edited} onSaved=${saved} onClose=${() => setEdited(undefined)} />`}
  </section>`;
}
