// What can be done with a change request as a whole: named, offered for review, reviewed, set aside.

import { html, useState } from "../vendor/preact.js";
import { mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { later } from "../parts/later.js";
import { attempt, Dialog, Menu, opening, say } from "../parts/overlays.js";
import { useShortcuts } from "../parts/shortcuts.js";
import { me } from "../session.js";
import { BASE } from "../settings.js";
import { useCommands } from "../shell/palette.js";
import { spacePath } from "../space/side.js";
import { t } from "../texts.js";

const ChangeExport = later(() => import("../space/export.js"), "ChangeExport", opening);
const Merge = later(() => import("./merge.js"), "Merge", opening);
const Undo = later(() => import("./merge.js"), "Undo", opening);

/** @param {{ change: any, space: any }} props */
export function Actions({ change, space }) {
  const [open, setOpen] = useState(/** @type {"" | "describe" | "review" | "merge" | "undo" | "export"} */ (""));
  const isMine = change.createdBy.restId === me.value?.restId, may = space.permissions;
  const isGoing = ["DRAFT", "OPEN"].includes(change.status), mayChange = change.status !== "MERGED" && (isMine || may.review);
  const mayMerge = isGoing && may.merge, mayUndo = change.status === "MERGED" && may.merge && space.editMode === "LIVE" && change.revisionMergedId;
  const hasReviewed = (change.reviews?.nodes ?? []).some((/** @type {any} */ each) => each.reviewer.restId === me.value?.restId && !each.outdated);
  const mayReview = isGoing && !isMine && may.review;
  const ids = { space: space.restId, changeRequest: change.restId };
  const set = (/** @type {string} */ status) => () =>
    attempt(async () => {
      const before = change.status;
      await mutate("UpdateChangeRequest", { ...ids, status }, { optimistic: { [change.id]: { status } }, refresh: ["Space", "ChangeRequest"] });
      const back = { label: t("undo"), onClick: () => attempt(() => mutate("UpdateChangeRequest", { ...ids, status: before }, { refresh: ["Space", "ChangeRequest"] })) };
      say(t(`changes.now-${status}`), { action: back });
    });
  const edit = `${BASE}${spacePath(space)}/~/edit/?change=${change.number}`;
  const commands = [
    mayReview && { label: t("review.give"), glyph: "check", onChoose: () => setOpen("review") },
    mayMerge && { label: t("merge.title"), glyph: "merge", onChoose: () => setOpen("merge") },
    mayUndo && { label: t("unmerge.title"), glyph: "undo", onChoose: () => setOpen("undo") },
    mayChange && { label: t("changes.describe"), glyph: "edit", onChoose: () => setOpen("describe") },
    mayChange && change.status === "DRAFT" && { label: t("changes.make-open"), glyph: "eye", onChoose: set("OPEN") },
    mayChange && change.status === "OPEN" && { label: t("changes.make-draft"), glyph: "edit", onChoose: set("DRAFT") },
    mayChange && isGoing && { label: t("changes.archive"), glyph: "archive", onChoose: set("ARCHIVED") },
    mayChange && change.status === "ARCHIVED" && { label: t("changes.reopen"), glyph: "undo", onChoose: set("OPEN") },
    { label: t("export.title"), glyph: "download", onChoose: () => setOpen("export") },
  ].filter((each) => !!each);
  useCommands(commands.map(({ label, glyph, onChoose }) => ({ label, glyph, run: onChoose })));
  useShortcuts([
    ...(mayReview ? [{ keys: "r", label: t("review.give"), run: () => setOpen("review") }] : []),
    ...(mayMerge ? [{ keys: "m", label: t("merge.title"), run: () => setOpen("merge") }] : []),
  ]);
  const main = mayReview && !hasReviewed
    ? html`<${Button} kind="main" glyph="check" onClick=${() => setOpen("review")}>${t("review.give-short")}<//>`
    : change.status === "DRAFT" && mayChange
      ? html`<${Button} kind="main" glyph="eye" onClick=${set("OPEN")}>${t("changes.make-open")}<//>`
      : mayMerge && html`<${Button} kind="main" glyph="merge" onClick=${() => setOpen("merge")}>${t("merge.short")}<//>`;
  return html`
    ${isGoing && (isMine || may.edit || may.review) && html`<${Button} kind="quiet" glyph="edit" href=${edit} label=${t("changes.edit")} />`}
    ${main}
    ${commands.length > 0 && html`<${Menu} label=${t("changes.more")} choices=${commands} end />`}
    ${open === "describe" && html`<${Describe} change=${change} ids=${ids} onClose=${() => setOpen("")} />`}
    ${open === "review" && html`<${GiveReview} ids=${ids} onClose=${() => setOpen("")} />`}
    ${open === "merge" && html`<${Merge} ids=${ids} onClose=${() => setOpen("")} />`}
    ${open === "undo" && html`<${Undo} space=${space.restId} revision=${change.revisionMergedId} onClose=${() => setOpen("")} isMerge />`}
    ${open === "export" && html`<${ChangeExport} space=${space} change=${change} onClose=${() => setOpen("")} />`}`;
}

/** @param {{ change: any, ids: Record<string, string>, onClose: () => void }} props */
function Describe({ change, ids, onClose }) {
  const [subject, setSubject] = useState(change.subject), [text, setText] = useState(change.description?.markdown ?? "");
  const save = () =>
    attempt(async () => {
      await mutate("UpdateChangeRequest", { ...ids, subject: subject.trim(), description: text.trim() ? { markdown: text } : null }, { refresh: ["ChangeRequest"] });
      onClose();
    });
  return html`<${Dialog} title=${t("changes.describe")} onClose=${onClose} wide>
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("changes.subject")} value=${subject} onInput=${setSubject} maxlength="100" autofocus />
      <${TextField} label=${t("changes.description")} hint=${t("markdown.hint")} value=${text} onInput=${setText} rows=${8} maxlength="100000" />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit">${t("save")}<//></div>
    <//>
  <//>`;
}

/** @param {{ ids: Record<string, string>, onClose: () => void }} props */
function GiveReview({ ids, onClose }) {
  const [status, setStatus] = useState("APPROVED"), [text, setText] = useState("");
  const give = () =>
    attempt(async () => {
      await mutate("SubmitReview", { ...ids, status, ...(text.trim() ? { comment: { markdown: text } } : {}) }, { refresh: ["ChangeRequest", "Home"] });
      onClose();
      say(t("review.given"));
    });
  return html`<${Dialog} title=${t("review.give")} onClose=${onClose}>
    <${Form} onSubmit=${give}>
      <fieldset class="field stack tight"><legend class="label">${t("review.verdict")}</legend>
        ${["APPROVED", "CHANGES_REQUESTED"].map((each) => html`<${Checkbox} key=${each} type="radio" name="verdict" checked=${status === each}
          onChange=${() => setStatus(each)} label=${t(`review.choose-${each}`)} hint=${t(`review.hint-${each}`)} />`)}
      </fieldset>
      <${TextField} label=${t("review.say")} hint=${t("markdown.hint")} value=${text} onInput=${setText} rows=${4} maxlength="100000" required=${status !== "APPROVED"} />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit">${t("review.send")}<//></div>
    <//>
  <//>`;
}
