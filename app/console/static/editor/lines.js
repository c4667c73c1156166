// Compares texts line by line: what two people made of one text, and where they meet.

/** @typedef {{ kind: "same" | "mine" | "theirs" | "conflict", mine: string[], theirs: string[] }} Part
 *   `mine` and `theirs`: only that side differs from what both began with; `conflict`: both do, and differ */

const MOST = 600; // differences that are looked for; with more, all between what is alike counts as different

/**
 * Return the pairs of lines that two texts share, in their order.
 * @param {string[]} one
 * @param {string[]} other
 * @returns {[number, number][]}
 */
export function matches(one, other) {
  let start = 0, end = 0;
  const most = Math.min(one.length, other.length);
  while (start < most && one[start] === other[start]) start++;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  /** @type {[number, number][]} */
  const found = [];
  for (let n = 0; n < start; n++) found.push([n, n]);
  for (const [a, b] of middle(one.slice(start, one.length - end), other.slice(start, other.length - end))) found.push([a + start, b + start]);
  for (let n = end; n > 0; n--) found.push([one.length - n, other.length - n]);
  return found;
}

/**
 * Myers's greedy way through the differences.
 * @param {string[]} one
 * @param {string[]} other
 * @returns {[number, number][]}
 */
function middle(one, other) {
  const n = one.length, m = other.length;
  /** @type {Map<number, number>[]} */
  const trace = [];
  let reached = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(n + m, MOST); d++) {
    trace.push(reached);
    const next = new Map(reached);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
      let x = down ? (reached.get(k + 1) ?? 0) : (reached.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < n && y < m && one[x] === other[y]) x++, y++;
      next.set(k, x);
      if (x >= n && y >= m) return back(trace, d, k, n, m);
    }
    reached = next;
  }
  return [];
}

/**
 * @param {Map<number, number>[]} trace
 * @param {number} last
 * @param {number} diagonal
 * @param {number} n
 * @param {number} m
 */
function back(trace, last, diagonal, n, m) {
  /** @type {[number, number][]} */
  const found = [];
  let x = n, y = m, k = diagonal;
  for (let d = last; d >= 0; d--) {
    const reached = /** @type {Map<number, number>} */ (trace[d]);
    const down = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    const from = down ? k + 1 : k - 1, startX = d === 0 ? 0 : (reached.get(from) ?? 0), startY = d === 0 ? 0 : startX - from;
    const first = d === 0 ? 0 : down ? startX : startX + 1;
    while (x > first && y > first - k) found.push([--x, --y]);
    x = startX;
    y = startY;
    k = from;
  }
  return found.reverse();
}

/**
 * Return the parts of two texts that began as one. Without what they began with, all they share counts as that.
 * @param {string | null} base
 * @param {string} mine
 * @param {string} theirs
 * @returns {Part[]}
 */
export function compared(base, mine, theirs) {
  const m = mine.split("\n"), t = theirs.split("\n");
  const b = base === null ? matches(m, t).map(([at]) => m[at] ?? "") : base.split("\n");
  const inMine = new Map(matches(b, m)), inTheirs = new Map(matches(b, t));
  /** @type {Part[]} */
  const parts = [];
  let fromB = 0, fromM = 0, fromT = 0;
  const until = (/** @type {number} */ toB, /** @type {number} */ toM, /** @type {number} */ toT) => {
    const was = b.slice(fromB, toB), ours = m.slice(fromM, toM), other = t.slice(fromT, toT);
    if (was.length || ours.length || other.length) {
      const is = (/** @type {string[]} */ one, /** @type {string[]} */ two) => one.length === two.length && one.every((line, n) => line === two[n]);
      const kind = is(ours, other) ? "same" : is(was, ours) ? "theirs" : is(was, other) ? "mine" : "conflict";
      parts.push({ kind, mine: ours, theirs: other });
    }
    [fromB, fromM, fromT] = [toB, toM, toT];
  };
  for (let n = 0; n < b.length; n++) {
    const atM = inMine.get(n), atT = inTheirs.get(n);
    if (atM === undefined || atT === undefined) continue;
    if (n > fromB || atM > fromM || atT > fromT) until(n, atM, atT);
    until(n + 1, atM + 1, atT + 1);
  }
  until(b.length, m.length, t.length);
  return joined(parts);
}

/** @param {Part[]} parts */
function joined(parts) {
  /** @type {Part[]} */
  const made = [];
  for (const part of parts) {
    const last = made.at(-1);
    if (part.kind === "same" && last?.kind === "same") last.mine.push(...part.mine), last.theirs.push(...part.theirs);
    else made.push({ kind: part.kind, mine: [...part.mine], theirs: [...part.theirs] });
  }
  return made;
}

/** @typedef {"mine" | "theirs" | "both"} Choice */

/**
 * Return the text that choices make of parts.
 * @param {Part[]} parts
 * @param {Choice[]} choices one for each part
 */
export function chosen(parts, choices) {
  return parts.flatMap((part, n) => {
    const choice = choices[n];
    if (part.kind === "same" || choice === "mine") return part.mine;
    return choice === "theirs" ? part.theirs : [...part.theirs, ...part.mine];
  }).join("\n");
}

/**
 * Return what a part begins as: what only one side changed is taken, of what both did nothing is lost.
 * @param {Part} part
 * @returns {Choice}
 */
export function suggested({ kind }) {
  return kind === "conflict" ? "both" : kind === "theirs" ? "theirs" : "mine";
}
