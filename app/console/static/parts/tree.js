// A tree that is opened, walked, nested and reordered by keyboard and by drag. Only what is in view is drawn.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Emoji, Glyph } from "./basic.js";

/**
 * @typedef {{ id: string, label: string, href?: string, emoji?: string | null, glyph?: string, isGroup?: boolean,
 *   faint?: boolean, name?: string, children: Item[] }} Item `name`: the label with what else its row says
 * @typedef {{ item: Item, level: number, at: number, siblings: Item[], parent: Item | null }} Row
 * @typedef {(item: Item, into: Item | null, at: number) => unknown} Move
 * @typedef {(item: Item, into: Item | null) => boolean} Accepts
 */

const HEIGHT = 32;
const BEYOND = 12; // rows that are drawn above and below

/**
 * @param {{ items: Item[], label: string, current?: string | undefined, move?: Move | undefined, actions?: (item: Item) => any,
 *   folded?: boolean, accepts?: Accepts, choose?: (item: Item) => unknown }} props
 *   `current` is the id of the item that is shown; `move` is there if the person may move items, and `accepts` tells
 *   what may be in what (null: the top level); `actions` are shown at the end of an item; `choose` is called for an item
 *   without `href`; `folded`: items are closed at first, besides those around the current one
 */
export function Tree({ items, label, current, move, actions, folded = true, accepts = () => true, choose }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [changed, setChanged] = useState(/** @type {Map<string, boolean>} */ (new Map()));
  const [view, setView] = useState({ top: 0, height: 800 }), [focus, setFocus] = useState(current ?? "");
  const [drop, setDrop] = useState(/** @type {{ id: string, where: "before" | "after" | "into" } | null} */ (null));
  const [dragged, setDragged] = useState(/** @type {Row | null} */ (null)), [said, setSaid] = useState("");
  const around = useMemo(() => new Set(pathTo(items, current ?? "").slice(0, -1).map((each) => each.id)), [items, current]);
  const isOpen = (/** @type {Item} */ item) => changed.get(item.id) ?? (!folded || item.isGroup || around.has(item.id) || current === item.id);
  const rows = useMemo(() => flat(items, isOpen), [items, changed, around]);
  const first = Math.max(0, Math.floor(view.top / HEIGHT) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / HEIGHT) + BEYOND);
  const tabbed = rows.some((row) => row.item.id === focus) ? focus : (rows[0]?.item.id ?? "");

  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (place.current);
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const sized = new ResizeObserver(look);
    sized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => (sized.disconnect(), element.removeEventListener("scroll", look));
  }, []);
  useEffect(() => {
    if (!current) return;
    setFocus(current);
    reveal(rows.findIndex((row) => row.item.id === current));
  }, [current, items.length]);

  const reveal = (/** @type {number} */ at) => {
    const element = place.current;
    if (at < 0 || !element) return;
    if (at * HEIGHT < element.scrollTop) element.scrollTop = at * HEIGHT - HEIGHT;
    else if ((at + 1) * HEIGHT > element.scrollTop + element.clientHeight) element.scrollTop = (at + 2) * HEIGHT - element.clientHeight;
  };
  const elementOf = (/** @type {string} */ id) => /** @type {HTMLElement | null} */ (place.current?.querySelector(`[data-id="${CSS.escape(id)}"]`));
  const goTo = (/** @type {Row | undefined} */ row) => {
    if (!row) return;
    setFocus(row.item.id);
    reveal(rows.indexOf(row));
    requestAnimationFrame(() => elementOf(row.item.id)?.focus());
  };
  const fold = (/** @type {Item} */ item, /** @type {boolean} */ open) => setChanged(new Map(changed).set(item.id, open));
  const moved = async (/** @type {Row} */ row, /** @type {Item | null} */ into, /** @type {number} */ at) => {
    if (into) fold(into, true);
    setFocus(row.item.id);
    setSaid(t("tree.moved", { name: row.item.label, place: into ? into.label : t("tree.top"), position: at + 1 }));
    await move?.(row.item, into, at);
    requestAnimationFrame(() => document.activeElement === document.body && elementOf(row.item.id)?.focus()); // unless somebody has gone on meanwhile
  };

  /** @param {KeyboardEvent} event */
  const moveByKey = (event) => {
    const row = rows.find((each) => each.item.id === tabbed);
    if (!row || !move) return false;
    const above = row.siblings[row.at - 1];
    const outer = rows.find((each) => each.item === row.parent);
    if (event.key === "ArrowUp" && row.at > 0) void moved(row, row.parent, row.at - 1);
    else if (event.key === "ArrowDown" && row.at < row.siblings.length - 1) void moved(row, row.parent, row.at + 1);
    else if (event.key === inward() && above && accepts(row.item, above)) void moved(row, above, above.children.length);
    else if (event.key === outward() && outer && accepts(row.item, outer.parent)) void moved(row, outer.parent, outer.at + 1);
    else return false;
    return true;
  };
  const inward = () => (document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight");
  const outward = () => (document.documentElement.dir === "rtl" ? "ArrowRight" : "ArrowLeft");
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || /** @type {Element} */ (event.target).closest("button, .menu")) return;
    const at = rows.findIndex((row) => row.item.id === tabbed), row = rows[at];
    if (!row) return;
    let done = true;
    if (event.altKey) done = moveByKey(event);
    else if (event.key === "ArrowDown") goTo(rows[at + 1]);
    else if (event.key === "ArrowUp") goTo(rows[at - 1]);
    else if (event.key === "Home") goTo(rows[0]);
    else if (event.key === "End") goTo(rows.at(-1));
    else if (event.key === inward() && row.item.children.length) isOpen(row.item) ? goTo(rows[at + 1]) : fold(row.item, true);
    else if (event.key === outward()) {
      if (row.item.children.length && isOpen(row.item)) fold(row.item, false);
      else goTo(rows.find((each) => each.item === row.parent));
    } else if (event.key === "Enter" || event.key === " ") /** @type {HTMLElement | null} */ (place.current?.querySelector(`[data-id="${CSS.escape(row.item.id)}"] .label`))?.click();
    else if (/^[\p{L}\p{N}]$/u.test(event.key)) goTo([...rows.slice(at + 1), ...rows.slice(0, at)].find((each) => each.item.label.toLowerCase().startsWith(event.key.toLowerCase())));
    else done = false;
    if (done) event.preventDefault();
  };

  const over = (/** @type {DragEvent} */ event, /** @type {Row} */ row) => {
    if (!dragged || dragged.item === row.item || pathTo([dragged.item], row.item.id).length) return;
    const inside = accepts(dragged.item, row.item), beside = accepts(dragged.item, row.parent);
    if (!inside && !beside) return setDrop(null);
    event.preventDefault();
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect(), part = (event.clientY - box.top) / box.height;
    const edge = inside ? 0.3 : 0.5; // of the row that stands for the place beside it
    const where = !beside ? "into" : part < edge ? "before" : part > 1 - edge ? "after" : "into";
    if (drop?.id !== row.item.id || drop.where !== where) setDrop({ id: row.item.id, where });
  };
  const dropped = (/** @type {DragEvent} */ event, /** @type {Row} */ row) => {
    event.preventDefault();
    const from = dragged, where = drop?.where;
    setDragged(null);
    setDrop(null);
    if (!from || !where) return;
    if (where === "into") return void moved(from, row.item, row.item.children.length);
    const at = row.at + (where === "after" ? 1 : 0);
    void moved(from, row.parent, from.parent === row.parent && from.at < at ? at - 1 : at);
  };

  return html`<div class="tree" ref=${place} onKeyDown=${pressed}>
    <div role="tree" aria-label=${label} aria-description=${move ? t("tree.how") : undefined} style=${{ height: `${rows.length * HEIGHT}px` }}>
      ${rows.slice(first, last).map((row, n) => {
        const { item, level } = row, open = isOpen(item), marked = drop?.id === item.id ? drop.where : "";
        return html`<div key=${item.id} data-id=${item.id} role="treeitem" tabindex=${item.id === tabbed ? 0 : -1}
          class=${`item ${item.id === current ? "chosen" : ""} ${item.isGroup ? "group" : ""} ${dragged?.item === item ? "moved" : ""} ${marked}`}
          style=${{ top: `${(first + n) * HEIGHT}px`, paddingInlineStart: `${indent(level)}rem`, "--indent": `${indent(level) + 1.5}rem` }}
          aria-level=${level + 1} aria-setsize=${row.siblings.length} aria-posinset=${row.at + 1} aria-label=${item.name ?? item.label}
          aria-expanded=${item.children.length ? String(open) : undefined} aria-selected=${String(item.id === current)}
          draggable=${!!move} onFocus=${() => setFocus(item.id)}
          onDragStart=${(/** @type {DragEvent} */ event) => (event.dataTransfer?.setData("text/plain", item.label), setDragged(row))}
          onDragEnd=${() => (setDragged(null), setDrop(null))} onDragOver=${(/** @type {DragEvent} */ event) => over(event, row)}
          onDrop=${(/** @type {DragEvent} */ event) => dropped(event, row)}>
          ${item.children.length
            ? html`<button type="button" class="fold" tabindex="-1" aria-hidden="true" onClick=${() => fold(item, !open)}><${Glyph} name="forward" /></button>`
            : html`<span class="fold" aria-hidden="true"></span>`}
          ${(item.emoji || item.glyph) && html`<${Emoji} code=${item.emoji} glyph=${item.glyph ?? "file"} />`}
          ${item.href
            ? html`<a class=${`label ${item.faint ? "soft" : ""}`} tabindex="-1" draggable=${false} dir="auto" href=${item.href} title=${item.label}>${item.label}</a>`
            : html`<span class="label" dir="auto" title=${item.label} onClick=${() => (choose ? choose(item) : fold(item, !open))}>${item.label}</span>`}
          ${actions?.(item)}
        </div>`;
      })}
    </div>
    <p class="unseen" role="status">${said}</p>
  </div>`;
}

