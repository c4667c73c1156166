// The audit log of an organization: what was changed, by whom and when, narrowed by filters of the address.

import { html, useId } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Ago, Avatar, Button, Glyph, Nothing } from "../parts/basic.js";
import { Field, Select } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { PersonFilter } from "../parts/people.js";
import { addressWith, go, here } from "../router.js";
import { BASE } from "../settings.js";
import { date, t } from "../texts.js";
import { ACTIONS, phraseOf, placeOf, titleOf, TYPES, typeName, whoOf } from "./events.js";
import { Download } from "./download.js";

const PARAMETERS = ["person", "action", "type", "from", "to"];

/** @param {{ organization: any, query: URLSearchParams }} props */
export function Audit({ organization, query }) {
  const filter = filterOf(query), found = useQuery("AuditEvents", { organization: organization.restId, filter });
  const isNarrowed = PARAMETERS.some((each) => query.get(each));
  const clear = html`<${Button} onClick=${() => go(here.peek().path, { replace: true })}>${t("audit.clear")}<//>`;
  const empty = isNarrowed ? html`<${Nothing} title=${t("audit.none-found")} actions=${clear} />` : t("audit.none");
  return html`<section class="stack">
    <p class="soft audit-lead">${t("audit.text")}</p>
    <${AuditFilters} organization=${organization.restId} query=${query} />
    <div class="row spread"><div>${isNarrowed && clear}</div><${Download} organization=${organization} filter=${filter} /></div>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.auditEvents} label=${t("people.audit")} empty=${empty}
      row=${(/** @type {any} */ event) => html`<${AuditEvent} event=${event} organization=${organization} />`} />
  </section>`;
}

/** Return what the list asks the API for. @param {URLSearchParams} query of the address */
function filterOf(query) {
  const value = (/** @type {string} */ name) => query.get(name) || undefined, until = dayOf(query.get("to"));
  until?.setDate(until.getDate() + 1); // the last day belongs to it
  const given = { actor: value("person"), action: value("action"), targetType: value("type"), since: dayOf(query.get("from"))?.toISOString(), until: until?.toISOString() };
  return Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined));
}

/** Return when a day begins here; undefined for what is no day. @param {string | null} text such as 2026-03-14 */
function dayOf(text) {
  const day = new Date(`${text}T00:00:00`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}

/** @param {{ organization: string, query: URLSearchParams }} props */
function AuditFilters({ organization, query }) {
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => go(addressWith(name, value), { replace: true });
  const types = TYPES.map((each) => /** @type {[string, string]} */ ([each, typeName(each)]));
  return html`<div class="audit-filters" role="search">
    <${PersonFilter} organization=${organization} name="person" label=${t("audit.person")} placeholder=${t("people.search")} />
    <${ActionField} value=${query.get("action") ?? ""} onChange=${set("action")} />
    <${Select} label=${t("audit.type")} value=${query.get("type") ?? ""} onChange=${set("type")} options=${[["", t("audit.every-type")], ...sorted(types)]} />
    <${DayField} label=${t("audit.from")} value=${query.get("from") ?? ""} onChange=${set("from")} />
    <${DayField} label=${t("audit.to")} value=${query.get("to") ?? ""} onChange=${set("to")} />
  </div>`;
}

/** Sort options by their labels. @param {[string, string][]} options */
function sorted(options) {
  return options.sort(([, one], [, other]) => one.localeCompare(other));
}

/**
 * A choice of action, which is found by typing.
 * @param {{ value: string, onChange: (action: string) => unknown }} props
 */
function ActionField({ value, onChange }) {
  const id = useId(), options = sorted(ACTIONS.map((each) => [each, phraseOf(each)]));
  const chosen = (/** @type {any} */ event) => {
    const text = event.currentTarget.value.trim();
    const found = text === "" ? "" : (options.find(([action, label]) => label === text || action === text)?.[0] ?? (event.type === "change" ? text : null));
    if (found !== null && found !== value) void onChange(found);
  };
  return html`<${Field} label=${t("audit.action")}>${(/** @type {any} */ ties) => html`
    <input ...${ties} key=${value} type="search" list=${`${id}-actions`} defaultValue=${value && phraseOf(value)} placeholder=${t("audit.every-action")}
      autocomplete="off" onInput=${chosen} onChange=${chosen} />
    <datalist id=${`${id}-actions`}>${options.map(([action, label]) => html`<option key=${action} value=${label} />`)}</datalist>`}<//>`;
}

/** @param {{ label: string, value: string, onChange: (day: string) => unknown }} props */
function DayField({ label, value, onChange }) {
  return html`<${Field} label=${label}>${(/** @type {any} */ ties) =>
    html`<input ...${ties} type="date" value=${value} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.value)} />`}<//>`;
}

/** @param {{ event: any, organization: any }} props */
function AuditEvent({ event, organization }) {
  const place = placeOf(event, organization.restId), title = titleOf(event, organization), { actor } = event;
  const facts = [
    ["number", event.number],
    ["action", event.action],
    ["subject", [typeName(event.subject.type), event.subject.restId].join(" ")],
    ["target", event.target && [typeName(event.target.type), event.target.restId].join(" ")],
    ["address", event.address],
    ["token", actor.token],
    ["request", event.request],
    ["hash", event.hash],
  ].filter(([, value]) => value);
  return html`${actor.user ? html`<${Avatar} user=${actor.user} />` : html`<span class="avatar" aria-hidden="true"><${Glyph} name="settings" /></span>`}
    <div class="grow stack tight">
      <span class="breaks"><strong dir="auto">${whoOf(event)}</strong> ${phraseOf(event.action)}${title && ": "}${
        place ? html`${!title && " · "}<a href=${BASE + place} dir="auto">${title || t("audit.open")}</a>` : html`<span dir="auto">${title}</span>`}</span>
      <span class="soft small breaks"><${Ago} at=${event.createdAt} /> · ${date(event.createdAt, true)} · ${t(`audit.face.${event.face}`)}</span>
      <details class="small"><summary>${t("audit.details")}</summary>
        <dl class="facts">${facts.map(([name, value]) => html`<dt key=${name}>${t(`audit.field.${name}`)}</dt><dd class="breaks">${value}</dd>`)}</dl>
      </details>
    </div>`;
}
