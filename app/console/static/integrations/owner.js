// An integration as those see it who publish it: where it is found, its versions, secrets and development mode.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Badge, Bones, Button, Note } from "../parts/basic.js";
import { ToCopy } from "../parts/copying.js";
import { DeleteByName } from "../parts/deleting.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { Failed, Listing } from "../parts/lists.js";
import { attempt, confirm, Dialog, say } from "../parts/overlays.js";
import { useRefusals } from "../parts/refusals.js";
import { go } from "../router.js";
import { t } from "../texts.js";

const REFRESH = ["OwnIntegration", "IntegrationVersions"];

/** @param {{ organization: string, integration: any }} props */
export function Owner({ organization, integration: { name, title } }) {
  const found = useQuery("OwnIntegration", { integration: name }), own = found.data?.integration;
  if (!own) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  const remove = async () => {
    await mutate("UnpublishIntegration", { integration: name }, { refresh: ["Integrations"] });
    await go(`/o/${organization}/integrations/~/own`);
  };
  return html`<div class="stack integration-about">
    <section class="stack tight"><h2>${t("integrations.found-at")}</h2>
      <p class="soft">${t(`integrations.found-${own.visibility}`)}</p>
      <${ToCopy} values=${[[t("integrations.page"), own.urls.app], [t("integrations.endpoint"), own.urls.publicEndpoint]]} /></section>
    ${own.warnings?.length > 0 && html`<${Warnings} warnings=${own.warnings} />`}
    <${Versions} integration=${name} />
    <${Secrets} integration=${name} names=${own.secrets.names} />
    <${Development} key=${own.development.tunnelUrl} integration=${name} development=${own.development} />
    <${DeleteByName} title=${t("integrations.unpublish")} text=${t("integrations.unpublish-text")} name=${title} remove=${remove} />
  </div>`;
}

/** What of the newest manifest has no effect. @param {{ warnings: { path: string, value: string }[] }} props */
function Warnings({ warnings }) {
  return html`<section class="stack tight"><h2>${t("integrations.warnings")}</h2>
    <${Note} kind="warn">${t("integrations.warnings-text")}<//>
    <ul class="list" aria-label=${t("integrations.warnings")}>${warnings.map(({ path, value }) => html`<li key=${path}><div class="grow row spread">
      <code class="breaks" dir="ltr">${path}</code><code class="soft small breaks" dir="ltr">${shortened(value)}</code></div></li>`)}</ul>
  </section>`;
}

