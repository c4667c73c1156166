// One import: how far it is, what came of it, and what could not be kept, by cause.

import { html } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Ago, Badge, Button, Note, Person, Progress } from "../parts/basic.js";
import { attempt } from "../parts/overlays.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";

const POLL = 3; // seconds between two looks at a run that goes on, where no stream tells of it
const UNENDED = ["PENDING", "IN_PROGRESS"];
/** @type {Record<string, string>} */
const KINDS = { PENDING: "info", IN_PROGRESS: "info", COMPLETED: "good", FAILED: "bad", CANCELLED: "" };

/** @param {{ status: string }} props */
export function RunStatus({ status }) {
  return html`<${Badge} kind=${KINDS[status]}>${t(`import.status-${status}`)}<//>`;
}

/**
 * What a run imports, as people call it.
 * @param {any} run
 */
export function sourceOf(run) {
  const files = run.source.files ?? [], first = files[0]?.name ?? "";
  return run.source.url ?? (files.length > 1 ? t("import.and-more", { name: first, count: files.length - 1 }) : first);
}

/** @param {{ params: Record<string, string> }} props */
export default function ImportRunScreen({ params }) {
  const organization = params["organization"] ?? "", id = params["run"] ?? "", base = `/o/${organization}/import`;
  const found = useQuery("ImportRun", { organization, run: id }), run = found.data?.organization?.importRun;
  // The stream tells that a run is complete; what came of it is asked for after that.
  const goesOn = !!run && (UNENDED.includes(run.status) || (run.status === "COMPLETED" && !run.result));
  useQuery("ImportRun", { organization, run: id }, { poll: goesOn ? POLL : 0, skip: !goesOn });
  useLive("ImportRunChanged", goesOn ? { organization } : null, () => void found.refresh());
  if (!run) return html`<${Without} query=${found} organization=${organization} />`;
  const lead = html`<span class="row"><${RunStatus} status=${run.status} /><${Person} user=${run.createdBy} /><${Ago} at=${run.createdAt} /></span>`;
  return html`<${Screen} title=${sourceOf(run)} lead=${lead} crumbs=${[{ label: t("import.title"), to: base }]} organization=${organization}>
    <div class="stack sections import-run">
      ${goesOn && html`<${Going} run=${run} organization=${organization} />`}
      ${run.status === "FAILED" && html`<${Note} kind="bad">${run.error} ${t("import.nothing-written")}<//>`}
      ${run.status === "CANCELLED" && html`<${Note}>${t("import.cancelled")}<//>`}
      ${["FAILED", "CANCELLED"].includes(run.status) && html`<div><${Button} href=${BASE + base}>${t("import.new")}<//></div>`}
      ${run.status === "COMPLETED" && !goesOn && html`<${Done} run=${run} /><${Report} run=${run} />`}
    </div>
  <//>`;
}

/** @param {{ run: any, organization: string }} props */
function Going({ run, organization }) {
  const { pagesRead, pagesFound } = run.progress;
  const said = run.status === "PENDING" ? t("import.waiting") : pagesFound ? t("import.read", { read: pagesRead, found: pagesFound }) : t("import.working");
  const cancel = () => attempt(() => mutate("CancelImportRun", { organization, importRun: run.restId }, { refresh: ["ImportRun", "ImportRuns"] }));
  return html`<div class="card stack" role="status"><p>${said}</p>
    <${Progress} value=${pagesFound ? pagesRead / pagesFound : 0} label=${t("import.progress")} />
    <p class="soft small">${t("import.leave-safely")}</p>
    <div><${Button} onClick=${cancel}>${t("import.cancel")}<//></div></div>`;
}

/** @param {{ run: any }} props */
function Done({ run }) {
  const { importedResources: count, totalResources: total } = run.result, { space, changeRequest } = run.target;
  return html`<section class="card stack tight"><h2>${t("import.done")}</h2>
    <p>${t("import.counted", { count })}${total > count ? ` ${t("import.left-out", { count: total - count })}` : ""}</p>
    <div class="row">
      ${changeRequest && html`<${Button} kind="main" glyph="branch" href=${changeRequest.urls.app}>${t("import.open-change", { number: changeRequest.number })}<//>`}
      ${space && html`<${Button} kind=${changeRequest ? "" : "main"} glyph="book" href=${space.urls.app}>${t("import.open-space", { name: space.title })}<//>`}
    </div></section>`;
}

/** @param {{ run: any }} props */
function Report({ run }) {
  const counts = run.problemCounts ?? [], causes = run.problemCauses ?? [];
  if (!counts.length) return html`<${Note} kind="good">${t("import.no-problems")}<//>`;
  return html`<section class="stack tight" aria-labelledby="report"><h2 id="report">${t("import.report")}</h2><p class="soft">${t("import.report-text")}</p>
    ${counts.map((/** @type {any} */ each) => html`<${Kind} key=${each.kind} kind=${each.kind} count=${each.count} causes=${causes.filter((/** @type {any} */ one) => one.kind === each.kind)} />`)}
  </section>`;
}

/** @param {{ kind: string, count: number, causes: any[] }} props */
function Kind({ kind, count, causes }) {
  const told = causes.reduce((sum, each) => sum + each.count, 0);
  return html`<details class="card cause"><summary class="row"><strong class="grow">${t(`import.problem-${kind}`)}</strong><${Badge} kind="warn">${t("import.problems", { count })}<//></summary>
    <p class="soft small">${t(`import.problem-${kind}-text`)}</p>
    <ul class="list">${causes.map((each) => html`<${Cause} key=${each.message} cause=${each} />`)}</ul>
    ${count > told && html`<p class="soft small">${t("import.more-problems", { count: count - told })}</p>`}
  </details>`;
}

/**
 * One cause with its first places; of a problem that is alone, the message says what it quotes.
 * @param {{ cause: any }} props
 */
function Cause({ cause }) {
  const { count, problems } = cause, alone = count === 1;
  return html`<li><div class="grow stack tight"><span class="breaks" dir="auto">${alone ? problems[0].message : cause.message}</span>
    ${problems.map((/** @type {any} */ each, /** @type {number} */ n) => html`<span key=${n} class="soft small breaks" dir="auto"><code>${each.line ? `${each.file}:${each.line}` : each.file}</code>${alone ? "" : ` ${each.message}`}</span>`)}
    ${count > problems.length && html`<span class="soft small">${t("import.more-problems", { count: count - problems.length })}</span>`}
  </div>${!alone && html`<${Badge}>${t("import.problems", { count })}<//>`}</li>`;
}
