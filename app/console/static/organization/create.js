// A new organization.

import { html, useState } from "../vendor/preact.js";
import { mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { attempt } from "../parts/overlays.js";
import { go } from "../router.js";
import { askWho } from "../session.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";

export default function CreateOrganization() {
  const [title, setTitle] = useState("");
  const make = () =>
    attempt(async () => {
      const { organization } = await mutate("CreateOrganization", { title: title.trim() });
      await askWho().refresh();
      await go(`/o/${organization.restId}`);
    });
  return html`<${Screen} title=${t("organization.new")} lead=${t("organization.new-text")}>
    <${Form} onSubmit=${make} style=${{ maxWidth: "28rem" }}>
      <${TextField} label=${t("organization.name")} value=${title} onInput=${setTitle} required maxlength="255" autofocus />
      <div class="row"><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t("create")}<//></div>
    <//>
  <//>`;
}
