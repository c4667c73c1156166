// A dialog that inserts the pages of a specification into a space.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Bones, Button } from "../parts/basic.js";
import { Form, Select, TextField } from "../parts/forms.js";
import { attempt, Dialog, say } from "../parts/overlays.js";
import { t } from "../texts.js";

/** @param {{ organization: string, spec: any, onClose: () => void }} props */
export function ShowDialog({ organization, spec, onClose }) {
  const found = useQuery("SpacesToShowIn", { organization }), [space, setSpace] = useState(""), [title, setTitle] = useState(t("openapi.show-default"));
  const shown = new Set((spec.spaces?.nodes ?? []).map((/** @type {any} */ each) => each.restId));
  const spaces = found.data?.organization?.spaces?.nodes.filter((/** @type {any} */ each) => each.permissions.edit && !shown.has(each.restId));
  const insert = () =>
    attempt(async () => {
      const page = { type: "COMPUTED", title: title.trim(), computed: { spec: spec.restId } };
      await mutate("ShowSpec", { space, changes: [{ insertPage: page }] }, { refresh: ["Spec"] });
      onClose();
      say(t("openapi.shown"));
    });
  if (!spaces) return html`<${Dialog} title=${t("openapi.show")} onClose=${onClose}><${Bones} /><//>`;
  const options = /** @type {[string, string][]} */ ([["", t("openapi.choose-space")], ...spaces.map((/** @type {any} */ each) => [each.restId, each.title])]);
  return html`<${Dialog} title=${t("openapi.show")} onClose=${onClose}>
    <${Form} onSubmit=${insert}>
      ${spaces.length ? html`<${Select} label=${t("openapi.space")} value=${space} options=${options} onChange=${setSpace} />
        <${TextField} label=${t("openapi.page-title")} hint=${t("openapi.page-title-hint")} value=${title} onInput=${setTitle} required maxlength="500" />`
        : html`<p>${t("openapi.no-space")}</p>`}
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!space || !title.trim()}>${t("openapi.insert")}<//></div>
    <//>
  <//>`;
}
