// The editor: a page's source with what it will look like beside it; saved live or in a change request.

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { useLive } from "../api/live.js";
import { send } from "../api/client.js";
import { ownQuery, refresh, useQuery } from "../api/queries.js";
import { Bones, Button, Nothing } from "../parts/basic.js";
import { later, whenIdle } from "../parts/later.js";
import { Tabs } from "../parts/lists.js";
import { isNarrow } from "../parts/narrow.js";
import { attempt, confirm, Menu, opening, say } from "../parts/overlays.js";
import { useShortcuts } from "../parts/shortcuts.js";
import { go, guard, here } from "../router.js";
import { BASE, recall, remember } from "../settings.js";
import { ComputedText } from "../sources/computed.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { mayWrite, SpaceSide, spacePath } from "../space/side.js";
import { t } from "../texts.js";
import { Fields } from "./fields.js";
import { pagesOf } from "./links.js";
import { draftAt, draftName, dropDraft, keepDraft } from "./drafts.js";
import { Kept, Notes } from "./notes.js";
import { Preview } from "./preview.js";
import { Source } from "./text.js";
import { Writing } from "./writing.js";

const ChooseChange = later(() => import("./saving.js"), "ChooseChange", opening);

/** @typedef {import("./writing.js").Place} Place */
/** @typedef {import("./saving.js").Change} Change */

let last = { shown: "", key: "" }; // the page that saving led to is the one that is shown already

/** @param {{ params: Record<string, string>, query: URLSearchParams }} props */
export default function EditorScreen({ params, query }) {
  const place = {
    organization: params["organization"] ?? "", space: params["space"] ?? "", path: params["page"] ?? "",
    change: query.get("change") ?? "", into: query.get("into") ?? "", page: "",
    title: query.get("title") ?? "",
  };
  const shown = `${place.space} ${place.path}?${query}`, key = last.shown === shown ? last.key : shown;
  if (!place.path && place.change && !place.into && !query.has("new")) return html`<${FirstPage} place=${place} />`;
  return html`<${Loading} key=${key} place=${place} onMoved=${(/** @type {string} */ to) => (last = { shown: `${place.space} ${to}`, key })} />`;
}

/**
 * Goes on to the first page of a change request's space, or to a new one where there is none.
 * @param {{ place: Place }} props
 */
function FirstPage({ place: { organization, space, change } }) {
  const tree = useQuery("SpaceTree", { space }), head = useQuery("Space", { space }), isKnown = !!tree.data && !!head.data;
  useEffect(() => {
    const path = pagesOf(space)[0]?.path.split("/").map(encodeURIComponent).join("/") ?? "";
    if (isKnown && head.data.space) void go(`${spacePath(head.data.space)}/~/edit/${path}?change=${encodeURIComponent(change)}${path ? "" : "&new=1"}`, { replace: true });
  }, [isKnown]);
  return html`<${Without} query=${tree.error ? tree : head} organization=${organization} />`;
}

/** @param {{ place: Place, onMoved: (to: string) => void }} props `to` is the path of a page and a query */
function Loading({ place, onMoved }) {
  const first = useRef(place).current, { organization, space, change, path } = first, [isNew, setNew] = useState(!path);
  const [found] = useState(() => ownQuery("EditedPage", { space, change, path, inChange: !!change, inSpace: !change && !!path, isNew: !path }));
  const head = useQuery("Space", { space });
  useLayoutEffect(() => found.ask(), [found]);
  const data = found.data?.space, where = change ? data?.changeRequest : data, page = where?.page;
  const now = { ...first, change: change ? (where?.restId ?? change) : "" }; // addresses name a change request by its number
  const writing = useMemo(() => (where && (page || isNew) ? new Writing({ ...now, page: page?.restId ?? "" }, page ?? null, where.revisionId) : null), [!!where, page?.restId, isNew]);
  const kept = html`<${Kept} writing=${writing} place=${now} />`;
  const whole = head.data?.space;
  if (!data || !where || !whole) return html`<${Without} query=${data && !where ? found : data ? head : found} organization=${organization}>${kept}<//>`;
  const base = spacePath(whole), crumbs = [{ label: whole.title, to: base }];
  const around = (/** @type {any} */ inside) => html`<${Screen} title=${page?.title ?? t("editor.new")} crumbs=${crumbs} organization=${organization} side=${html`<${SpaceSide} space=${whole} page=${page?.id} />`}>${inside}<//>`;
  if (!mayWrite(whole) || writing?.refused.value) return around(html`<div class="stack"><${NeedsPermission} permission="edit" organization=${organization} />${kept}</div>`);
  if (!writing && found.isLoading) return around(null);
  if (!writing) return html`<${Overtaken} query=${found} place=${now} number=${change} onGone=${() => setNew(true)} base=${base} />`;
  if (page && page.type !== "DOCUMENT") return around(html`<${Nothing} title=${t("editor.no-text")} />`);
  if (page?.computed) return around(html`<${ComputedText} page=${page} space=${whole} change=${change ? where : null} back=${BASE + (change ? `${base}/~/changes/${where.number}` : base)}/${page.path.split("/").map(encodeURIComponent).join("/")} />`);
  if (where.status && !["DRAFT", "OPEN"].includes(where.status)) return around(html`<div class="stack"><${Nothing} title=${t("editor.closed")} />${kept}</div>`);
  return html`<${Editor} writing=${writing} space=${whole} page=${page} change=${change ? where : null} onMoved=${onMoved} />`;
}

