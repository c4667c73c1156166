// Threads: comments with their replies and reactions, and what may be done with them.

import { html, useState } from "../vendor/preact.js";
import { mutate } from "../api/queries.js";
import { Ago, Avatar, Badge, Bones, Button, Emoji, Glyph, Nothing } from "../parts/basic.js";
import { Failed, More } from "../parts/lists.js";
import { attempt, confirm, Menu } from "../parts/overlays.js";
import { Prose } from "../parts/prose.js";
import { me } from "../session.js";
import { t } from "../texts.js";
import { Compose } from "./compose.js";
import { QUERIES } from "./place.js";

/** @typedef {import("./place.js").Place} Place */

const EMOJI = ["1f44d", "2764-fe0f", "1f389", "1f440", "1f604", "1f914"];

/** @param {Place} place */
function ids({ space, changeRequest }) {
  return { space, ...(changeRequest ? { changeRequest } : {}) };
}

/**
 * Say something new.
 * @param {{ place: Place, label: string, page?: string, node?: string, focus?: boolean, onSent?: () => void, children?: any }} props
 */
export function NewComment({ place, label, page, node, focus, onSent, children }) {
  const send = async (/** @type {string} */ text) => {
    await mutate("PostComment", { ...ids(place), body: { markdown: text }, ...(page ? { page } : {}), ...(node ? { node } : {}) }, { refresh: QUERIES });
    onSent?.();
  };
  return html`<${Compose} label=${label} send=${send} yes=${t("comments.post")} organization=${place.organization} focus=${focus}>${children}<//>`;
}

/**
 * @param {{ query: import("../api/queries.js").Query, list: (data: any) => any, place: Place, context?: (comment: any) => any, empty?: string }} props
 *   `context` is shown above a comment: what it is about
 */
export function Threads({ query, list, place, context, empty }) {
  const found = query.data && list(query.data);
  if (!found) return query.error ? html`<${Failed} error=${query.error} retry=${() => query.refresh()} />` : html`<${Bones} />`;
  if (!found.nodes.length) return html`<${Nothing} title=${empty ?? t("comments.none")} />`;
  return html`<div class="stack">
    <ol class="threads" aria-label=${t("comments.title")}>${found.nodes.map((/** @type {any} */ each) => html`<li key=${each.id} class="card"><${Thread} comment=${each} place=${place} context=${context?.(each)} /></li>`)}</ol>
    ${found.pageInfo.hasNextPage && html`<${More} load=${() => query.more(list)} />`}
  </div>`;
}

