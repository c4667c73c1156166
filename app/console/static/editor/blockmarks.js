// Lines beside the tags of the dialect: what is inside of a block stands out, the deeper the further in.

import { Decoration, ViewPlugin } from "../vendor/codemirror.js";
import { TAG } from "./dialect.js";

const ENDED = new Set(["hint", "tabs", "tab", "code", "stepper", "step", "columns", "column", "if", "updates", "update", "content-ref"]);
const DEEPEST = 4;
const marks = Array.from({ length: DEEPEST }, (_, n) => Decoration.line({ class: `cm-inside cm-inside-${n + 1}` }));

/**
 * Return how deep in blocks each line of a text is; the lines of a block's own tags count as inside.
 * @param {import("../vendor/codemirror.js").Text} doc
 */
export function depths(doc) {
  /** @type {string[]} */
  const open = [];
  /** @type {number[]} */
  const found = [];
  let fence = "";
  for (const text of doc.iterLines()) {
    const mark = /^\s*(```+|~~~+)/.exec(text)?.[1];
    if (mark) fence = fence ? (text.trim().startsWith(fence) ? "" : fence) : mark;
    const name = fence || mark ? "" : (TAG.exec(text.trim())?.[1]?.toLowerCase() ?? "");
    const ends = name.startsWith("end") ? open.lastIndexOf(name.slice(3)) : -1;
    if (ENDED.has(name) && !new RegExp(`\\{%-?\\s*end${name}`).test(text)) open.push(name);
    found.push(open.length);
    if (ends >= 0) open.length = ends;
  }
  return found;
}

/** Marks the lines inside of blocks. */
export const blockMarks = ViewPlugin.fromClass(
  class {
    /** @param {import("../vendor/codemirror.js").EditorView} view */
    constructor(view) {
      this.depths = depths(view.state.doc);
      this.decorations = this.made(view);
    }

    /** @param {import("../vendor/codemirror.js").ViewUpdate} update */
    update(update) {
      if (update.docChanged) this.depths = depths(update.state.doc);
      if (update.docChanged || update.viewportChanged) this.decorations = this.made(update.view);
    }

    /** @param {import("../vendor/codemirror.js").EditorView} view */
    made(view) {
      const { doc } = view.state, ranges = [];
      for (const { from, to } of view.visibleRanges) {
        for (let n = doc.lineAt(from).number, last = doc.lineAt(to).number; n <= last; n++) {
          const mark = marks[Math.min(this.depths[n - 1] ?? 0, DEEPEST) - 1];
          if (mark) ranges.push(mark.range(doc.line(n).from));
        }
      }
      return Decoration.set(ranges, true);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
