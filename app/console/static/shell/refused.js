// What is shown in the place of a screen that cannot be: no such page, no permission.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Bones, Button, Nothing } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { t } from "../texts.js";
import { BASE } from "../settings.js";
import { Screen } from "./screen.js";
import { me } from "../session.js";

/** The screen of an address that leads nowhere, or to what the person may not know of. */
export function NoSuchPage() {
  return html`<${Screen} title=${t("missing.title")}><${Missing} /><//>`;
}

/** @param {{ children?: any }} props */
function Missing({ children }) {
  return html`<div class="stack">
    <p class="breaks">${t("missing.text", { name: me.value?.email ?? me.value?.displayName ?? "" })}</p>
    ${children}
    <div class="row"><${Button} kind="main" href=${`${BASE}/`}>${t("missing.home")}<//></div>
  </div>`;
}

/**
 * What a query shows when its main object is not there: that it is loading, missing, refused, or failed.
 * @param {{ query: import("../api/queries.js").Query, organization?: string, bare?: boolean, children?: any }} props
 *   `organization` is asked whom to turn to; `bare` leaves out the screen around it; `children` follow
 */
export function Without({ query, organization, bare, children }) {
  const error = query.error;
  const around = (/** @type {string} */ title, /** @type {any} */ inside) =>
    bare ? html`<div class="stack"><h2>${title}</h2>${inside}</div>` : html`<${Screen} title=${title}>${inside}<//>`;
  if (!error && query.data === undefined) return around("", html`<${Bones} />`);
  if (!error || error.code === "NOT_FOUND") return around(t("missing.title"), html`<${Missing}><${Ask} organization=${organization} /><//>${children}`);
  if (error.code === "FORBIDDEN") return around(t("refused.title"), html`<div class="stack"><p>${error.message}</p><${Ask} organization=${organization} />${children}</div>`);
  return around(t("broken.title"), html`<${Failed} error=${error} retry=${() => query.refresh()} />${children}`);
}

/**
 * Shows which administrators can grant a permission, as far as the person may see them. Administrators themselves
 * are shown nothing.
 * @param {{ organization: string | undefined }} props
 */
export function Ask({ organization }) {
  const asked = useQuery("Administrators", { organization }, { skip: !organization });
  const found = asked.data?.organization?.members?.nodes;
  if (organization && !asked.data && !asked.error) return null; // it is loading
  if (found?.some((/** @type {any} */ each) => each.user.id === me.value?.id)) return null;
  if (!found?.length) return html`<p class="soft">${t("refused.ask")}</p>`;
  return html`<p class="soft">${t("refused.ask-these")} ${found.map((/** @type {any} */ each, /** @type {number} */ n) =>
    html`${n ? ", " : ""}<a href=${`mailto:${each.user.email ?? ""}`}>${each.user.displayName}</a>`)}</p>`;
}

/**
 * Shown in the place of something that needs a permission: which one, and whom to ask.
 * @param {{ permission: string, organization?: string }} props a key below `permission.` of the texts
 */
export function NeedsPermission({ permission, organization }) {
  return html`<${Nothing} title=${t("refused.title")}>${t("refused.permission", { permission: t(`permission.${permission}`) })}<//>
    <${Ask} organization=${organization} />`;
}
