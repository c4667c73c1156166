// What is said of a page beside its text: title and description above it, the rest where it is asked for.

import { html, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Checkbox, TextField } from "../parts/forms.js";
import { Dialog } from "../parts/overlays.js";
import { t } from "../texts.js";
import { CoverFields, LayoutFields, VariableFields } from "./front_matter_fields.js";

/** @typedef {import("./writing.js").Writing} Writing */

/** @param {{ writing: Writing, mayUpload: () => boolean }} props `mayUpload` says why not, if not */
export function Fields({ writing, mayUpload }) {
  const [more, setMore] = useState(false);
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

/** @param {{ writing: Writing, mayUpload: () => boolean, onClose: () => void }} props */
function More({ writing, mayUpload, onClose }) {
  const now = writing.content.value, wrong = wrongIn(writing);
  const text = (/** @type {"linkTitle" | "slug" | "emoji" | "icon" | "condition"} */ name, /** @type {number} */ longest, more = {}) => html`<${TextField}
    label=${t(`editor.${name}`)} hint=${t(`editor.${name}-hint`)} value=${now[name]} wrong=${wrong(name)} maxlength=${longest}
    onInput=${(/** @type {string} */ value) => writing.change({ [name]: value })} ...${more} />`;
  const box = (/** @type {"hidden" | "noIndex" | "noRobotsIndex"} */ name) => html`<${Checkbox} label=${t(`editor.${name}`)} checked=${now[name]}
    onChange=${(/** @type {boolean} */ value) => writing.change({ [name]: value })} />`;
  const foot = html`<${Button} kind="main" onClick=${onClose}>${t("editor.done")}<//>`;
  return html`<${Dialog} title=${t("editor.more")} onClose=${onClose} foot=${foot}>
    ${text("linkTitle", 500)}
    ${text("slug", 100, { dir: "ltr" })}
    ${text("emoji", 100, { dir: "ltr" })}
    ${text("icon", 100, { dir: "ltr" })}
    ${text("condition", 1024, { dir: "ltr", rows: 2 })}
    <fieldset class="stack tight"><legend class="unseen">${t("editor.shown")}</legend>
      ${box("hidden")} ${box("noIndex")} ${box("noRobotsIndex")}
    </fieldset>
    <${CoverFields} writing=${writing} mayUpload=${mayUpload} />
    <${LayoutFields} writing=${writing} />
    <${VariableFields} writing=${writing} />
  <//>`;
}

/**
 * Return what tells what the server refused of a field.
 * @param {Writing} writing
 */
function wrongIn(writing) {
  const error = writing.wrong.value;
  return (/** @type {string} */ name) => (error?.path.at(-1) === name ? error.message : null);
}
