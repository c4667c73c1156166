// One OpenAPI specification: how reading it went, its versions, and the spaces that show it.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Button, Emoji, Note, Nothing } from "../parts/basic.js";
import { Checkbox } from "../parts/forms.js";
import { More } from "../parts/lists.js";
import { attempt, confirm, Menu } from "../parts/overlays.js";
import { go } from "../router.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { date, t } from "../texts.js";
import { SpecState } from "./list.js";
import { ShowDialog } from "./show.js";
import { SourceDialog } from "./source.js";
import { VersionDifference } from "./versions.js";

const FEW = 10; // warnings that are shown at once

/** @param {{ params: Record<string, string> }} props */
export default function Spec({ params }) {
  const organization = params["organization"] ?? "", [reading, setReading] = useState(false), [open, setOpen] = useState("");
  const found = useQuery("Spec", { organization, spec: params["spec"] ?? "" }, { poll: reading ? 1.5 : 15 });
  const spec = found.data?.organization?.openAPISpec;
  if (!spec) return html`<${Without} query=${found} organization=${organization} />`;
  const unread = spec.processingState !== "COMPLETE", may = spec.permissions.edit, named = { organization, spec: spec.restId };
  if (unread !== reading) setReading(unread);
  const renew = () => attempt(() => mutate("PutSpec", { ...named, source: { url: spec.sourceURL } }, { refresh: ["Spec"] }));
  const remove = async () => {
    const question = { title: t("openapi.delete-title", { name: spec.slug }), text: t("openapi.delete-text", { count: spec.spaces?.nodes.length ?? 0 }), yes: t("delete"), danger: true };
    if (await confirm(question) && await attempt(() => mutate("DeleteSpec", named, { refresh: ["Specs"] }))) await go(`/o/${organization}/openapi`, { replace: true });
  };
  const actions = may && html`
    ${spec.sourceURL && html`<${Button} glyph="refresh" busy=${unread} onClick=${renew}>${t("openapi.refresh")}<//>`}
    <${Menu} label=${t("openapi.do", { name: spec.slug })} end choices=${[
      { label: t("openapi.change-source"), glyph: "edit", onChoose: () => setOpen("source") },
      { label: t("openapi.delete"), glyph: "trash", danger: true, onChoose: remove },
    ]} />`;
  const close = () => setOpen("");
  return html`<${Screen} title=${spec.slug} crumbs=${[{ label: t("openapi.title"), to: `/o/${organization}/openapi` }]} organization=${organization} actions=${actions}>
    <div class="stack spec">
      <p class="row" role="status">${unread && html`<span class="waiting" aria-hidden="true"></span>`}<${SpecState} spec=${spec} />
        <span class="soft breaks" dir="ltr">${spec.sourceURL ?? t("openapi.sent")}</span>
        ${spec.lastProcessedAt && html`<span class="soft small">${t("openapi.read")} <${Ago} at=${spec.lastProcessedAt} /></span>`}</p>
      <${Problems} spec=${spec} />
      <${Spaces} spec=${spec} onAdd=${may && spec.lastVersionId ? () => setOpen("show") : null} />
      <${Versions} query=${found} organization=${organization} spec=${spec} />
      ${may && html`<${Visibility} named=${named} spec=${spec} />`}
    </div>
    ${open === "source" && html`<${SourceDialog} organization=${organization} spec=${spec} onSaved=${() => undefined} onClose=${close} />`}
    ${open === "show" && html`<${ShowDialog} organization=${organization} spec=${spec} onClose=${close} />`}
  <//>`;
}

