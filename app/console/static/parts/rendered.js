// A text as readers see it, in a frame without an origin (`frame.js`): nothing in it can act as the person.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { go, pathOf } from "../router.js";
import { appearance, BASE } from "../settings.js";
import { openPalette } from "../shell/palette.js";

/**
 * @typedef {{ id: string, text: string, level: number }} Heading
 * @typedef {{ html: string, title?: string, description?: string | null }} Before
 * @typedef {{ text: string, top: number }} Place where a heading stands, in pixels from the top of the text
 * @param {{ text: string, label: string, title?: string, description?: string | null, goTo?: string, goToText?: { text: string } | null, before?: Before | null,
 *   onOutline?: (headings: Heading[]) => void, onPlaces?: (places: Place[]) => void, onBlock?: (block: string, top: number, text: string) => void,
 *   onLink?: (href: string) => boolean }} props
 *   `text` is the HTML that the API rendered; `before` what it was, to mark what was changed; `goTo` the id of what to scroll to, `goToText` the beginning of a block;
 *   `onLink` may return true to have
 *   followed a link itself; `onPlaces` is told where the headings stand whenever that changes
 */
export function Rendered({ text, label, title, description, before, goTo, goToText, onOutline, onPlaces, onBlock, onLink }) {
  const frame = useRef(/** @type {HTMLIFrameElement | null} */ (null)), port = useRef(/** @type {MessagePort | null} */ (null));
  const told = useRef({ onOutline, onPlaces, onBlock, onLink });
  const [height, setHeight] = useState(320);
  told.current = { onOutline, onPlaces, onBlock, onLink };
  const content = { html: text, title, description, before, appearance: appearance(), dir: document.documentElement.dir };
  const latest = useRef(content);
  latest.current = content;
  const loaded = () => {
    const channel = new MessageChannel();
    port.current = channel.port1;
    channel.port1.onmessage = ({ data }) => heard(data);
    frame.current?.contentWindow?.postMessage(latest.current, "*", [channel.port2]); // it has no origin to name
    if (goTo) channel.port1.postMessage({ goTo });
  };
  const heard = (/** @type {any} */ data) => {
    if (typeof data.height === "number") setHeight(Math.min(Math.max(data.height, 120), 400_000));
    if (Array.isArray(data.places)) told.current.onPlaces?.(data.places);
    if (Array.isArray(data.outline)) told.current.onOutline?.(data.outline);
    if (typeof data.block === "string") told.current.onBlock?.(data.block, data.top, String(data.text ?? ""));
    if (typeof data.at === "number") scrollTo({ top: scrollY + (frame.current?.getBoundingClientRect().top ?? 0) + data.at - 72 });
    if (typeof data.link === "string") follow(data.link);
    if (typeof data.key === "string") openPalette();
  };
  const follow = (/** @type {string} */ href) => {
    if (told.current.onLink?.(href)) return;
    const to = pathOf(href);
    if (to !== null) void go(to);
    else if (/^(https?|mailto|tel):/.test(href)) window.open(href, "_blank", "noopener,noreferrer");
  };
  useEffect(() => port.current?.postMessage(content), [text, title, description, before?.html, before?.title, before?.description]);
  useEffect(() => {
    if (goTo) port.current?.postMessage({ goTo });
  }, [goTo]);
  useEffect(() => {
    if (goToText) port.current?.postMessage({ goToText: goToText.text });
  }, [goToText]);
  useEffect(() => {
    const look = new MutationObserver(() => port.current?.postMessage({ appearance: appearance() }));
    look.observe(document.documentElement, { attributeFilter: ["data-appearance"] });
    return () => look.disconnect();
  }, []);
  return html`<iframe ref=${frame} class="rendered" title=${label} src=${`${BASE}/console/frame`} sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
    style=${{ height: `${height}px` }} onLoad=${loaded}></iframe>`;
}
