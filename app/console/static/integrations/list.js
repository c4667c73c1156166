// The integrations that an organization has installed, may install, and has published.

import { html, useEffect, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Badge, Bones, Nothing } from "../parts/basic.js";
import { TextField } from "../parts/forms.js";
import { Failed, LinkTabs, More } from "../parts/lists.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";

const PAUSE = 200; // milliseconds without a key after which integrations are searched
const PARTS = ["", "installed", "own"];

/** @param {{ params: Record<string, string> }} props `part` is empty for all that may be installed */
export default function Integrations({ params }) {
  const organization = params["organization"] ?? "", part = params["part"] ?? "", [typed, setTyped] = useState(""), [search, setSearch] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  const everything = useQuery("Integrations", { organization, owner: organization });
  const found = useQuery("Integrations", { organization, owner: organization, ...(search ? { search } : {}) });
  const data = everything.data?.organization;
  if (!data?.installations) return html`<${Without} query=${everything} organization=${organization} />`;
  const base = `/o/${organization}/integrations`, installed = data.installations.nodes.filter((/** @type {any} */ each) => each.integration);
  const status = new Map(installed.map((/** @type {any} */ each) => [each.integration.id, each.status]));
  const here = found.data, fits = (/** @type {any} */ each) => `${each.title} ${each.description}`.toLowerCase().includes(search.toLowerCase());
  const shown = part === "installed" ? installed.map((/** @type {any} */ each) => each.integration).filter(fits) : part === "own" ? here?.own?.nodes : here?.organization?.integrations?.nodes;
  const tabs = PARTS.map((each) => ({ to: each ? `${base}/~/${each}` : base, label: t(`integrations.tab-${each || "all"}`), count: each === "installed" ? installed.length : null }));
  return html`<${Screen} title=${t("integrations.title")} lead=${t("integrations.text")} organization=${organization}>
    <div class="stack">
      <${LinkTabs} label=${t("integrations.title")} tabs=${tabs} exact />
      <${TextField} label=${t("integrations.search")} type="search" value=${typed} onInput=${setTyped} maxlength="100" />
      ${found.error && html`<${Failed} error=${found.error} retry=${() => found.refresh()} />`}
      ${!shown && !found.error && html`<${Bones} />`}
      ${shown?.length === 0 && html`<${Nothing} title=${t(search ? "integrations.none-found" : `integrations.none-${part || "all"}`)}>${!search && t(`integrations.none-${part || "all"}-text`)}<//>`}
      ${shown?.length > 0 && html`<ul class="integrations" aria-label=${t(`integrations.tab-${part || "all"}`)}>${shown.map((/** @type {any} */ each) => html`<li key=${each.id}>
        <a class="card integration-card" href=${`${BASE}${base}/${each.name}`}>
          <${Icon} integration=${each} />
          <span class="grow stack tight"><span class="row"><strong class="breaks" dir="auto">${each.title}</strong><${Status} status=${status.get(each.id)} /></span>
            <span class="breaks" dir="auto">${each.description}</span>
            <span class="soft small breaks" dir="auto">${t("integrations.by", { name: each.owner.title })}</span></span>
        </a></li>`)}</ul>`}
      ${!part && here?.organization?.integrations?.pageInfo.hasNextPage && html`<${More} load=${() => found.more((all) => all.organization.integrations)} />`}
    </div>
  <//>`;
}

/** @param {{ integration: any }} props */
export function Icon({ integration }) {
  const picture = integration.urls.icon;
  return picture ? html`<img class="integration-icon" src=${picture} alt="" loading="lazy" />`
    : html`<span class="integration-icon" aria-hidden="true">${[...integration.title][0] ?? "?"}</span>`;
}

/** @type {Record<string, string>} */
const LOOKS = { ACTIVE: "good", PENDING: "warn", PAUSED: "bad" };

/** How an installation stands; nothing where there is none. @param {{ status: string | undefined }} props */
export function Status({ status }) {
  return status ? html`<${Badge} kind=${LOOKS[status]}>${t(`integrations.status-${status}`)}<//>` : null;
}
