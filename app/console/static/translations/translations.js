// The languages of an organization: what its sites show in several languages, and the settings that programs read.

import { html, useEffect, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button, Nothing } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { Listing, useAll } from "../parts/lists.js";
import { confirm, attempt, Dialog } from "../parts/overlays.js";
import { useRefusals } from "../parts/refusals.js";
import { SearchFilter } from "../parts/search.js";
import { BASE } from "../settings.js";
import { Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { languageName, languageOptions } from "./languages.js";

const REFRESH = ["Translations"];

/** @param {{ params: Record<string, string>, query: URLSearchParams }} props */
export default function Translations({ params, query }) {
  const organization = params["organization"] ?? "", found = useQuery("Translations", { organization });
  const data = found.data?.organization, [open, setOpen] = useState(/** @type {any} */ (null));
  if (!data?.translations) return html`<${Without} query=${found} organization=${organization} />`;
  const row = (/** @type {any} */ each) => html`<${SettingsRow} organization=${organization} settings=${each} onEdit=${() => setOpen(each)} />`;
  const empty = html`<p>${t("translations.none")}</p>`;
  return html`<${Screen} title=${t("translations.title")} lead=${t("translations.text")} organization=${organization}>
    <div class="stack translations">
      <section class="stack tight"><h2>${t("translations.on-sites")}</h2>
        <p class="soft">${t("translations.on-sites-text")}</p>
        <${Sites} organization=${organization} search=${query.get("search") ?? ""} /></section>
      <section class="stack tight">
        <div class="row spread"><h2>${t("translations.settings")}</h2>
          ${data.permissions.createContent && html`<${Button} small glyph="add" onClick=${() => setOpen({})}>${t("translations.new")}<//>`}</div>
        <p class="soft">${t("translations.settings-text")}</p>
        <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.translations} label=${t("translations.settings")} empty=${empty} row=${row} /></section>
    </div>
    ${open && html`<${SettingsDialog} organization=${organization} settings=${open} onClose=${() => setOpen(null)} />`}
  <//>`;
}

/** What each site shows in which language; sites are found by their titles where there are many. @param {{ organization: string, search: string }} props */
function Sites({ organization, search }) {
  const found = useQuery("LanguagesOfSites", { organization, ...(search ? { filter: { title: search } } : {}) }), sites = found.data?.organization?.sites;
  const [many, setMany] = useState(!!search), hasMore = !!sites?.pageInfo.hasNextPage;
  useEffect(() => {
    if (hasMore) setMany(true);
  }, [hasMore]);
  const row = (/** @type {any} */ site) => html`<${SiteRow} site=${site} organization=${organization} />`;
  const empty = html`<${Nothing} title=${t(search ? "translations.none-found" : "translations.no-sites")} />`;
  return html`${many && html`<div role="search"><${SearchFilter} label=${t("translations.search")} /></div>`}
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.sites} label=${t("translations.on-sites")} empty=${empty} row=${row} />`;
}

/** @param {{ site: any, organization: string }} props */
function SiteRow({ site, organization }) {
  const { nodes, pageInfo } = site.siteSpaces, goesOn = pageInfo.hasNextPage;
  const rest = useQuery("LanguagesOfSite", { organization, site: site.restId }, { skip: !goesOn });
  const all = useAll(rest, (data) => data.organization?.site?.all), families = familiesOf(all.length ? all : nodes);
  return html`<div class="grow stack tight">
    <a class="breaks" dir="auto" href=${site.urls.app}><strong>${site.title}</strong></a>
    ${families.map((family) => html`<ul key=${family[0]?.id} class="row translations-spaces">${family.map((each) => html`<li key=${each.id} class="row">
      <${Badge} kind=${each.space.language ? "info" : ""}>${each.space.language ? languageName(each.space.language) : t("translations.no-language")}<//>
      <a class="cut" dir="auto" href=${`${BASE}/o/${organization}/s/${each.space.restId}/~/settings`}>${each.space.title}</a></li>`)}</ul>`)}
    ${!families.length && html`<span class="soft small">${t("translations.one-language")}</span>`}
  </div>`;
}

/**
 * Return the spaces that are shown side by side and of which one has a language at least, section by section.
 * @param {any[]} placed
 * @returns {any[][]}
 */
function familiesOf(placed) {
  const families = new Map();
  for (const each of placed) families.set(each.sectionId, [...(families.get(each.sectionId) ?? []), each]);
  return [...families.values()].filter((family) => family.length > 1 && family.some((/** @type {any} */ each) => each.space.language));
}

/** @param {{ organization: string, settings: any, onEdit: () => void }} props */
function SettingsRow({ organization, settings, onEdit }) {
  const { title, permissions } = settings;
  const remove = async () => {
    const question = { title: t("translations.delete", { name: title }), text: t("translations.delete-text"), yes: t("delete"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("DeleteTranslationSettings", { organization, translationSettings: settings.restId }, { refresh: REFRESH }));
  };
  return html`<div class="grow stack tight"><strong class="breaks" dir="auto">${title}</strong>
      <span class="row">${settings.languages.map((/** @type {string} */ each) => html`<${Badge} key=${each}>${languageName(each)}<//>`)}
        ${!settings.languages.length && html`<span class="soft small">${t("translations.no-languages")}</span>`}</span></div>
    ${permissions.edit && html`<span class="row"><${Button} small label=${t("translations.edit-named", { name: title })} onClick=${onEdit}>${t("translations.edit")}<//>
      <${Button} small kind="quiet" glyph="trash" label=${t("translations.delete-named", { name: title })} onClick=${remove} /></span>`}`;
}

/** @param {{ organization: string, settings: any, onClose: () => void }} props `settings` has no id if it is new */
function SettingsDialog({ organization, settings, onClose }) {
  const [title, setTitle] = useState(settings.title ?? ""), [chosen, setChosen] = useState(/** @type {string[]} */ (settings.languages ?? []));
  const { wrong, tried } = useRefusals(), isNew = !settings.restId;
  const choose = (/** @type {string} */ language, /** @type {boolean} */ on) => setChosen(on ? [...chosen, language] : chosen.filter((each) => each !== language));
  const save = () =>
    tried(async () => {
      const input = { organization, title: title.trim(), languages: chosen };
      await (isNew ? mutate("CreateTranslationSettings", input, { refresh: REFRESH }) : mutate("UpdateTranslationSettings", { ...input, translationSettings: settings.restId }, { refresh: REFRESH }));
      onClose();
    });
  return html`<${Dialog} title=${isNew ? t("translations.new") : t("translations.edit-named", { name: settings.title })} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("translations.name")} value=${title} onInput=${setTitle} wrong=${wrong("title")} required maxlength="100" autofocus />
      <fieldset class="field"><legend class="label">${t("translations.languages")}</legend>
        <div class="translations-languages" tabindex="0" role="group" aria-label=${t("translations.languages")}>${languageOptions().map(([value, name]) => html`<${Checkbox} key=${value} label=${name} checked=${chosen.includes(value)} onChange=${(/** @type {boolean} */ on) => choose(value, on)} />`)}</div>
      </fieldset>
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!title.trim()}>${t(isNew ? "create" : "save")}<//></div>
    <//>
  <//>`;
}
