// What is said of a page beside its text: title and description above it, the rest where it is asked for.

import { html, useEffect, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { later, whenIdle } from "../parts/later.js";
import { opening } from "../parts/overlays.js";
import { t } from "../texts.js";

/** @typedef {import("./writing.js").Writing} Writing */

const More = later(() => import("./more_fields.js"), "More", opening);

/** @param {{ writing: Writing, mayUpload: () => boolean }} props `mayUpload` says why not, if not */
export function Fields({ writing, mayUpload }) {
  const [more, setMore] = useState(false);
  useEffect(() => whenIdle(More.ahead), []);
  const { title, description } = writing.content.value, wrong = wrongIn(writing);
  const typed = (/** @type {"title" | "description"} */ name) => (/** @type {any} */ event) => writing.change({ [name]: event.currentTarget.value });
  return html`<div class="editor-head">
    <input class="editor-title" value=${title} onInput=${typed("title")} aria-label=${t("editor.title")} placeholder=${t("editor.title")}
      maxlength="500" dir="auto" aria-invalid=${wrong("title") ? "true" : undefined} />
    <div class="editor-about">
      <input class="editor-description" value=${description} onInput=${typed("description")} aria-label=${t("editor.description")}
        placeholder=${t("editor.description")} maxlength="2000" dir="auto" />
      <${Button} kind="quiet" small glyph="settings" onClick=${() => setMore(true)} aria-haspopup="dialog">${t("editor.more")}<//>
    </div>
    ${["title", "description"].map((name) => wrong(name) && html`<p class="wrong" role="alert">${wrong(name)}</p>`)}
    ${more && html`<${More} writing=${writing} mayUpload=${mayUpload} onClose=${() => setMore(false)} />`}
  </div>`;
}

/**
 * Return what tells what the server refused of a field.
 * @param {Writing} writing
 */
export function wrongIn(writing) {
  const error = writing.wrong.value;
  return (/** @type {string} */ name) => (error?.path.at(-1) === name ? error.message : null);
}
