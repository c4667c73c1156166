// Keyboard shortcuts. Those of a screen live as long as its component; `?` shows all that hold now.

import { html, signal, useEffect } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Dialog } from "./overlays.js";

/** @typedef {{ keys: string, label: string, run: (event: KeyboardEvent) => unknown }} Shortcut */

/** @type {Set<Shortcut[]>} */
const known = new Set();
const help = signal(false);
const MAC = navigator.platform.startsWith("Mac");
let prefix = "";
let timer = 0;

/**
 * Have shortcuts while the component is shown. `keys` is a key as the browser names it ("e", "?", "ArrowDown"), with
 * "Mod+" for Control or Command, or two keys one after the other ("g h"). Without Mod they are off while text is typed.
 * @param {Shortcut[]} shortcuts
 */
export function useShortcuts(shortcuts) {
  useEffect(() => {
    known.add(shortcuts);
    return () => void known.delete(shortcuts);
  });
}

/** Listen to keys. */
export function listenToKeys() {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const held = event.ctrlKey || event.metaKey;
    if (!held && typing(event.composedPath()[0] ?? null)) return; // the editor has a tree of its own
    if (!held && document.querySelector("dialog[open]")) return;
    const pressed = held ? `Mod+${key}` : key;
    const all = [...known].flat().reverse();
    const found = all.find((each) => each.keys === `${prefix} ${pressed}`) ?? all.find((each) => each.keys === pressed);
    clearTimeout(timer);
    prefix = "";
    if (found) {
      event.preventDefault();
      void found.run(event);
    } else if (!held && all.some((each) => each.keys.startsWith(`${pressed} `))) {
      prefix = pressed;
      timer = window.setTimeout(() => (prefix = ""), 1200);
    } else if (pressed === "?") help.value = true;
  });
}

/** @param {EventTarget | null} target */
function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"));
}

/**
 * Keys as they are shown.
 * @param {{ keys: string }} props
 */
export function Keys({ keys }) {
  return html`${keys.split(" ").map((each) => html`<kbd>${each.replace("Mod+", MAC ? "⌘" : "Ctrl ").replace(/\b([a-z])$/, (one) => one.toUpperCase())}</kbd> `)}`;
}

/** The list of shortcuts, once `?` is pressed; the shell shows it. */
export function ShortcutHelp() {
  if (!help.value) return null;
  const all = [...known].flat();
  return html`<${Dialog} title=${t("shortcuts.title")} onClose=${() => (help.value = false)}>
    <ul class="list">${all.map((each) => html`<li key=${each.keys}><span class="grow">${each.label}</span><${Keys} keys=${each.keys} /></li>`)}</ul>
  <//>`;
}