/** What reading failed at, and what is wrong in what was read. @param {{ spec: any }} props */
function Problems({ spec }) {
  const [all, setAll] = useState(false), warnings = spec.lastProcessedWarnings ?? [];
  if (spec.processingState !== "COMPLETE") return null;
  const place = (/** @type {string} */ path) => path || t("openapi.whole");
  return html`
    ${spec.lastProcessErrorCode && html`<${Note} kind="bad"><strong>${t(`openapi.error-${spec.lastProcessErrorCode}`)}</strong>
      <ul>${(spec.lastProcessedErrors ?? []).map((/** @type {any} */ each) => html`<li dir="auto">${each.message}</li>`)}</ul>
      ${spec.lastVersionId && t("openapi.kept")}<//>`}
    ${warnings.length > 0 && html`<section class="stack tight" aria-label=${t("openapi.warnings")}>
      <h2>${t("openapi.warnings")}</h2>
      <p class="soft">${t("openapi.warnings-text")}</p>
      <ul class="list">${warnings.slice(0, all ? undefined : FEW).map((/** @type {any} */ each) => html`<li><span class="stack tight">
        <span class="breaks" dir="auto">${each.message}</span><code class="soft small breaks" dir="ltr">${place(each.path)}</code></span></li>`)}</ul>
      ${!all && warnings.length > FEW && html`<div><${Button} small onClick=${() => setAll(true)}>${t("openapi.warnings-all", { count: warnings.length })}<//></div>`}
    </section>`}`;
}

/** @param {{ spec: any, onAdd: (() => void) | null }} props */
function Spaces({ spec, onAdd }) {
  const spaces = spec.spaces?.nodes ?? [];
  return html`<section class="stack tight" aria-label=${t("openapi.spaces")}>
    <div class="row spread"><h2>${t("openapi.spaces")}</h2>${onAdd && html`<${Button} small glyph="add" onClick=${onAdd}>${t("openapi.show")}<//>`}</div>
    ${spaces.length
      ? html`<ul class="list" aria-label=${t("openapi.spaces")}>${spaces.map((/** @type {any} */ each) => html`<li key=${each.id}><a class="whole" href=${each.urls.app}>
          <${Emoji} code=${each.emoji} glyph="book" /><span class="grow breaks" dir="auto">${each.title}</span></a></li>`)}</ul>`
      : html`<${Nothing} title=${t("openapi.spaces-none")}>${t("openapi.spaces-none-text")}<//>`}
    ${spec.spaces?.pageInfo.hasNextPage && html`<p class="soft small">${t("openapi.spaces-more")}</p>`}
  </section>`;
}

/** @param {{ query: import("../api/queries.js").Query, organization: string, spec: any }} props */
function Versions({ query, organization, spec }) {
  const versions = spec.versions?.nodes ?? [], [compared, setCompared] = useState("");
  const list = (/** @type {any} */ all) => all.organization.openAPISpec.versions;
  return html`<section class="stack tight" aria-label=${t("openapi.versions")}>
    <h2>${t("openapi.versions")}</h2>
    ${!versions.length && html`<${Nothing} title=${t("openapi.versions-none")} />`}
    ${versions.length > 0 && html`<ol class="list" aria-label=${t("openapi.versions")}>${versions.map((/** @type {any} */ each, /** @type {number} */ n) => {
      const before = versions[n + 1], isOpen = compared === each.id;
      return html`<li key=${each.id}><div class="grow stack tight">
        <div class="row spread"><span><strong>${date(each.createdAt, true)}</strong>${n === 0 && html` <span class="soft small">${t("openapi.newest")}</span>`}</span>
          <span class="row">${before && html`<${Button} small aria-expanded=${String(isOpen)} onClick=${() => setCompared(isOpen ? "" : each.id)}>${t("openapi.compare")}<//>`}
            <${Button} small kind="quiet" glyph="download" href=${each.url} label=${t("openapi.open-file", { date: date(each.createdAt, true) })} target="_blank" /></span></div>
        ${isOpen && before && html`<${VersionDifference} organization=${organization} spec=${spec} version=${each.restId} before=${before.restId} />`}
      </div></li>`;
    })}</ol>`}
    ${spec.versions?.pageInfo.hasNextPage && html`<${More} load=${() => query.more(list)} />`}
  </section>`;
}

/** @param {{ named: Record<string, string>, spec: any }} props */
function Visibility({ named, spec }) {
  const set = (/** @type {boolean} */ open) => {
    const visibility = open ? "PUBLIC" : "PRIVATE";
    void attempt(() => mutate("UpdateSpec", { ...named, visibility }, { optimistic: { [spec.id]: { visibility } } }));
  };
  return html`<section class="stack tight"><h2>${t("openapi.files")}</h2>
    <${Checkbox} label=${t("openapi.public")} hint=${t("openapi.public-hint")} checked=${spec.visibility === "PUBLIC"} onChange=${set} /></section>`;
}
