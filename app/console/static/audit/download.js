// The events that the filters leave, as a file for a spreadsheet.

import { html, useRef, useState } from "../vendor/preact.js";
import { ApiError, send } from "../api/client.js";
import { Button } from "../parts/basic.js";
import { attempt } from "../parts/overlays.js";
import { saveFile } from "../parts/files.js";
import { t } from "../texts.js";

const AT_ONCE = 100; // events in a request
const COLUMNS = ["number", "time", "actor", "email", "action", "subject", "subject_id", "subject_title", "object", "object_id", "object_title", "via", "address", "token", "request", "hash"];

/** @param {{ organization: any, filter: Record<string, unknown> }} props */
export function Download({ organization, filter }) {
  const [read, setRead] = useState(/** @type {number | null} */ (null)), stopped = useRef(false);
  const download = () =>
    attempt(async () => {
      stopped.current = false;
      try {
        const rows = await all(organization.restId, filter, (count) => (setRead(count), !stopped.current));
        if (rows) saveFile(`audit-log-${new Date().toISOString().slice(0, 10)}.csv`, "text/csv", [COLUMNS, ...rows].map(line).join(""));
      } finally {
        setRead(null);
      }
    });
  if (read === null) return html`<${Button} glyph="download" onClick=${() => void download()}>${t("audit.download")}<//>`;
  return html`<div class="row"><span role="status">${t("audit.downloading", { count: read })}</span>
    <${Button} small onClick=${() => (stopped.current = true)}>${t("audit.stop")}<//></div>`;
}

/**
 * Read all events page by page; null once `isWanted`, told how many there are so far, says no.
 * @param {string} organization
 * @param {Record<string, unknown>} filter
 * @param {(count: number) => boolean} isWanted
 */
async function all(organization, filter, isWanted) {
  /** @type {unknown[][]} */
  const rows = [];
  let after = null;
  do {
    if (!isWanted(rows.length)) return null;
    const { data, errors } = /** @type {any} */ (await send("AuditEvents", { organization, filter, first: AT_ONCE, after }));
    const events = data?.organization?.auditEvents;
    if (!events) throw new ApiError(errors[0]?.extensions.code ?? "INTERNAL", errors[0]?.message ?? t("error.INTERNAL"));
    rows.push(...events.nodes.map(cells));
    after = events.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
  } while (after);
  return rows;
}

/** Return what a row of the file says of an event. @param {any} event */
function cells({ actor, subject, target, ...event }) {
  const who = [actor.user?.displayName ?? actor.type.toLowerCase(), actor.user?.email];
  const about = [subject.type, subject.restId, subject.title, target?.type, target?.restId, target?.title];
  return [event.number, event.createdAt, ...who, event.action, ...about, event.face.toLowerCase(), event.address, actor.token, event.request, event.hash];
}

/** Return a line of CSV; what a spreadsheet would take for a formula becomes text. @param {unknown[]} values */
function line(values) {
  const quoted = values.map((each) => `"${String(each ?? "").replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`);
  return `${quoted.join(",")}\r\n`;
}
