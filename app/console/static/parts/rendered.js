// A text as readers see it, in a frame without an origin (`frame.js`): nothing in it can act as the person.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { go, pathOf } from "../router.js";
import { appearance, BASE } from "../settings.js";
import { openPalette } from "../shell/palette.js";
import { t } from "../texts.js";

/**
 * @typedef {{ key: string, integration: string, component: string, title: string, props: Record<string, unknown>, url?: string, frames: string }} Block of an integration
 * @typedef {{ key: string, top: number, left: number, width: number }} Room that the text leaves for a block
 * @typedef {{ id: string, text: string, level: number }} Heading
 * @typedef {{ html: string, title?: string, description?: string | null }} Before
 * @typedef {{ text: string, top: number }} Place where a heading stands, in pixels from the top of the text
 * @param {{ text: string | null, label?: string, title?: string, description?: string | null, goTo?: string, goToText?: { text: string } | null, before?: Before | null,
 *   onOutline?: (headings: Heading[]) => void, onPlaces?: (places: Place[]) => void, onBlock?: (block: string, top: number, text: string) => void,
 *   onLink?: (href: string) => boolean, draw?: (block: Block) => unknown }} props
 *   `text` is the HTML that the API rendered, null while it is on its way: the frame is loaded meanwhile; `before` what it was, to mark what was changed; `goTo` the id of what to scroll to, `goToText` the beginning of a block;
 *   `onLink` may return true to have
 *   followed a link itself; `onPlaces` is told where the headings stand whenever that changes; `draw` draws a block of an integration
 */
export function Rendered({ text, label, title, description, before, goTo, goToText, onOutline, onPlaces, onBlock, onLink, draw }) {
  const frame = useRef(/** @type {HTMLIFrameElement | null} */ (null)), port = useRef(/** @type {MessagePort | null} */ (null));
  const told = useRef({ onOutline, onPlaces, onBlock, onLink });
  const [height, setHeight] = useState(320);
  const [blocks, setBlocks] = useState(/** @type {Block[]} */ ([])), [rooms, setRooms] = useState(/** @type {Room[]} */ ([]));
  told.current = { onOutline, onPlaces, onBlock, onLink };
  const content = { html: text, title, description, before, appearance: appearance(), dir: document.documentElement.dir };
  const latest = useRef(content);
  latest.current = content;
  const loaded = () => {
    const channel = new MessageChannel();
    port.current = channel.port1;
    channel.port1.onmessage = ({ data }) => heard(data);
    const { html: _, ...bare } = latest.current;
    frame.current?.contentWindow?.postMessage(latest.current.html === null ? bare : latest.current, "*", [channel.port2]); // it has no origin to name
    if (goTo) channel.port1.postMessage({ goTo });
  };
  const heard = (/** @type {any} */ data) => {
    if (typeof data.height === "number") setHeight(Math.min(Math.max(data.height, 120), 400_000));
    if (Array.isArray(data.places)) told.current.onPlaces?.(data.places);
    if (Array.isArray(data.blocks)) setBlocks(data.blocks);
    if (Array.isArray(data.rooms)) setRooms(data.rooms);
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
  useEffect(() => void (text !== null && port.current?.postMessage(content)), [text, title, description, before?.html, before?.title, before?.description]);
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
  const roomy = (/** @type {string} */ key) => (/** @type {number} */ tall) => port.current?.postMessage({ room: key, height: tall });
  return html`<div class="rendered-place"><iframe ref=${frame} class=${text === null ? "rendered-soon" : "rendered"} title=${label ?? t("loading")} src=${`${BASE}/console/frame`} sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
    style=${{ height: `${height}px` }} onLoad=${loaded}></iframe>
    ${draw && text !== null && blocks.map((block) => html`<${Above} key=${block.key} room=${rooms.find((each) => each.key === block.key)} onHeight=${roomy(block.key)} draw=${() => draw(block)} />`)}</div>`;
}

/**
 * What is drawn above the room that a text leaves for it, once that comes near.
 * @param {{ room: Room | undefined, onHeight: (height: number) => void, draw: () => unknown }} props
 */
function Above({ room, onHeight, draw }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null)), told = useRef(onHeight), [isNear, setNear] = useState(false);
  const isShown = !!room && room.width > 0;
  told.current = onHeight;
  useEffect(() => {
    if (!place.current) return undefined;
    const near = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && setNear(true), { rootMargin: "300px" });
    near.observe(place.current);
    return () => near.disconnect();
  }, [isShown]);
  useEffect(() => {
    if (!place.current || !isNear) return undefined;
    const look = new ResizeObserver(([entry]) => entry && entry.contentRect.width > 0 && told.current(Math.ceil(entry.contentRect.height)));
    look.observe(place.current);
    return () => look.disconnect();
  }, [isShown, isNear]);
  if (!isShown && !isNear) return null;
  const style = isShown ? { top: `${room.top}px`, left: `${room.left}px`, width: `${room.width}px` } : { display: "none" };
  return html`<div class="rendered-above" ref=${place} style=${style}>${isNear && draw()}</div>`;
}
