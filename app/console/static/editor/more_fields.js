// What is said of a page besides its title and description, in a dialog.

import { html } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Checkbox, TextField } from "../parts/forms.js";
import { Dialog } from "../parts/overlays.js";
import { t } from "../texts.js";
import { wrongIn } from "./fields.js";
import { CoverFields, LayoutFields, VariableFields } from "./front_matter_fields.js";

/** @typedef {import("./writing.js").Writing} Writing */

/** @param {{ writing: Writing, mayUpload: () => boolean, onClose: () => void }} props */
export function More({ writing, mayUpload, onClose }) {
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
