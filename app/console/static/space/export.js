// A space as files: as a zip of Markdown, and in print.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError, send } from "../api/client.js";
import { Button, Note, Progress } from "../parts/basic.js";
import { Checkbox, Form } from "../parts/forms.js";
import { Dialog, say } from "../parts/overlays.js";
import { bytes, t } from "../texts.js";

/** @typedef {{ label: string, hint: string, document: string, variables: Record<string, unknown>, address: (data: any) => string | undefined }} Offer */

/** @param {{ space: any, page: any, onClose: () => void }} props */
export function SpaceExport({ space, page, onClose }) {
  return html`<${Export} title=${t("export.title")} offers=${offersOf(space, page)} onClose=${onClose} />`;
}

/** @param {{ space: any, change: any, onClose: () => void }} props */
export function ChangeExport({ space, change, onClose }) {
  return html`<${Export} title=${t("export.title")} offers=${offersOfChange(space, change)} onClose=${onClose} />`;
}

/**
 * Return what a space can be exported as; pages are in print alone or with those below.
 * @param {any} space
 * @param {any} page
 * @returns {Offer[]}
 */
function offersOf(space, page) {
  const ids = { space: space.restId }, pdf = (/** @type {any} */ data) => data.space?.pdf?.url;
  const printed = page && ["DOCUMENT", "COMPUTED"].includes(page.type);
  return [
    { label: t("export.zip"), hint: t("export.zip-hint"), document: "SpaceExport", variables: ids, address: (data) => data.space?.export?.url },
    { label: t("export.pdf"), hint: t("export.pdf-hint"), document: "SpacePdf", variables: ids, address: pdf },
    ...(printed ? [
      { label: t("export.page"), hint: page.title, document: "SpacePdf", variables: { ...ids, page: page.restId, only: true }, address: pdf },
      { label: t("export.below"), hint: t("export.below-hint", { title: page.title }), document: "SpacePdf", variables: { ...ids, page: page.restId, only: false }, address: pdf },
    ] : []),
  ];
}

/**
 * Return how a change request is exported.
 * @param {any} space
 * @param {any} change
 * @returns {Offer[]}
 */
function offersOfChange(space, change) {
  const variables = { space: space.restId, change: change.restId };
  return [{ label: t("export.pdf"), hint: t("export.change-hint"), document: "ChangeRequestPdf", variables, address: (data) => data.space?.changeRequest?.pdf?.url }];
}

/**
 * Ask what to export, and save it while showing how far that is.
 * @param {{ title: string, offers: Offer[], onClose: () => void }} props
 */
function Export({ title, offers, onClose }) {
  const [chosen, setChosen] = useState(0), [failed, setFailed] = useState("");
  const [going, setGoing] = useState(/** @type {{ stop: AbortController, got: number, of: number } | null} */ (null));
  useEffect(() => () => going?.stop.abort(), [going?.stop]);
  const begin = async () => {
    const stop = new AbortController();
    setFailed("");
    setGoing({ stop, got: 0, of: 0 });
    try {
      const file = await made(/** @type {Offer} */ (offers[chosen]), stop.signal, (got, of) => setGoing({ stop, got, of }));
      if (file) save(file.name, file.content), say(t("export.done", { name: file.name }));
      onClose();
    } catch (error) {
      if (!stop.signal.aborted) setFailed(error instanceof Error ? error.message : String(error));
    }
    setGoing(null);
  };
  if (going) {
    const said = going.got ? t("export.loading", { got: bytes(going.got) }) : t("export.making");
    const foot = html`<${Button} onClick=${() => going.stop.abort()}>${t("cancel")}<//>`;
    return html`<${Dialog} title=${title} onClose=${() => going.stop.abort()} foot=${foot}><div class="stack" role="status"><p>${said}</p>
      ${going.of ? html`<${Progress} value=${going.got / going.of} label=${said} />` : html`<p class="row soft small"><span class="waiting" aria-hidden="true"></span>${t("export.patience")}</p>`}</div><//>`;
  }
  return html`<${Dialog} title=${title} onClose=${onClose}><${Form} onSubmit=${begin}>
    ${failed && html`<${Note} kind="bad">${failed}<//>`}
    <fieldset class="field stack tight"><legend class="unseen">${title}</legend>
      ${offers.map((each, n) => html`<${Checkbox} key=${each.label} type="radio" name="export" checked=${chosen === n} onChange=${() => setChosen(n)} label=${each.label} hint=${each.hint} />`)}</fieldset>
    <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" glyph="download">${t("export.begin")}<//></div>
  <//><//>`;
}

/**
 * Fetch what is made behind an address; raises ApiError with the server's words.
 * @param {Offer} offer
 * @param {AbortSignal} stop
 * @param {(got: number, of: number) => void} told bytes, of how many if that is known
 */
async function made(offer, stop, told) {
  const { data, errors } = await send(offer.document, offer.variables, stop), url = offer.address(data);
  if (!url) throw new ApiError(errors[0]?.extensions.code ?? "INTERNAL", errors[0]?.message);
  if (new URL(url).origin !== location.origin) return location.assign(url), null; // the browser saves it by itself
  const response = await fetch(url, { signal: stop, credentials: "omit" });
  if (!response.ok || !response.body) {
    const said = await response.json().catch(() => null);
    throw new ApiError(response.status === 503 ? "UNAVAILABLE" : "UNPROCESSABLE", said?.error?.message ?? t("export.failed"));
  }
  const of = Number(response.headers.get("content-length")), reader = response.body.getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  for (let got = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    told((got += value.length), of);
  }
  const said = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return { name: said ? decodeURIComponent(said) : t("export.name"), content: new Blob(parts, { type: response.headers.get("content-type") ?? "" }) };
}

/**
 * Give a file to the browser to save.
 * @param {string} name
 * @param {Blob} content
 */
function save(name, content) {
  const href = URL.createObjectURL(content), link = document.createElement("a");
  Object.assign(link, { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
