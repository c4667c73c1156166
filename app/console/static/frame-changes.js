// What was changed in a text, for the frame: the blocks of two states put beside each other, with marks. Blocks that
// both have stay as they are; of those that were changed, words are marked, or the items and rows in them; others were
// added or taken out as a whole.
{
  const MOST = 4_000_000; // steps of a comparison; beyond them everything differs
  const ALIKE = 0.4; // part of the words that two blocks share if one became the other

  /** The steps from one list to another: [same, removed, added] items, in order. */
  const steps = (before, after) => {
    let start = 0, end = 0;
    while (start < before.length && start < after.length && before[start] === after[start]) start++;
    while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
    const a = before.slice(start, before.length - end), b = after.slice(start, after.length - end);
    const made = Array.from({ length: start }, (_, n) => ["same", n, n]);
    if (a.length * b.length > MOST) {
      a.forEach((_, n) => made.push(["removed", start + n, -1]));
      b.forEach((_, n) => made.push(["added", -1, start + n]));
    } else {
      const width = b.length + 1, longest = new Uint32Array((a.length + 1) * width);
      for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
          longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      for (let i = 0, j = 0; i < a.length || j < b.length; ) {
        if (i < a.length && j < b.length && a[i] === b[j]) made.push(["same", start + i++, start + j++]);
        else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) made.push(["removed", start + i++, -1]);
        else made.push(["added", -1, start + j++]);
      }
    }
    for (let n = end; n > 0; n--) made.push(["same", before.length - n, after.length - n]);
    return made;
  };

  const words = (text) => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];
  const textsIn = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) if (walker.currentNode.data) found.push(walker.currentNode);
    return found;
  };

  /** What a block says, however its links and pictures are addressed in this state. */
  const saying = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.textContent;
    const copy = node.cloneNode(true);
    for (const each of [copy, ...copy.querySelectorAll("*")])
      for (const { name, value } of [...each.attributes]) {
        if (name === "href" || name === "src") each.setAttribute(name, value.replace(/\/~\/(changes|revisions)\/[^/]+/, "").replace(/\?.*/, ""));
        else if (name === "srcset" || name === "id" || name.startsWith("data-") || name.startsWith("aria-")) each.removeAttribute(name);
      }
    return copy.outerHTML;
  };

  const marked = (name, text) => Object.assign(document.createElement(name), { textContent: text });

  /** A block with marks on the words that were changed. */
  const withWords = (before, after) => {
    const old = textsIn(before).flatMap((each) => words(each.data)), texts = textsIn(after).map((node) => ({ node, words: words(node.data) }));
    const made = steps(old, texts.flatMap((each) => each.words));
    let at = 0, left = 0, pieces = [];
    const put = (kind, text) => (pieces.at(-1)?.kind === kind ? (pieces.at(-1).text += text) : pieces.push({ kind, text }));
    const finish = () => {
      const { node } = texts[at++];
      node.replaceWith(...pieces.map(({ kind, text }) => (kind === "same" ? document.createTextNode(text) : marked(kind === "added" ? "ins" : "del", text))));
      pieces = [];
    };
    const news = texts.flatMap((each) => each.words);
    for (const [kind, i, j] of made) {
      put(kind, kind === "removed" ? old[i] : news[j]);
      if (kind !== "removed" && ++left >= texts[at].words.length) finish(), (left = 0);
    }
    if (pieces.length) after.append(...pieces.map(({ text }) => marked("del", text)));
    return after;
  };

  const BLOCKS = "article, aside, blockquote, details, dd, div, dl, dt, figure, h1, h2, h3, h4, h5, h6, hr, li, ol, p, pre, section, summary, table, tbody, td, th, thead, tr, ul";
  const PARTS = "summary, tbody, td, th, thead"; // what is there once, or in a column: it is the same part, whatever it says
  const NEAR = 50; // blocks among which is looked for what one became
  const isBlock = (node) => node.nodeType === Node.ELEMENT_NODE && node.matches(BLOCKS);
  const holds = (node) => [...(node.children ?? [])].some(isBlock);
  const ticks = (node) => [...node.querySelectorAll("input")].map((each) => each.checked).join();
  const runs = new WeakSet();

  /** What is in a block: the blocks in it, and each run of words between them as one piece. */
  const piecesOf = (holder) => {
    const made = [];
    let run = null;
    for (const each of [...holder.childNodes]) {
      if (isBlock(each)) made.push(each), (run = null);
      else if (run) run.append(each);
      else if (each.nodeType === Node.ELEMENT_NODE || each.textContent.trim()) {
        run = document.createElement("span");
        run.append(each);
        runs.add(run);
        made.push(run);
      }
    }
    return made;
  };

  const known = new WeakMap();
  const vocabulary = (node) => {
    if (!known.has(node)) known.set(node, new Set(textsIn(node).flatMap((each) => words(each.data)).filter((each) => each.trim())));
    return known.get(node);
  };

  /** Whether one block became the other: most words are the same, or of a list, most words of the shorter one. */
  const alike = (one, other) => {
    if (one.nodeType !== Node.ELEMENT_NODE || one.nodeName !== other.nodeName) return false;
    if (one.matches(PARTS)) return true;
    const hold = holds(one) && holds(other);
    if (!hold && ticks(one) !== ticks(other)) return false;
    const a = vocabulary(one), b = vocabulary(other), shared = [...a].filter((each) => b.has(each)).length;
    return shared / Math.max(hold ? Math.min(a.size, b.size) : Math.max(a.size, b.size), 1) >= ALIKE;
  };

  /** A block that became another one, with marks on what was changed in it: on the items and rows in it, else on words. */
  const became = (before, after) => {
    if (!holds(before) || !holds(after)) return withWords(before, after);
    const made = merged(piecesOf(before), piecesOf(after));
    after.replaceChildren(...made.flatMap((each) => (runs.has(each) ? [...each.childNodes] : [each])));
    return after;
  };

  /** A block that was added or removed as a whole; an item, row or cell keeps its place in its list or table. */
  const around = (kind, node) => {
    const inner = node.nodeType === Node.ELEMENT_NODE ? node : null;
    if (inner?.matches("thead, tbody, tr")) {
      for (const each of [...inner.children]) around(kind, each);
      return node;
    }
    const made = document.createElement("div");
    made.className = `was-${kind}`;
    made.setAttribute("role", kind === "added" ? "insertion" : "deletion");
    if (!inner?.matches("li, td, th, dd, dt, summary")) return made.append(node), made;
    made.append(...inner.childNodes);
    inner.append(made);
    return node;
  };

  const merged = (old, now) => {
    const made = [];
    let removed = [], added = [];
    const flush = () => {
      while (removed.length || added.length) {
        const one = removed.shift(), place = one ? added.slice(0, NEAR).findIndex((each) => alike(one, each)) : -1;
        if (place >= 0) {
          for (const each of added.splice(0, place)) made.push(around("added", each));
          made.push(became(one, added.shift()));
        } else if (one) made.push(around("removed", one));
        else made.push(around("added", added.shift()));
      }
    };
    for (const [kind, i, j] of steps(old.map(saying), now.map(saying))) {
      if (kind === "removed") removed.push(old[i]);
      else if (kind === "added") added.push(now[j]);
      else flush(), made.push(now[j]);
    }
    flush();
    return made;
  };

  /** The blocks of a text as it is, with what was changed of it as it was. */
  globalThis.changesBetween = (before, after) => {
    const real = (nodes) => nodes.filter((each) => each.nodeType === Node.ELEMENT_NODE || each.textContent.trim());
    return merged(real(before), real(after));
  };
}
