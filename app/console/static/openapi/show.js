// A dialog that inserts the pages of a specification into a space.

import { html, useState } from "../vendor/preact.js";
import { mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { attempt, Dialog, say } from "../parts/overlays.js";
import { SpaceField } from "../parts/spaces.js";
import { t } from "../texts.js";

/** @param {{ organization: string, spec: any, onClose: () => void }} props */
export function ShowDialog({ organization, spec, onClose }) {
  const [space, setSpace] = useState(/** @type {any} */ (null)), [title, setTitle] = useState(t("openapi.show-default"));
  const shown = new Set((spec.spaces?.nodes ?? []).map((/** @type {any} */ each) => each.restId));
  const insert = () =>
    attempt(async () => {
      const page = { type: "COMPUTED", title: title.trim(), computed: { spec: spec.restId } };
      await mutate("ShowSpec", { space: space.restId, changes: [{ insertPage: page }] }, { refresh: ["Spec"] });
      onClose();
      say(t("openapi.shown"));
    });
  return html`<${Dialog} title=${t("openapi.show")} onClose=${onClose}>
    <${Form} onSubmit=${insert}>
      <${SpaceField} label=${t("openapi.space")} placeholder=${t("structure.find-space")} organization=${organization} value=${space} onChange=${setSpace}
        may=${(/** @type {any} */ each) => each.permissions?.edit && !shown.has(each.restId)} />
      <${TextField} label=${t("openapi.page-title")} hint=${t("openapi.page-title-hint")} value=${title} onInput=${setTitle} required maxlength="500" />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!space || !title.trim()}>${t("openapi.insert")}<//></div>
    <//>
  <//>`;
}
