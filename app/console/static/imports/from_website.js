// An import of a website: the pages below an address.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { Button } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { say } from "../parts/overlays.js";
import { go } from "../router.js";
import { t } from "../texts.js";
import { startRun } from "./target.js";

/** @param {{ organization: string, target: import("./target.js").TargetChoice, children: any }} props */
export function FromWebsite({ organization, target, children }) {
  const [url, setUrl] = useState(""), [wrong, setWrong] = useState(""), [busy, setBusy] = useState(false);
  const begin = async () => {
    setBusy(true);
    setWrong("");
    try {
      const website = url.trim(), importRun = await startRun(organization, { website }, target, website);
      await go(`/o/${organization}/import/${importRun.restId}`);
    } catch (error) {
      if (error instanceof ApiError && error.path.includes("source")) setWrong(error.message);
      else say(/** @type {Error} */ (error));
    }
    setBusy(false);
  };
  return html`<${Form} onSubmit=${begin}>
    <${TextField} label=${t("import.url")} hint=${t("import.url-hint")} wrong=${wrong} type="url" value=${url} onInput=${setUrl} required placeholder="https://" dir="ltr" />
    ${children}
    <div><${Button} kind="main" type="submit" glyph="import" busy=${busy} disabled=${!url.trim()}>${t("import.begin")}<//></div>
  <//>`;
}
