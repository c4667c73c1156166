// A text that a list is narrowed to, kept in a parameter of the address.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { addressWith, go, here } from "../router.js";
import { TextField } from "./forms.js";

const PAUSE = 200; // milliseconds without a key after which is searched

/** @param {{ label: string, name?: string, [attribute: string]: any }} props `name` is the parameter */
export function SearchFilter({ label, name = "search", ...more }) {
  const wanted = here.value.query.get(name) ?? "";
  const [text, setText] = useState(wanted), timer = useRef(0), sent = useRef(wanted);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (wanted === sent.current) return;
    sent.current = wanted; // by the browser's back or a link
    setText(wanted);
  }, [wanted]);
  const typed = (/** @type {string} */ now) => {
    setText(now);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => ((sent.current = now.trim()), go(addressWith(name, sent.current), { replace: true })), PAUSE);
  };
  return html`<${TextField} label=${label} type="search" value=${text} onInput=${typed} maxlength="128" autocomplete="off" ...${more} />`;
}
