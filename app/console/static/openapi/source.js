// Where a specification comes from: an address, a file, or a text.

import { html, useId, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Field, Form, TextField } from "../parts/forms.js";
import { Tabs } from "../parts/lists.js";
import { Dialog, say } from "../parts/overlays.js";
import { t } from "../texts.js";

const WAYS = ["url", "file", "text"];

/**
 * A dialog that creates a specification, or changes the source of one.
 * @param {{ organization: string, spec?: any, onSaved: (spec: any) => unknown, onClose: () => void }} props
 */
export function SourceDialog({ organization, spec, onSaved, onClose }) {
  const [slug, setSlug] = useState(""), [way, setWay] = useState(spec && !spec.sourceURL ? "file" : "url");
  const [url, setUrl] = useState(spec?.sourceURL ?? ""), [text, setText] = useState(""), [file, setFile] = useState(/** @type {File | null} */ (null));
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null)), [busy, setBusy] = useState(false), id = useId();
  const given = { url: url.trim(), file: file ? file.name : "", text: text.trim() }[way];
  const save = async () => {
    setWrong(null);
    setBusy(true);
    try {
      const source = way === "url" ? { url: url.trim() } : { text: way === "file" ? await /** @type {File} */ (file).text() : text };
      const done = await (spec
        ? mutate("PutSpec", { organization, spec: spec.restId, source }, { refresh: ["Spec", "Specs"] })
        : mutate("CreateSpec", { organization, slug: slug.trim(), source }, { refresh: ["Specs"] }));
      onClose();
      await onSaved(done.openAPISpec);
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    } finally {
      setBusy(false);
    }
  };
  const at = (/** @type {string} */ field) => (wrong?.path.includes(field) ? wrong.message : null);
  const other = wrong && !at("slug") ? wrong.message : null;
  const chosen = (/** @type {any} */ event) => setFile(event.currentTarget.files[0] ?? null);
  return html`<${Dialog} title=${t(spec ? "openapi.change-source" : "openapi.new")} onClose=${onClose} wide>
    <${Form} onSubmit=${save}>
      ${!spec && html`<${TextField} label=${t("openapi.slug")} hint=${t("openapi.slug-hint")} dir="ltr" value=${slug} onInput=${setSlug} wrong=${at("slug")} required maxlength="100" />`}
      <${Tabs} label=${t("openapi.source")} tabs=${WAYS.map((each) => /** @type {[string, string]} */ ([each, t(`openapi.way-${each}`)]))} chosen=${way} onChoose=${setWay} id=${id} />
      <div id=${id} role="tabpanel">
        ${way === "url" && html`<${TextField} label=${t("openapi.address")} hint=${t("openapi.address-hint")} type="url" dir="ltr" value=${url} onInput=${setUrl} wrong=${other} maxlength="2048" placeholder="https://" />`}
        ${way === "file" && html`<${Field} label=${t("openapi.file")} hint=${t("openapi.text-hint")} wrong=${other}>${(/** @type {any} */ ties) =>
          html`<input ...${ties} type="file" accept=".json,.yaml,.yml" onChange=${chosen} />`}<//>`}
        ${way === "text" && html`<${TextField} label=${t("openapi.pasted")} hint=${t("openapi.text-hint")} dir="ltr" rows=${12} spellcheck="false" value=${text} onInput=${setText} wrong=${other} />`}
      </div>
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" busy=${busy} disabled=${!given || !(spec || slug.trim())}>${t(spec ? "save" : "create")}<//></div>
    <//>
  <//>`;
}
