// How a site, or one of its spaces, looks: a form with the reader beside it, before anything is saved.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Bones, Button } from "../parts/basic.js";
import { Checkbox, Select, TextField } from "../parts/forms.js";
import { Tabs, useAll } from "../parts/lists.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { guard } from "../router.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { t } from "../texts.js";
import { ColorPair, Groups, Links, OneLink, PicturePair } from "./look_fields.js";
import { LookPreview, wrongValue } from "./look_preview.js";
import { at, complete, difference, laidOver, put, withoutNulls } from "./look_values.js";

/** @typedef {import("./look_fields.js").Form} Form */
/** @typedef {import("./look_preview.js").Wrong} Wrong */

/** @param {{ site: any, organization: string }} props */
export function SiteLook({ site, organization }) {
  const found = useQuery("SiteLook", { organization, site: site.restId }), [space, setSpace] = useState("");
  const ofSpace = useQuery("SiteSpaceLook", { organization, site: site.restId, siteSpace: space }, { skip: !space });
  const spaces = useAll(found, (data) => data.organization?.site?.siteSpaces), known = found.data?.organization?.site;
  if (!site.permissions.edit) return html`<${NeedsPermission} permission="edit" organization=${organization} />`;
  if (!known) return html`<${Without} query=${found} organization=${organization} bare />`;
  const kept = space ? ofSpace.data?.organization?.site?.siteSpace?.customization : known.customization;
  return html`<div class="stack">
    <p class="soft">${t("look.text")}</p>
    ${spaces.length > 1 && html`<div class="look-of"><${Select} label=${t("look.of")} hint=${space ? t("look.of-space-hint") : t("look.of-hint")} value=${space} onChange=${setSpace}
      options=${[["", t("look.of-site")], ...spaces.map((/** @type {any} */ each) => [each.restId, each.title])]} /></div>`}
    ${kept ? html`<${LookForm} key=${space} place=${{ organization, site: site.restId, ...(space ? { siteSpace: space } : {}) }} kept=${kept} />` : html`<${Bones} />`}
  </div>`;
}

