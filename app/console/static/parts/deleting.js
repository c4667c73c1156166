// Deleting what cannot be brought back: its name is typed first.

import { html, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button } from "./basic.js";
import { Form, TextField } from "./forms.js";
import { attempt, Dialog } from "./overlays.js";

/**
 * A card that says what deleting does, and asks for the name before it is done.
 * @param {{ title: string, text: string, name: string, remove: () => Promise<unknown> }} props
 */
export function DeleteByName({ title, text, name, remove }) {
  const [asks, setAsks] = useState(false), [typed, setTyped] = useState("");
  const close = () => (setAsks(false), setTyped("")), isSame = typed.trim() === name.trim();
  return html`<section class="card stack tight form-width">
    <h2>${title}</h2><p class="soft">${text}</p>
    <div><${Button} kind="danger" onClick=${() => setAsks(true)}>${title}<//></div>
    ${asks && html`<${Dialog} title=${title} onClose=${close}>
      <${Form} onSubmit=${() => isSame && attempt(remove)}>
        <p class="breaks">${text}</p>
        <${TextField} label=${t("delete.type-name", { name })} value=${typed} onInput=${setTyped} autocomplete="off" autofocus />
        <div class="foot"><${Button} onClick=${close}>${t("cancel")}<//><${Button} kind="main danger" type="submit" disabled=${!isSame}>${t("delete")}<//></div>
      <//>
    <//>`}
  </section>`;
}
