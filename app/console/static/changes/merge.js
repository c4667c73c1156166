// Merging a change request, after a look at what that would do; and undoing a merge.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate } from "../api/queries.js";
import { Bones, Button, Note } from "../parts/basic.js";
import { attempt, Dialog, say } from "../parts/overlays.js";
import { t } from "../texts.js";
import { Conflicts, nameOf } from "./conflicts.js";

const SHOWN = ["ChangeRequest", "Conflicts", "Space", "SpaceTree", "ChangeRequests", "ChangedPages", "DescriptionsOfChange", "Revisions"];

/**
 * Say what an action would do, let the person choose one by one who wins where both sides changed the same, and do it.
 * @param {{ title: string, text: string, yes: string, done: string, document: string, input: Record<string, unknown>,
 *   winners: [string, string][], sides: { ours: string, theirs: string, side: "changeRequest" | "before" },
 *   onClose: () => void, result: string }} props
 *   `winners`: value and label of each side, ours first; `result`: what a run without conflicts answers
 */
function Tried({ title, text, yes, done, document, input, winners, sides, onClose, result }) {
  const [tried, setTried] = useState(/** @type {any} */ (null)), [failed, setFailed] = useState(/** @type {ApiError | null} */ (null));
  const [won, setWon] = useState(/** @type {Record<string, string>} */ ({}));
  const [texts, setTexts] = useState(/** @type {Record<string, string>} */ ({}));
  const look = () => {
    setTried(null);
    setFailed(null);
    mutate(document, { ...input, dryRun: true }).then(setTried, setFailed);
  };
  useEffect(look, []);
  const conflicts = tried?.conflicts ?? [], names = conflicts.map(nameOf);
  const left = names.filter((/** @type {string} */ each) => !won[each]).length, isSettled = tried && !left;
  const run = () =>
    attempt(async () => {
      const decided = conflicts.map((/** @type {any} */ each) => {
        const name = nameOf(each), winner = won[name], named = { page: each.pageId ?? "", field: each.field, passage: each.passage, winner };
        return winner === "TEXT" ? { ...named, text: texts[name] ?? "" } : named;
      });
      const made = await mutate(document, { ...input, ...(decided.length ? { winners: decided } : {}) }, { refresh: SHOWN });
      if (made.result !== result) return setTried(made); // somebody was faster
      onClose();
      return say(done);
    });
  const foot = html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" disabled=${!isSettled} onClick=${run}>${yes}<//>`;
  return html`<${Dialog} title=${title} onClose=${onClose} foot=${foot} wide=${conflicts.length > 0}>
    ${failed ? html`<${Note} kind="bad">${failed.message}<//>` : !tried ? html`<${Bones} lines=${3} />` : html`
      <p>${text}</p>
      ${conflicts.length === 0
        ? html`<${Note} kind="good">${t("merge.no-conflicts")}<//>`
        : html`<${Note} kind="warn">${t("merge.conflicts", { count: conflicts.length })}<//>
          ${names.length > 1 && html`<div class="row" role="group" aria-label=${t("merge.winner")}><span class="small soft">${t("merge.winner")}</span>
            ${winners.map(([value, label]) => html`<${Button} key=${value} small onClick=${() => setWon(Object.fromEntries(names.map((/** @type {string} */ each) => [each, value])))}>${label}<//>`)}</div>`}
          <${Conflicts} conflicts=${conflicts} ...${sides} won=${won} sides=${winners.map(([value]) => value)} onChoose=${(/** @type {string} */ name, /** @type {string} */ value) => setWon({ ...won, [name]: value })}
            texts=${texts} onWrite=${(/** @type {string} */ name, /** @type {string} */ text) => setTexts({ ...texts, [name]: text })} />
          ${left > 0 && html`<p class="soft small" role="status">${t("merge.left", { count: left })}</p>`}`}`}
  <//>`;
}

/** @param {{ change: any, ids: Record<string, string>, onClose: () => void }} props */
export function Merge({ ids, onClose }) {
  return html`<${Tried} title=${t("merge.title")} text=${t("merge.text")} yes=${t("merge.yes")} done=${t("merge.done")} document="MergeChangeRequest" input=${ids}
    winners=${[["CHANGE_REQUEST", t("merge.ours")], ["MAIN", t("merge.theirs")]]}
    sides=${{ ours: t("merge.side-ours"), theirs: t("merge.side-theirs"), side: "changeRequest" }} onClose=${onClose} result="MERGE" />`;
}

/**
 * Take back what a revision of a space did, such as a merge.
 * @param {{ space: string, revision: string, onClose: () => void, isMerge?: boolean }} props
 */
export function Undo({ space, revision, onClose, isMerge }) {
  return html`<${Tried} title=${t(isMerge ? "unmerge.title" : "revert.title")} text=${t("revert.text")} yes=${t("revert.yes")} done=${t("revert.done")} document="RevertRevision" input=${{ space, revision }}
    winners=${[["REVERT", t("revert.ours")], ["MAIN", t("revert.theirs")]]}
    sides=${{ ours: t("revert.side-ours"), theirs: t("merge.side-theirs"), side: "before" }} onClose=${onClose} result="ROLLBACK" />`;
}
