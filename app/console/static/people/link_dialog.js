// What an invite link gives: a role in the organization, or a level on one space or collection.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form, Select } from "../parts/forms.js";
import { useAll } from "../parts/lists.js";
import { attempt, Dialog } from "../parts/overlays.js";
import { t } from "../texts.js";
import { GUEST, levelOptions, RoleField, roleOf } from "./roles.js";

/** @param {{ organization: any, invite: any, onSaved: () => void, onClose: () => void }} props `invite` is null for a new link */
export function LinkDialog({ organization, invite, onSaved, onClose }) {
  const known = useQuery("PlacesOfInviteLinks", { organization: organization.restId });
  const [where, setWhere] = useState(""), [role, setRole] = useState(invite ? (invite.role ?? GUEST) : "READ"), [level, setLevel] = useState(invite?.level ?? "READ");
  const spaces = useAll(known, (data) => data.organization?.spaces), collections = useAll(known, (data) => data.organization?.collections, "afterCollections");
  const places = [
    ["", organization.title],
    ...collections.map((/** @type {any} */ each) => [`collection ${each.restId}`, each.title]),
    ...spaces.map((/** @type {any} */ each) => [`space ${each.restId}`, each.title]),
  ];
  const inside = invite ? Boolean(invite.space ?? invite.collection) : Boolean(where);
  const [kind = "", place = ""] = where.split(" ");
  const save = () =>
    attempt(async () => {
      const here = { organization: organization.restId };
      if (invite) await mutate("UpdateInviteLink", { ...here, invite: invite.restId, ...(inside ? { level } : { role: roleOf(role) }) });
      else await mutate("CreateInviteLink", { ...here, access: inside ? { [kind]: { [kind]: place, level } } : { role: roleOf(role) } });
      onSaved();
    });
  return html`<${Dialog} title=${t(invite ? "people.link-change" : "people.link-create")} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      ${!invite && html`<${Select} label=${t("people.link-where")} hint=${t("people.link-where-hint")} value=${where} onChange=${setWhere} options=${places} />`}
      ${inside
        ? html`<${Select} label=${t("people.level")} value=${level} onChange=${setLevel} options=${levelOptions()} />`
        : html`<${RoleField} value=${role} onChange=${setRole} />`}
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit">${t(invite ? "save" : "create")}<//></div>
    <//>
  <//>`;
}
