// A page of an integration in a component of it: at an origin of its own, or in a sandbox without one.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ORIGINS, SITES } from "../settings.js";

const MAY = "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads";

/**
 * Return the origin that messages are exchanged with; "null" in a sandbox, "" for a page of somebody else.
 * @param {string} url
 */
export function originOf(url) {
  if (SITES && url.startsWith(`${SITES}/~integrations/`)) return "null";
  const [before = "", after = ""] = ORIGINS.split("*"), { origin } = new URL(url);
  return ORIGINS && origin.startsWith(before) && origin.endsWith(after) ? origin : "";
}

/**
 * @param {{ url: string, ratio?: number, data: Record<string, unknown>, act: (action: any) => unknown }} props
 *   `data` is told to the frame when it is ready and whenever it changes
 */
export function WebFrame({ url, ratio, data, act }) {
  const frame = useRef(/** @type {HTMLIFrameElement | null} */ (null)), latest = useRef({ act }), origin = originOf(url);
  const [isReady, setReady] = useState(false), [size, setSize] = useState(/** @type {{ height?: number | undefined, aspectRatio?: number | undefined }} */ ({}));
  latest.current = { act };
  useEffect(() => {
    const hear = (/** @type {MessageEvent} */ { source, origin: from, data: said }) => {
      if (source !== frame.current?.contentWindow || from !== origin) return;
      const action = said?.action;
      if (action?.action === "@webframe.ready") setReady(true);
      else if (action?.action === "@webframe.resize") {
        const { height, maxHeight, aspectRatio } = action.size ?? {}, most = Math.min(Number(height ?? maxHeight), 10_000);
        setSize({ height: most > 0 ? Math.max(most, 32) : undefined, aspectRatio: Number(aspectRatio) > 0 ? Number(aspectRatio) : undefined });
      } else if (typeof action?.action === "string" && !action.action.startsWith("@")) void latest.current.act(action);
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [origin]);
  const told = JSON.stringify(data);
  useEffect(() => {
    if (isReady && told !== "{}") frame.current?.contentWindow?.postMessage({ state: JSON.parse(told) }, origin === "null" ? "*" : origin);
  }, [isReady, told, origin]);
  const shape = size.aspectRatio || !size.height ? (size.aspectRatio ?? ratio) : undefined;
  const style = { aspectRatio: shape ? String(shape) : "auto", height: shape ? "auto" : size.height ? `${size.height}px` : undefined, maxHeight: size.height ? `${size.height}px` : undefined };
  return html`<iframe class="web-frame" ref=${frame} src=${url} title=${new URL(url).hostname} sandbox=${MAY} loading="lazy" referrerpolicy="no-referrer" style=${style}></iframe>`;
}
