// A text that an integration wrote: paragraphs, headings, lists, and what Markdown marks within a line.

import { html } from "../vendor/preact.js";

const MARKED = /\*\*(.+?)\*\*|__(.+?)__|\*([^\s*](?:.*?[^\s*])?)\*|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/;
const LONGEST = 5_000; // characters in which marks are looked for

/** @param {{ text: string }} props */
export function Summary({ text }) {
  return html`<div class="stack tight" dir="auto">${text.split(/\n\s*\n/).filter((each) => each.trim()).map((each, n) => html`<${Part} key=${n} text=${each.trim()} />`)}</div>`;
}

/** @param {{ text: string }} props */
function Part({ text }) {
  const heading = /^#{1,6}\s+(.*)/.exec(text), lines = text.split("\n");
  if (heading) return html`<h2>${marked(heading[1] ?? "")}</h2>`;
  if (lines.every((each) => /^[-*+]\s/.test(each))) return html`<ul class="integration-list">${lines.map((each, n) => html`<li key=${n} class="breaks">${marked(each.slice(2))}</li>`)}</ul>`;
  return html`<p class="breaks integration-lines">${marked(text)}</p>`;
}

/**
 * Return a text with its marks as elements; a long one without.
 * @param {string} text
 * @returns {any[]}
 */
function marked(text) {
  const parts = [];
  let rest = text;
  for (let found = text.length > LONGEST ? null : MARKED.exec(rest); found; found = MARKED.exec(rest)) {
    const [whole, strong, underlined, emphasis, code, label, url] = found;
    parts.push(rest.slice(0, found.index), url ? html`<a href=${url} target="_blank" rel="noopener noreferrer">${label}</a>`
      : code ? html`<code>${code}</code>` : emphasis ? html`<em>${marked(emphasis)}</em>` : html`<strong>${marked(strong ?? underlined ?? "")}</strong>`);
    rest = rest.slice(found.index + whole.length);
  }
  return [...parts, rest];
}
