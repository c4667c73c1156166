// What the server knows of a person, as a file, and the end of their account.

import { html, useState } from "../vendor/preact.js";
import { query, mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { saveFile } from "../parts/files.js";
import { Form, TextField } from "../parts/forms.js";
import { attempt, Dialog } from "../parts/overlays.js";
import { me } from "../session.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";

export function Data() {
  const [ending, setEnding] = useState(false);
  return html`<section class="stack account-part">
      <h2>${t("account.export")}</h2>
      <p class="soft">${t("account.export-text")}</p>
      <div><${Button} glyph="download" onClick=${() => attempt(download)}>${t("account.export-do")}<//></div>
    </section>
    <section class="stack account-part">
      <h2>${t("account.delete")}</h2>
      <p class="soft">${t("account.delete-text")}</p>
      <div><${Button} kind="danger" onClick=${() => setEnding(true)}>${t("account.delete")}<//></div>
      ${ending && html`<${EndDialog} onClose=${() => setEnding(false)} />`}
    </section>`;
}

async function download() {
  const asked = query("OwnData");
  await asked.refresh();
  if (asked.error) throw asked.error;
  const { createdAt, records } = asked.data.me.export;
  const named = records.map((/** @type {any} */ { name, value }) => [name, value.json ?? value.text ?? value.number ?? value.boolean]);
  const text = JSON.stringify({ createdAt, records: Object.fromEntries(named) }, null, 2);
  saveFile(`docyard-${createdAt.slice(0, 10)}.json`, "application/json", text);
}

/** @param {{ onClose: () => void }} props */
function EndDialog({ onClose }) {
  const [typed, setTyped] = useState(""), address = me.value?.email ?? "";
  const end = () =>
    attempt(async () => {
      await mutate("DeleteAccount", { user: me.value?.restId });
      location.assign(`${BASE}/sign-in`);
    });
  return html`<${Dialog} title=${t("account.delete-title")} onClose=${onClose}>
    <${Form} onSubmit=${end}>
      <p>${t("account.delete-sure")}</p>
      <${TextField} label=${t("account.delete-type", { address })} value=${typed} onInput=${setTyped} dir="ltr" autocomplete="off" />
      <div class="row"><${Button} onClick=${onClose}>${t("cancel")}<//>
        <${Button} kind="main danger" type="submit" disabled=${!address || typed.trim().toLowerCase() !== address.toLowerCase()}>${t("account.delete")}<//></div>
    <//>
  <//>`;
}
