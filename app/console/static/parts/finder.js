// A field in which one of many is found by what is typed: a person, a space.

import { html, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button } from "./basic.js";

const PAUSE = 150; // milliseconds without a key after which the server is asked

/**
 * @typedef {{ label: string, placeholder?: string, unlabelled?: boolean, wrong?: string | null, hint?: string }} Looks
 *   `unlabelled` hides the label from view
 */

/**
 * @template One
 * @param {Looks & { value: One | null, onChange: (one: One | null) => void, find: (text: string) => Promise<One[]>,
 *   offer: (found: One[], text: string) => One[], idOf: (one: One) => string, nameOf: (one: One) => string,
 *   picture: (one: One) => any, detail: (one: One) => any, about: string }} props
 *   `find` asks the server; `offer` chooses among what it answered last; `about` is what they depend on besides the
 *   text; `picture` and `detail` stand before and after the name
 */
export function Finder({ label, placeholder, unlabelled, wrong, hint, value, onChange, find, offer, idOf, nameOf, picture, detail, about }) {
  const [text, setText] = useState(""), [open, setOpen] = useState(false), [at, setAt] = useState(0);
  const [found, setFound] = useState(/** @type {One[]} */ ([]));
  const id = useId(), field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const offered = offer(found, text); // also before the answer is there
  useEffect(() => {
    if (!open) return undefined;
    let stale = false;
    const ask = async () => {
      const answer = await find(text.trim());
      if (!stale) setFound(answer), setAt(0);
    };
    const timer = setTimeout(() => void ask(), text ? PAUSE : 0);
    return () => ((stale = true), clearTimeout(timer));
  }, [open, text, about]);
  useEffect(() => setAt(0), [text]);
  const choose = (/** @type {One | null | undefined} */ one) => {
    if (one === undefined) return;
    setText("");
    setOpen(false);
    onChange(one);
    if (!one) setTimeout(() => field.current?.focus());
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && open) return event.preventDefault(), event.stopPropagation(), setOpen(false);
    if (event.key === "Enter" && open) return event.preventDefault(), choose(offered[at]);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    if (!open) setOpen(true);
    else if (offered.length) setAt((at + step + offered.length) % offered.length);
  };
  const told = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
  const below = html`${hint && html`<span class="hint" id=${`${id}-hint`}>${hint}</span>`}
    ${wrong && html`<span class="wrong" id=${`${id}-wrong`} role="alert">${wrong}</span>`}`;
  if (value)
    return html`<div class="field finder">
      <span class=${unlabelled ? "unseen" : "label"} id=${id}>${label}</span>
      <div class="row chosen" role="group" aria-labelledby=${id}>${picture(value)}
        <span class="cut grow" dir="auto" title=${label}>${nameOf(value)}</span>
        <${Button} kind="quiet" small glyph="close" label=${t("person.clear", { name: nameOf(value) })} onClick=${() => choose(null)} /></div>
      ${below}
    </div>`;
  const left = (/** @type {FocusEvent} */ event) => !(/** @type {Element} */ (event.currentTarget).contains(/** @type {Node} */ (event.relatedTarget))) && setOpen(false);
  return html`<div class="field finder" onFocusOut=${left}>
    <label class=${unlabelled ? "unseen" : ""} for=${id}>${label}</label>
    <input class="input" id=${id} ref=${field} type="text" role="combobox" autocomplete="off" dir="auto" placeholder=${placeholder ?? label} value=${text}
      aria-expanded=${String(open)} aria-controls=${`${id}-found`} aria-autocomplete="list" aria-describedby=${told} aria-invalid=${wrong ? "true" : undefined}
      aria-activedescendant=${open && offered.length ? `${id}-${at}` : undefined}
      onInput=${(/** @type {any} */ event) => (setText(event.currentTarget.value), setOpen(true))}
      onClick=${() => setOpen(true)} onKeyDown=${pressed} />
    <ul class="offered" role="listbox" id=${`${id}-found`} aria-label=${label} hidden=${!open || !offered.length}>
      ${offered.map((each, n) => html`<li role="option" id=${`${id}-${n}`} key=${idOf(each)} aria-selected=${String(n === at)}
        onMouseDown=${(/** @type {Event} */ event) => (event.preventDefault(), choose(each))} onMouseMove=${() => n !== at && setAt(n)}>
        ${picture(each)}<span class="cut grow" dir="auto">${nameOf(each)}</span>
        <span class="soft small cut">${detail(each)}</span></li>`)}
    </ul>
    ${below}
  </div>`;
}
