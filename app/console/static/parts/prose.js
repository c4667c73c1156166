// What people wrote in comments, as elements: from the structured document, so that nothing in it is markup.

import { html } from "../vendor/preact.js";
import { Emoji } from "./basic.js";

/** @typedef {{ object: string, type?: string, key?: string, data?: any, nodes?: Node[], leaves?: { text: string, marks: { type: string }[] }[] }} Node */

/** @type {Record<string, string>} */
const MARKS = { bold: "strong", italic: "em", strikethrough: "s", code: "code", keyboard: "kbd", superscript: "sup", subscript: "sub", underline: "u" };
const SAFE = /^(https?|mailto):/;

/** @param {{ document: { nodes?: Node[] } | null | undefined }} props */
export function Prose({ document }) {
  return html`<div class="prose breaks" dir="auto">${all(document?.nodes)}</div>`;
}

/**
 * The words of a node, as one line.
 * @param {Node} node
 * @returns {string}
 */
export function wordsOf(node) {
  const own = (node.leaves ?? []).map((leaf) => leaf.text).join("");
  const between = node.nodes?.some((each) => each.object === "block") ? " " : "";
  return (own + (node.nodes ?? []).map(wordsOf).join(between)).replace(/\s+/g, " ").trim() || (node.object === "text" ? own : "");
}

/** @param {Node[] | undefined} nodes */
function all(nodes) {
  return (nodes ?? []).map(shown);
}

/**
 * @param {Node} node
 * @returns {any}
 */
function shown(node) {
  if (node.object === "text")
    return (node.leaves ?? []).map((leaf) =>
      leaf.marks.reduceRight((/** @type {any} */ inside, mark) => (MARKS[mark.type] ? html`<${MARKS[mark.type]}>${inside}<//>` : inside), leaf.text),
    );
  return node.object === "inline" ? inline(node) : block(node);
}

/** @param {Node} node */
function inline(node) {
  const { type, data = {} } = node;
  if (type === "mention") return html`<span class="mention">${all(node.nodes)}</span>`;
  if (type === "emoji") return html`<${Emoji} code=${data.code} />`;
  if (type === "inline-image") return html`<em>${data.alt ?? ""}</em>`;
  if (type === "link" && SAFE.test(data.ref?.url ?? "")) return html`<a href=${data.ref.url} target="_blank" rel="noopener noreferrer nofollow">${all(node.nodes)}</a>`;
  return html`<span>${all(node.nodes)}</span>`;
}

/** @param {Node} node */
function block(node) {
  const { type = "", data = {} } = node;
  if (type === "paragraph") return html`<p>${all(node.nodes)}</p>`;
  if (type.startsWith("heading-")) return html`<p><strong>${all(node.nodes)}</strong></p>`;
  if (type === "list-ordered") return html`<ol>${all(node.nodes)}</ol>`;
  if (type.startsWith("list-") && type !== "list-item") return html`<ul>${all(node.nodes)}</ul>`;
  if (type === "list-item") return html`<li>${data.checked === undefined ? "" : data.checked ? "☑ " : "☐ "}${all(node.nodes)}</li>`;
  if (type === "blockquote") return html`<blockquote>${all(node.nodes)}</blockquote>`;
  if (type === "code") return html`<pre><code>${(node.nodes ?? []).map((each) => `${(each.nodes ?? []).map((text) => (text.leaves ?? []).map((leaf) => leaf.text).join("")).join("")}\n`)}</code></pre>`;
  if (type === "divider") return html`<hr />`;
  return html`<div>${all(node.nodes)}</div>`;
}
