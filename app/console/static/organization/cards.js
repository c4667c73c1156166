// Spaces and collections as cards.

import { html } from "../vendor/preact.js";
import { Ago, Badge, Emoji, Glyph } from "../parts/basic.js";
import { t } from "../texts.js";

/** @param {{ spaces: any[], label?: string }} props */
export function SpaceCards({ spaces, label }) {
  return html`<ul class="cards" aria-label=${label ?? t("palette.spaces")}>${spaces.map((each) => html`<li key=${each.id}><${SpaceCard} space=${each} /></li>`)}</ul>`;
}

/** @param {{ space: any }} props */
function SpaceCard({ space }) {
  if (space.__typename === "Collection")
    return html`<a class="card" href=${space.urls.app}><span class="picture"><${Glyph} name="folder" /></span>
      <strong class="cut" dir="auto">${space.title}</strong><span class="soft small cut" dir="auto">${space.description}</span></a>`;
  return html`<a class="card" href=${space.urls.app}>
    <span class="picture" aria-hidden="true">${space.urls.icon ? html`<img src=${space.urls.icon} alt="" />` : html`<${Emoji} code=${space.emoji} glyph="book" />`}</span>
    <strong class="cut" dir="auto">${space.title}</strong>
    <span class="soft small"><${Ago} at=${space.updatedAt} />${space.openChangeRequests?.totalCount ? html` · ${t("space.changes-open", { count: space.openChangeRequests.totalCount })}` : null}</span>
    ${space.urls.published && html`<${Badge} kind="good"><${Glyph} name="globe" />${t("space.published")}<//>`}
  </a>`;
}
