// The frame of every screen: the side with navigation, the bar with where one is, and the content.

import { html, signal, useEffect } from "../vendor/preact.js";
import { Avatar, Button, Emoji, Glyph } from "../parts/basic.js";
import { isNarrow } from "../parts/narrow.js";
import { Menu } from "../parts/overlays.js";
import { go, hasScreen, here } from "../router.js";
import { me, organizationOf, organizations, recentSpaces, signOut } from "../session.js";
import { appearance, BASE, recall, remember, setAppearance } from "../settings.js";
import { chooseLanguage, currentLanguage, LANGUAGES, t } from "../texts.js";
import { openPalette } from "./palette.js";

const open = signal(false);
/** Whether the side is or has been in sight: a narrow window shows it when it is asked for. */
export const isSideSeen = signal(!isNarrow.peek());
const MOST_CRUMBS = 4;
const look = signal(appearance());

/**
 * @typedef {{ label: string, to?: string }} Crumb
 * @param {{ title: string, heading?: any, lead?: any, crumbs?: Crumb[], actions?: any, side?: any, organization?: string,
 *   children?: any, wide?: boolean, bare?: boolean }} props
 *   `title` is that of the document and the last crumb; `heading` stands in its place above the content (null: none);
 *   `crumbs` is the way there; `actions` are buttons of the bar; `side` is the navigation if not the organization's;
 *   `organization` is its id in addresses, remembered where none is given; `bare` has no margins
 */
export function Screen({ title, heading = title, lead, crumbs = [], actions, side, organization, children, wide, bare }) {
  useEffect(() => {
    document.title = title ? `${title} · Docyard` : "Docyard";
  }, [title]);
  useEffect(() => {
    open.value = false;
  }, [here.value.path]);
  useEffect(() => {
    if (open.value || !isNarrow.value) isSideSeen.value = true;
  }, [open.value, isNarrow.value]);
  const shown = organization ?? crumbOrganization(crumbs);
  useEffect(() => {
    if (shown) remember("organization", shown);
  }, [shown]);
  const close = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && (open.value = false);
  return html`<div class=${`shell ${open.value ? "open" : ""}`} onKeyDown=${close}>
    <a class="skip button" href="#main">${t("skip")}</a>
    <aside class="side" id="side" aria-label=${t("menu")}><${Side} organization=${shown} inside=${side} /></aside>
    <button type="button" class="side-veil" tabindex="-1" aria-label=${t("close")} onClick=${() => (open.value = false)}></button>
    <div class="body">
      <header class="bar-top">
        <${Button} kind="quiet menu-button" glyph="menu" label=${t("menu")} aria-expanded=${String(open.value)} aria-controls="side" onClick=${() => (open.value = !open.value)} />
        <nav class="crumbs" aria-label=${t("crumbs")}><ol>
          ${(crumbs.length > MOST_CRUMBS ? [...crumbs.slice(0, 1), { label: "…" }, ...crumbs.slice(1 - MOST_CRUMBS)] : crumbs).map((each) => html`<li key=${each.label}>${each.to ? html`<a class="cut" dir="auto" href=${BASE + each.to}>${each.label}</a>` : html`<span class="cut" dir="auto">${each.label}</span>`}</li>`)}
          ${(title || !crumbs.length) && html`<li><span class="cut" dir="auto" aria-current="page">${title || "Docyard"}</span></li>`}
        </ol></nav>
        <div class="row">${actions}</div>
      </header>
      <main id="main" class=${`${wide ? "wide" : ""} ${bare ? "bare" : ""}`} tabindex="-1">
        ${heading && html`<div class="screen-head"><div><h1 class="breaks" dir="auto">${heading}</h1>${lead && html`<p>${lead}</p>`}</div></div>`}
        ${children}
      </main>
    </div>
  </div>`;
}

/** @param {Crumb[]} crumbs */
function crumbOrganization(crumbs) {
  for (const { to } of crumbs) {
    const found = /^\/o\/([^/]+)/.exec(to ?? "");
    if (found) return found[1];
  }
  return /^\/o\/([^/]+)/.exec(here.value.path)?.[1];
}

/** @param {{ organization: string | undefined, inside?: any }} props */
function Side({ organization, inside }) {
  const current = organizationOf(organization) ?? organizationOf(recall("organization", "")) ?? organizations.value[0];
  const choices = organizations.value.map((each) => ({
    label: each.title,
    href: `${BASE}/o/${each.restId}`,
    checked: each === current,
  }));
  return html`
    <div class="top">
      <${Menu} label=${t("organization.switch")} className="switch" choices=${[...choices, "-", { label: t("organization.new"), glyph: "add", href: `${BASE}/console/new` }]}>
        <img src=${current?.urls.logo ?? `${BASE}/static/-/icon.svg`} alt="" />
        <span class="cut" dir="auto">${current?.title ?? "Docyard"}</span><${Glyph} name="down" />
      <//>
      <${Button} kind="quiet" glyph="search" label=${t("palette.title")} onClick=${() => openPalette()} />
    </div>
    <div class=${`middle ${inside ? "full" : ""}`}>${inside ?? html`<${OrganizationSide} current=${current} />`}</div>
    <div class="bottom"><${AccountMenu} /></div>`;
}

