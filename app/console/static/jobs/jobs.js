// The background jobs of an organization: what runs, what waits, what failed.

import { html } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Badge, Button, Nothing } from "../parts/basic.js";
import { Listing, LinkTabs } from "../parts/lists.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { BASE } from "../settings.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { date, t } from "../texts.js";

const POLL = 3; // seconds
const STATES = ["FAILED", "RUNNING", "WAITING", "SCHEDULED"];
/** @type {Record<string, string>} */
const LOOKS = { FAILED: "bad", RUNNING: "info" };

/** @param {{ params: Record<string, string> }} props `state` is one of the states in lower case, empty for all */
export default function Jobs({ params }) {
  const organization = params["organization"] ?? "", wanted = (params["state"] ?? "").toUpperCase();
  const state = STATES.includes(wanted) ? wanted : "";
  const found = useQuery("Jobs", { organization, ...(state ? { filter: { state } } : {}) }, { poll: POLL });
  const data = found.data?.organization;
  if (data?.permissions.admin === false) return html`<${Screen} title=${t("jobs.title")} organization=${organization}><${NeedsPermission} permission="admin" organization=${organization} /><//>`;
  if (!data?.jobs) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}/jobs`;
  const tabs = [{ to: base, label: t("jobs.all") }, ...STATES.map((each) => ({ to: `${base}/${each.toLowerCase()}`, label: t(`jobs.state-${each}`) }))];
  const row = (/** @type {any} */ job) => html`<${Job} organization=${organization} job=${job} />`;
  const empty = html`<${Nothing} title=${t(state ? `jobs.none-${state}` : "jobs.none")}>${t("jobs.none-text")}<//>`;
  return html`<${Screen} title=${t("jobs.title")} lead=${t("jobs.text")} organization=${organization}>
    <div class="stack">
      <${LinkTabs} label=${t("jobs.by-state")} tabs=${tabs} />
      <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.jobs} label=${t("jobs.title")} empty=${empty} row=${row} />
    </div>
  <//>`;
}

/** @param {{ organization: string, job: any }} props */
function Job({ organization, job }) {
  const input = { organization, job: job.restId }, title = t(`jobs.kind-${job.kind}`);
  const retry = async () => (await attempt(() => mutate("RetryJob", input, { refresh: ["Jobs"] }))) && say(t("jobs.retried"));
  const cancel = async () => {
    const question = { title: t("jobs.cancel-title"), text: t(`jobs.cancel-${job.kind}`), yes: t("jobs.cancel"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("CancelJob", input, { optimistic: { [job.id]: null }, refresh: ["Jobs"] }));
  };
  const named = job.title ? `${title}: ${job.title}` : title;
  return html`<div class="job">
    <div class="stack tight">
      <span class="row"><strong>${title}</strong><${Badge} kind=${LOOKS[job.state]}>${t(`jobs.state-${job.state}`)}<//></span>
      <${About} organization=${organization} job=${job} />
      ${job.error && html`<span class="breaks job-error">${job.error}</span>`}
      <span class="soft small"><${Times} job=${job} /></span>
    </div>
    <div class="row">
      ${job.canRetry && html`<${Button} small glyph="refresh" aria-label=${t("jobs.retry-named", { name: named })} onClick=${retry}>${t("jobs.retry")}<//>`}
      ${job.canCancel && html`<${Button} small kind="quiet" glyph="close" aria-label=${t("jobs.cancel-named", { name: named })} onClick=${cancel}>${t("jobs.cancel")}<//>`}
    </div>
  </div>`;
}

/** What a job works on, as a link where there is a screen of it. @param {{ organization: string, job: any }} props */
function About({ organization, job }) {
  const to = job.space?.urls.app
    ?? (job.spec && `${BASE}/o/${organization}/openapi/${job.spec.slug}`)
    ?? (job.importRunId && `${BASE}/o/${organization}/import/${job.importRunId}`)
    ?? (job.integration && `${BASE}/o/${organization}/integrations/${job.integration.name}`);
  const title = job.title ?? (job.importRunId && t("jobs.import"));
  if (!title) return null;
  return to ? html`<a class="breaks" dir="auto" href=${to}>${title}</a>` : html`<span class="breaks" dir="auto">${title}</span>`;
}

/** @param {{ job: any }} props */
function Times({ job }) {
  const tries = job.attempts > 0 && t("jobs.attempts", { count: job.attempts, of: job.maxAttempts });
  const next = job.state === "SCHEDULED" && t(job.attempts ? "jobs.next" : "jobs.begins", { date: date(job.nextAttemptAt, true) });
  const parts = [
    job.failedAt ? html`${t("jobs.failed")} <${Ago} at=${job.failedAt} />` : html`${t("jobs.queued")} <${Ago} at=${job.createdAt} />`,
    tries,
    next,
  ].filter(Boolean);
  return parts.map((each, n) => html`${n ? " · " : ""}${each}`);
}
