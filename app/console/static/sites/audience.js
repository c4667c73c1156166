// Who may read a site: everybody, whoever has a link, or visitors whom a server signs in.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button } from "../parts/basic.js";
import { Form, Select, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, copy, Dialog, Menu, say } from "../parts/overlays.js";
import { Without } from "../shell/refused.js";
import { t } from "../texts.js";

const VISIBILITIES = ["PUBLIC", "UNLISTED", "SHARE_LINK", "VISITOR_AUTH"];

/** @typedef {{ organization: string, site: string }} Place ids of REST */

/** @param {{ site: any, organization: string }} props */
export function SiteAudience({ site: { restId }, organization }) {
  const place = { organization, site: restId }, found = useQuery("SiteAudienceSettings", place);
  const site = found.data?.organization?.site;
  if (!site) return html`<${Without} query=${found} organization=${organization} bare />`;
  return html`<${Visibility} key=${site.visibility} place=${place} site=${site} />
    ${site.visibility === "SHARE_LINK" && html`<${ShareLinks} place=${place} />`}
    ${site.visibility === "VISITOR_AUTH" && site.publishingAuth && html`<${VisitorSignIn} place=${place} auth=${site.publishingAuth} />`}`;
}

/** @param {{ place: Place, site: any }} props */
function Visibility({ place, site }) {
  const [chosen, setChosen] = useState(site.visibility);
  const save = () =>
    attempt(async () => {
      await mutate("UpdateSiteVisibility", { ...place, visibility: chosen }, { refresh: ["SiteAudienceSettings", "SiteOverview", "Sites"] });
      say(t("saved"));
    });
  return html`<section class="stack" aria-label=${t("audience.visibility")}>
    <${Form} onSubmit=${save}>
      <${Select} label=${t("audience.visibility")} hint=${t(`sites.visibility.${chosen}`)} value=${chosen} options=${VISIBILITIES.map((each) => [each, t(`audience.${each}`)])} onChange=${setChosen} />
      <div><${Button} kind="main" type="submit" disabled=${chosen === site.visibility}>${t("save")}<//></div>
    <//>
  </section>`;
}

/** @param {{ place: Place }} props */
function ShareLinks({ place }) {
  const found = useQuery("SiteShareLinks", place), [named, setNamed] = useState(/** @type {any} */ (undefined)); // null: a new one
  const change = (/** @type {any} */ link, /** @type {any} */ fields) => attempt(() => mutate("UpdateShareLink", { ...place, shareLink: link.restId, ...fields }, { refresh: ["SiteShareLinks"] }));
  const remove = async (/** @type {any} */ link) => {
    const question = { title: t("audience.link-delete-ask", { name: link.name }), text: t("audience.link-delete-text"), yes: t("audience.link-delete"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("DeleteShareLink", { ...place, shareLink: link.restId }, { refresh: ["SiteShareLinks"] }));
  };
  const row = (/** @type {any} */ link) => html`<div class="grow stack tight">
      <span class="row"><strong class="breaks" dir="auto">${link.name}</strong>${!link.active && html`<${Badge}>${t("audience.link-off")}<//>`}</span>
      <span class="soft small breaks">${link.urls.published}</span>
    </div>
    <${Menu} label=${t("audience.link-do", { name: link.name })} end choices=${[
      { label: t("people.copy-address"), glyph: "copy", onChoose: () => copy(link.urls.published) },
      { label: t("audience.link-rename"), glyph: "edit", onChoose: () => setNamed(link) },
      { label: t(link.active ? "audience.link-turn-off" : "audience.link-turn-on"), onChoose: () => change(link, { active: !link.active }) },
      { label: t("audience.link-delete"), glyph: "trash", danger: true, onChoose: () => remove(link) },
    ]} />`;
  return html`<section class="stack people-part">
    <h2>${t("audience.links")}</h2>
    <p class="soft">${t("audience.links-text")}</p>
    <div><${Button} glyph="add" onClick=${() => setNamed(null)}>${t("audience.link-new")}<//></div>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.site.shareLinks} label=${t("audience.links")} empty=${html`<p>${t("audience.links-none")}</p>`} row=${row} />
    ${named !== undefined && html`<${LinkName} place=${place} link=${named} onClose=${() => setNamed(undefined)} />`}
  </section>`;
}

/** @param {{ place: Place, link: any, onClose: () => void }} props `link` is null for a new one */
function LinkName({ place, link, onClose }) {
  const [name, setName] = useState(link?.name ?? "");
  const save = () =>
    attempt(async () => {
      const fields = link ? { shareLink: link.restId, name } : { name };
      await mutate(link ? "UpdateShareLink" : "CreateShareLink", { ...place, ...fields }, { refresh: ["SiteShareLinks"] });
      onClose();
    });
  return html`<${Dialog} title=${t(link ? "audience.link-rename" : "audience.link-new")} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("audience.link-name")} hint=${t("audience.link-name-hint")} value=${name} onInput=${setName} required maxlength="64" autofocus />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!name.trim()}>${t(link ? "save" : "create")}<//></div>
    <//>
  <//>`;
}

/** @param {{ place: Place, auth: any }} props */
function VisitorSignIn({ place, auth }) {
  const [fallback, setFallback] = useState(auth.fallbackURL ?? ""), [logout, setLogout] = useState(auth.logoutURL ?? "");
  const again = { refresh: ["SiteAudienceSettings"] };
  const save = () =>
    attempt(async () => {
      const addresses = { fallbackURL: fallback.trim() || null, logoutURL: logout.trim() || null };
      await mutate("UpdatePublishingAuth", { ...place, backend: auth.backend, ...(auth.integrationId ? { integration: auth.integrationId } : {}), ...addresses }, again);
      say(t("saved"));
    });
  const renew = async () => {
    const question = { title: t("audience.key-renew-ask"), text: t("audience.key-renew-text"), yes: t("audience.key-renew"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("RegeneratePublishingAuth", place, again));
  };
  const isSame = fallback === (auth.fallbackURL ?? "") && logout === (auth.logoutURL ?? "");
  return html`<section class="stack people-part">
    <h2>${t("audience.sign-in")}</h2>
    <p class="soft">${t(auth.backend === "CUSTOM" ? "audience.sign-in-text" : "audience.sign-in-integration")}</p>
    ${auth.backend === "CUSTOM" && html`<div class="row"><${Button} glyph="copy" onClick=${() => copy(auth.privateKey)}>${t("audience.key-copy")}<//>
      <${Button} onClick=${renew}>${t("audience.key-renew")}<//></div>`}
    <${Form} onSubmit=${save}>
      <${TextField} label=${t("audience.fallback")} hint=${t("audience.fallback-hint")} type="url" dir="ltr" value=${fallback} onInput=${setFallback} maxlength="2048" />
      <${TextField} label=${t("audience.logout")} hint=${t("audience.logout-hint")} type="url" dir="ltr" value=${logout} onInput=${setLogout} maxlength="2048" />
      <div><${Button} kind="main" type="submit" disabled=${isSame}>${t("save")}<//></div>
    <//>
  </section>`;
}
