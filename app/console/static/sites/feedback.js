// What visitors say of a site: how many its pages helped, their comments, and what is missing.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Badge, Button, Note, Nothing } from "../parts/basic.js";
import { Checkbox, Select } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm } from "../parts/overlays.js";
import { t } from "../texts.js";

/** The ratings, with the kinds of their badges. @type {[string, string][]} */
const RATINGS = [["GOOD", "good"], ["OK", "warn"], ["BAD", "bad"]];
/** Where feedback is given. */
const SOURCES = ["PAGE", "SEARCH", "NOT_FOUND", "AGENT"];
const AGAIN = { refresh: ["SiteFeedback", "SiteFeedbackCounts"] };

/** @param {{ site: any, organization: string }} props */
export function SiteFeedback({ site: { restId, permissions }, organization }) {
  const [source, setSource] = useState(""), [rating, setRating] = useState(""), [withComment, setWithComment] = useState(false);
  const place = { organization, site: restId }, filter = { ...(source ? { source } : {}), ...(rating ? { rating } : {}), withComment };
  const found = useQuery("SiteFeedback", { ...place, filter }), site = useQuery("SiteFeedbackCounts", place).data?.organization?.site;
  const remove = async (/** @type {any} */ each) => {
    const sure = await confirm({ title: t("feedback.delete-ask"), text: t("feedback.delete-text"), yes: t("delete"), danger: true });
    if (sure) await attempt(() => mutate("DeleteSiteFeedback", { ...place, pageFeedback: each.restId }, AGAIN));
  };
  const row = (/** @type {any} */ each) => html`<div class="grow stack tight">
      <span class="row">${each.rating ? html`<${RatingBadge} rating=${each.rating} />` : html`<${Badge}>${t(`feedback.from-${each.source}`)}<//>`}
        <${Subject} feedback=${each} />
        <span class="soft small"><${Ago} at=${each.createdAt} /></span></span>
      ${each.comment && html`<p class="breaks feedback-comment" dir="auto">${each.comment}</p>`}
    </div>
    ${permissions.edit && html`<${Button} kind="quiet" small glyph="trash" label=${t("feedback.delete")} onClick=${() => remove(each)} />`}`;
  const empty = source || rating || withComment ? html`<p>${t("feedback.not-found")}</p>` : html`<${Nothing} title=${t("feedback.none")}>${t("feedback.none-text")}<//>`;
  const ratings = RATINGS.map(([each]) => /** @type {[string, string]} */ ([each, t(`feedback.rating-${each}`)]));
  const sources = SOURCES.map((each) => /** @type {[string, string]} */ ([each, t(`feedback.source-${each}`)]));
  return html`<section class="stack feedback">
    <p class="soft">${t("feedback.text")}</p>
    ${site && !site.customization?.feedback?.enabled && html`<${Note} actions=${html`<${Button} small href=${`/o/${organization}/site/${restId}/look`}>${t("look.title")}<//>`}>${t("feedback.off")}<//>`}
    ${site && html`<${Summary} site=${site} />`}
    <div class="row feedback-filters">
      <${Select} label=${t("feedback.source")} value=${source} onChange=${setSource} options=${[["", t("feedback.all")], ...sources]} />
      <${Select} label=${t("feedback.rating")} value=${rating} onChange=${setRating} options=${[["", t("feedback.all")], ...ratings]} />
      <${Checkbox} label=${t("feedback.with-comment")} checked=${withComment} onChange=${setWithComment} />
    </div>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.site.feedback} label=${t("feedback.title")} empty=${empty} row=${row} />
  </section>`;
}

/** What the feedback is about: a page, what was searched for, or where there is no page. @param {{ feedback: any }} props */
function Subject({ feedback: { page, query, source, url } }) {
  if (page) return html`<a class="breaks" dir="auto" href=${page.urls.app}>${page.title}</a>`;
  if (source === "PAGE") return html`<span class="soft">${t("feedback.page-gone")}</span>`;
  if (source === "NOT_FOUND") return html`<code class="breaks" dir="ltr">${url}</code>`;
  return query ? html`<span class="breaks" dir="auto">${t("feedback.searched", { query })}</span>` : null;
}

/** @param {{ rating: string }} props */
function RatingBadge({ rating }) {
  return html`<${Badge} kind=${new Map(RATINGS).get(rating)}>${t(`feedback.rating-${rating}`)}<//>`;
}

/** How many visitors gave each rating. @param {{ site: any }} props */
function Summary({ site }) {
  const counts = RATINGS.map(([rating]) => /** @type {[string, number]} */ ([rating, site[rating.toLowerCase()]?.totalCount ?? 0]));
  if (!counts.some(([, count]) => count)) return null;
  return html`<ul class="row feedback-counts" aria-label=${t("feedback.counts")}>
    ${counts.map(([rating, count]) => html`<li key=${rating} class="row"><strong>${count}</strong> <${RatingBadge} rating=${rating} /></li>`)}
  </ul>`;
}
