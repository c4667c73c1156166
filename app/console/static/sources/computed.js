// What is said beside a page that is computed: by whom, when, why not, and what to do.

import { html, useEffect, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Button, Glyph, Note, Nothing } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { attempt, say } from "../parts/overlays.js";
import { BASE } from "../settings.js";
import { mayWrite } from "../space/side.js";
import { t } from "../texts.js";

/** Pages below an inserted one have its id, and a hash of what they show. */
const BELOW = /-[0-9a-f]{16}$/;

/**
 * Return the integration and the source that compute a page, by their names; null where it is no integration.
 * @param {any} page
 * @returns {{ integration: string, source: string } | null}
 */
export function sourceOf(page) {
  const [kind, integration = "", source = ""] = String(page?.computed?.type ?? "").split(":");
  return kind === "integration" ? { integration, source } : null;
}

/**
 * @param {{ page: any, space: any, change?: any }} props `change` is the change request in which the page is read
 */
export function ComputedNote({ page, space, change }) {
  const by = sourceOf(page), placed = page.restId.replace(BELOW, "");
  const found = useQuery("ComputedPage", { space: space.restId, change: change?.restId ?? "", page: placed, inChange: !!change }, { skip: !by });
  const revision = change ? change.revisionId : space.revisionId;
  useEffect(() => {
    if (by && found.data) void found.refresh();
  }, [revision]);
  if (!by) return html`<p class="computed-note soft small row"><${Glyph} name="code" /><span>${t("sources.of-spec")}</span></p>`;
  const data = found.data?.space, state = (change ? data?.changeRequest : data)?.page?.computed;
  const integration = (data?.integrations?.nodes ?? []).find((/** @type {any} */ each) => each.name === by.integration);
  const source = integration?.contentSources.find((/** @type {any} */ each) => each.restId === by.source);
  const names = { integration: integration?.title ?? by.integration, source: source?.title ?? by.source };
  const may = mayChange(space, change);
  const refresh = () =>
    attempt(async () => {
      await mutate("ChangeComputedPage", { ...whereOf(space, change), changes: [{ refreshPage: { page: placed } }] }, { refresh: ["ComputedPage"] });
      say(t("sources.asked"));
    });
  const again = may && state && html`<${Button} small glyph="refresh" onClick=${refresh}>${t("sources.refresh")}<//>`;
  if (state?.error) return html`<${Fault} state=${state} names=${names} by=${by} space=${space} integration=${integration} source=${source} again=${again} />`;
  const when = !state ? null : state.computedAt ? html`<span> · <${Ago} at=${state.computedAt} /></span>` : html`<span class="row"><span class="waiting" aria-hidden="true"></span>${t("sources.waiting")}</span>`;
  return html`<div class="computed-note soft small row" role="note"><${Glyph} name="plug" />
    <span class="grow breaks"><span dir="auto">${t("sources.computed-by", names)}</span>${when}</span>${again}</div>`;
}

/** @param {any} space @param {any} change */
function whereOf(space, change) {
  return change ? { changeRequest: change.id } : { space: space.restId };
}

/** @param {any} space @param {any} change */
function mayChange(space, change) {
  return change ? ["DRAFT", "OPEN"].includes(change.status) && mayWrite(space) : space.editMode === "LIVE" && space.permissions.edit && space.permissions.merge;
}

/**
 * Why a page could not be computed, and what to do about it.
 * @param {{ state: any, names: Record<string, string>, by: { integration: string }, space: any, integration: any, source: any, again: any }} props
 */
function Fault({ state, names, by, space, integration, source, again }) {
  const advice = !integration ? "sources.not-active" : !source ? "sources.no-source" : "sources.failed-advice";
  const address = `${BASE}/o/${space.organizationId}/integrations/${encodeURIComponent(by.integration)}`;
  const to = !integration || !source ? address : `${address}/events`;
  const link = space.permissions.installIntegration && html`<${Button} small href=${to}>${t(integration && source ? "sources.events" : "sources.see")}<//>`;
  return html`<div class="computed-fault"><${Note} kind="warn" actions=${html`<span class="row">${again}${link}</span>`}>
    <strong>${t(state.computedAt ? "sources.failed-stays" : "sources.failed", names)}</strong>
    <p class="breaks" dir="auto">${state.error}</p><p>${t(advice, names)}</p><//></div>`;
}

/**
 * What the editor says of a page whose text nobody writes here.
 * @param {{ page: any, space: any, change: any, back: string }} props
 */
export function ComputedText({ page, space, change, back }) {
  const actions = html`<${Button} glyph="back" href=${back}>${t("sources.to-page")}<//>`;
  const isInserted = !BELOW.test(page.restId) && mayChange(space, change);
  return html`<div class="stack"><${Nothing} title=${t("sources.no-text", { title: page.title })} actions=${actions}>
    ${t(sourceOf(page) ? "sources.no-text-why" : "sources.no-text-spec")}<//>
    <${ComputedNote} page=${page} space=${space} change=${change} />
    ${isInserted && html`<${Title} page=${page} space=${space} change=${change} />`}</div>`;
}

/** @param {{ page: any, space: any, change: any }} props */
function Title({ page, space, change }) {
  const [title, setTitle] = useState(page.title);
  const save = () =>
    attempt(async () => {
      await mutate("ChangeComputedPage", { ...whereOf(space, change), changes: [{ updatePage: { page: page.restId, title: title.trim() } }] }, { refresh: ["SpaceTree", "ComputedPage"] });
      say(t("sources.renamed"));
    });
  return html`<${Form} onSubmit=${save}>
    <${TextField} label=${t("sources.title")} hint=${t("sources.title-hint")} value=${title} onInput=${setTitle} required maxlength="500" />
    <div><${Button} kind="main" type="submit" disabled=${!title.trim() || title.trim() === page.title}>${t("save")}<//></div><//>`;
}
