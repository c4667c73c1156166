// The settings of a site: its name and icon, the addresses at which it is found, its end.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, refresh, useQuery } from "../api/queries.js";
import { Ago, Badge, Bones, Button, Note } from "../parts/basic.js";
import { DeleteByName } from "../parts/deleting.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { attempt, copy, say } from "../parts/overlays.js";
import { go } from "../router.js";
import { Without } from "../shell/refused.js";
import { t } from "../texts.js";

/** @typedef {{ organization: string, site: string }} Place ids of REST */

const AGAIN = ["SiteGeneralSettings", "SiteSettings", "SiteOverview", "Sites"];

/** @param {{ site: any, organization: string }} props */
export function SiteGeneral({ site: { restId, permissions }, organization }) {
  const place = { organization, site: restId }, found = useQuery("SiteGeneralSettings", place);
  const owner = found.data?.organization, site = owner?.site;
  if (!site) return html`<${Without} query=${found} organization=${organization} bare />`;
  const remove = async () => {
    await mutate("DeleteSite", place);
    say(t("sites.deleted", { name: site.title }));
    await refresh(["Sites"]);
    await go(`/o/${organization}/sites`, { replace: true });
  };
  return html`<${Names} key=${`names ${JSON.stringify([site.title, site.icon, site.agentsContext])}`} place=${place} site=${site} />
    <${Addresses} key=${`addresses ${JSON.stringify([site.basename, site.hostname, site.proxy])}`} place=${place} site=${site} owner=${owner} />
    ${permissions.delete && html`<${DeleteByName} title=${t("sites.delete")} text=${t("sites.delete-text")} name=${site.title} remove=${remove} />`}`;
}

/**
 * What a form of settings saves, and the error that belongs to one of its fields.
 * @param {Place} place
 */
function useSaving(place) {
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const save = async (/** @type {Record<string, unknown>} */ changes) => {
    setWrong(null);
    try {
      await mutate("UpdateSite", { ...place, ...changes }, { refresh: AGAIN });
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const at = (/** @type {string} */ name) => (wrong?.path.includes(name) ? wrong.message : null);
  return { save, at };
}

/** @param {any} icon @returns {[string, string, string]} the kind of an icon and its one or two values */
function iconOf(icon) {
  if (icon?.text) return ["name", icon.text, ""];
  if (icon?.siteIcon?.emoji) return ["emoji", icon.siteIcon.emoji, ""];
  if (icon?.siteIcon?.icon) return ["pictures", icon.siteIcon.icon.light, icon.siteIcon.icon.dark];
  return ["none", "", ""];
}

/** @param {string} kind @param {string} one @param {string} two */
function iconSent(kind, one, two) {
  if (kind === "name") return { text: one };
  if (kind === "emoji") return { siteIcon: { emoji: one } };
  return kind === "pictures" ? { siteIcon: { icon: { light: one, dark: two || one } } } : null;
}

/** Emoji are kept as code points. @param {string} code */
function emojiShown(code) {
  return /^[0-9a-f]+(-[0-9a-f]+)*$/i.test(code) ? String.fromCodePoint(...code.split("-").map((each) => Math.min(parseInt(each, 16), 0x10ffff))) : code;
}

/** @param {{ place: Place, site: any }} props */
function Names({ place, site }) {
  const [first, known, other] = iconOf(site.icon), { save, at } = useSaving(place);
  const [title, setTitle] = useState(site.title), [kind, setKind] = useState(first), [open, setOpen] = useState(site.agentsContext === "INCLUDED");
  const [one, setOne] = useState(first === "emoji" ? emojiShown(known) : known), [two, setTwo] = useState(other);
  const submit = () => save({ title: title.trim(), icon: iconSent(kind, one.trim(), two.trim()), agentsContext: open ? "INCLUDED" : "EXCLUDED" });
  const choose = (/** @type {string} */ chosen) => (setKind(chosen), setOne(""), setTwo(""));
  return html`<${Form} onSubmit=${submit} class="stack form-width">
    <${TextField} label=${t("sites.new-title")} value=${title} onInput=${setTitle} wrong=${at("title")} required minlength="2" maxlength="128" />
    <${Select} label=${t("sites.icon")} value=${kind} options=${["none", "emoji", "name", "pictures"].map((each) => [each, t(`sites.icon-${each}`)])} onChange=${choose} />
    ${kind === "emoji" && html`<${TextField} label=${t("sites.icon-emoji")} value=${one} onInput=${setOne} wrong=${at("icon")} required maxlength="16" />`}
    ${kind === "name" && html`<${TextField} label=${t("sites.icon-name")} hint=${t("structure.hint-icon")} value=${one} onInput=${setOne} wrong=${at("icon")} required maxlength="50" dir="ltr" />`}
    ${kind === "pictures" && html`<${TextField} label=${t("sites.icon-light")} type="url" value=${one} onInput=${setOne} wrong=${at("icon")} required maxlength="2048" dir="ltr" placeholder="https://" />
      <${TextField} label=${t("sites.icon-dark")} hint=${t("sites.icon-dark-hint")} type="url" value=${two} onInput=${setTwo} maxlength="2048" dir="ltr" placeholder="https://" />`}
    <${Checkbox} label=${t("sites.programs")} hint=${t("sites.programs-hint")} checked=${open} onChange=${setOpen} />
    <div><${Button} kind="main" type="submit" disabled=${title.trim().length < 2 || (kind !== "none" && !one.trim())}>${t("save")}<//></div>
  <//>`;
}

/** @param {{ place: Place, site: any, owner: any }} props */
function Addresses({ place, site, owner }) {
  const { save, at } = useSaving(place);
  const [basename, setBasename] = useState(site.basename ?? ""), [hostname, setHostname] = useState(site.hostname ?? ""), [proxy, setProxy] = useState(site.proxy?.origin ?? "");
  const values = { basename: basename.trim() || null, hostname: hostname.trim() || null, proxy: proxy.trim() || null };
  const before = { basename: site.basename ?? null, hostname: site.hostname ?? null, proxy: site.proxy?.origin ?? null };
  const isSame = JSON.stringify(values) === JSON.stringify(before);
  const submit = () => save(Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== /** @type {any} */ (before)[name])));
  const hosts = [...new Set([site.hostname, site.proxy?.origin.split("/")[0]].filter(Boolean))];
  return html`<section class="stack people-part">
    <h2>${t("sites.addresses")}</h2>
    <${Form} onSubmit=${submit} class="stack form-width">
      <${TextField} label=${t("sites.basename")} hint=${t("sites.basename-hint", { address: `…/${owner.hostname ?? owner.restId}/${basename.trim() || site.restId}` })} value=${basename} onInput=${setBasename} wrong=${at("basename")} maxlength="100" dir="ltr" />
      <${TextField} label=${t("sites.hostname")} hint=${t("sites.hostname-hint")} value=${hostname} onInput=${setHostname} wrong=${at("hostname")} maxlength="512" dir="ltr" placeholder="docs.example.org" />
      <${TextField} label=${t("sites.proxy")} hint=${site.proxy ? t("sites.proxy-target", { address: site.proxy.target }) : t("sites.proxy-hint")} value=${proxy} onInput=${setProxy} wrong=${at("proxy")} maxlength="512" dir="ltr" placeholder="example.org/docs" />
      <div><${Button} kind="main" type="submit" disabled=${isSame}>${t("save")}<//></div>
    <//>
    ${site.urls.published && html`<p>${t("sites.found-at")} <a class="breaks" href=${site.urls.published} target="_blank" rel="noopener">${site.urls.published}</a></p>`}
    ${hosts.map((each) => html`<${Proof} key=${each} hostname=${each} />`)}
  </section>`;
}

