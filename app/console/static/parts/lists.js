// Lists that go on, and tabs.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { here } from "../router.js";
import { BASE } from "../settings.js";
import { Bones, Button, Note, Nothing } from "./basic.js";

/**
 * A list of a query, page by page: waits, says what went wrong or that there is nothing, and goes on.
 * @param {{ query: import("../api/queries.js").Query, list: (data: any) => any, row: (node: any) => any, empty: any,
 *   label: string, after?: string }} props
 *   `list` returns the connection in the answer; `row` what is in an item; `empty` what stands in its place
 */
export function Listing({ query, list, row, empty, label, after }) {
  const connection = query.data && list(query.data);
  if (!connection) return query.error ? html`<${Failed} error=${query.error} retry=${() => query.refresh()} />` : html`<${Bones} />`;
  if (!connection.nodes.length) return typeof empty === "string" ? html`<${Nothing} title=${empty} />` : empty;
  return html`<div class="stack">
    <ul class="list" aria-label=${label}>${connection.nodes.map((/** @type {any} */ node) => html`<li key=${node.id}>${row(node)}</li>`)}</ul>
    ${connection.pageInfo?.hasNextPage && html`<${More} load=${() => query.more(list, after)} />`}
  </div>`;
}

/**
 * Load a list to its end, page by page, for a field that offers all of it; return what is there already.
 * @param {import("../api/queries.js").Query} query
 * @param {(data: any) => any} list returns the connection in the answer
 * @param {string} [after] the variable that names where to go on
 * @returns {any[]}
 */
export function useAll(query, list, after) {
  const connection = query.data && list(query.data), next = connection?.pageInfo?.hasNextPage ? connection.pageInfo.endCursor : null;
  useEffect(() => {
    if (next) void query.more(list, after).catch(() => undefined);
  }, [next]);
  return connection?.nodes ?? [];
}

/**
 * A button that loads more, and presses itself when it comes into view.
 * @param {{ load: () => Promise<unknown> }} props
 */
export function More({ load }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null)), [busy, setBusy] = useState(false);
  const latest = useRef(load);
  latest.current = load;
  const go = async () => {
    setBusy(true);
    await latest.current().catch(() => undefined);
    setBusy(false);
  };
  useEffect(() => {
    if (busy) return undefined;
    const seen = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && void go());
    seen.observe(/** @type {Element} */ (place.current));
    return () => seen.disconnect();
  }, [busy]);
  return html`<div ref=${place}><${Button} busy=${busy} onClick=${go}>${t("more")}<//></div>`;
}

/**
 * What went wrong, with a button to try again.
 * @param {{ error: Error, retry?: () => unknown }} props
 */
export function Failed({ error, retry }) {
  const actions = retry && html`<${Button} small onClick=${retry}>${t("try-again")}<//>`;
  return html`<${Note} kind="bad" actions=${actions}>${error.message}<//>`;
}

/**
 * Tabs that are addresses of their own. `tabs`: path below the base, label and perhaps a count.
 * @param {{ label: string, tabs: { to: string, label: string, count?: number | null }[], exact?: boolean }} props
 */
export function LinkTabs({ label, tabs, exact }) {
  const { path } = here.value;
  const under = (/** @type {string} */ to) => path === to || (!exact && path.startsWith(`${to}/`));
  const longest = tabs.filter((each) => under(each.to)).sort((a, b) => b.to.length - a.to.length)[0];
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [longest?.to]);
  return html`<nav class="tabs" aria-label=${label} ref=${place}>
    ${tabs.map((each) => html`<a key=${each.to} href=${BASE + each.to} aria-current=${each === longest ? "page" : undefined}>
      ${each.label}${each.count ? html`<span class="count">${each.count}</span>` : null}</a>`)}
  </nav>`;
}

/**
 * Tabs within a screen. `tabs` are pairs of name and label; the panel is what the screen shows below, with `id`.
 * @param {{ label: string, tabs: [string, string][], chosen: string, onChoose: (name: string) => void, id: string }} props
 */
export function Tabs({ label, tabs, chosen, onChoose, id }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const rtl = getComputedStyle(/** @type {Element} */ (place.current)).direction === "rtl";
    const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key];
    if (!step) return;
    const at = (tabs.findIndex(([name]) => name === chosen) + step + tabs.length) % tabs.length;
    onChoose(/** @type {[string, string]} */ (tabs[at])[0]);
    /** @type {HTMLElement | undefined} */ (place.current?.children[at])?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} ref=${place} onKeyDown=${pressed}>
    ${tabs.map(([name, text]) => html`<button key=${name} type="button" role="tab" aria-selected=${String(name === chosen)}
      aria-controls=${id} tabindex=${name === chosen ? 0 : -1} onClick=${() => onChoose(name)}>${text}</button>`)}
  </div>`;
}
