// Home: what waits for somebody, and where they were last.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { ChangeRow } from "../changes/row.js";
import { SpaceCards } from "../organization/cards.js";
import { Ago, Avatar, Bones, Button, Nothing } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { me, organizationOf, organizations, recentSpaces } from "../session.js";
import { BASE, recall } from "../settings.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";

export default function Home() {
  const who = me.value;
  const organization = organizationOf(recall("organization", "")) ?? organizations.value[0];
  const name = who?.displayName?.split(" ")[0] ?? "";
  const heading = who ? t("home.hello", { name }) : null;
  return html`<${Screen} title=${t("home.title")} heading=${heading} organization=${organization?.restId}>
    ${!who ? html`<${Bones} />` : organization ? html`<${Waiting} organization=${organization} />` : html`<${Alone} />`}
  <//>`;
}

function Alone() {
  const actions = html`<${Button} kind="main" href=${`${BASE}/console/new`}>${t("organization.new")}<//>`;
  return html`<${Nothing} title=${t("home.no-organization")} actions=${actions}>${t("home.no-organization-text")}<//>`;
}

/** @param {{ organization: import("../session.js").Organization }} props */
function Waiting({ organization }) {
  const found = useQuery("Home", { organization: organization.restId, me: me.value.restId });
  const data = found.data?.organization;
  if (!data) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  const order = recentSpaces().map((each) => each.restId);
  const rank = (/** @type {any} */ each) => (order.indexOf(each.restId) + 1 || order.length + 1);
  const spaces = [...(data.spaces?.nodes ?? [])].sort((a, b) => rank(a) - rank(b)).slice(0, 6);
  return html`<div class="stack sections">
    <${Section} title=${t("home.reviews")} list=${data.reviews} none=${t("home.reviews-none")} />
    <${Section} title=${t("home.mentions")} list=${data.mentions} none=${t("home.mentions-none")} row=${(/** @type {any} */ each) => html`<${Mention} mention=${each} />`} />
    <${Section} title=${t("home.drafts")} list=${data.drafts} none=${t("home.drafts-none")} />
    <section class="stack tight">
      <div class="row spread"><h2>${order.length ? t("home.recent") : t("palette.spaces")}</h2>
        <a class="small" href=${`${BASE}/o/${organization.restId}`}>${t("home.all")}</a></div>
      <${SpaceCards} spaces=${spaces} />
    </section>
  </div>`;
}

/** @param {{ mention: any }} props */
function Mention({ mention }) {
  return html`<a class="whole" href=${mention.urls.app}><${Avatar} user=${mention.postedBy} />
    <span class="grow stack tight"><span class="breaks"><strong dir="auto">${mention.postedBy.displayName}</strong>: <span dir="auto">${mention.text}</span></span>
      <span class="soft small breaks"><span dir="auto">${mention.space?.title}</span> · <${Ago} at=${mention.postedAt} /></span></span></a>`;
}

/** @param {{ title: string, list: any, none: string, row?: (node: any) => any }} props `row` is what is in an item: a change request without it */
function Section({ title, list, none, row = (each) => html`<${ChangeRow} change=${each} withSpace />` }) {
  const nodes = list?.nodes ?? [];
  return html`<section class="stack tight"><h2>${title}${list?.totalCount ? html`<span class="count">${list.totalCount}</span>` : null}</h2>
    ${nodes.length
      ? html`<ul class="list">${nodes.map((/** @type {any} */ each) => html`<li key=${each.id ?? each.restId}>${row(each)}</li>`)}</ul>`
      : html`<p class="soft">${none}</p>`}
  </section>`;
}
