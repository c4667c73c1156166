// The palette (Ctrl-K): pages, spaces, people and commands, as far as the person may.

import { html, signal, useEffect, useId, useState } from "../vendor/preact.js";
import { query } from "../api/queries.js";
import { Avatar, Glyph } from "../parts/basic.js";
import { Dialog } from "../parts/overlays.js";
import { go, hasScreen, here, pathOf } from "../router.js";
import { organizationOf, organizations, signOut } from "../session.js";
import { recall } from "../settings.js";
import { t } from "../texts.js";

/** @typedef {{ key: string, group: string, label: string, detail?: string, glyph?: string, user?: any, run: () => unknown }} Found */
/** @typedef {{ label: string, glyph?: string, run: () => unknown }} Command */

const open = signal(false);
/** @type {Set<Command[]>} */
const commands = new Set();

/** Open the palette. */
export function openPalette() {
  open.value = true;
}

/**
 * Have commands in the palette while the component is shown; give those that the person may use.
 * @param {(Command | false | undefined | null)[]} given
 */
export function useCommands(given) {
  useEffect(() => {
    const own = given.filter((each) => !!each);
    commands.add(own);
    return () => void commands.delete(own);
  });
}

export function Palette() {
  return open.value ? html`<${OpenPalette} />` : null;
}

function OpenPalette() {
  const [text, setText] = useState(""), [at, setAt] = useState(0), [found, setFound] = useState(/** @type {Found[]} */ ([]));
  const id = useId();
  useEffect(() => {
    let stale = false;
    const ask = async () => {
      const fresh = await search(text.trim());
      if (!stale) setFound(fresh), setAt(0);
    };
    setFound(fixed(text.trim()));
    setAt(0);
    const timer = setTimeout(() => void ask(), text.trim() ? 120 : 0);
    return () => ((stale = true), clearTimeout(timer));
  }, [text]);
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const close = () => (open.value = false);
  const choose = (/** @type {Found | undefined} */ one) => one && (close(), one.run());
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") return event.preventDefault(), choose(found[at]);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !found.length) return;
    event.preventDefault();
    setAt((at + step + found.length) % found.length);
  };
  return html`<${Dialog} title=${t("palette.title")} onClose=${close} kind="palette" bare>
    <input type="text" autofocus role="combobox" aria-expanded="true" aria-controls=${id} aria-label=${t("palette.search")} autocomplete="off"
      aria-activedescendant=${found.length ? `${id}-${at}` : undefined} placeholder=${t("palette.placeholder")} value=${text} dir="auto"
      onInput=${(/** @type {any} */ event) => setText(event.currentTarget.value)} onKeyDown=${pressed} />
    <div class="found" role="listbox" id=${id} aria-label=${t("palette.found")}>
      ${found.map((each, n) => html`
        ${each.group !== found[n - 1]?.group && html`<div class="group" role="presentation">${each.group}</div>`}
        <div role="option" id=${`${id}-${n}`} key=${each.key} aria-selected=${String(n === at)}
          onClick=${() => choose(each)} onMouseMove=${() => n !== at && setAt(n)}>
          ${each.user ? html`<${Avatar} user=${each.user} small />` : html`<${Glyph} name=${each.glyph ?? "file"} />`}
          <span class="grow cut" dir="auto">${each.label}</span>${each.detail && html`<span class="soft small cut">${each.detail}</span>`}
        </div>`)}
    </div>
    ${!found.length && html`<p class="soft" style=${{ padding: "0 1.1rem 1rem" }}>${t("palette.nothing")}</p>`}
  <//>`;
}

function current() {
  const named = /^\/o\/([^/]+)/.exec(here.peek().path)?.[1];
  return organizationOf(named) ?? organizationOf(recall("organization", "")) ?? organizations.value[0];
}

/** @param {string} text */
function fixed(text) {
  const organization = current(), base = `/o/${organization?.restId}`, may = organization?.permissions ?? {};
  const screen = (/** @type {string} */ label, /** @type {string} */ glyph, /** @type {string} */ path) =>
    hasScreen(path) && { label: t(label), glyph, run: () => go(path) };
  /** @type {(Command | false | undefined)[]} */
  const general = [
    ...[...commands].flat(),
    screen("home.title", "home", "/"),
    !!organization && screen("organization.content", "book", base),
    !!organization && screen("changes.title", "branch", `${base}/changes`),
    !!organization && screen("sites.title", "globe", `${base}/sites`),
    !!may["listMembers"] && screen("people.title", "people", `${base}/people`),
    !!may["admin"] && screen("people.audit", "history", `${base}/people/audit`),
    !!may["createContent"] && screen("space.new", "add", `${base}?new=space`),
    !!may["admin"] && screen("settings.title", "settings", `${base}/settings`),
    screen("account.title", "user", "/account/settings"),
    { label: t("sign-out"), glyph: "out", run: signOut },
  ];
  const words = text.toLowerCase();
  const made = general.filter((each) => !!each).filter((each) => each.label.toLowerCase().includes(words));
  return made.map((each, n) => ({ key: `c${n}`, group: t("palette.commands"), glyph: "forward", ...each }));
}

/** @param {string} text */
async function search(text) {
  const organization = current(), ours = fixed(text);
  if (!organization || !text) return ours;
  const variables = { organization: organization.restId, query: text };
  const asked = [query("Palette", { ...variables, title: text }), ...(organization.permissions["listMembers"] ? [query("PalettePeople", variables)] : [])];
  await Promise.all(asked.map((each) => each.refresh()));
  const content = asked[0]?.data?.organization, people = asked[1]?.data?.organization?.members?.nodes ?? [];
  const open = (/** @type {string} */ url) => () => go(pathOf(url) ?? "/");
  /** @type {Found[]} */
  const spaces = (content?.spaces?.nodes ?? [])
    .map((/** @type {any} */ each) => ({ key: each.id, group: t("palette.spaces"), glyph: "book", label: each.title, run: open(each.urls.app) }));
  /** @type {Found[]} */
  const pages = (content?.search?.nodes ?? []).flatMap((/** @type {any} */ inSpace) =>
    inSpace.pages.map((/** @type {any} */ page) => ({
      key: `${inSpace.restId}${page.restId}`,
      group: t("palette.pages"),
      label: page.title,
      detail: inSpace.title,
      run: open(page.urls.app),
    })),
  );
  /** @type {Found[]} */
  const members = people.map((/** @type {any} */ each) => ({
    key: each.id,
    group: t("palette.people"),
    label: each.user.displayName,
    detail: each.user.email,
    user: each.user,
    run: () => go(`/o/${organization.restId}/people?search=${encodeURIComponent(each.user.email ?? each.user.displayName)}`),
  }));
  return [...spaces, ...pages, ...members, ...ours];
}