/** @param {{ current: import("../session.js").Organization | undefined }} props */
function OrganizationSide({ current }) {
  const base = `/o/${current?.restId}`, may = current?.permissions ?? {};
  const recent = recentSpaces().filter((each) => each.organization === current?.restId).slice(0, 6);
  return html`
    <nav aria-label=${t("side.everything")}><ul>
      <${SideLink} to="/" glyph="home" label=${t("home.title")} exact />
      ${current && html`
        <${SideLink} to=${base} glyph="book" label=${t("organization.content")} exact also=${`${base}/c/`} />
        <${SideLink} to=${`${base}/changes`} glyph="branch" label=${t("changes.title")} />
        <${SideLink} to=${`${base}/sites`} glyph="globe" label=${t("sites.title")} also=${`${base}/site/`} />
        ${may["listMembers"] && html`<${SideLink} to=${`${base}/people`} glyph="people" label=${t("people.title")} />`}
        ${may["listIntegrations"] !== false && html`<${SideLink} to=${`${base}/integrations`} glyph="plug" label=${t("integrations.title")} />`}
        <${SideLink} to=${`${base}/openapi`} glyph="code" label=${t("openapi.title")} />
        ${may["listTeams"] !== false && html`<${SideLink} to=${`${base}/translations`} glyph="translate" label=${t("translations.title")} />`}
        <${SideLink} to=${`${base}/import`} glyph="import" label=${t("import.title")} />
        ${may["admin"] && html`<${SideLink} to=${`${base}/jobs`} glyph="clock" label=${t("jobs.title")} />`}
        ${may["admin"] && html`<${SideLink} to=${`${base}/settings`} glyph="settings" label=${t("settings.title")} />`}`}
    </ul></nav>
    ${recent.length > 0 && html`<nav aria-label=${t("home.recent")}><h2>${t("home.recent")}</h2><ul>
      ${recent.map((each) => html`<li key=${each.restId}><a href=${`${BASE}/o/${each.organization}/s/${each.restId}`}>
        <${Emoji} code=${each.emoji} glyph="book" /><span class="cut" dir="auto">${each.title}</span></a></li>`)}
    </ul></nav>`}`;
}

/**
 * A link of the side, marked where one is; nothing where the console has no screen for it.
 * @param {{ to: string, glyph: string, label: string, exact?: boolean, also?: string, count?: number | null }} props
 *   `also` begins further addresses that it stands for
 */
export function SideLink({ to, glyph, label, exact, also, count }) {
  const { path } = here.value;
  if (!hasScreen(to)) return null;
  const current = path === to || (!exact && path.startsWith(`${to}/`)) || (also !== undefined && path.startsWith(also));
  return html`<li><a href=${BASE + to} aria-current=${current ? "page" : undefined}><${Glyph} name=${glyph} /><span class="cut">${label}</span>
    ${count ? html`<span class="count">${count}</span>` : null}</a></li>`;
}

function AccountMenu() {
  const choose = (/** @type {string} */ chosen) => (setAppearance(chosen), (look.value = chosen));
  const looks = /** @type {[string, string][]} */ ([["", "appearance.system"], ["light", "appearance.light"], ["dark", "appearance.dark"]]);
  const choices = [
    { label: t("account.title"), glyph: "user", onChoose: () => go("/account/settings") },
    "-",
    ...looks.map(([name, key]) => ({ label: t(key), checked: look.value === name, onChoose: () => choose(name) })),
    "-",
    ...Object.entries(LANGUAGES).map(([name, label]) => ({ label, checked: currentLanguage() === name, onChoose: () => chooseLanguage(name) })),
    "-",
    { label: t("guide.read"), glyph: "book", href: `${BASE}/docs/guide`, target: "_blank" },
    { label: t("guide"), glyph: "code", href: `${BASE}/docs`, target: "_blank" },
    { label: t("sign-out"), glyph: "out", onChoose: signOut },
  ];
  return html`<${Menu} label=${t("account.menu")} className="switch" choices=${choices}>
    <${Avatar} user=${me.value ?? null} small /><span class="cut" dir="auto">${me.value?.displayName ?? ""}</span>
  <//>`;
}
