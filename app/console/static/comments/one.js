// One comment with its replies, where an address names it.

import { html } from "../vendor/preact.js";
import { here } from "../router.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";
import { Threads } from "./threads.js";

/** Return the id of the comment that the address names; empty for all. */
export function namedComment() {
  return here.value.query.get("comment") ?? "";
}

/**
 * @param {{ query: import("../api/queries.js").Query, found: (data: any) => any, place: import("./place.js").Place, context?: (comment: any) => any }} props
 *   `found` returns the comment in an answer
 */
export function OneComment({ query, found, place, context }) {
  const list = (/** @type {any} */ data) => {
    const comment = found(data);
    return { nodes: comment ? [comment] : [], pageInfo: { hasNextPage: false } };
  };
  return html`<p><a href=${BASE + here.value.path}>${t("comments.all")}</a></p>
    <${Threads} query=${query} list=${list} place=${place} empty=${t("comments.gone")} context=${context} />`;
}
