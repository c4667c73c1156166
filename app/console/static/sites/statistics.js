// What visitors of a site read and search for, over time, and what they look for in vain.

import { html, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Ago, Badge, Bones, Button, Note } from "../parts/basic.js";
import { Select } from "../parts/forms.js";
import { Failed, Listing } from "../parts/lists.js";
import { BASE } from "../settings.js";
import { currentLanguage, date, number, t } from "../texts.js";

const DAY = 86_400_000; // milliseconds
/** The ranges with the length of their periods. @type {[number, string][]} */
const RANGES = [[7, "DAY"], [30, "DAY"], [90, "WEEK"], [365, "MONTH"]];
const NUMBERS = ["views", "visitors", "searches", "searchesWithoutResults", "brokenUrls", "agentReads", "botReads"];
const SHARES = ["referrers", "spaces", "languages", "devices"];
const HEIGHT = 100, WIDTH = 600; // of the chart

/** @param {number} days */
function sinceOf(days) {
  return new Date(Date.now() - (days - 1) * DAY).toISOString().slice(0, 10);
}

/** @param {{ site: any, organization: string }} props */
export function SiteStatistics({ site: { restId }, organization }) {
  const [days, setDays] = useState(30), since = sinceOf(days), place = { organization, site: restId };
  const found = useQuery("SiteStatistics", { ...place, since, interval: new Map(RANGES).get(days) });
  const numbers = found.data?.organization?.site?.statistics, base = `${BASE}/o/${organization}/site/${restId}`;
  return html`<section class="stack statistics">
    <p class="soft">${t("statistics.text")}</p>
    ${numbers?.enabled === false && html`<${Note} actions=${html`<${Button} small href=${`${base}/look`}>${t("look.title")}<//>`}>${t("statistics.off")}<//>`}
    <div class="row statistics-head"><${Select} label=${t("statistics.range")} value=${String(days)} onChange=${(/** @type {string} */ value) => setDays(Number(value))}
        options=${RANGES.map(([each]) => [String(each), t(`statistics.days-${each}`)])} />
      ${numbers && html`<${Button} glyph="download" onClick=${() => download(numbers)}>${t("statistics.csv")}<//>`}</div>
    ${numbers ? html`<${Numbers} numbers=${numbers} /><${Chart} numbers=${numbers} />` : found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`}
    <div class="statistics-parts"><${Pages} place=${place} since=${since} /><${Terms} place=${place} since=${since} />
      <${Missing} place=${place} since=${since} organization=${organization} /><${Broken} place=${place} since=${since} base=${base} /></div>
    <${Shares} place=${place} since=${since} />
  </section>`;
}

/** Numbers of the range, each with how it has changed. @param {{ numbers: any }} props */
function Numbers({ numbers: { totals, previous } }) {
  return html`<dl class="statistics-numbers" aria-label=${t("statistics.title")}>${NUMBERS.map((name) => html`<div key=${name}>
      <dt>${t(`statistics.${name}`)}</dt><dd><strong>${number(totals[name])}</strong> <${Change} now=${totals[name]} before=${previous[name]} /></dd></div>`)}</dl>`;
}

/** @param {{ now: number, before: number }} props */
function Change({ now, before }) {
  if (!before) return null;
  const share = (now - before) / before, text = share.toLocaleString(currentLanguage(), { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 });
  return html`<span class="soft small" title=${t("statistics.before", { count: before })}>${text}</span>`;
}

/** Views and visitors of each period, as bars and as a table. @param {{ numbers: any }} props */
function Chart({ numbers: { periods } }) {
  const most = Math.max(1, ...periods.map((/** @type {any} */ each) => each.views)), step = WIDTH / periods.length;
  const bar = (/** @type {any} */ each, /** @type {number} */ place, /** @type {string} */ name) => {
    const height = (each[name] / most) * HEIGHT;
    return html`<rect key=${name} class=${name} x=${place * step + step * 0.12} y=${HEIGHT - height} width=${step * 0.76} height=${height} />`;
  };
  const label = t("statistics.chart", { first: day(periods[0].since), last: day(periods.at(-1).until), most });
  return html`<figure class="statistics-chart">
    <div class="row small soft"><span class="statistics-key views">${t("statistics.views")}</span><span class="statistics-key visitors">${t("statistics.visitors")}</span><span class="statistics-end">${t("statistics.most", { most })}</span></div>
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>
      ${periods.map((/** @type {any} */ each, /** @type {number} */ place) => html`<g key=${each.since}><title>${`${span(each)}: ${number(each.views)} / ${number(each.visitors)}`}</title>
        <rect class="ground" x=${place * step} y="0" width=${step} height=${HEIGHT} />${bar(each, place, "views")}${bar(each, place, "visitors")}</g>`)}
    </svg>
    <div class="row small soft"><span>${day(periods[0].since)}</span><span class="statistics-end">${day(periods.at(-1).until)}</span></div>
    <details><summary>${t("statistics.table")}</summary><div class="statistics-table" tabindex="0" role="region" aria-label=${t("statistics.table")}><table>
      <thead><tr><th scope="col">${t("statistics.period")}</th>${NUMBERS.map((name) => html`<th key=${name} scope="col">${t(`statistics.${name}`)}</th>`)}</tr></thead>
      <tbody>${periods.map((/** @type {any} */ each) => html`<tr key=${each.since}><th scope="row">${span(each)}</th>${NUMBERS.map((name) => html`<td key=${name}>${number(each[name])}</td>`)}</tr>`)}</tbody>
    </table></div></details>
  </figure>`;
}

/** @param {string} text a date in UTC */
function day(text) {
  return date(`${text}T12:00:00`);
}

/** @param {any} period */
function span(period) {
  return period.since === period.until ? day(period.since) : `${day(period.since)} – ${day(period.until)}`;
}

/** Save the periods as a file that spreadsheets open. @param {any} numbers */
function download({ periods, since, until }) {
  const names = ["since", "until", ...NUMBERS], lines = [names, ...periods.map((/** @type {any} */ each) => names.map((name) => each[name]))];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.map((each) => `${each.join(",")}\r\n`).join("")], { type: "text/csv" }));
  link.download = `statistics-${since}-${until}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @typedef {{ organization: string, site: string }} Place */

/** @param {{ name: string, query: any, list: (site: any) => any, row: (node: any) => any }} props */
function Part({ name, query, list, row }) {
  return html`<section class="stack tight"><h2>${t(`statistics.${name}`)}</h2>
    <${Listing} query=${query} list=${(/** @type {any} */ all) => all.organization.site && list(all.organization.site)} row=${row} label=${t(`statistics.${name}`)} empty=${html`<p class="soft">${t("statistics.none")}</p>`} /></section>`;
}

/** @param {{ place: Place, since: string }} props */
function Pages({ place, since }) {
  const row = (/** @type {any} */ each) => html`${each.page ? html`<a class="grow breaks" dir="auto" href=${each.page.urls.app}>${each.page.title}</a>` : html`<span class="grow soft">${t("feedback.page-gone")}</span>`}
    ${each.agentReads > 0 && html`<span class="soft small">${t("statistics.by-agents", { count: each.agentReads })}</span>`}<strong>${number(each.views)}</strong>`;
  return html`<${Part} name="pages" query=${useQuery("SitePageViews", { ...place, filter: { since } })} list=${(/** @type {any} */ site) => site.pageViews} row=${row} />`;
}

/** @param {{ place: Place, since: string }} props */
function Terms({ place, since }) {
  const row = (/** @type {any} */ each) => html`<span class="grow breaks" dir="auto">${each.term}</span><strong>${number(each.searches)}</strong>`;
  return html`<${Part} name="searches" query=${useQuery("SiteSearchedTerms", { ...place, filter: { since, withoutResults: false } })} list=${(/** @type {any} */ site) => site.searchedTerms} row=${row} />`;
}

/** @param {{ place: Place, since: string, organization: string }} props */
function Missing({ place, since, organization }) {
  const space = useQuery("SiteViewShares", { ...place, since }).data?.organization?.site?.siteSpaces.nodes[0]?.space.restId;
  const row = (/** @type {any} */ each) => html`<span class="grow breaks" dir="auto">${each.term}</span>
    ${space && html`<${Button} small label=${t("statistics.write", { term: each.term })} href=${`${BASE}/o/${organization}/s/${space}/~/edit/?title=${encodeURIComponent(each.term)}`}>${t("statistics.do-write")}<//>`}
    <strong>${number(each.searches)}</strong>`;
  return html`<${Part} name="searchesWithoutResults" query=${useQuery("SiteSearchedTerms", { ...place, filter: { since, withoutResults: true } })} list=${(/** @type {any} */ site) => site.searchedTerms} row=${row} />`;
}

/** @param {{ place: Place, since: string, base: string }} props */
function Broken({ place, since, base }) {
  const row = (/** @type {any} */ each) => html`<div class="grow stack tight"><code class="breaks" dir="ltr">${each.path}</code>
      <span class="soft small row"><${Ago} at=${each.lastRequestedAt} />${each.referrer && html`<${Badge}>${each.referrer}<//>`}</span></div>
    <${Button} small label=${t("statistics.redirect", { path: each.path })} href=${`${base}/redirects?source=${encodeURIComponent(each.path)}`}>${t("statistics.do-redirect")}<//>
    <strong>${number(each.requests)}</strong>`;
  return html`<${Part} name="brokenUrls" query=${useQuery("SiteBrokenUrls", { ...place, filter: { since } })} list=${(/** @type {any} */ site) => site.brokenUrls} row=${row} />`;
}

/** The parts of all views. @param {{ place: Place, since: string }} props */
function Shares({ place, since }) {
  const site = useQuery("SiteViewShares", { ...place, since }).data?.organization?.site;
  if (!site) return null;
  const languages = new Intl.DisplayNames([currentLanguage()], { type: "language" });
  const spaces = new Map(site.siteSpaces.nodes.map((/** @type {any} */ each) => [each.space?.restId, each.title]));
  /** @type {Record<string, (value: string) => string>} */
  const titles = { spaces: (value) => spaces.get(value) ?? t("redirects.gone"), languages: (value) => languages.of(value) ?? value, devices: (value) => t(`statistics.${value}`) };
  return html`<div class="statistics-parts">${SHARES.map((name) => {
    const nodes = site[name].nodes, most = nodes[0]?.views;
    return html`<section key=${name} class="stack tight"><h2>${t(`statistics.${name}`)}</h2>
      ${nodes.length ? html`<ul class="list" aria-label=${t(`statistics.${name}`)}>${nodes.map((/** @type {any} */ each) => html`<li key=${each.value}>
        <span class="grow breaks" dir="auto">${titles[name]?.(each.value) ?? each.value}</span><span class="bar statistics-share" aria-hidden="true"><i style=${{ inlineSize: `${(each.views / most) * 100}%` }}></i></span><strong>${number(each.views)}</strong></li>`)}</ul>` : html`<p class="soft">${t("statistics.none")}</p>`}</section>`;
  })}</div>`;
}
