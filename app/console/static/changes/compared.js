// What was changed between two states of the content: page by page, as readers see it and as it is written.

import { html, useEffect, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Badge, Bones, Button, Glyph, Note, Nothing } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { Rendered } from "../parts/rendered.js";
import { useShortcuts } from "../parts/shortcuts.js";
import { go } from "../router.js";
import { BASE, recall, remember } from "../settings.js";
import { t } from "../texts.js";
import { hunksBetween } from "./lines.js";

/**
 * @typedef {{ key: string, title: string, kinds: string[], isPage: boolean, changes: any[] }} Thing
 * @typedef {{ name: string, variables: Record<string, string> }} Asked
 * @typedef {{ clicked: { text: string } | null, show?: (text: string) => void }} Clicked
 */

/** How many changes are listed at first, and at most. */
export const LISTED = 100, MOST = 1000;
/** @type {Record<string, string>} */
const MARKS = { CREATED: "good", EDITED: "info", DELETED: "bad", MOVED: "warn" };

/**
 * Return the pages, files and other things that were changed, each once, pages first.
 * @param {any[]} changes
 * @returns {Thing[]}
 */
export function thingsOf(changes) {
  /** @type {Map<string, Thing>} */
  const things = new Map();
  for (const each of changes) {
    const page = each.pageSummary, file = each.fileSummary, reusable = each.reusableContentSummary;
    const key = page?.restId ?? file?.restId ?? reusable?.restId ?? "variables";
    const title = page?.title ?? file?.name ?? reusable?.title ?? t("changed.variables");
    /** @type {Thing} */
    const known = things.get(key) ?? { key, title, kinds: [], isPage: !!page, changes: [] };
    known.kinds.push(each.type.split("_").at(-1));
    known.changes.push(each);
    things.set(key, known);
  }
  return [...things.values()].sort((a, b) => Number(b.isPage) - Number(a.isPage));
}

/**
 * @param {{ changes: { changes: any[], more?: number | null }, chosen: string, to: (key: string) => string,
 *   load: (page: string) => Asked, beside?: (page: any, key: string, block: Clicked) => any, note?: any, onAll?: () => void }} props
 *   `to` is the address of what was changed; `load` names the document that answers a page `before` and `after`;
 *   `beside` is shown below the page, and is told which block was clicked in it and how to show one; `onAll` asks for
 *   the changes that are not listed
 */
export function Compared({ changes, chosen, to, load, beside, note, onAll }) {
  const things = thingsOf(changes.changes), at = Math.max(0, things.findIndex((each) => each.key === chosen)), thing = things[at];
  const step = (/** @type {number} */ by) => {
    const next = things[at + by];
    if (next) void go(to(next.key));
  };
  useShortcuts([
    { keys: "j", label: t("changed.next"), run: () => step(1) },
    { keys: "k", label: t("changed.previous"), run: () => step(-1) },
  ]);
  if (!thing) return html`<${Nothing} title=${t("changed.nothing")} />`;
  return html`<div class="compared">
    <nav class="things" aria-label=${t("changed.things")}>
      <h2 class="small">${t("changed.count", { count: things.length + (changes.more ?? 0) })}</h2>
      <ul>${things.map((each) => html`<li key=${each.key}><a href=${BASE + to(each.key)} aria-current=${each === thing ? "page" : undefined}>
        <${Glyph} name=${each.isPage ? "file" : "image"} /><span class="grow cut" dir="auto">${each.title}</span>
        <${Kind} kind=${each.kinds[0] ?? "EDITED"} /></a></li>`)}</ul>
      ${changes.more ? html`<p class="soft small">${t("changed.more", { count: changes.more })}</p>
        ${onAll && html`<${Button} small onClick=${onAll}>${t("changed.all")}<//>`}` : null}
    </nav>
    <section class="stack" aria-labelledby="changed-thing">
      <div class="row spread"><h2 id="changed-thing" class="breaks" dir="auto">${thing.title}</h2>
        <div class="row steps"><span class="soft small">${at + 1} / ${things.length}</span>
          <${Button} small glyph="up" label=${t("changed.previous")} disabled=${at === 0} onClick=${() => step(-1)} />
          <${Button} small glyph="down" label=${t("changed.next")} disabled=${at === things.length - 1} onClick=${() => step(1)} /></div></div>
      ${note}
      <${Details} thing=${thing} />
      ${thing.isPage && html`<${PageChange} key=${thing.key} thing=${thing} asked=${load(thing.key)} beside=${beside} />`}
    </section>
  </div>`;
}

