// Merging a change request, after a look at what that would do; and undoing a merge.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate } from "../api/queries.js";
import { Bones, Button, Note } from "../parts/basic.js";
import { Checkbox } from "../parts/forms.js";
import { attempt, Dialog, say } from "../parts/overlays.js";
import { t } from "../texts.js";
import { Conflicts } from "./conflicts.js";

const SHOWN = ["ChangeRequest", "Conflicts", "Space", "SpaceTree", "ChangeRequests", "ChangedPages", "Revisions"];

/**
 * Say what an action would do, let the person choose who wins where both sides changed the same, and do it.
 * @param {{ title: string, text: string, yes: string, done: string, document: string, input: Record<string, unknown>,
 *   winners: [string, string, string][], sides: { ours: string, theirs: string, side: "changeRequest" | "before" },
 *   onClose: () => void, result: string }} props
 *   `winners`: value, label and hint of each side; `result`: what a run without conflicts answers
 */
function Tried({ title, text, yes, done, document, input, winners, sides, onClose, result }) {
  const [tried, setTried] = useState(/** @type {any} */ (null)), [failed, setFailed] = useState(/** @type {ApiError | null} */ (null));
  const [winner, setWinner] = useState("");
  const look = () => {
    setTried(null);
    setFailed(null);
    mutate(document, { ...input, dryRun: true }).then(setTried, setFailed);
  };
  useEffect(look, []);
  const conflicts = tried?.conflicts ?? [], isSettled = tried && (!conflicts.length || winner);
  const run = () =>
    attempt(async () => {
      const made = await mutate(document, { ...input, ...(conflicts.length ? { onConflict: winner } : {}) }, { refresh: SHOWN });
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
          <${Conflicts} conflicts=${conflicts} ...${sides} />
          <fieldset class="field stack tight"><legend class="label">${t("merge.winner")}</legend>
            ${winners.map(([value, label, hint]) => html`<${Checkbox} key=${value} type="radio" name="winner" checked=${winner === value} onChange=${() => setWinner(value)} label=${label} hint=${hint} />`)}
          </fieldset>`}`}
  <//>`;
}

/** @param {{ change: any, ids: Record<string, string>, onClose: () => void }} props */
export function Merge({ ids, onClose }) {
  return html`<${Tried} title=${t("merge.title")} text=${t("merge.text")} yes=${t("merge.yes")} done=${t("merge.done")} document="MergeChangeRequest" input=${ids}
    winners=${[["CHANGE_REQUEST", t("merge.ours"), t("merge.ours-hint")], ["MAIN", t("merge.theirs"), t("merge.theirs-hint")]]}
    sides=${{ ours: t("merge.side-ours"), theirs: t("merge.side-theirs"), side: "changeRequest" }} onClose=${onClose} result="MERGE" />`;
}

/**
 * Take back what a revision of a space did, such as a merge.
 * @param {{ space: string, revision: string, onClose: () => void, isMerge?: boolean }} props
 */
export function Undo({ space, revision, onClose, isMerge }) {
  return html`<${Tried} title=${t(isMerge ? "unmerge.title" : "revert.title")} text=${t("revert.text")} yes=${t("revert.yes")} done=${t("revert.done")} document="RevertRevision" input=${{ space, revision }}
    winners=${[["REVERT", t("revert.ours"), t("revert.ours-hint")], ["MAIN", t("revert.theirs"), t("revert.theirs-hint")]]}
    sides=${{ ours: t("revert.side-ours"), theirs: t("merge.side-theirs"), side: "before" }} onClose=${onClose} result="ROLLBACK" />`;
}
