// A person's own tokens: for programs and agents that call the API as them, narrowed to what those need.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Ago, Badge, Button } from "../parts/basic.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { Listing, useAll } from "../parts/lists.js";
import { attempt, confirm, Dialog, say } from "../parts/overlays.js";
import { organizations } from "../session.js";
import { date, t } from "../texts.js";
import { Secret } from "./secret.js";

const DAYS = ["30", "90", "365", ""];
const SCOPES = ["SPACE_CONTENT_READ", "SPACE_CONTENT_WRITE", "SPACE_METADATA_READ", "SPACE_METADATA_WRITE", "SPACE_GIT_SYNC",
  "SITE_METADATA_READ", "SITE_ADAPTIVE_READ", "SITE_ADAPTIVE_WRITE", "OPENAPI_READ", "OPENAPI_WRITE"];
const DAY = 86_400_000; // milliseconds

export function Tokens() {
  const found = useQuery("Tokens"), [creating, setCreating] = useState(false), [secret, setSecret] = useState("");
  const revoke = async (/** @type {any} */ token) => {
    const question = { title: t("account.token-revoke-title", { name: token.name }), text: t("account.token-revoke-text"), yes: t("account.token-revoke"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("RevokeToken", { token: token.restId }, { refresh: ["Tokens"] }));
  };
  const made = (/** @type {string} */ shown) => (setCreating(false), setSecret(shown), void refresh(["Tokens"]));
  const row = (/** @type {any} */ token) => html`<div class="grow stack tight">
      <span class="row"><strong class="breaks" dir="auto">${token.name || t("account.token-unnamed")}</strong>
        ${token.isAgent && html`<${Badge} kind="info">${t("account.token-agent")}<//>`}
        ${token.type === "OAUTH" && html`<${Badge}>${t("account.token-oauth")}<//>`}
        ${token.readOnly && html`<${Badge}>${t("account.token-reads")}<//>`}</span>
      <span class="soft small breaks">${reach(token)} · ${token.lastUsedAt ? html`${t("account.used")} <${Ago} at=${token.lastUsedAt} />` : t("account.never-used")}
        ${" "}· ${token.expiresAt ? t("account.until", { date: date(token.expiresAt) }) : t("account.no-end")}</span>
    </div>
    <${Button} small onClick=${() => revoke(token)}>${t("account.token-revoke")}<//>`;
  return html`<section class="stack account-part">
    <h2>${t("account.tokens")}</h2>
    <p class="soft">${t("account.tokens-text")}</p>
    <div><${Button} kind="main" glyph="add" onClick=${() => setCreating(true)}>${t("account.token-create")}<//></div>
    ${secret && html`<${Secret} secret=${secret} onDone=${() => setSecret("")} />`}
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.me.tokens} label=${t("account.tokens")} empty=${t("account.tokens-none")} row=${row} />
    ${creating && html`<${TokenDialog} onMade=${made} onClose=${() => setCreating(false)} />`}
  </section>`;
}

/** Say what a token opens. @param {any} token */
function reach(token) {
  const where = token.organization?.title ?? t("account.everywhere");
  const spaces = token.spaceIds ? t("account.token-spaces-count", { count: token.spaceIds.length }) : "";
  const what = (token.scopes ?? []).map((/** @type {string} */ each) => t(`scope.${each}`)).join(", ");
  return [where, spaces, what].filter(Boolean).join(" · ");
}

/** @param {{ onMade: (secret: string) => void, onClose: () => void }} props */
function TokenDialog({ onMade, onClose }) {
  const [name, setName] = useState(""), [days, setDays] = useState("90"), [readOnly, setReadOnly] = useState(false), [agent, setAgent] = useState(false);
  const [organization, setOrganization] = useState(""), [spaces, setSpaces] = useState(/** @type {string[]} */ ([]));
  const [scopes, setScopes] = useState(/** @type {string[]} */ ([])), [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const create = async () => {
    setWrong(null);
    try {
      const expiresAt = days ? new Date(Date.now() + Number(days) * DAY).toISOString() : null;
      const narrowed = { ...(organization ? { organization } : {}), ...(spaces.length ? { spaces } : {}), ...(scopes.length ? { scopes } : {}) };
      const { secret } = await mutate("CreateToken", { name: name.trim(), readOnly, isAgent: agent, ...(expiresAt ? { expiresAt } : {}), ...narrowed });
      onMade(secret);
    } catch (error) {
      if (error instanceof ApiError && error.path.includes("name")) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const places = /** @type {[string, string][]} */ ([["", t("account.everywhere")], ...organizations.value.map((each) => [each.restId, each.title])]);
  return html`<${Dialog} title=${t("account.token-create")} onClose=${onClose} wide>
    <${Form} onSubmit=${create}>
      <${TextField} label=${t("account.token-name")} hint=${t("account.token-name-hint")} value=${name} onInput=${setName} wrong=${wrong?.message} required maxlength="64" />
      <${Select} label=${t("account.token-end")} value=${days} onChange=${setDays} options=${DAYS.map((each) => [each, each ? t("account.days", { count: Number(each) }) : t("account.no-end")])} />
      <${Checkbox} label=${t("account.token-read-only")} checked=${readOnly} onChange=${setReadOnly} />
      <${Checkbox} label=${t("account.token-for-agent")} hint=${t("account.token-for-agent-hint")} checked=${agent} onChange=${setAgent} />
      <${Select} label=${t("account.token-where")} value=${organization} options=${places} onChange=${(/** @type {string} */ chosen) => (setOrganization(chosen), setSpaces([]))} />
      ${organization && html`<${Spaces} organization=${organization} chosen=${spaces} onChange=${setSpaces} />`}
      <${Several} label=${t("account.token-scopes")} hint=${t("account.token-scopes-hint")} chosen=${scopes} onChange=${setScopes}
        options=${SCOPES.map((each) => [each, t(`scope.${each}`)])} />
      <div><${Button} kind="main" type="submit" disabled=${!name.trim()}>${t("account.token-create")}<//></div>
    <//>
  <//>`;
}

/** @param {{ organization: string, chosen: string[], onChange: (chosen: string[]) => void }} props */
function Spaces({ organization, chosen, onChange }) {
  const found = useQuery("SpacesOfToken", { organization });
  const options = useAll(found, (data) => data.organization?.spaces).map((/** @type {any} */ each) => [each.restId, each.title]);
  return html`<${Several} label=${t("account.token-spaces")} hint=${t("account.token-spaces-hint")} options=${options} chosen=${chosen} onChange=${onChange} />`;
}

/**
 * Several of a few, folded until they are wanted.
 * @param {{ label: string, hint: string, options: [string, string][], chosen: string[], onChange: (chosen: string[]) => void }} props
 */
function Several({ label, hint, options, chosen, onChange }) {
  const set = (/** @type {string} */ each, /** @type {boolean} */ on) => onChange(on ? [...chosen, each] : chosen.filter((other) => other !== each));
  return html`<details class="several">
    <summary>${label}${chosen.length ? html` <${Badge}>${chosen.length}<//>` : ""}</summary>
    <fieldset class="field stack tight"><legend class="hint">${hint}</legend>
      ${options.map(([each, text]) => html`<${Checkbox} key=${each} label=${html`<span dir="auto">${text}</span>`} checked=${chosen.includes(each)} onChange=${(/** @type {boolean} */ on) => set(each, on)} />`)}
    </fieldset>
  </details>`;
}
