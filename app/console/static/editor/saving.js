// Where a page is saved: in the space itself, or in a change request that is opened for it or goes on.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Bones, Button } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { attempt, Dialog } from "../parts/overlays.js";
import { me } from "../session.js";
import { t } from "../texts.js";

/** @typedef {{ id: string, restId: string, number: number, subject: string, revisionId: string }} Change */

/**
 * Ask in which change request to save: a new one, or one of the person's own.
 * @param {{ space: string, title: string, onSave: (change: Change) => Promise<unknown>, onClose: () => void }} props
 */
export function ChooseChange({ space, title, onSave, onClose }) {
  const own = useQuery("OwnChanges", { space, creator: me.value?.id });
  const [subject, setSubject] = useState(t("editor.subject-of", { title }).slice(0, 100)), [chosen, setChosen] = useState("");
  const [busy, setBusy] = useState(false), [opened, setOpened] = useState(/** @type {Change | null} */ (null));
  const all = /** @type {Change[]} */ (own.data?.space?.changeRequests?.nodes ?? []).filter((each) => each.restId !== opened?.restId);
  const save = async () => {
    setBusy(true);
    await attempt(async () => {
      let change = all.find((each) => each.restId === chosen) ?? opened;
      if (!change) setOpened((change = (await mutate("OpenChange", { space, subject: subject.trim() || title }, { refresh: ["Space", "OwnChanges"] })).changeRequest));
      await onSave(/** @type {Change} */ (change)); // what was opened is used again if saving fails
    });
    setBusy(false);
  };
  return html`<${Dialog} title=${t("editor.propose")} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      ${own.data === undefined && own.isLoading ? html`<${Bones} lines=${2} />` : all.length > 0 && html`<fieldset class="stack tight">
        <legend class="unseen">${t("editor.where")}</legend>
        <${Checkbox} type="radio" name="change" label=${t("editor.new-change")} checked=${!chosen} onChange=${() => setChosen("")} />
        ${all.map((each) => html`<${Checkbox} key=${each.restId} type="radio" name="change" label=${`#${each.number} ${each.subject}`} checked=${chosen === each.restId}
          onChange=${() => setChosen(each.restId)} />`)}
      </fieldset>`}
      ${!chosen && html`<${TextField} label=${t("editor.subject")} value=${subject} onInput=${setSubject} maxlength="100" required autofocus />`}
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" busy=${busy}>${t("editor.save")}<//></div>
    <//>
  <//>`;
}
