// The OpenAPI specifications of an organization.

import { html, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Ago, Badge, Button, Nothing } from "../parts/basic.js";
import { Listing } from "../parts/lists.js";
import { go, pathOf } from "../router.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { SourceDialog } from "./source.js";

/** @param {{ params: Record<string, string> }} props */
export default function Specs({ params }) {
  const organization = params["organization"] ?? "", [making, setMaking] = useState(false), [reading, setReading] = useState(false);
  const found = useQuery("Specs", { organization }, { poll: reading ? 2 : 0 }), data = found.data?.organization;
  const list = data?.openAPISpecs;
  if (!list) return html`<${Without} query=${found} organization=${organization} />`;
  const unread = list.nodes.some((/** @type {any} */ each) => each.processingState !== "COMPLETE");
  if (unread !== reading) setReading(unread);
  const may = data.permissions.createOpenAPISpec;
  const create = may && html`<${Button} kind="main" glyph="add" onClick=${() => setMaking(true)}>${t("openapi.new")}<//>`;
  const row = (/** @type {any} */ spec) => html`<a class="whole" href=${spec.urls.app}>
    <span class="grow stack tight"><strong class="breaks" dir="auto">${spec.slug}</strong>
      <span class="soft small breaks" dir="ltr">${spec.sourceURL ?? t("openapi.sent")}</span></span>
    <span class="row spec-state"><${SpecState} spec=${spec} />${spec.lastProcessedAt && html`<span class="soft small"><${Ago} at=${spec.lastProcessedAt} /></span>`}</span>
  </a>`;
  const empty = html`<${Nothing} title=${t("openapi.none")}>${t("openapi.none-text")}<//>`;
  return html`<${Screen} title=${t("openapi.title")} lead=${t("openapi.text")} organization=${organization} actions=${create}>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.openAPISpecs} label=${t("openapi.title")} empty=${empty} row=${row} />
    ${making && html`<${SourceDialog} organization=${organization} onClose=${() => setMaking(false)} onSaved=${(/** @type {any} */ spec) => go(pathOf(spec.urls.app) ?? "/")} />`}
  <//>`;
}

/** How the latest reading of a specification went. @param {{ spec: any }} props */
export function SpecState({ spec }) {
  const warnings = spec.lastProcessedWarnings?.length ?? 0;
  if (spec.processingState !== "COMPLETE") return html`<${Badge} kind="info">${t(`openapi.state-${spec.processingState}`)}<//>`;
  if (spec.lastProcessErrorCode) return html`<${Badge} kind="bad">${t("openapi.state-failed")}<//>`;
  if (warnings) return html`<${Badge} kind="warn">${t("openapi.state-warnings", { count: warnings })}<//>`;
  return html`<${Badge} kind="good">${t("openapi.state-good")}<//>`;
}
