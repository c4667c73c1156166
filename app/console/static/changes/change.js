// A change request: what it is for, who reviews it, what stands in its way.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Avatar, Badge, Button, Glyph, Person } from "../parts/basic.js";
import { PersonField } from "../parts/people.js";
import { attempt } from "../parts/overlays.js";
import { Rendered } from "../parts/rendered.js";
import { me, organizationOf } from "../session.js";
import { placeOf } from "../comments/place.js";
import { PageView } from "../space/space.js";
import { t } from "../texts.js";
import { Checks } from "./checks.js";
import { ChangeFrame } from "./frame.js";

/** @param {{ params: Record<string, string> }} props */
export default function ChangeRequestScreen({ params }) {
  const path = params["page"] ?? "", organization = params["organization"] ?? "";
  const page = useQuery("ChangeRequestPage", { space: params["space"], change: params["number"], path }, { skip: !path });
  const shown = page.data?.space?.changeRequest?.page;
  if (path) return html`<${ChangeFrame} params=${params} part=${shown?.title ?? path} wide>${(/** @type {any} */ change, /** @type {any} */ space) => html`<${PageView} key=${path} query=${page} page=${shown} organization=${organization} space=${space} change=${change} place=${placeOf(space, change)} />`}<//>`;
  return html`<${ChangeFrame} params=${params}>${(/** @type {any} */ change, /** @type {any} */ space) => html`<div class="change-view">
    <section class="stack" aria-label=${t("changes.description")}>
      ${change.description?.html
        ? html`<${Rendered} text=${change.description.html} label=${t("changes.description")} />`
        : html`<p class="soft">${t("changes.no-description")}</p>`}
      ${change.mergedAt && html`<p class="row"><${Glyph} name="merge" /><${Person} user=${change.mergedBy} /><span>${t("changes.merged")} <${Ago} at=${change.mergedAt} /></span></p>`}
    </section>
    <div class="stack sections">
      <${Reviewers} change=${change} space=${space} />
      ${["DRAFT", "OPEN"].includes(change.status) && html`<${Checks} change=${change} space=${space} />`}
      <${Contributors} change=${change} />
    </div>
  </div>`}<//>`;
}

/**
 * The last review of everybody who gave one.
 * @param {any} change
 * @returns {any[]}
 */
export function lastReviews(change) {
  /** @type {Map<string, any>} */
  const last = new Map();
  for (const each of change.reviews?.nodes ?? []) last.set(each.reviewer.id, each);
  return [...last.values()];
}

/** @param {{ change: any, space: any }} props */
function Reviewers({ change, space }) {
  const [asking, setAsking] = useState(false);
  const asked = change.requestedReviewers?.nodes ?? [], given = lastReviews(change);
  const isMine = change.createdBy.restId === me.value?.restId, isOpen = ["OPEN", "DRAFT"].includes(change.status);
  const may = isOpen && (isMine || space.permissions.review) && !!organizationOf(space.organizationId)?.permissions["listMembers"];
  const ids = { space: space.restId, changeRequest: change.restId };
  const ask = (/** @type {any} */ user) => {
    setAsking(false);
    if (user) return attempt(() => mutate("RequestReviews", { ...ids, users: [user.restId] }, { refresh: ["ChangeRequest"] }));
    return undefined;
  };
  const withdraw = (/** @type {any} */ user) => attempt(() => mutate("WithdrawReviewRequest", { ...ids, user: user.restId }, { refresh: ["ChangeRequest"] }));
  const without = [change.createdBy.restId, ...asked.map((/** @type {any} */ each) => each.restId)];
  return html`<section class="stack tight" aria-labelledby="reviewers"><h2 id="reviewers">${t("changes.reviewers")}</h2>
    ${given.length + asked.length > 0 && html`<ul class="list">
      ${given.map((each) => html`<li key=${each.id}><${GivenReview} review=${each} /></li>`)}
      ${asked.map((/** @type {any} */ user) => html`<li key=${user.id}><${Avatar} user=${user} small /><span class="grow cut" dir="auto">${user.displayName}</span>
        <${Badge} kind="warn"><${Glyph} name="clock" />${t("changes.asked")}<//>
        ${isOpen && (isMine || space.permissions.review || user.restId === me.value?.restId) && html`<${Button} kind="quiet" small glyph="close" label=${t("changes.withdraw", { name: user.displayName })} onClick=${() => withdraw(user)} />`}</li>`)}
    </ul>`}
    ${given.length + asked.length === 0 && html`<p class="soft">${t("changes.no-reviewers")}</p>`}
    ${may && (asking
      ? html`<${PersonField} label=${t("changes.ask")} organization=${space.organizationId} value=${null} onChange=${ask} without=${without} withoutMe=${isMine} />`
      : html`<div><${Button} small glyph="add" onClick=${() => setAsking(true)}>${t("changes.ask")}<//></div>`)}
  </section>`;
}

/** @param {{ review: any }} props */
function GivenReview({ review }) {
  const approved = review.status === "APPROVED";
  return html`<div class="grow stack tight review">
    <div class="row"><${Avatar} user=${review.reviewer} small /><span class="grow cut" dir="auto">${review.reviewer.displayName}</span>
      <${Badge} kind=${approved ? "good" : "bad"}><${Glyph} name=${approved ? "check" : "edit"} />${t(`review.${review.status}`)}<//></div>
    <span class="soft small row"><${Ago} at=${review.createdAt} />${review.outdated && html`<span>${t("review.outdated")}</span>`}</span>
    ${review.comment?.html && html`<details><summary class="small">${t("review.comment")}</summary><${Rendered} text=${review.comment.html} label=${t("review.comment")} /></details>`}
  </div>`;
}

/** @param {{ change: any }} props */
function Contributors({ change }) {
  const people = new Map((change.contributors?.nodes ?? []).map((/** @type {any} */ each) => [each.user.id, each.user]));
  if (!people.size) return null;
  return html`<section class="stack tight"><h2>${t("changes.contributors")}</h2>
    <ul class="people">${[...people.values()].map((user) => html`<li key=${user.id}><${Person} user=${user} /></li>`)}</ul></section>`;
}
