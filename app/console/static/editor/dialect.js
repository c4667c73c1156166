// The Markdown of Docyard for the editor: tags such as `{% hint style="info" %}`, formulas, and how all looks.

import { defineLanguageFacet, GFM, HighlightStyle, Language, parser, syntaxHighlighting, Tag, tags } from "../vendor/codemirror.js";

/** @typedef {import("../vendor/codemirror.js").MarkdownConfig} MarkdownConfig */
/** @typedef {import("../vendor/codemirror.js").BlockParser} BlockParser */

export const TAG = /^\{%-?\s*(@[\w.-]+\/[\w.-]+|[A-Za-z][\w-]*)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'%]|%(?!\}))*)%\}/;
const VALUE = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const name = Tag.define(), value = Tag.define(), sign = Tag.define(), formula = Tag.define();

/** @type {BlockParser} */
const tagLine = {
  name: "DialectTag",
  before: "HTMLBlock",
  parse(context, line) {
    const found = TAG.exec(line.text.slice(line.pos));
    if (!found) return false;
    const from = context.lineStart + line.pos, [whole, called = "", written = ""] = found, to = from + whole.length;
    const at = from + whole.indexOf(called), values = at + called.length;
    const parts = [context.elt("DialectSign", from, from + 2), context.elt("DialectName", at, values)];
    for (const each of written.matchAll(VALUE)) parts.push(context.elt("DialectValue", values + each.index, values + each.index + each[0].length));
    parts.push(context.elt("DialectSign", to - 2, to));
    context.addElement(context.elt("DialectTag", from, to, parts));
    const rest = line.text.slice(line.pos + whole.length);
    if (rest.trim()) for (const each of context.parser.parseInline(rest, to)) context.addElement(each);
    context.nextLine();
    return true;
  },
  endLeaf: (_, line) => TAG.test(line.text.slice(line.pos)),
};

/** @type {MarkdownConfig} */
const dialect = {
  defineNodes: [
    { name: "DialectTag", block: true },
    { name: "DialectSign", style: sign },
    { name: "DialectName", style: name },
    { name: "DialectValue", style: value },
    { name: "Formula", style: formula },
  ],
  parseBlock: [tagLine],
  parseInline: [
    {
      name: "Formula",
      before: "Escape",
      parse(context, next, at) {
        if (next !== 36 || context.char(at + 1) !== 36) return -1;
        const end = context.slice(at + 2, context.end).indexOf("$$");
        return end < 0 ? -1 : context.addElement(context.elt("Formula", at, at + end + 4));
      },
    },
  ],
};

const facet = defineLanguageFacet({ commentTokens: { block: { open: "<!--", close: "-->" } } });
const language = new Language(facet, parser.configure([GFM, dialect]), [], "docyard");

const look = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: "700", fontSize: "1.25em" },
  { tag: tags.heading2, fontWeight: "700", fontSize: "1.12em" },
  { tag: [tags.heading3, tags.heading4, tags.heading5, tags.heading6], fontWeight: "650" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.link, color: "var(--info)" },
  { tag: [tags.url, tags.labelName, tags.string], color: "var(--soft)" },
  { tag: tags.monospace, color: "var(--warn)" },
  { tag: tags.quote, color: "var(--soft)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta, tags.comment, sign], color: "var(--soft)" },
  { tag: [tags.tagName, tags.angleBracket, name], color: "var(--accent)", fontWeight: "600" },
  { tag: [value, tags.attributeValue, tags.character], color: "var(--good)" },
  { tag: formula, color: "var(--danger)" },
]);

/** The dialect with its colours, as extensions of an editor. */
export const markdown = [language, syntaxHighlighting(look)];
