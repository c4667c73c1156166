// What an integration was told, how it took that, and what its script said.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Badge, Bones, Button, Nothing } from "../parts/basic.js";
import { Failed, Listing } from "../parts/lists.js";
import { attempt, say } from "../parts/overlays.js";
import { t } from "../texts.js";

const POLL = 5; // seconds
const ANSWERED = ["ui_render", "fetch", "fetch_visitor_authentication"]; // somebody waited for the answer

/** @param {{ integration: string }} props */
export function Events({ integration }) {
  const found = useQuery("IntegrationEvents", { integration }, { poll: POLL });
  const list = (/** @type {any} */ all) => {
    const events = all.integration?.events;
    return events && { ...events, nodes: events.nodes.map((/** @type {any} */ each) => ({ id: each.restId, ...each })) };
  };
  const row = (/** @type {any} */ event) => html`<${Event} integration=${integration} event=${event} />`;
  const empty = html`<${Nothing} title=${t("integrations.events-none")}>${t("integrations.events-none-text")}<//>`;
  return html`<${Listing} query=${found} list=${list} label=${t("integrations.events")} empty=${empty} row=${row} />`;
}

/** @param {{ integration: string, event: any }} props */
function Event({ integration, event }) {
  const [open, setOpen] = useState(false), type = event.payload?.type ?? "";
  const again = async () => (await attempt(() => mutate("RedeliverEvent", { integration, event: event.restId }, { refresh: ["IntegrationEvents"] }))) && say(t("integrations.sent-again"));
  const kind = { SUCCESS: "good", FAILED: "bad" }[/** @type {string} */ (event.status)];
  return html`<div class="grow stack tight">
    <div class="row spread"><span class="row"><code>${type}</code><${Badge} kind=${kind}>${t(`integrations.event-${event.status ?? "WAITING"}`)}<//><span class="soft small"><${Ago} at=${event.createdAt} /></span></span>
      <span class="row"><${Button} small kind="quiet" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>${t("integrations.event-details")}<//>
        ${event.status && !ANSWERED.includes(type) && html`<${Button} small glyph="refresh" onClick=${again}>${t("integrations.send-again")}<//>`}</span></div>
    ${open && html`<${Details} integration=${integration} event=${event} />`}
  </div>`;
}

/** @param {{ integration: string, event: any }} props */
function Details({ integration, event }) {
  const found = useQuery("IntegrationEvent", { integration, event: event.restId });
  const logs = found.data?.integration?.event?.trace.logs;
  if (found.error) return html`<${Failed} error=${found.error} retry=${() => found.refresh()} />`;
  if (!logs) return html`<${Bones} lines=${2} />`;
  return html`<div class="stack tight">
    ${logs.length ? html`<ul class="integration-log" aria-label=${t("integrations.log")}>${logs.map((/** @type {any} */ line, /** @type {number} */ n) =>
      html`<li key=${n} class=${`breaks ${String(line.level).toLowerCase()}`} dir="auto">${line.message}</li>`)}</ul>` : html`<p class="soft">${t("integrations.log-none")}</p>`}
    <pre class="integration-payload" tabindex="0" aria-label=${t("integrations.payload")} dir="ltr">${JSON.stringify(event.payload, null, 2)}</pre>
  </div>`;
}