const shortened = (/** @type {string} */ text) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** @param {{ integration: string }} props */
function Versions({ integration }) {
  const found = useQuery("IntegrationVersions", { integration });
  const list = (/** @type {any} */ all) => {
    const versions = all.integration?.versions;
    return versions && { ...versions, nodes: versions.nodes.map((/** @type {any} */ each) => ({ id: each.version, ...each })) };
  };
  const newest = found.data?.integration?.versions?.nodes[0]?.version;
  const row = (/** @type {any} */ each) => html`<div class="grow row spread">
    <span class="row"><strong>${t("integrations.version", { version: each.version })}</strong>${each.version === newest && html`<${Badge} kind="good">${t("integrations.runs")}<//>`}</span>
    <span class="soft small breaks">${t("integrations.published", { name: each.publisher?.displayName ?? t("person.nobody"), size: Math.ceil(each.scriptLength / 1000) })} · <${Ago} at=${each.createdAt} /></span>
  </div>`;
  return html`<section class="stack tight"><h2>${t("integrations.versions")}</h2>
    <p class="soft">${t("integrations.versions-text")} <code class="breaks" dir="ltr">docyard integration publish</code></p>
    <${Listing} query=${found} list=${list} label=${t("integrations.versions")} empty=${t("integrations.versions")} row=${row} />
  </section>`;
}

/** @param {{ integration: string, names: string[] }} props */
function Secrets({ integration, names }) {
  const [setting, setSetting] = useState(/** @type {string | null} */ (null));
  const remove = async (/** @type {string} */ name) => {
    const question = { title: t("integrations.secret-delete", { name }), text: t("integrations.secret-delete-text"), yes: t("delete"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("DeleteIntegrationSecret", { integration, secretName: name }, { refresh: REFRESH }));
  };
  return html`<section class="stack tight">
    <div class="row spread"><h2>${t("integrations.secrets")}</h2><${Button} small glyph="add" onClick=${() => setSetting("")}>${t("integrations.secret-add")}<//></div>
    <p class="soft">${t("integrations.secrets-text")}</p>
    ${names.length > 0 && html`<ul class="list" aria-label=${t("integrations.secrets")}>${names.map((name) => html`<li key=${name}><div class="grow row spread">
      <code class="breaks" dir="ltr">${name}</code>
      <span class="row"><${Button} small label=${t("integrations.secret-replace-named", { name })} onClick=${() => setSetting(name)}>${t("integrations.secret-replace")}<//>
        <${Button} small kind="quiet" glyph="trash" label=${t("integrations.secret-delete-named", { name })} onClick=${() => remove(name)} /></span></div></li>`)}</ul>`}
    ${!names.length && html`<p>${t("integrations.secrets-none")}</p>`}
    ${setting !== null && html`<${SecretDialog} integration=${integration} known=${setting} onClose=${() => setSetting(null)} />`}
  </section>`;
}

/** @param {{ integration: string, known: string, onClose: () => void }} props `known` is empty for a new one */
function SecretDialog({ integration, known, onClose }) {
  const [name, setName] = useState(known), [value, setValue] = useState(""), { wrong, tried } = useRefusals();
  const save = () =>
    tried(async () => {
      await mutate("SetIntegrationSecret", { integration, secretName: name.trim(), value }, { refresh: REFRESH });
      say(t("integrations.secret-saved"));
      onClose();
    });
  return html`<${Dialog} title=${known ? t("integrations.secret-replace-named", { name: known }) : t("integrations.secret-add")} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      ${!known && html`<${TextField} label=${t("integrations.secret-name")} dir="ltr" value=${name} onInput=${setName} wrong=${wrong("secretName")} required maxlength="100" autocomplete="off" spellcheck="false" autofocus />`}
      <${TextField} label=${t("integrations.secret-value")} hint=${t("integrations.secret-value-hint")} type="password" dir="ltr" value=${value} onInput=${setValue} wrong=${wrong("value")} required maxlength="10000" autocomplete="new-password" autofocus=${!!known} />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!name.trim() || !value}>${t("save")}<//></div>
    <//>
  <//>`;
}

/** @param {{ integration: string, development: any }} props */
function Development({ integration, development }) {
  const [url, setUrl] = useState(development.tunnelUrl ?? ""), [all, setAll] = useState(development.all), { wrong, tried } = useRefusals();
  const isOn = !!development.tunnelUrl;
  const save = () => tried(() => mutate("DevelopIntegration", { integration, tunnelUrl: url.trim(), all }, { refresh: REFRESH }));
  const stop = () => attempt(() => mutate("StopDevelopingIntegration", { integration }, { refresh: REFRESH }));
  return html`<section class="stack tight">
    <h2 class="row">${t("integrations.development")}${isOn && html`<${Badge} kind="warn">${t("integrations.development-on")}<//>`}</h2>
    <p class="soft">${t("integrations.development-text")}</p>
    ${isOn && development.all && html`<${Note} kind="warn">${t("integrations.development-all-on")}<//>`}
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("integrations.tunnel")} hint=${t("integrations.tunnel-hint")} type="url" dir="ltr" value=${url} onInput=${setUrl} wrong=${wrong("tunnelUrl")} required maxlength="256" placeholder="https://" autocomplete="off" />
      <${Checkbox} label=${t("integrations.development-all")} hint=${t("integrations.development-all-hint")} checked=${all} onChange=${setAll} />
      <div class="row"><${Button} kind=${isOn ? "" : "main"} type="submit" disabled=${!url.trim()}>${t(isOn ? "save" : "integrations.development-start")}<//>
        ${isOn && html`<${Button} onClick=${stop}>${t("integrations.development-stop")}<//>`}</div>
    <//>
  </section>`;
}
