// Conflicts side by side, passage by passage: what both began with, what each side made of it, and which side wins.

import { html } from "../vendor/preact.js";
import { TextField } from "../parts/forms.js";
import { Choose, Side } from "../parts/sides.js";
import { t } from "../texts.js";

/**
 * The name of a conflict: of the part of the content that it is in and, in a text, of its passage.
 * @param {any} conflict
 */
export function nameOf({ pageId, field, passage }) {
  return `${pageId} ${field} ${passage ?? ""}`;
}

/**
 * @param {{ conflicts: any[], ours: string, theirs: string, side?: "changeRequest" | "before", won: Record<string, string>,
 *   sides: [string, string], onChoose: (name: string, winner: string) => void, texts: Record<string, string>,
 *   onWrite: (name: string, text: string) => void }} props
 *   `ours` and `theirs` name the two sides; `side` is the field with ours; `won` are the winners by the names of
 *   conflicts; `sides` are the values of ours and theirs as winners;
 *   `texts` are the texts that the person wrote instead, where the winner is `TEXT`
 */
export function Conflicts({ conflicts, ours, theirs, side = "changeRequest", won, sides, onChoose, texts, onWrite }) {
  const parts = [...new Set(conflicts.map(partOf))];
  return html`<ul class="conflicts" aria-label=${t("conflicts.title")}>${parts.map((part) => {
    const inside = conflicts.filter((each) => partOf(each) === part), title = titleOf(inside[0]);
    return html`<li key=${part} class="card stack"><h3 class="breaks" dir="auto">${title}</h3>
      ${inside.map((each, n) => {
        const name = nameOf(each), choose = (/** @type {string} */ value) => () => onChoose(name, value);
        const place = inside.length > 1 ? t("conflicts.passage", { at: n + 1, count: inside.length }) : "";
        const pane = (/** @type {string} */ label, /** @type {any} */ value, /** @type {string} */ winner) => html`<${Side} name=${name} label=${label}
          chosen=${won[name] === winner} taken=${won[name] === winner || won[name] === "BOTH"} onChoose=${choose(winner)}><${Value} value=${value} /><//>`;
        return html`<fieldset key=${name} class="stack tight">
          <legend class=${place ? "small soft" : "unseen"}>${place || t("conflicts.winner", { name: title })}</legend>
          <div class="versions-sides">${pane(theirs, each.main, sides[1])}${pane(ours, each[side], sides[0])}</div>
          ${each.passage && html`<${Choose} name=${name} label=${t("conflicts.both")} chosen=${won[name] === "BOTH"} onChoose=${choose("BOTH")} />
            <${Choose} name=${name} label=${t("conflicts.text")} chosen=${won[name] === "TEXT"} onChoose=${() => (onWrite(name, texts[name] ?? begun(each, side, won[name], sides)), onChoose(name, "TEXT"))} />
            ${won[name] === "TEXT" && html`<${TextField} label=${t("conflicts.text-of", { name: place || title })} value=${texts[name] ?? ""} rows=${rowsOf(texts[name] ?? "")} class="input code"
              maxlength="100000" spellcheck="false" onInput=${(/** @type {string} */ text) => onWrite(name, text)} />`}`}
          <details><summary class="small">${t("conflicts.base")}</summary><${Value} value=${each.base} /></details>
        </fieldset>`;
      })}
    </li>`;
  })}</ul>`;
}

/**
 * Return the text that somebody begins with who writes their own: what was chosen before, else both sides.
 * @param {any} conflict
 * @param {string} side
 * @param {string | undefined} winner
 * @param {[string, string]} sides
 */
function begun(conflict, side, winner, sides) {
  const ours = conflict[side]?.text ?? "", theirs = conflict.main?.text ?? "";
  if (winner === sides[0]) return ours;
  return winner === sides[1] ? theirs : theirs && !theirs.endsWith("\n") ? `${theirs}\n${ours}` : theirs + ours;
}

/** @param {string} text */
function rowsOf(text) {
  return Math.min(16, Math.max(4, text.split("\n").length + 1));
}

/** @param {any} conflict */
function partOf({ pageId, field }) {
  return `${pageId} ${field}`;
}

/** @param {any} conflict */
function titleOf(conflict) {
  const owner = conflict.page?.title ?? conflict.file?.name ?? conflict.reusableContent?.title ?? t("conflicts.gone");
  return `${owner} · ${fieldName(conflict.field)}`;
}

/** @param {string} field */
function fieldName(field) {
  const key = `conflict.${field.split(".")[0]}`, words = t(key);
  return words === key ? field : words;
}

/** @param {{ value: any }} props */
function Value({ value }) {
  if (!value) return html`<p class="soft small">${t("conflicts.nothing")}</p>`;
  const place = value.conflictPlace;
  const text = value.text ?? (place ? (place.parent?.title ?? t("tree.top")) : (value.boolean ?? value.number));
  if (text === "") return html`<p class="soft small">${t("conflicts.nothing")}</p>`;
  return text == null ? html`<p class="soft small">${t("conflicts.other")}</p>` : html`<pre dir="auto">${String(text)}</pre>`;
}
