// Imports of an organization: beginning one from files, a website or a repository, and those that were begun.

import { html, useState } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { useLive } from "../api/live.js";
import { Ago, Glyph, Note, Nothing } from "../parts/basic.js";
import { Listing, Tabs } from "../parts/lists.js";
import { organizationOf } from "../session.js";
import { BASE } from "../settings.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { FromFiles } from "./from_files.js";
import { FromRepository } from "./from_repository.js";
import { FromWebsite } from "./from_website.js";
import { RunStatus, sourceOf } from "./run.js";
import { Target, useTarget } from "./target.js";

/** @type {Record<string, any>} */
const SOURCES = { files: FromFiles, website: FromWebsite, git: FromRepository };

/** @param {{ params: Record<string, string>, query: URLSearchParams }} props */
export default function Imports({ params, query }) {
  const organization = params["organization"] ?? "";
  const [source, setSource] = useState("files");
  const target = useTarget(organization, query.get("space") ?? "", source === "git");
  const runs = useQuery("ImportRuns", { organization });
  useLive("ImportRunChanged", { organization }, () => void runs.refresh());
  const mayCreate = organizationOf(organization)?.permissions["createContent"], may = mayCreate || target.spaces.length > 0;
  const From = SOURCES[source];
  const tabs = Object.keys(SOURCES).map((each) => /** @type {[string, string]} */ ([each, t(`import.from-${each}`)]));
  return html`<${Screen} title=${t("import.title")} lead=${t("import.lead")} organization=${organization}>
    <div class="stack sections">
      ${may ? html`<section class="stack import" aria-label=${t("import.new")}>
          <${Tabs} label=${t("import.source")} tabs=${tabs} chosen=${source} onChoose=${setSource} id="import-source" />
          <div class="stack" id="import-source" role="tabpanel" aria-label=${t(`import.from-${source}`)}>
            <${From} key=${source} organization=${organization} target=${target}>
              <${Target} target=${target} mayCreate=${mayCreate} />
            <//>
          </div>
        </section>` : !target.isLoading && html`<${Note}>${t("import.nowhere")}<//>`}
      <section class="stack tight" aria-labelledby="runs"><h2 id="runs">${t("import.runs")}</h2>
        <${Listing} query=${runs} list=${(/** @type {any} */ data) => data.organization?.importRuns} label=${t("import.runs")} row=${(/** @type {any} */ each) => html`<${Row} run=${each} organization=${organization} />`}
          empty=${html`<${Nothing} title=${t("import.no-runs")}>${t("import.no-runs-text")}<//>`} />
      </section>
    </div>
  <//>`;
}

/** @param {{ run: any, organization: string }} props */
function Row({ run, organization }) {
  return html`<a class="whole" href=${`${BASE}/o/${organization}/import/${run.restId}`}>
    <${Glyph} name=${run.source.type === "WEBSITE" ? "globe" : "file"} />
    <span class="grow stack tight"><strong class="breaks" dir="auto">${sourceOf(run)}</strong>
      <span class="soft small row">${run.target.space && html`<span class="cut" dir="auto">${run.target.space.title}</span>`}<${Ago} at=${run.createdAt} /></span></span>
    <${RunStatus} status=${run.status} />
  </a>`;
}
