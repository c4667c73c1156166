// Conflicts side by side, part by part: what both began with, what each side made of it, and which side wins.

import { html } from "../vendor/preact.js";
import { Checkbox } from "../parts/forms.js";
import { t } from "../texts.js";

/**
 * The name of the part of the content that a conflict is in; all conflicts in a text are one part.
 * @param {any} conflict
 */
export function partOf({ pageId, field }) {
  return `${pageId} ${field}`;
}

/**
 * @param {{ conflicts: any[], ours: string, theirs: string, side?: "changeRequest" | "before", won: Record<string, string>,
 *   sides: [string, string], onChoose: (part: string, winner: string) => void }} props
 *   `ours` and `theirs` name the two sides; `side` is the field with ours; `won` are the winners by part; `sides` are
 *   the values of ours and theirs as winners
 */
export function Conflicts({ conflicts, ours, theirs, side = "changeRequest", won, sides, onChoose }) {
  const parts = [...new Set(conflicts.map(partOf))];
  return html`<ul class="conflicts" aria-label=${t("conflicts.title")}>${parts.map((part) => {
    const inside = conflicts.filter((each) => partOf(each) === part), name = nameOf(inside[0]);
    const choice = (/** @type {string} */ label, /** @type {string} */ value) => html`<${Checkbox} type="radio" name=${part} label=${label} checked=${won[part] === value} onChange=${() => onChoose(part, value)} />`;
    return html`<li key=${part} class="card stack tight">
      <h3 class="breaks" dir="auto">${name}</h3>
      ${inside.map((each, n) => html`<div key=${n} class="stack tight"><div class="sides">
          <${Side} name=${theirs} value=${each.main} /><${Side} name=${ours} value=${each[side]} /></div>
        <details><summary class="small">${t("conflicts.base")}</summary><${Value} value=${each.base} /></details></div>`)}
      <fieldset class="row winner"><legend class="unseen">${t("conflicts.winner", { name })}</legend><span class="small soft" aria-hidden="true">${t("conflicts.take")}</span>
        ${choice(theirs, sides[1])}${choice(ours, sides[0])}</fieldset>
    </li>`;
  })}</ul>`;
}

/** @param {any} conflict */
function nameOf(conflict) {
  const owner = conflict.page?.title ?? conflict.file?.name ?? conflict.reusableContent?.title ?? t("conflicts.gone");
  return `${owner} · ${fieldName(conflict.field)}`;
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
