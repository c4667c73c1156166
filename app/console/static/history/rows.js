// Revisions as items of a list.

import { html } from "../vendor/preact.js";
import { Ago, Avatar, Glyph } from "../parts/basic.js";
import { Listing } from "../parts/lists.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";

/** @type {Record<string, string>} */
const GLYPHS = { EDITS: "edit", MERGE: "merge", UPDATE: "sync", ROLLBACK: "undo", COMPUTED: "code" };

/**
 * What a revision did, in a few words.
 * @param {any} revision
 */
export function deedOf(revision) {
  if (revision.mergedFrom) return t("revision.MERGE-of", { subject: revision.mergedFrom.subject || t("changes.untitled"), number: String(revision.mergedFrom.number) });
  if (revision.git?.message) return revision.git.message.split("\n")[0];
  return t(`revision.${revision.type}`);
}

/** @param {any} revision */
export function namesOf(revision) {
  const people = [revision.author, ...revision.contributors.filter((/** @type {any} */ each) => each.id !== revision.author?.id)].filter(Boolean);
  return people.map((each) => each.displayName).join(", ");
}

/**
 * @param {{ query: import("../api/queries.js").Query, list: (data: any) => any, own: string, chosen?: any[], onChoose?: (revision: any) => void }} props
 *   `own` is the address below which revisions are
 */
export function RevisionRows({ query, list, own, chosen, onChoose }) {
  const row = (/** @type {any} */ each) => html`
    ${onChoose && html`<label class="pick"><input type="checkbox" checked=${!!chosen?.some((one) => one.id === each.id)} onChange=${() => onChoose(each)} /><span class="unseen">${t("history.pick", { number: each.number })}</span></label>`}
    <a class="whole" href=${`${BASE}${own}/${each.restId}`}>
      <${Glyph} name=${GLYPHS[each.type] ?? "edit"} />
      <span class="grow stack tight"><strong class="breaks" dir="auto">${deedOf(each)}</strong>
        <span class="soft small row"><span>#${each.number}</span><${Ago} at=${each.createdAt} />${namesOf(each) && html`<span class="cut" dir="auto">${namesOf(each)}</span>`}</span></span>
      ${each.author && html`<${Avatar} user=${each.author} small />`}
    </a>`;
  return html`<${Listing} query=${query} list=${list} label=${t("history.title")} empty=${t("history.none")} row=${row} />`;
}
