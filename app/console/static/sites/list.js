// The sites of an organization.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button } from "../parts/basic.js";
import { Form, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, Dialog } from "../parts/overlays.js";
import { SpaceField } from "../parts/spaces.js";
import { go, pathOf } from "../router.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";

/** @param {{ params: Record<string, string> }} props */
export default function Sites({ params }) {
  const organization = params["organization"] ?? "", [making, setMaking] = useState(false);
  const found = useQuery("Sites", { organization }), data = found.data?.organization;
  if (!data) return html`<${Without} query=${found} organization=${organization} />`;
  const create = data.permissions.createContent && html`<${Button} kind="main" glyph="add" onClick=${() => setMaking(true)}>${t("sites.new")}<//>`;
  return html`<${Screen} title=${t("sites.title")} organization=${organization} actions=${create}>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.sites} label=${t("sites.title")} empty=${t("sites.none")}
      row=${(/** @type {any} */ site) => html`<a class="grow breaks" dir="auto" href=${site.urls.app}>${site.title}</a><${SiteState} site=${site} />`} />
    ${making && html`<${NewSite} organization=${organization} onClose=${() => setMaking(false)} />`}
  <//>`;
}

/** @param {{ site: any }} props */
export function SiteState({ site }) {
  return html`<${Badge} kind=${site.published ? "good" : ""}>${t(site.published ? "sites.published" : "sites.unpublished")}<//>`;
}

/**
 * A dialog that creates a site, with a space to show if one is chosen.
 * @param {{ organization: string, onClose: () => void }} props
 */
function NewSite({ organization, onClose }) {
  const [title, setTitle] = useState(""), [space, setSpace] = useState(/** @type {any} */ (null));
  const make = () =>
    attempt(async () => {
      const chosen = space ? { spaces: { existing: [space.restId] } } : {};
      const { site } = await mutate("CreateSite", { organization, title: title.trim(), ...chosen }, { refresh: ["Sites"] });
      onClose();
      await go(pathOf(site.urls.app) ?? "/");
    });
  return html`<${Dialog} title=${t("sites.new")} onClose=${onClose}>
    <${Form} onSubmit=${make}>
      <${TextField} label=${t("sites.new-title")} value=${title} onInput=${setTitle} required minlength="2" maxlength="128" autofocus />
      <${SpaceField} label=${t("sites.new-space")} hint=${t("sites.new-space-hint")} placeholder=${t("structure.find-space")} organization=${organization} value=${space} onChange=${setSpace} />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${title.trim().length < 2}>${t("create")}<//></div>
    <//>
  <//>`;
}