/** @param {{ place: { organization: string, site: string, siteSpace?: string }, kept: any }} props */
function LookForm({ place, kept }) {
  const saved = useMemo(() => withoutNulls(kept), [kept]);
  const [values, setValues] = useState(saved), [wrong, setWrong] = useState(/** @type {Wrong[]} */ ([])), [part, setPart] = useState("form");
  const wanted = complete(values), change = difference(complete(saved), wanted), changed = Object.keys(change).length > 0;
  const unsaved = useRef(changed);
  unsaved.current = changed;
  const basis = useRef(saved); // what these values began from
  useEffect(() => {
    const from = basis.current;
    if (!Object.keys(difference(from, saved)).length) return; // the same, asked for again
    basis.current = saved;
    setValues((/** @type {any} */ now) => laidOver(saved, difference(from, now)));
  }, [saved]);
  useEffect(() => {
    const unguard = guard(() => !unsaved.current || confirm({ title: t("look.leave"), text: t("look.leave-text"), yes: t("look.leave-yes"), danger: true }));
    return () => void unguard();
  }, []);
  const form = { values, ofSpace: Boolean(place.siteSpace), change: (/** @type {string} */ path, /** @type {any} */ value) => setValues((/** @type {any} */ now) => put(now, path, value)), wrong: (/** @type {string} */ path) => wrong.find((each) => each.path === path)?.message };
  const save = async () => {
    try {
      await (place.siteSpace ? mutate("OverrideSiteSpaceLook", { ...place, ...change }) : mutate("UpdateSiteLook", { ...place, ...wanted }));
      unsaved.current = false;
      say(t("saved"));
      await refresh(["SiteLook", "SiteSpaceLook"]);
    } catch (error) {
      const path = error instanceof ApiError ? error.path.join(".") : "", field = error instanceof Error && wrongValue(error.message);
      if (field) setWrong([field]);
      else if (path && error instanceof Error) setWrong([{ path, message: error.message }]);
      say(/** @type {Error} */ (error));
    }
  };
  const reset = async () => {
    if (!(await confirm({ title: t("look.reset-title"), text: t("look.reset-text"), yes: t("look.reset"), danger: true }))) return;
    if (await attempt(() => mutate("ResetSiteSpaceLook", place))) {
      setValues(saved);
      say(t("saved"));
      await refresh(["SiteSpaceLook"]);
    }
  };
  return html`<div class=${`look ${part}`}>
    <div class="look-parts"><${Tabs} label=${t("look.title")} tabs=${[["form", t("look.settings")], ["preview", t("look.preview")]]} chosen=${part} onChoose=${setPart} id="look-inside" /></div>
    <div class="look-inside" id="look-inside">
      <form class="look-form stack" aria-label=${t("look.title")} onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), void save())}>
        <${Sections} form=${form} wrong=${wrong} />
        <div class="look-save row">
          <${Button} kind="main" type="submit" disabled=${!changed || wrong.length > 0}>${t("save")}<//>
          ${changed && html`<${Button} onClick=${() => (setValues(saved), setWrong([]))}>${t("look.discard")}<//>`}
          ${place.siteSpace && html`<${Button} kind="quiet" onClick=${reset}>${t("look.reset")}<//>`}
          <span class="soft small" role="status">${wrong.length ? t("look.wrong", { count: wrong.length }) : changed ? t("look.changed") : ""}</span>
        </div>
      </form>
      <${LookPreview} place=${place} change=${change} onWrong=${setWrong} />
    </div>
  </div>`;
}

const ASKED = ["editLink", "feedback", "offline"]; // off until somebody turns them on
const TONES = ["INFO", "SUCCESS", "WARNING", "DANGER"];
const PARTS = ["pagination", "pageActions", "editLink", "pdf", "feedback", "offline", "statistics"];
const OF_SITE = ["offline"]; // a space cannot differ

/** @type {[string, string[], (form: Form) => any][]} name, first parts of its paths, fields */
const SECTIONS = [
  ["theme", ["themes", "styling.theme", "styling.font", "styling.corners"], (form) => html`
    <${Choice} form=${form} path="styling.theme" options=${["CLEAN", "MUTED", "BOLD", "GRADIENT"]} />
    <${Choice} form=${form} path="styling.font" options=${["SANS", "SERIF", "MONO", "SYSTEM", "ROUNDED"]} />
    <${Choice} form=${form} path="styling.corners" options=${["STRAIGHT", "ROUNDED", "CIRCULAR"]} />
    <${Choice} form=${form} path="themes.default" options=${["SYSTEM", "LIGHT", "DARK"]} />
    <${Switch} form=${form} path="themes.toggleable" />`],
  ["colors", ["styling"], (form) => html`
    <${ColorPair} form=${form} path="styling.primaryColor" label=${t("look.styling.primaryColor")} hint=${t("look.readable")} />
    ${TONES.map((tone) => html`<${ColorPair} key=${tone} form=${form} path=${`styling.${tone.toLowerCase()}Color`} label=${t(`look.tone-${tone}`)} />`)}`],
  ["pictures", ["header.logo", "favicon", "socialPreview"], (form) => html`
    <${PicturePair} form=${form} path="header.logo" label=${t("look.header.logo")} hint=${t("look.header.logo-hint")} />
    <${PicturePair} form=${form} path="favicon.icon" label=${t("look.favicon.icon")} />
    <${Text} form=${form} path="favicon.emoji" maxlength="64" hint />
    <${Text} form=${form} path="socialPreview.url" dir="ltr" placeholder="https://" hint />`],
  ["header", ["header"], (form) => html`
    <${Choice} form=${form} path="header.preset" options=${["DEFAULT", "BOLD", "CONTRAST", "CUSTOM", "NONE"]} />
    ${at(form.values, "header.preset") === "CUSTOM" && html`
      <${ColorPair} form=${form} path="header.backgroundColor" label=${t("look.header.backgroundColor")} />
      <${ColorPair} form=${form} path="header.linkColor" label=${t("look.header.linkColor")} />`}
    <${Links} form=${form} path="header.links" label=${t("look.header.links")} kind="header" />
    <${OneLink} form=${form} path="header.primaryLink" label=${t("look.header.primaryLink")} />`],
  ["announcement", ["announcement"], (form) => html`
    <${Text} form=${form} path="announcement.message" rows=${2} maxlength="500" hint />
    ${at(form.values, "announcement.message") && html`
      <${Switch} form=${form} path="announcement.enabled" usual />
      <${Choice} form=${form} path="announcement.style" options=${TONES} />
      <${OneLink} form=${form} path="announcement.link" label=${t("look.announcement.link")} />`}`],
  ["footer", ["footer", "privacyPolicy"], (form) => html`
    <${Groups} form=${form} path="footer.groups" />
    <${PicturePair} form=${form} path="footer.logo" label=${t("look.footer.logo")} />
    <${Text} form=${form} path="footer.copyright" maxlength="500" />
    <${Text} form=${form} path="privacyPolicy.url" dir="ltr" placeholder="https://" />`],
  ["pages", [...PARTS, "assistants"], (form) => html`
    ${PARTS.filter((each) => !form.ofSpace || !OF_SITE.includes(each)).map((each) => html`<${Switch} key=${each} form=${form} path=${`${each}.enabled`} usual=${!ASKED.includes(each)} />`)}
    <${Links} form=${form} path="assistants.links" label=${t("look.assistants")} />
    <p class="soft small">${t("look.assistants-hint")}</p>`],
];

/** @param {{ form: Form, wrong: Wrong[] }} props */
function Sections({ form, wrong }) {
  const open = useRef(/** @type {Record<string, boolean>} */ ({ theme: true, colors: true }));
  return SECTIONS.map(([name, begins, fields]) => {
    const has = wrong.some((each) => begins.some((begin) => each.path === begin || each.path.startsWith(`${begin}.`)));
    if (has) open.current[name] = true;
    return html`<details class="look-section" key=${name} open=${open.current[name]} onToggle=${(/** @type {any} */ event) => (open.current[name] = event.currentTarget.open)}>
      <summary>${t(`look.part-${name}`)}</summary><div class="stack">${fields(form)}</div></details>`;
  });
}

/** @param {{ form: Form, path: string, options: string[] }} props */
function Choice({ form, path, options }) {
  return html`<${Select} label=${t(`look.${path}`)} wrong=${form.wrong(path)} value=${at(form.values, path) ?? options[0]} onChange=${(/** @type {string} */ value) => form.change(path, value)}
    options=${options.map((each) => [each, t(path === "announcement.style" ? `look.tone-${each}` : `look.${path}-${each}`)])} />`;
}

/** @param {{ form: Form, path: string, usual?: boolean }} props */
function Switch({ form, path, usual = true }) {
  return html`<${Checkbox} label=${t(`look.${path}`)} checked=${at(form.values, path) ?? usual} onChange=${(/** @type {boolean} */ value) => form.change(path, value)} />`;
}

/** @param {{ form: Form, path: string, hint?: boolean, rows?: number, [attribute: string]: any }} props */
function Text({ form, path, hint, ...more }) {
  return html`<${TextField} label=${t(`look.${path}`)} hint=${hint && t(`look.${path}-hint`)} wrong=${form.wrong(path)} value=${at(form.values, path) ?? ""}
    onInput=${(/** @type {string} */ text) => form.change(path, text || undefined)} ...${more} />`;
}
