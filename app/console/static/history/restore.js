// Going back: to a revision as a whole, on what one revision did, or with one page.

import { html, useState } from "../vendor/preact.js";
import { mutate } from "../api/queries.js";
import { Undo } from "../changes/merge.js";
import { Button } from "../parts/basic.js";
import { attempt, confirm, Menu, say } from "../parts/overlays.js";
import { go, pathOf } from "../router.js";
import { useCommands } from "../shell/palette.js";
import { mayWrite } from "../space/side.js";
import { date, t } from "../texts.js";

const SHOWN = ["Space", "SpaceTree", "SpacePage", "Revisions", "Revision"];

/** @param {{ space: any, revision: any }} props */
export function RevisionActions({ space, revision }) {
  const [undoing, setUndoing] = useState(false);
  const may = space.permissions.merge && space.permissions.edit, isNow = space.revisionId === revision.restId;
  const restore = async () => {
    const sure = await confirm({ title: t("restore.title", { number: revision.number }), text: t("restore.text", { when: date(revision.createdAt, true) }), yes: t("restore.yes") });
    if (!sure) return;
    const done = await attempt(() => mutate("RestoreRevision", { space: space.restId, revision: revision.restId }, { refresh: SHOWN }));
    if (done) say(t("restore.done"));
  };
  const choices = [
    may && !isNow && { label: t("restore.all"), glyph: "history", onChoose: restore },
    may && revision.number > 1 && { label: t("revert.title"), glyph: "undo", onChoose: () => setUndoing(true) },
  ].filter((each) => !!each);
  useCommands(choices.map(({ label, glyph, onChoose }) => ({ label, glyph, run: onChoose })));
  if (!choices.length) return null;
  return html`<${Menu} label=${t("changes.more")} choices=${choices} end />
    ${undoing && html`<${Undo} space=${space.restId} revision=${revision.restId} onClose=${() => setUndoing(false)} />`}`;
}

/**
 * A button that makes a page what it was at a revision; in a change request where the space asks for one.
 * @param {{ space: any, revision: any, page: { restId: string, title: string } }} props
 */
export function RestorePage({ space, revision, page }) {
  const may = space.permissions;
  if (!mayWrite(space)) return null;
  const isDirect = may.edit && may.merge;
  const restore = async () => {
    const text = t(isDirect ? "restore.page-text" : "restore.page-proposed", { when: date(revision.createdAt, true) });
    if (!(await confirm({ title: t("restore.page-title", { name: page.title }), text, yes: t("restore.page-yes") }))) return;
    await attempt(async () => {
      const changes = [{ revertPage: { page: page.restId, revision: revision.restId } }];
      if (isDirect) {
        await mutate("RestorePage", { space: space.restId, changes }, { refresh: SHOWN });
        return say(t("restore.page-done", { name: page.title }));
      }
      const subject = t("restore.page-title", { name: page.title }).slice(0, 100);
      const { changeRequest } = await mutate("CreateChangeRequest", { space: space.restId, subject });
      await mutate("RestorePage", { space: space.restId, changeRequest: changeRequest.restId, changes }, { refresh: SHOWN });
      return go(pathOf(changeRequest.urls.app) ?? "/");
    });
  };
  return html`<${Button} small glyph="undo" onClick=${restore}>${t("restore.page")}<//>`;
}
