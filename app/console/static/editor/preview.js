// What a text would look like, rendered by the server as readers see it, scrolled to where one writes.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ApiError, offline, send } from "../api/client.js";
import { Bones, Note } from "../parts/basic.js";
import { Rendered } from "../parts/rendered.js";
import { pathOf } from "../router.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";
import { headingOf } from "./writing.js";

/** @typedef {import("../parts/rendered.js").Place} Place */

const PAUSE = 350; // milliseconds without a key before the server is asked

/**
 * @param {{ writing: import("./writing.js").Writing, sync: { line: () => { heading: number, part: number } | null, follow: (() => void) | null } }} props
 *   `sync.line` says between which headings of the source one is; `sync.follow` is set to what scrolls there
 */
export function Preview({ writing, sync }) {
  const { text, title, description } = writing.content.value;
  const [shown, setShown] = useState(/** @type {{ html: string } | null} */ (null)), [wrong, setWrong] = useState("");
  const pane = useRef(/** @type {HTMLDivElement | null} */ (null)), places = useRef(/** @type {Place[]} */ ([]));
  const isOffline = offline.value;
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => ask(writing, text, abort.signal).then((made) => (setShown({ html: made }), setWrong("")), (error) => {
      if (!(error instanceof ApiError) || error.code === "OFFLINE") return;
      if (error.code === "FORBIDDEN" && !writing.isChanged.peek()) writing.refused.value = true;
      setWrong(error.message);
    }), shown ? PAUSE : 0);
    return () => (clearTimeout(timer), abort.abort());
  }, [text, writing.place.change, writing.place.page, isOffline]);
  const follow = () => {
    const at = sync.line(), all = pane.current, now = writing.content.peek();
    if (!at || !all) return;
    const heading = at.heading - (headingOf(now.text) && headingOf(now.text) === now.title ? 1 : 0); // it is shown as the title
    const top = places.current[heading]?.top ?? 0, next = places.current[heading + 1]?.top ?? all.scrollHeight;
    all.scrollTop = top + at.part * (next - top);
  };
  sync.follow = follow;
  const placed = (/** @type {Place[]} */ found) => ((places.current = found), follow());
  const outside = (/** @type {string} */ href) => {
    const to = pathOf(href);
    window.open(to === null ? href : BASE + to, "_blank", "noopener,noreferrer"); // what is written stays
    return true;
  };
  return html`<div class="editor-preview" ref=${pane} tabindex="0" role="region" aria-label=${t("editor.preview")}>
    ${wrong && html`<${Note} kind="warn">${wrong}<//>`}
    ${shown ? html`<${Rendered} text=${shown.html} title=${title || t("editor.untitled")} description=${description} label=${t("editor.preview")} onPlaces=${placed} onLink=${outside} />` : !wrong && html`<${Bones} />`}
  </div>`;
}

/**
 * @param {import("./writing.js").Writing} writing
 * @param {string} markdown
 * @param {AbortSignal} abort
 */
async function ask(writing, markdown, abort) {
  const { space, change, page } = writing.place, of = { space, markdown, page: page || null };
  const { data, errors } = change ? await send("PreviewInChange", { ...of, change }, abort) : await send("Preview", of, abort);
  const made = (change ? data?.space?.changeRequest : data?.space)?.preview;
  if (typeof made !== "string") throw new ApiError(errors[0]?.extensions.code ?? "INTERNAL", errors[0]?.message);
  return made;
}