/** @param {{ comment: any, place: Place, context?: any }} props */
function Thread({ comment, place, context }) {
  const [replying, setReplying] = useState(false);
  const at = { ...ids(place), comment: comment.restId }, isOpen = comment.status === "OPEN";
  const mayResolve = comment.permissions.reply;
  const replies = comment.replies?.nodes ?? []; // none where it was deleted while it was read
  const resolve = () => attempt(() => mutate("UpdateComment", { ...at, resolved: isOpen }, { optimistic: { [comment.id]: { status: isOpen ? "RESOLVED" : "OPEN" } }, refresh: QUERIES }));
  const reply = async (/** @type {string} */ text) => {
    await mutate("PostCommentReply", { ...at, body: { markdown: text } }, { refresh: QUERIES });
    setReplying(false);
  };
  return html`<article class="thread stack tight" aria-label=${t("comments.by", { name: comment.postedBy.displayName })}>
    ${context}
    <${Said} said=${comment} organization=${place.organization} update=${(/** @type {any} */ change) => mutate("UpdateComment", { ...at, ...change }, { refresh: QUERIES })}
      remove=${() => mutate("DeleteComment", at, { optimistic: { [comment.id]: null }, refresh: QUERIES })} />
    ${replies.length > 0 && html`<ol class="replies" aria-label=${t("comments.replies")}>
      ${replies.map((/** @type {any} */ each) => html`<li key=${each.id}><${Said} said=${each} organization=${place.organization}
        update=${(/** @type {any} */ change) => mutate("UpdateCommentReply", { ...at, commentReply: each.restId, ...change }, { refresh: QUERIES })}
        remove=${() => mutate("DeleteCommentReply", { ...at, commentReply: each.restId }, { optimistic: { [each.id]: null }, refresh: QUERIES })} /></li>`)}
    </ol>`}
    ${!isOpen && html`<p class="row small"><${Badge} kind="good"><${Glyph} name="check" />${t("comments.resolved")}<//>${comment.resolvedBy && html`<span class="soft">${comment.resolvedBy.displayName} · <${Ago} at=${comment.resolvedAt} /></span>`}</p>`}
    ${replying
      ? html`<${Compose} label=${t("comments.reply-to", { name: comment.postedBy.displayName })} send=${reply} yes=${t("comments.reply")} organization=${place.organization} onCancel=${() => setReplying(false)} focus />`
      : (mayResolve || comment.permissions.reply) && html`<div class="row">
          ${comment.permissions.reply && html`<${Button} small glyph="reply" onClick=${() => setReplying(true)}>${t("comments.reply")}<//>`}
          ${mayResolve && html`<${Button} small kind="quiet" glyph=${isOpen ? "check" : "undo"} onClick=${resolve}>${t(isOpen ? "comments.resolve" : "comments.reopen")}<//>`}
        </div>`}
  </article>`;
}

/**
 * A comment or a reply by itself.
 * @param {{ said: any, organization: string, update: (change: Record<string, unknown>) => Promise<unknown>, remove: () => Promise<unknown> }} props
 */
function Said({ said, organization, update, remove }) {
  const [editing, setEditing] = useState(false);
  const mine = me.value?.restId;
  const erase = async () => {
    if (await confirm({ title: t("comments.delete"), yes: t("delete"), danger: true })) await attempt(remove);
  };
  const save = async (/** @type {string} */ text) => (await update({ body: { markdown: text } }), setEditing(false));
  const toggle = (/** @type {string} */ emoji) => {
    const known = said.reactions.find((/** @type {any} */ each) => each.emoji === emoji);
    const isMine = known?.users.some((/** @type {any} */ each) => each.user.restId === mine);
    return attempt(() => update({ [isMine ? "removedReactions" : "addedReactions"]: [emoji] }));
  };
  const more = [
    ...EMOJI.map((emoji) => ({ label: `${glyphOf(emoji)} ${t("comments.react")}`, onChoose: () => toggle(emoji) })),
    ...(said.permissions.edit || said.permissions.delete ? ["-"] : []),
    said.permissions.edit && { label: t("comments.edit"), glyph: "edit", onChoose: () => setEditing(true) },
    said.permissions.delete && { label: t("comments.delete-it"), glyph: "trash", danger: true, onChoose: erase },
  ];
  return html`<div class="said stack tight">
    <div class="row"><${Avatar} user=${said.postedBy} small /><strong class="cut" dir="auto">${said.postedBy.displayName}</strong>
      <span class="soft small grow"><${Ago} at=${said.postedAt} />${said.editedAt ? ` · ${t("comments.edited")}` : ""}</span>
      <${Menu} label=${t("comments.more")} small choices=${more} end /></div>
    ${editing
      ? html`<${Compose} label=${t("comments.edit")} send=${save} yes=${t("save")} organization=${organization} start=${said.body?.markdown ?? ""} onCancel=${() => setEditing(false)} focus />`
      : html`<${Prose} document=${said.body?.document} />`}
    ${said.reactions.length > 0 && html`<ul class="reactions" aria-label=${t("comments.reactions")}>${said.reactions.map((/** @type {any} */ each) => {
      const names = each.users.map((/** @type {any} */ one) => one.user.displayName).join(", "), isMine = each.users.some((/** @type {any} */ one) => one.user.restId === mine);
      return html`<li key=${each.emoji}><button type="button" class=${`reaction ${isMine ? "mine" : ""}`} aria-pressed=${String(isMine)} title=${names}
        onClick=${() => toggle(each.emoji)}><${Emoji} code=${each.emoji} /> ${each.count}<span class="unseen"> ${glyphOf(each.emoji)} ${names}</span></button></li>`;
    })}</ul>`}
  </div>`;
}

/** @param {string} code */
function glyphOf(code) {
  return String.fromCodePoint(...code.split("-").map((each) => parseInt(each, 16)));
}
