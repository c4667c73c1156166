// How two texts differ, line by line, where the API was not asked for it: of revisions that do not follow each other.

const CONTEXT = 3;
const MOST = 4_000_000; // steps of a comparison; beyond them all lines between the first and the last change differ

/** @typedef {{ type: "CONTEXT" | "ADDED" | "REMOVED", text: string }} Line */

/**
 * Return the changes as the API has them: hunks with a few unchanged lines around each.
 * @param {string} before
 * @param {string} after
 * @returns {{ oldStart: number, newStart: number, lines: Line[] }[]}
 */
export function hunksBetween(before, after) {
  const lines = steps(split(before), split(after)), hunks = [];
  let old = 1, now = 1, unchanged = Infinity;
  /** @type {{ oldStart: number, newStart: number, lines: Line[] } | null} */
  let hunk = null;
  lines.forEach((line, n) => {
    const isNear = lines.slice(n, n + CONTEXT + 1).some((each) => each.type !== "CONTEXT");
    unchanged = line.type === "CONTEXT" ? unchanged + 1 : 0;
    if (isNear || unchanged <= CONTEXT) {
      if (!hunk) hunks.push((hunk = { oldStart: old, newStart: now, lines: [] }));
      hunk.lines.push(line);
    } else hunk = null;
    if (line.type !== "ADDED") old++;
    if (line.type !== "REMOVED") now++;
  });
  return hunks;
}

/** @param {string} text */
function split(text) {
  return text.split(/(?<=\n)/).filter(Boolean);
}

/**
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Line[]}
 */
function steps(before, after) {
  let start = 0, end = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const old = before.slice(start, before.length - end), now = after.slice(start, after.length - end);
  const kept = (/** @type {string[]} */ lines) => lines.map((text) => /** @type {Line} */ ({ type: "CONTEXT", text }));
  return [...kept(before.slice(0, start)), ...between(old, now), ...kept(before.slice(before.length - end))];
}

/**
 * @param {string[]} old
 * @param {string[]} now
 * @returns {Line[]}
 */
function between(old, now) {
  const removed = (/** @type {string} */ text) => /** @type {Line} */ ({ type: "REMOVED", text });
  const added = (/** @type {string} */ text) => /** @type {Line} */ ({ type: "ADDED", text });
  if (old.length * now.length > MOST) return [...old.map(removed), ...now.map(added)];
  const width = now.length + 1, longest = new Uint32Array((old.length + 1) * width);
  const at = (/** @type {number} */ i, /** @type {number} */ j) => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) longest[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  /** @type {Line[]} */
  const made = [];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) made.push({ type: "CONTEXT", text: old[i++] ?? "" }), j++;
    else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) made.push(removed(old[i++] ?? ""));
    else made.push(added(now[j++] ?? ""));
  }
  return made;
}
