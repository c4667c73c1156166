// Tables of Markdown: found where the cursor is, read into cells, and written so that their columns stand in line.

/** @typedef {"" | "left" | "center" | "right"} Align */
/** @typedef {{ aligns: Align[], rows: string[][] }} Table  the first row is the head */
/** @typedef {{ from: number, to: number, indent: string, table: Table }} Found */

const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const WIDEST = 60; // characters to which a column is filled up

/**
 * Return the table around a line, null where there is none.
 * @param {{ lines: number, line: (n: number) => { from: number, to: number, text: string } }} doc
 * @param {number} at number of the line
 * @returns {Found | null}
 */
export function tableAt(doc, at) {
  const has = (/** @type {number} */ n) => n >= 1 && n <= doc.lines && doc.line(n).text.includes("|");
  if (!has(at)) return null;
  let first = at, last = at;
  while (has(first - 1)) first--;
  while (has(last + 1)) last++;
  let rule = first + 1;
  while (rule <= last && !RULE.test(doc.line(rule).text)) rule++;
  if (rule > last || at < rule - 1) return null;
  const lines = [rule - 1, ...Array.from({ length: last - rule }, (_, n) => rule + 1 + n)].map((n) => doc.line(n).text);
  const head = doc.line(rule - 1), aligns = cells(doc.line(rule).text).map(alignOf);
  if (cells(head.text).length !== aligns.length) return null;
  const rows = lines.map((line) => fitted(cells(line), aligns.length));
  return { from: head.from, to: doc.line(last).to, indent: /^\s*/.exec(head.text)?.[0] ?? "", table: { aligns, rows } };
}

/**
 * Return the cells of a row. A sign after a backslash does not end a cell.
 * @param {string} line
 */
export function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)((?:\\\\)*)\|$/, "$1");
  const found = [""];
  for (let n = 0; n < inner.length; n++) {
    const sign = inner[n] ?? "";
    if (sign === "\\" && inner[n + 1] === "|") found[found.length - 1] += "\\|", n++;
    else if (sign === "|") found.push("");
    else found[found.length - 1] += sign;
  }
  return found.map((each) => each.trim());
}

/**
 * @param {string[]} row
 * @param {number} columns
 */
function fitted(row, columns) {
  return Array.from({ length: columns }, (_, n) => row[n] ?? "");
}

/** @param {string} rule @returns {Align} */
function alignOf(rule) {
  const left = rule.startsWith(":"), right = rule.endsWith(":");
  return left && right ? "center" : left ? "left" : right ? "right" : "";
}

/**
 * Return a table as it is written.
 * @param {Table} table
 * @param {string} [indent]
 */
export function writtenTable({ aligns, rows }, indent = "") {
  const safe = rows.map((row) => row.map((cell) => cell.replace(/\s*\n\s*/g, "<br>").replace(/(?<!\\)\|/g, "\\|").trim()));
  const widths = aligns.map((_, n) => Math.min(Math.max(3, ...safe.map((row) => [...(row[n] ?? "")].length)), WIDEST));
  const line = (/** @type {string[]} */ row) => `${indent}| ${row.map((cell, n) => cell.padEnd((widths[n] ?? 3) + cell.length - [...cell].length)).join(" | ")} |`;
  const rule = aligns.map((align, n) => {
    const dashes = "-".repeat(Math.max((widths[n] ?? 3) - (align === "center" ? 2 : align ? 1 : 0), 1));
    return `${align === "left" || align === "center" ? ":" : ""}${dashes}${align === "right" || align === "center" ? ":" : ""}`;
  });
  const [head = [], ...body] = safe;
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

/**
 * Return a list with something else at a place: what `give` returns is put in, `taken` are left out.
 * @template T
 * @param {T[]} list
 * @param {number} at
 * @param {number} taken
 * @param {T[]} [given]
 */
export function spliced(list, at, taken, given = []) {
  return [...list.slice(0, at), ...given, ...list.slice(at + taken)];
}

/**
 * Return a table with a row or column moved, put in or taken out. The head stays where it is.
 * @param {Table} table
 * @param {"row" | "column"} what
 * @param {"before" | "after" | "remove" | "back" | "on"} how
 * @param {number} at
 * @returns {Table}
 */
export function changed({ aligns, rows }, what, how, at) {
  const to = how === "back" ? at - 1 : at + 1;
  /** @template T @param {T[]} list @param {T} empty @returns {T[]} */
  const edit = (list, empty) => {
    if (how === "remove") return spliced(list, at, 1);
    if (how === "before") return spliced(list, at, 0, [empty]);
    if (how === "after") return spliced(list, at + 1, 0, [empty]);
    const moved = /** @type {T} */ (list[at]);
    return spliced(spliced(list, at, 1), to, 0, [moved]);
  };
  if (what === "row") return { aligns, rows: edit(rows, aligns.map(() => "")) };
  return { aligns: edit(aligns, /** @type {Align} */ ("")), rows: rows.map((row) => edit(row, "")) };
}