/**
 * Where no page is at the path: goes on to where the page is now that somebody wrote here and has not saved, or puts
 * their draft into a new page if it was deleted.
 * @param {{ query: import("../api/queries.js").Query, place: Place, number: string, base: string, onGone: () => void }} props `number` is that of the change request
 */
function Overtaken({ query, place, number, base, onGone }) {
  const draft = draftAt(place), { space, change, path } = place;
  useEffect(() => {
    if (!draft) return;
    const written = draft.page, of = { space, change: change || "live" };
    if (!written) return onGone();
    void attempt(async () => {
      const { data } = await send("EditedPageNow", { space, change, page: written, inChange: !!change });
      const page = (change ? data?.space?.changeRequest : data?.space)?.page;
      if (page) return go(`${base}/~/edit/${page.path.split("/").map(encodeURIComponent).join("/")}${number ? `?change=${number}` : ""}`, { replace: true });
      keepDraft(draftName({ ...of, page: `new-${path}` }), { ...draft, document: null, page: "" });
      dropDraft(draftName({ ...of, page: written }));
      onGone();
    });
  }, [draft?.page]);
  return draft ? html`<${Screen} title=""><${Bones} /><//>` : html`<${Without} query=${query} organization=${place.organization} />`;
}

/** @param {{ writing: Writing, space: any, page: any, change: Change | null, onMoved: (to: string) => void }} props */
function Editor({ writing, space, page, change: begun, onMoved }) {
  const [change, setChange] = useState(begun), [asks, setAsks] = useState(false), [tab, setTab] = useState("write");
  const [beside, setBeside] = useState(recall("editor.preview", true));
  const sync = useMemo(() => ({ line: () => null, follow: null }), []);
  const base = spacePath(space), isLive = !change && space.editMode === "LIVE" && space.permissions.merge;
  const state = writing.state.value, content = writing.content.value, isSaving = state === "saving";
  const isOpen = !writing.place.page || writing.isChanged.value;
  useEffect(() => {
    const keep = () => writing.keep();
    addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", keep);
    const unguard = guard(() => (keep(), writing.state.peek() !== "lost" || confirm({ title: t("editor.leave"), text: t("editor.leave-text"), yes: t("editor.leave-yes"), danger: true })));
    return () => (keep(), unguard(), removeEventListener("pagehide", keep), document.removeEventListener("visibilitychange", keep));
  }, [writing]);
  useEffect(() => {
    if (state !== "lost") return undefined;
    const stay = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [state]);
  useEffect(() => whenIdle(ChooseChange.ahead), []);
  const revision = space.revisionId;
  useEffect(() => {
    if (!change && revision !== writing.revision) void writing.look().catch(() => undefined); // saving says it again
  }, [revision]);
  useLive("ChangeRequestChanged", change && { changeRequest: change.id }, () => void writing.look().catch(() => undefined));

  const saveTo = async (/** @type {Change | null} */ to) => {
    const saved = await writing.save(to?.restId ?? "");
    setAsks(false);
    if (!saved) return void (writing.compares.value = true); // nothing is saved yet
    if (to) setChange(to);
    const path = (saved.path ?? "").split("/").map(encodeURIComponent).join("/"), address = `${base}/~/edit/${path}`;
    const query = to ? `change=${to.number}` : "";
    if (`${here.peek().path}?${here.peek().query}` !== `${address}?${query}`) {
      onMoved(`${saved.path ?? ""}?${query}`);
      await go(query ? `${address}?${query}` : address, { replace: true });
    }
    say(to ? t("editor.saved-in", { number: to.number }) : t("editor.saved-live"));
  };
  const save = async () => {
    if (isSaving || !isOpen) return;
    if (!content.title.trim() && !content.text.trim()) return say(t("editor.needs-title"));
    if (!change && !isLive) return setAsks(true);
    await attempt(() => saveTo(change).catch((error) => {
      void refresh(["Space"]); // perhaps one may not write here any more
      throw error;
    }));
  };
  const mayUpload = () => {
    if (!change && !isLive) say(t("editor.upload-needs-change"), { action: { label: t("editor.propose"), onClick: () => setAsks(true) } });
    return !!change || isLive;
  };
  const discard = async () => {
    if (await confirm({ title: t("editor.discard-title"), text: t("editor.discard-text"), yes: t("editor.discard"), danger: true })) writing.discard();
  };
  const toggle = () => (remember("editor.preview", !beside), setBeside(!beside));
  useShortcuts([
    { keys: "Mod+s", label: t("editor.save"), run: save },
    { keys: "Mod+\\", label: t("editor.toggle-preview"), run: toggle },
  ]);
  const view = change ? `${base}/~/changes/${change.number}/${writing.place.path}` : `${base}/${writing.place.path}`;
  const label = isLive ? t("editor.publish") : change ? t("editor.save-in", { number: change.number }) : t("editor.propose");
  const actions = html`
    <span class="editor-state soft small" role="status">${t(`editor.state-${state || (isOpen ? "open" : "none")}`)}</span>
    <${Button} kind="main" glyph=${isLive ? "live" : "branch"} busy=${isSaving} disabled=${!isOpen} onClick=${save}>${label}<//>
    <${Menu} label=${t("editor.actions")} end choices=${[
      isLive && { label: t("editor.propose"), glyph: "branch", disabled: !isOpen, onChoose: () => setAsks(true) },
      { label: t("editor.toggle-preview"), glyph: "eye", checked: beside, onChoose: toggle },
      { label: t("editor.view"), glyph: "file", href: BASE + view },
      "-",
      { label: t("editor.discard"), glyph: "trash", danger: true, disabled: !writing.isChanged.value, onChoose: discard },
    ]} />`;
  const crumbs = [
    { label: space.title, to: base },
    ...(change ? [{ label: `#${change.number}`, to: `${base}/~/changes/${change.number}` }] : []),
    ...(page?.ancestors ?? []).map((/** @type {any} */ each) => ({ label: each.title })),
  ];
  return html`<${Screen} title=${content.title || t("editor.new")} heading=${null} crumbs=${crumbs} organization=${space.organizationId} actions=${actions} bare
      side=${html`<${SpaceSide} space=${space} page=${page?.id} />`}>
    <h1 class="unseen">${t("editor.heading", { title: content.title || t("editor.new") })}</h1>
    <div class=${`editor shows-${tab} ${beside ? "" : "alone"}`}>
      <${Notes} writing=${writing} onDiscard=${discard} />
      <div class="editor-tabs"><${Tabs} label=${t("editor.parts")} tabs=${[["write", t("editor.write")], ["preview", t("editor.preview")]]} chosen=${tab} onChoose=${setTab} id="editor-panes" /></div>
      <div class="editor-panes" id="editor-panes" inert=${writing.compares.value && !!writing.theirs.value}>
        <div class="editor-write"><${Fields} writing=${writing} mayUpload=${mayUpload} /><${Source} writing=${writing} sync=${sync} mayUpload=${mayUpload} /></div>
        ${(tab === "preview" || (beside && !isNarrow.value)) && html`<${Preview} writing=${writing} sync=${sync} />`}
      </div>
    </div>
    ${asks && html`<${ChooseChange} space=${space.restId} title=${content.title || t("editor.new")} onSave=${saveTo} onClose=${() => setAsks(false)} />`}
  <//>`;
}
