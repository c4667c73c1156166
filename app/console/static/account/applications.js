// Applications that a person let in, and those that they registered themselves.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Ago, Badge, Button } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, Dialog, Menu, say } from "../parts/overlays.js";
import { t } from "../texts.js";
import { Secret } from "./secret.js";

export function Applications() {
  return html`<${Allowed} /><${Own} />`;
}

function Allowed() {
  const found = useQuery("AllowedApplications");
  const revoke = async (/** @type {any} */ grant) => {
    const question = { title: t("account.grant-revoke-title", { name: grant.application }), text: t("account.grant-revoke-text"), yes: t("account.grant-revoke"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("RevokeOAuthGrant", { oauthGrant: grant.restId }, { refresh: ["AllowedApplications"] }));
  };
  const row = (/** @type {any} */ grant) => html`<div class="grow stack tight">
      ${grant.homepage ? html`<a href=${grant.homepage} target="_blank" rel="noopener noreferrer" class="breaks" dir="auto">${grant.application}</a>` : html`<span class="breaks" dir="auto">${grant.application}</span>`}
      <span class="soft small breaks">${[grant.organization?.title ?? t("account.everywhere"), ...grant.scopes.map((/** @type {string} */ each) => t(`scope.${each}`))].join(" · ")}
        ${" "}· ${grant.lastUsedAt ? html`${t("account.used")} <${Ago} at=${grant.lastUsedAt} />` : t("account.never-used")}</span>
    </div>
    <${Button} small onClick=${() => revoke(grant)}>${t("account.grant-revoke")}<//>`;
  return html`<section class="stack account-part">
    <h2>${t("account.grants")}</h2>
    <p class="soft">${t("account.grants-text")}</p>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.me?.oauthGrants} label=${t("account.grants")} empty=${html`<p>${t("account.grants-none")}</p>`} row=${row} />
  </section>`;
}

function Own() {
  const found = useQuery("OwnApplications"), [edited, setEdited] = useState(/** @type {any} */ (undefined)), [secret, setSecret] = useState("");
  const rotate = async (/** @type {any} */ application) => {
    const question = { title: t("account.secret-renew"), text: t("account.secret-renew-text"), yes: t("account.secret-renew"), danger: true };
    if (!(await confirm(question))) return;
    const made = await attempt(() => mutate("RotateOAuthApplicationSecret", { oauthApplication: application.restId }));
    if (made) setSecret(made.oauthApplication.secret);
  };
  const remove = async (/** @type {any} */ application) => {
    const question = { title: t("account.application-delete", { name: application.name }), text: t("account.application-delete-text"), yes: t("delete"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("DeleteOAuthApplication", { oauthApplication: application.restId }, { refresh: ["OwnApplications"] }));
  };
  const row = (/** @type {any} */ each) => html`<div class="grow stack tight">
      <span class="row"><strong class="breaks" dir="auto">${each.name}</strong>${each.kind === "CONFIDENTIAL" && html`<${Badge}>${t("account.application-confidential")}<//>`}</span>
      <span class="soft small breaks"><code>${each.restId}</code></span>
      <span class="soft small breaks">${each.redirectURIs.join(" ")}</span>
    </div>
    <${Menu} label=${t("account.application-do", { name: each.name })} end choices=${[
      { label: t("account.application-change"), glyph: "edit", onChoose: () => setEdited(each) },
      each.kind === "CONFIDENTIAL" && { label: t("account.secret-renew"), glyph: "key", onChoose: () => rotate(each) },
      { label: t("delete"), glyph: "trash", danger: true, onChoose: () => remove(each) },
    ]} />`;
  const saved = (/** @type {string | null} */ made) => (setEdited(undefined), setSecret(made ?? ""), void refresh(["OwnApplications"]));
  return html`<section class="stack account-part">
    <h2>${t("account.own-applications")}</h2>
    <p class="soft">${t("account.own-applications-text")}</p>
    <div><${Button} glyph="add" onClick=${() => setEdited(null)}>${t("account.application-create")}<//></div>
    ${secret && html`<${Secret} secret=${secret} onDone=${() => setSecret("")} />`}
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.me?.oauthApplications} label=${t("account.own-applications")} empty=${html`<p>${t("account.own-applications-none")}</p>`} row=${row} />
    ${edited !== undefined && html`<${ApplicationDialog} application=${edited} onSaved=${saved} onClose=${() => setEdited(undefined)} />`}
  </section>`;
}

/** @param {{ application: any, onSaved: (secret: string | null) => void, onClose: () => void }} props `application` is null for a new one */
function ApplicationDialog({ application, onSaved, onClose }) {
  const [name, setName] = useState(application?.name ?? ""), [homepage, setHomepage] = useState(application?.homepage ?? "");
  const [back, setBack] = useState((application?.redirectURIs ?? []).join("\n")), [device, setDevice] = useState(application?.deviceFlow ?? false);
  const [confidential, setConfidential] = useState(false), [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const save = async () => {
    setWrong(null);
    const redirectURIs = back.split(/\s+/).filter(Boolean);
    const fields = { name: name.trim(), redirectURIs, deviceFlow: device, ...(homepage.trim() ? { homepage: homepage.trim() } : {}) };
    try {
      const made = application
        ? await mutate("UpdateOAuthApplication", { oauthApplication: application.restId, ...fields })
        : await mutate("CreateOAuthApplication", { ...fields, kind: confidential ? "CONFIDENTIAL" : "PUBLIC" });
      onSaved(made.oauthApplication.secret ?? null);
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const at = (/** @type {string} */ field) => (wrong?.path.includes(field) ? wrong.message : null);
  return html`<${Dialog} title=${t(application ? "account.application-change" : "account.application-create")} onClose=${onClose} wide>
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("account.application-name")} value=${name} onInput=${setName} wrong=${at("name")} required maxlength="64" />
      <${TextField} label=${t("account.application-homepage")} type="url" dir="ltr" value=${homepage} onInput=${setHomepage} wrong=${at("homepage")} />
      <${TextField} label=${t("account.application-back")} hint=${t("account.application-back-hint")} dir="ltr" rows=${3} value=${back} onInput=${setBack} wrong=${at("redirectURIs")} />
      <${Checkbox} label=${t("account.application-device")} hint=${t("account.application-device-hint")} checked=${device} onChange=${setDevice} />
      ${!application && html`<${Checkbox} label=${t("account.application-secret")} hint=${t("account.application-secret-hint")} checked=${confidential} onChange=${setConfidential} />`}
      <div><${Button} kind="main" type="submit" disabled=${!name.trim()}>${t("save")}<//></div>
    <//>
  <//>`;
}