/** @param {{ kind: string }} props */
function Kind({ kind }) {
  return html`<${Badge} kind=${MARKS[kind] ?? ""}>${t(`changed.${kind}`)}<//>`;
}

/** What was changed besides the text. @param {{ thing: Thing }} props */
function Details({ thing }) {
  const lines = thing.changes.flatMap((each) => {
    const attributes = each.attributes ?? {}, made = [];
    for (const name of ["title", "description", "slug", "emoji", "name", "size"]) {
      const value = attributes[name];
      if (value) made.push({ name: t(`changed.of-${name}`), before: value.before, after: value.after });
    }
    if (each.type === "PAGE_MOVED" && each.parent) made.push({ name: t("changed.place"), before: each.parent.before?.title ?? t("tree.top"), after: each.parent.after?.title ?? t("tree.top") });
    return made;
  });
  return html`<div class="row">${thing.kinds.map((each) => html`<${Kind} key=${each} kind=${each} />`)}</div>
    ${lines.length > 0 && html`<dl class="attributes">${lines.map((each) => html`<div key=${each.name}><dt>${each.name}</dt>
      <dd class="breaks">${each.before != null && each.before !== "" && html`<del dir="auto">${each.before}</del> `}${each.after != null && each.after !== "" && html`<ins dir="auto">${each.after}</ins>`}</dd></div>`)}</dl>`}`;
}

/** @param {{ thing: Thing, asked: Asked, beside?: (page: any, key: string, block: Clicked) => any }} props */
function PageChange({ thing, asked, beside }) {
  const found = useQuery(asked.name, asked.variables);
  const [how, setHow] = useState(recall("changes.how", "rendered"));
  const [clicked, setClicked] = useState(/** @type {{ text: string } | null} */ (null)), [pointed, setPointed] = useState(/** @type {{ text: string } | null} */ (null));
  useEffect(() => remember("changes.how", how), [how]);
  const data = found.data?.space, before = data?.before?.page ?? null, after = data?.after?.page ?? null;
  if (!data) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  if (!before && !after) return html`<p class="soft">${t("changed.not-shown")}</p>`;
  const shown = after ?? { html: "", title: "", description: "" };
  const choices = /** @type {const} */ (["rendered", "source"]);
  return html`
    <div class="row spread">
      <div class="row segmented" role="group" aria-label=${t("changed.how")}>
        ${choices.map((each) => html`<${Button} key=${each} small kind=${how === each ? "pressed" : ""} aria-pressed=${String(how === each)} onClick=${() => setHow(each)}>${t(`changed.${each}`)}<//>`)}
      </div>
    </div>
    ${how === "rendered"
      ? html`<div class="card"><${Rendered} text=${shown.html ?? ""} title=${shown.title} description=${shown.description} label=${t("changed.rendered-of", { name: thing.title })}
          goToText=${pointed} onBlock=${(/** @type {string} */ _, /** @type {number} */ _top, /** @type {string} */ text) => setClicked({ text })}
          before=${before ? { html: before.html ?? "", title: before.title, description: before.description } : { html: "" }} /></div>`
      : html`<${Source} before=${before} after=${after} title=${thing.title} />`}
    ${beside?.(after ?? before, thing.key, { clicked, ...(how === "rendered" ? { show: (/** @type {string} */ text) => setPointed({ text }) } : {}) })}`;
}

/** @param {{ before: any, after: any, title: string }} props */
function Source({ before, after, title }) {
  const hunks = after?.diff?.hunks ?? hunksBetween(before?.source ?? "", after?.source ?? "");
  if (!hunks.length) return html`<${Note}>${t("changed.same-text")}<//>`;
  return html`<div class="diff" role="region" aria-label=${t("changed.source-of", { name: title })}>${hunks.map((/** @type {any} */ hunk) => html`<${Hunk} hunk=${hunk} />`)}</div>`;
}

/** @param {{ hunk: any }} props */
function Hunk({ hunk }) {
  let old = hunk.oldStart, now = hunk.newStart;
  return html`<ol class="hunk">${hunk.lines.map((/** @type {any} */ line, /** @type {number} */ n) => {
    const number = line.type === "REMOVED" ? old++ : (line.type === "CONTEXT" && old++, now++);
    const text = line.text.replace(/\r?\n$/, "") || " ";
    const inside = line.type === "ADDED" ? html`<ins>${text}</ins>` : line.type === "REMOVED" ? html`<del>${text}</del>` : html`<span>${text}</span>`;
    return html`<li key=${n} class=${line.type.toLowerCase()}><span class="line" aria-hidden="true">${number}</span><code dir="auto">${inside}</code></li>`;
  })}</ol>`;
}
