// An import of files: dropped or chosen, looked at, sent, and given to an import run.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { sendFile } from "../api/uploads.js";
import { Button, Glyph, Note, Progress } from "../parts/basic.js";
import { Form } from "../parts/forms.js";
import { confirm, say } from "../parts/overlays.js";
import { go, guard } from "../router.js";
import { bytes, t } from "../texts.js";
import { dropped, picked, sizeOf, toSend, unfit } from "./files.js";
import { startRun } from "./target.js";

/** @typedef {import("./files.js").Chosen} Chosen */
/** @typedef {{ step: "packing" | "sending" | "starting", sent: number, total: number, stop: AbortController }} Sending */

/** @param {{ organization: string, target: import("./target.js").TargetChoice, children: any }} props */
export function FromFiles({ organization, target, children }) {
  const [files, setFiles] = useState(/** @type {Chosen[]} */ ([])), [failed, setFailed] = useState("");
  const [sending, setSending] = useState(/** @type {Sending | null} */ (null)), current = useRef(/** @type {Sending | null} */ (null));
  const wrong = files.length ? unfit(files) : "";
  const show = (/** @type {Sending | null} */ next) => setSending((current.current = next));
  useEffect(() => () => current.current?.stop.abort(), []);
  useEffect(() => {
    const ask = () => !current.current || confirm({ title: t("import.leave"), text: t("import.leave-text"), yes: t("import.stop") });
    const warn = (/** @type {Event} */ event) => current.current && event.preventDefault();
    addEventListener("beforeunload", warn);
    const end = guard(ask);
    return () => (end(), removeEventListener("beforeunload", warn));
  }, []);
  const begin = async () => {
    const stop = new AbortController(), progress = { stop, sent: 0, total: 0 };
    setFailed("");
    show({ ...progress, step: "packing" });
    try {
      const parts = await toSend(files, stop.signal), total = parts.reduce((sum, each) => sum + each.content.size, 0);
      /** @type {{ name: string, source: { upload: string } }[]} */
      const sent = [];
      let before = 0;
      for (const part of parts) {
        const told = (/** @type {number} */ now) => show({ stop, step: "sending", sent: before + now, total });
        told(0);
        sent.push({ name: part.name, source: { upload: await sendFile(organization, part, { told, abort: stop.signal }) } });
        before += part.content.size;
      }
      stop.signal.throwIfAborted();
      show({ stop, step: "starting", sent: total, total });
      const importRun = await startRun(organization, { files: sent }, target, titleOf(files));
      show(null);
      await go(`/o/${organization}/import/${importRun.restId}`);
    } catch (error) {
      show(null);
      if (stop.signal.aborted) say(t("import.stopped"));
      else setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  if (sending) return html`<${SendingView} sending=${sending} />`;
  return html`<${Form} onSubmit=${begin}>
    <${Drop} files=${files} onFiles=${(/** @type {Chosen[]} */ some) => (setFailed(""), setFiles(some), some.length || say(t("import.no-files")))} />
    ${wrong && html`<${Note} kind="bad">${wrong}<//>`}
    ${failed && html`<${Note} kind="bad">${failed} ${t("import.again")}<//>`}
    ${children}
    <div><${Button} kind="main" type="submit" glyph="import" disabled=${!files.length || !!wrong}>${t(failed ? "try-again" : "import.begin")}<//></div>
  <//>`;
}

/** @param {{ sending: Sending }} props */
function SendingView({ sending }) {
  const { step, sent, total, stop } = sending, said = t(`import.${step}`);
  return html`<div class="card stack" role="status">
    <p>${said}${step === "sending" ? html` <span class="soft">${t("import.sent", { sent: bytes(sent), total: bytes(total) })}</span>` : ""}</p>
    <${Progress} value=${total ? sent / total : 0} label=${said} />
    ${step !== "starting" && html`<div><${Button} onClick=${() => stop.abort()}>${t("cancel")}<//></div>`}
  </div>`;
}

/** @param {{ files: Chosen[], onFiles: (files: Chosen[]) => void }} props */
function Drop({ files, onFiles }) {
  const [over, setOver] = useState(false), one = useRef(/** @type {HTMLInputElement | null} */ (null)), folder = useRef(/** @type {HTMLInputElement | null} */ (null));
  const moved = (/** @type {DragEvent} */ event) => (event.preventDefault(), setOver(true));
  const put = async (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) onFiles(await dropped(event.dataTransfer));
  };
  const chosen = (/** @type {any} */ event) => (onFiles(picked(event.currentTarget.files)), (event.currentTarget.value = ""));
  return html`<div class=${`drop ${over ? "over" : ""}`} role="group" aria-label=${t("import.files")} onDragOver=${moved} onDragLeave=${() => setOver(false)} onDrop=${put}>
    ${files.length
      ? html`<p class="row"><${Glyph} name=${files.length > 1 ? "folder" : "file"} /><strong class="breaks" dir="auto">${titleOf(files)}</strong>
          <span class="soft">${t("import.count", { count: files.length })}, ${bytes(sizeOf(files))}</span></p>`
      : html`<p><${Glyph} name="upload" /> ${t("import.drop")}</p><p class="soft small">${t("import.drop-hint")}</p>`}
    <div class="row">
      <${Button} onClick=${() => one.current?.click()}>${t("import.choose-files")}<//>
      <${Button} onClick=${() => folder.current?.click()}>${t("import.choose-folder")}<//>
    </div>
    <input ref=${one} type="file" multiple hidden class="import-files" onChange=${chosen} />
    <input ref=${folder} type="file" webkitdirectory hidden class="import-folder" onChange=${chosen} />
  </div>`;
}

/** @param {Chosen[]} files */
function titleOf(files) {
  const first = files[0]?.path ?? "";
  const top = first.split("/")[0] ?? "";
  return first.includes("/") && files.every((each) => each.path.startsWith(`${top}/`)) ? top : files.length > 1 ? `${first}, …` : first;
}
