// Markdown of integrations, of which headings and paragraphs are shown.

import { html } from "../vendor/preact.js";

/** @param {{ text: string }} props */
export function Summary({ text }) {
  return html`<div class="stack tight" dir="auto">${text.split(/\n\s*\n/).filter((each) => each.trim()).map((each, n) => {
    const heading = /^#{1,6}\s+(.*)/.exec(each.trim());
    return heading ? html`<h2 key=${n}>${heading[1]}</h2>` : html`<p key=${n} class="breaks integration-lines">${each.trim()}</p>`;
  })}</div>`;
}
