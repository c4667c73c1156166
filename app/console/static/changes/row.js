// A change request as an item of a list.

import { html } from "../vendor/preact.js";
import { Ago, Avatar, Badge, Glyph } from "../parts/basic.js";
import { t } from "../texts.js";

const KINDS = { OPEN: "info", DRAFT: "", MERGED: "good", ARCHIVED: "" };

/**
 * The status of a change request.
 * @param {{ status: keyof typeof KINDS }} props
 */
export function Status({ status }) {
  return html`<${Badge} kind=${KINDS[status]}>${t(`status.${status}`)}<//>`;
}

/**
 * @param {{ change: any, withSpace?: boolean }} props a change request with the fields of `ChangeRequestRow`
 */
export function ChangeRow({ change, withSpace }) {
  return html`<a class="whole" href=${change.urls.app}>
    <${Glyph} name=${change.status === "MERGED" ? "merge" : "branch"} />
    <span class="grow stack tight">
      <strong class="breaks" dir="auto">${change.subject || `#${change.number}`}</strong>
      <span class="soft small row">
        ${withSpace && html`<span class="cut" dir="auto">${change.space?.title}</span>`}
        <span>#${change.number}</span><${Ago} at=${change.updatedAt} />
      </span>
    </span>
    <${Status} status=${change.status} /><${Avatar} user=${change.createdBy} small />
  </a>`;
}
