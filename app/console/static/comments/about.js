// What a comment is about: a page, a block of it.

import { html } from "../vendor/preact.js";
import { Badge, Glyph } from "../parts/basic.js";
import { t } from "../texts.js";

/** @param {{ comment: any, base?: string, onShow?: () => void }} props `base` is the address below which pages are */
export function About({ comment, base, onShow }) {
  const { pageSummary: page, node } = comment.target;
  if (!page && !comment.target.reviewId) return null;
  const path = page ? `${base}/${page.path.split("/").map(encodeURIComponent).join("/")}?comments` : "";
  return html`<div class="about small soft">
    ${comment.target.reviewId && html`<span class="row"><${Glyph} name="check" />${t("comments.of-review")}</span>`}
    ${page && base && html`<a class="row" href=${path}><${Glyph} name="file" /><span class="cut" dir="auto">${page.title}</span></a>`}
    ${node && html`<blockquote class="cut" dir="auto">${onShow ? html`<button type="button" class="plain-button cut" onClick=${onShow}>${node.preview}</button>` : node.preview}</blockquote>`}
    ${page?.outdated && html`<${Badge} kind="warn">${t("comments.outdated")}<//>`}
  </div>`;
}