const KINDS = /** @type {Record<string, string>} */ ({ PENDING: "warn", VERIFIED: "good", FAILED: "bad" });

/** A host and its proof: the records to publish, what DNS said, and a button to look again. @param {{ hostname: string }} props */
function Proof({ hostname }) {
  const found = useQuery("SiteHostname", { hostname }), host = found.data?.customHostname;
  const check = () => attempt(() => mutate("CheckSiteHostname", { hostname }, { refresh: ["SiteHostname", "SiteGeneralSettings"] }));
  if (!host) return found.error ? null : html`<${Bones} lines=${3} />`;
  return html`<section class="card stack" aria-label=${hostname}>
    <div class="row spread"><h3 class="breaks" dir="ltr">${hostname}</h3><${Badge} kind=${KINDS[host.status]}>${t(`sites.host-${host.status}`)}<//></div>
    ${host.status === "VERIFIED"
      ? html`<p>${t(host.leadsHere === false ? "sites.host-elsewhere" : host.isActive ? "sites.host-active" : "sites.host-once-published")}</p>`
      : html`<p>${t("sites.host-text")}</p>`}
    ${host.problem && html`<${Note} kind="warn">${host.problem}<//>`}
    <ul class="list" aria-label=${t("sites.records")}>
      ${host.records.map((/** @type {any} */ each) => html`<li key=${each.type + each.name}><div class="grow stack tight">
        <span class="row"><${Badge}>${each.type}<//><code class="breaks" dir="ltr">${each.name}</code></span><code class="soft small breaks" dir="ltr">${each.value}</code></div>
        <${Button} small glyph="copy" label=${t("sites.record-copy-name", { type: each.type })} onClick=${() => copy(each.name)}>${t("sites.record-name")}<//>
        <${Button} small glyph="copy" label=${t("sites.record-copy-value", { type: each.type })} onClick=${() => copy(each.value)}>${t("sites.record-value")}<//></li>`)}
    </ul>
    <div class="row"><${Button} glyph="refresh" onClick=${check}>${t("sites.host-check")}<//>
      <span class="soft small">${host.checkedAt ? html`${t("sites.host-checked")} <${Ago} at=${host.checkedAt} />` : t("sites.host-unchecked")}</span></div>
  </section>`;
}
