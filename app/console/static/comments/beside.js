// Comments beside the text of a page; a new one is about the page, or a block that is chosen from a list or clicked.

import { html, useEffect, useState } from "../vendor/preact.js";
import { refresh, useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Button } from "../parts/basic.js";
import { Select } from "../parts/forms.js";
import { wordsOf } from "../parts/prose.js";
import { t } from "../texts.js";
import { About } from "./about.js";
import { QUERIES } from "./place.js";
import { NewComment, Threads } from "./threads.js";

const PREVIEW = 60; // characters of a block in the list

/**
 * @param {{ place: import("./place.js").Place, page: any, clicked?: { text: string } | null, onShow?: (preview: string) => void, live?: boolean }} props
 *   `page` has `id` and `restId`; `clicked` is the beginning of the block that was clicked in the text; `onShow` shows a
 *   block in the text
 */
export function CommentsBeside({ place, page, clicked, onShow, live = true }) {
  const [status, setStatus] = useState("OPEN"), [node, setNode] = useState("");
  const { changeRequest: change, space } = place;
  const found = useQuery(change ? "ChangedPageComments" : "PageComments", { space, page: page.restId, status, ...(change ? { change } : {}) });
  useLive("CommentChanged", live ? { page: page.id } : null, () => void refresh(QUERIES));
  const pageOf = (/** @type {any} */ data) => (change ? data.space?.changeRequest?.page : data.space?.page);
  const blocks = (found.data && pageOf(found.data)?.blocks?.nodes) ?? [];
  const choices = blocks
    .map((/** @type {any} */ each) => /** @type {[string, string]} */ ([each.key, wordsOf(each)]))
    .filter((/** @type {[string, string]} */ [key, words]) => key !== undefined && words);
  useEffect(() => {
    if (!clicked) return;
    const words = clicked.text.replace(/\s+/g, " ").trim();
    const met = choices.find((/** @type {[string, string]} */ [, text]) => words && (text.startsWith(words) || words.startsWith(text)));
    if (met) setNode(met[0]);
  }, [clicked]);
  useEffect(() => setNode(""), [page.restId]);
  const options = [["", t("comments.whole-page")], ...choices.map((/** @type {[string, string]} */ [key, text]) => [key, text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text])];
  return html`<aside class="beside stack" aria-label=${t("comments.title")}>
    <div class="row spread"><h2>${t("comments.title")}</h2>
      <${Button} small kind="quiet" aria-pressed=${String(status === "RESOLVED")} onClick=${() => setStatus(status === "OPEN" ? "RESOLVED" : "OPEN")}>${t(status === "OPEN" ? "comments.show-resolved" : "comments.show-open")}<//></div>
    ${place.mayComment && status === "OPEN" && html`<${NewComment} place=${place} label=${t("comments.new")} page=${page.restId} node=${node} onSent=${() => setNode("")}>
      ${choices.length > 0 && html`<${Select} label=${t("comments.about")} value=${node} options=${options} onChange=${setNode} />`}<//>`}
    <${Threads} query=${found} list=${(/** @type {any} */ data) => pageOf(data)?.comments} place=${place} empty=${t(`comments.none-${status}`)}
      context=${(/** @type {any} */ comment) => html`<${About} comment=${comment} onShow=${onShow && comment.target.node ? () => onShow(comment.target.node.preview) : undefined} />`} />
  </aside>`;
}