/** Return how far an item is indented, in rem: deep ones hardly more than those above them. @param {number} level */
function indent(level) {
  return Math.min(level, 6) * 0.9 + Math.max(level - 6, 0) * 0.15;
}

/**
 * @param {Item[]} items
 * @param {(item: Item) => boolean} isOpen
 * @returns {Row[]}
 */
function flat(items, isOpen) {
  /** @type {Row[]} */
  const rows = [];
  const add = (/** @type {Item[]} */ siblings, /** @type {Item | null} */ parent, /** @type {number} */ level) => {
    siblings.forEach((item, at) => {
      rows.push({ item, level, at, siblings, parent });
      if (item.children.length && isOpen(item)) add(item.children, item, level + 1);
    });
  };
  add(items, null, 0);
  return rows;
}

/**
 * Return the items with one of them in another place.
 * @param {Item[]} items
 * @param {Item} item
 * @param {Item | null} into
 * @param {number} at
 */
export function rearranged(items, item, into, at) {
  const without = (/** @type {Item[]} */ all) => all.filter((each) => each.id !== item.id);
  const put = (/** @type {Item[]} */ all, /** @type {Item | null} */ inside) => {
    /** @type {Item[]} */
    const left = without(all).map((each) => ({ ...each, children: put(each.children, each) }));
    return inside?.id === into?.id ? left.toSpliced(at, 0, item) : left;
  };
  return put(items, null);
}

/**
 * Return the way to an item, itself last; nothing where it is not there.
 * @param {Item[]} items
 * @param {string} id
 * @returns {Item[]}
 */
export function pathTo(items, id) {
  for (const item of items) {
    if (item.id === id) return [item];
    const below = pathTo(item.children, id);
    if (below.length) return [item, ...below];
  }
  return [];
}
