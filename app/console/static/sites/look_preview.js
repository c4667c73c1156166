// The real reader with a look that is not saved, in a frame that cannot act as the person: at three widths, light and dark.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ApiError, offline, send } from "../api/client.js";
import { Bones, Button, Note } from "../parts/basic.js";
import { recall, remember } from "../settings.js";
import { t } from "../texts.js";

const PAUSE = 400; // milliseconds without a change before the server is asked
const WIDTHS = /** @type {Record<string, number>} */ ({ phone: 390, tablet: 820, desktop: 1280 });
const HEIGHT = 640; // pixels that the frame takes on the screen
/** What a sandboxed page of the reader may do: run its own scripts and open links elsewhere, without an origin. */
export const SANDBOX = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox";

/** @typedef {{ path: string, message: string }} Wrong */

/**
 * @param {{ place: { organization: string, site: string, siteSpace?: string }, change: Record<string, any>, onWrong: (found: Wrong[]) => void }} props
 *   `change` is what differs from the look that is saved; `onWrong` is told what of it could not be saved
 */
export function LookPreview({ place, change, onWrong }) {
  const [width, setWidth] = useState(recall("look-width", "desktop")), [mode, setMode] = useState(recall("look-mode", "LIGHT"));
  const [shown, setShown] = useState(""), [coming, setComing] = useState(""), [wrong, setWrong] = useState(""), [stopped, setStopped] = useState(false);
  const isOffline = offline.value, said = JSON.stringify(change);
  useEffect(() => {
    const abort = new AbortController();
    const ask = async () => {
      const { url, found, message } = await offered(place, { ...change, themes: { ...change["themes"], default: mode } }, abort.signal);
      if (abort.signal.aborted) return;
      onWrong(found);
      setWrong(message);
      setStopped(!url); // nothing comes until something else is written
      if (url) setComing(url);
    };
    const timer = setTimeout(() => ask().catch((error) => abort.signal.aborted || (error instanceof ApiError && error.code === "OFFLINE") || setWrong(error.message)), shown ? PAUSE : 0);
    return () => (clearTimeout(timer), abort.abort());
  }, [place.site, place.siteSpace, said, mode, isOffline]);
  const pick = (/** @type {string} */ name, /** @type {(value: string) => void} */ set) => (/** @type {string} */ value) => (remember(name, value), set(value));
  return html`<section class="look-preview stack tight" aria-label=${t("look.preview")}>
    <div class="row">
      <${Switcher} label=${t("look.width")} value=${width} onChoose=${pick("look-width", setWidth)} options=${Object.keys(WIDTHS).map((each) => [each, t(`look.${each}`)])} />
      <${Switcher} label=${t("look.mode")} value=${mode} onChoose=${pick("look-mode", setMode)} options=${["LIGHT", "DARK"].map((each) => [each, t(`look.mode-${each}`)])} />
      <span class="grow"></span>
      ${shown && html`<${Button} small kind="quiet" glyph="globe" href=${shown} target="_blank" rel="noopener noreferrer">${t("look.open")}<//>`}
    </div>
    ${wrong && html`<${Note} kind="warn">${wrong}<//>`}
    ${shown || coming ? html`<${Scaled} width=${WIDTHS[width] ?? 1280} urls=${[...new Set([shown, coming])].filter(Boolean)} onLoad=${(/** @type {string} */ url) => (setShown(url), setComing((/** @type {string} */ now) => (now === url ? "" : now)))} />` : !wrong && !stopped && html`<${Bones} />`}
  </section>`;
}

/**
 * Pages at a width of their own, made smaller where there is less room; a new one replaces the old one when it is there.
 * @param {{ width: number, urls: string[], onLoad: (url: string) => void }} props
 */
export function Scaled({ width, urls, onLoad }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null)), [room, setRoom] = useState(0);
  useEffect(() => {
    const look = new ResizeObserver(([entry]) => entry && setRoom(entry.contentRect.width));
    look.observe(/** @type {Element} */ (place.current));
    return () => look.disconnect();
  }, []);
  const scale = room ? Math.min(1, room / width) : 1;
  const style = { width: `${width}px`, height: `${Math.round(HEIGHT / scale)}px`, transform: `scale(${scale})`, insetInlineStart: `${Math.max(0, (room - width) / 2)}px` };
  return html`<div class="look-frame" ref=${place} style=${{ height: `${HEIGHT}px` }} data-scale=${scale}>
    ${room > 0 && urls.map((url, n) => html`<iframe key=${url} src=${url} title=${t("look.preview")} sandbox=${SANDBOX} class=${n ? "coming" : "there"} style=${style}
      aria-hidden=${n ? "true" : undefined} onLoad=${() => onLoad(url)}></iframe>`)}
  </div>`;
}

/**
 * A choice of one among few, as buttons beside each other.
 * @param {{ label: string, value: string, options: [string, string][], onChoose: (value: string) => void }} props
 */
export function Switcher({ label, value, options, onChoose }) {
  return html`<div class="look-switch" role="group" aria-label=${label}>${options.map(([each, text]) =>
    html`<${Button} key=${each} small aria-pressed=${String(each === value)} onClick=${() => onChoose(each)}>${text}<//>`)}</div>`;
}

/**
 * Ask for a preview; returns its address, or what is wrong at which fields, or in general.
 * @param {Record<string, string>} place
 * @param {Record<string, any>} change
 * @param {AbortSignal} abort
 * @returns {Promise<{ url: string, found: Wrong[], message: string }>}
 */
async function offered(place, change, abort) {
  const { data, errors } = await send("SiteLookPreview", { ...place, ...change }, abort).catch((error) => {
    const field = error instanceof ApiError && wrongValue(error.message);
    if (!field) throw error;
    return { data: null, errors: [{ message: field.message, extensions: { code: "", details: [field] } }] };
  });
  const url = data?.organization?.site?.customizationPreview?.url ?? "", error = /** @type {any} */ (errors[0]);
  const found = (error?.extensions.details ?? []).filter((/** @type {Wrong} */ each) => each.path && each.path !== "body");
  return { url, found, message: url || found.length ? "" : (error?.message ?? "") };
}

/**
 * Return the field and the reason in what GraphQL says of a value that is none of its type.
 * @param {string} message such as: Variable '$header' has invalid value at .links[0].url: …
 * @returns {Wrong | null}
 */
export function wrongValue(message) {
  const found = /^Variable '\$(\w+)' has invalid value(?: at (\S+))?: ([^]+)$/.exec(message);
  if (!found) return null;
  const [, variable = "", inside = "", said = ""] = found, missing = / include required field '(\w+)'/.exec(said);
  const path = `${variable}${inside}${missing ? `.${missing[1]}` : ""}`.replace(/^input\./, "").replace(/\[(\d+)\]/g, ".$1");
  return { path, message: missing ? t("look.required") : said };
}
