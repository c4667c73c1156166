// Conflicts side by side: what both began with, and what each side made of it.

import { html } from "../vendor/preact.js";
import { t } from "../texts.js";

/**
 * @param {{ conflicts: any[], ours: string, theirs: string, side?: "changeRequest" | "before" }} props
 *   `ours` and `theirs` name the two sides; `side` is the field with ours
 */
export function Conflicts({ conflicts, ours, theirs, side = "changeRequest" }) {
  return html`<ul class="conflicts" aria-label=${t("conflicts.title")}>${conflicts.map((each) => html`<li key=${each.pageId + each.field} class="card stack tight">
    <h3 class="breaks" dir="auto">${each.page?.title ?? each.file?.name ?? each.reusableContent?.title ?? t("conflicts.gone")} · ${fieldName(each.field)}</h3>
    <div class="sides">
      <${Side} name=${theirs} value=${each.main} />
      <${Side} name=${ours} value=${each[side]} />
    </div>
    <details><summary class="small">${t("conflicts.base")}</summary><${Value} value=${each.base} /></details>
  </li>`)}</ul>`;
}

/** @param {string} field */
function fieldName(field) {
  const key = `conflict.${field.split(".")[0]}`, words = t(key);
  return words === key ? field : words;
}

/** @param {{ name: string, value: any }} props */
function Side({ name, value }) {
  return html`<div class="side-by-side"><h4 class="small soft">${name}</h4><${Value} value=${value} /></div>`;
}

/** @param {{ value: any }} props */
function Value({ value }) {
  if (!value) return html`<p class="soft">${t("conflicts.nothing")}</p>`;
  const place = value.conflictPlace;
  const text = value.text ?? (place ? (place.parent?.title ?? t("tree.top")) : (value.boolean ?? value.number));
  return text == null ? html`<p class="soft">${t("conflicts.other")}</p>` : html`<pre class="value" dir="auto">${String(text)}</pre>`;
}
