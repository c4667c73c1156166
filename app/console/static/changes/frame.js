// What all screens of a change request share: its head with what can be done, and its parts as tabs.

import { html } from "../vendor/preact.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Ago, Button, Note, Person } from "../parts/basic.js";
import { LinkTabs } from "../parts/lists.js";
import { attempt, say } from "../parts/overlays.js";
import { me } from "../session.js";
import { QUERIES } from "../comments/place.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { SpaceSide, spacePath } from "../space/side.js";
import { t } from "../texts.js";
import { Actions } from "./actions.js";
import { Status } from "./row.js";

const POLL = 30; // seconds: the space may go on without a word about its change requests

/**
 * @param {{ params: Record<string, string>, part?: string, wide?: boolean, lead?: any,
 *   children: (change: any, space: any) => any }} props
 *   `part` is the title of the part that is shown; `children` is told the change request
 */
export function ChangeFrame({ params, part, wide, children }) {
  const organization = params["organization"] ?? "", id = params["space"] ?? "", number = params["number"] ?? "";
  const inSpace = useQuery("Space", { space: id });
  const found = useQuery("ChangeRequest", { space: id, change: number }, { poll: POLL });
  const space = inSpace.data?.space, change = found.data?.space?.changeRequest;
  useLive("ChangeRequestChanged", change ? { changeRequest: change.id } : null, () => void refresh(["ChangeRequest", "ChangedPages", "DescriptionsOfChange", "ChangedPage", "Conflicts", "LinksBrokenByChange"]));
  useLive("CommentChanged", change ? { changeRequest: change.id } : null, () => void refresh(QUERIES));
  if (!space) return html`<${Without} query=${inSpace} organization=${organization} />`;
  if (!change) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `${spacePath(space)}/~/changes`, own = `${base}/${change.number}`, name = titleOf(change);
  const crumbs = [
    { label: space.title, to: spacePath(space) },
    { label: t("changes.title"), to: base },
    ...(part ? [{ label: `#${change.number}`, to: own }] : []),
  ];
  const tabs = [
    { to: own, label: t("changes.overview") },
    { to: `${own}/~/changes`, label: t("changes.changes") },
    { to: `${own}/~/comments`, label: t("comments.title"), count: change.discussed?.totalCount },
    { to: `${own}/~/revisions`, label: t("history.title") },
  ];
  const heading = html`${name} <span class="soft number">#${change.number}</span>`;
  const lead = html`<span class="row"><${Status} status=${change.status} /><${Person} user=${change.createdBy} />
    <span>${t("changes.opened")} <${Ago} at=${change.createdAt} /></span></span>`;
  return html`<${Screen} title=${part ?? `#${change.number} ${change.subject}`.trim()} heading=${heading} lead=${lead} crumbs=${crumbs} organization=${organization}
      side=${html`<${SpaceSide} space=${space} still />`} wide=${wide} actions=${html`<${Actions} change=${change} space=${space} />`}>
    <div class="stack">
      <${LinkTabs} label=${t("changes.parts")} tabs=${tabs} />
      ${change.outdated && ["DRAFT", "OPEN"].includes(change.status) && html`<${Outdated} change=${change} space=${space} />`}
      ${children(change, space)}
    </div>
  <//>`;
}

/** @param {{ change: any, space: any }} props */
function Outdated({ change, space }) {
  const isMine = change.createdBy.restId === me.value?.restId;
  const update = () =>
    attempt(async () => {
      const { result } = await mutate("UpdateChangeRequestFromMain", { space: space.restId, changeRequest: change.restId }, { refresh: ["ChangeRequest", "ChangedPages", "DescriptionsOfChange", "Conflicts", "LinksBrokenByChange"] });
      say(t(`changes.updated-${result}`));
    });
  const actions = (isMine || space.permissions.edit || space.permissions.review) && html`<${Button} small glyph="sync" onClick=${update}>${t("changes.update")}<//>`;
  return html`<${Note} actions=${actions}>${t("changes.outdated")}<//>`;
}

/**
 * The title of a change request, which may have none.
 * @param {{ subject: string }} change
 */
export function titleOf(change) {
  return change.subject || t("changes.untitled");
}
