// Ways into an account: passkeys, and the browsers in which somebody is signed in.

import { html, useState } from "../vendor/preact.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Ago, Badge, Button, Note } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, Dialog, say } from "../parts/overlays.js";
import { signOut } from "../session.js";
import { date, t } from "../texts.js";
import { canHavePasskeys, createPasskey } from "./passkeys.js";

export function Security() {
  return html`<${Passkeys} /><${Browsers} />`;
}

function Passkeys() {
  const found = useQuery("Passkeys");
  const [named, setNamed] = useState(/** @type {any} */ (undefined)); // null: a new one
  const remove = async (/** @type {any} */ passkey) => {
    const question = { title: t("account.passkey-delete", { name: passkey.name }), text: t("account.passkey-delete-text"), yes: t("delete"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("DeletePasskey", { passkey: passkey.restId }, { refresh: ["Passkeys"] }));
  };
  const row = (/** @type {any} */ passkey) => html`<div class="grow stack tight">
      <span class="breaks" dir="auto">${passkey.name} ${passkey.backedUp && html`<${Badge}>${t("account.passkey-backed-up")}<//>`}</span>
      <span class="soft small">${passkey.lastUsedAt ? html`${t("account.used")} <${Ago} at=${passkey.lastUsedAt} />` : t("account.never-used")}</span>
    </div>
    <${Button} small onClick=${() => setNamed(passkey)}>${t("account.rename")}<//>
    <${Button} small onClick=${() => remove(passkey)}>${t("delete")}<//>`;
  return html`<section class="stack account-part">
    <h2>${t("account.passkeys")}</h2>
    <p class="soft">${t("account.passkeys-text")}</p>
    ${found.data?.me && !found.data.me.passkeys
      ? html`<${Note}>${t("account.passkeys-elsewhere")}<//>`
      : html`<${Listing} query=${found} list=${(/** @type {any} */ all) => all.me.passkeys} label=${t("account.passkeys")} empty=${html`<p>${t("account.passkeys-none")}</p>`} row=${row} />`}
    ${canHavePasskeys() && html`<div><${Button} glyph="add" onClick=${() => setNamed(null)}>${t("account.passkey-add")}<//></div>`}
    ${named !== undefined && html`<${PasskeyDialog} passkey=${named} onClose=${() => setNamed(undefined)} />`}
  </section>`;
}

/** @param {{ passkey: any, onClose: () => void }} props */
function PasskeyDialog({ passkey, onClose }) {
  const [name, setName] = useState(passkey?.name ?? "");
  const save = () =>
    attempt(async () => {
      if (passkey) await mutate("RenamePasskey", { passkey: passkey.restId, name: name.trim() });
      else await createPasskey(name.trim());
      await refresh(["Passkeys"]);
      say(t("saved"));
      onClose();
    });
  return html`<${Dialog} title=${t(passkey ? "account.passkey-rename" : "account.passkey-add")} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("account.passkey-name")} hint=${t("account.passkey-name-hint")} value=${name} onInput=${setName} required maxlength="64" />
      <div><${Button} kind="main" type="submit" disabled=${!name.trim()}>${t(passkey ? "save" : "account.passkey-add")}<//></div>
    <//>
  <//>`;
}

function Browsers() {
  const found = useQuery("Browsers");
  const end = (/** @type {any} */ session) => (session.current ? signOut() : attempt(() => mutate("EndSession", { session: session.restId }, { refresh: ["Browsers"] })));
  const endOthers = async () => {
    const question = { title: t("account.browsers-end"), text: t("account.browsers-end-text"), yes: t("account.browsers-end"), danger: true };
    if (await confirm(question)) await attempt(async () => (await mutate("EndSessions", { keepCurrent: true }, { refresh: ["Browsers"] }), say(t("account.browsers-ended"))));
  };
  const row = (/** @type {any} */ session) => html`<div class="grow stack tight">
      <span class="breaks">${session.browser ?? t("account.browser-unknown")} ${session.current && html`<${Badge} kind="good">${t("account.browser-this")}<//>`}</span>
      <span class="soft small breaks">${[session.address, session.organization?.title].filter(Boolean).map((each) => `${each} · `)}
        <${Ago} at=${session.lastUsedAt ?? session.createdAt} /> · ${t("account.until", { date: date(session.expiresAt) })}</span>
    </div>
    <${Button} small onClick=${() => end(session)}>${t("sign-out")}<//>`;
  const sessions = found.data?.me?.sessions;
  return html`<section class="stack account-part">
    <h2>${t("account.browsers")}</h2>
    <p class="soft">${t("account.browsers-text")}</p>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.me.sessions} label=${t("account.browsers")} empty=${t("account.browsers-none")} row=${row} />
    ${sessions?.nodes.length > 1 && html`<div><${Button} kind="danger" onClick=${endOthers}>${t("account.browsers-end")}<//></div>`}
  </section>`;
}
