// The e-mail domains of an organization: stated, proven by a DNS record, checked again, given up.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Ago, Badge, Button, Note } from "../parts/basic.js";
import { ToCopy } from "../parts/copying.js";
import { Form, TextField } from "../parts/forms.js";
import { Listing } from "../parts/lists.js";
import { attempt, confirm, Dialog, Menu, say } from "../parts/overlays.js";
import { useRefusals } from "../parts/refusals.js";
import { date, t } from "../texts.js";

/** @type {Record<string, string>} */
const KINDS = { VERIFIED: "good", PENDING: "warn", FAILED: "bad" };

/** @param {{ organization: any }} props */
export function EmailDomains({ organization }) {
  const found = useQuery("EmailDomains", { organization: organization.restId }), [adding, setAdding] = useState(false);
  const stated = found.data?.organization?.emailDomains ?? [];
  return html`<section class="stack people-part">
    <p class="soft">${t("domains.text")}</p>
    <div><${Button} kind="main" glyph="add" disabled=${!found.data} onClick=${() => setAdding(true)}>${t("domains.add")}<//></div>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.domains} label=${t("people.domains")} empty=${html`<p>${t("domains.none")}</p>`}
      row=${(/** @type {any} */ domain) => html`<${Domain} organization=${organization.restId} domain=${domain} />`} />
    ${adding && html`<${AddDialog} organization=${organization.restId} stated=${stated} onClose=${() => setAdding(false)} />`}
  </section>`;
}

/** @param {{ organization: string, domain: any }} props */
function Domain({ organization, domain }) {
  const { name, status, record } = domain, [entering, setEntering] = useState(false);
  const check = () =>
    attempt(async () => {
      const done = await mutate("VerifyEmailDomain", { organization, domain: domain.restId }, { refresh: ["EmailDomains", "SingleSignOn"] });
      say(t(done.domain?.status === "VERIFIED" ? "domains.proven-now" : "domains.not-yet", { name }));
    });
  const remove = async () => {
    const question = { title: t("domains.remove-title", { name }), text: t("domains.remove-text"), yes: t("domains.remove"), danger: true };
    if (await confirm(question)) await attempt(() => mutate("RemoveEmailDomain", { organization, domain: domain.restId }, { refresh: ["EmailDomains", "SingleSignOn"] }));
  };
  const choices = [
    { label: t("domains.enter-token"), glyph: "key", onChoose: () => setEntering(true) },
    { label: t("domains.remove"), glyph: "trash", danger: true, onChoose: remove },
  ];
  return html`<div class="grow stack tight">
    <div class="row spread"><span class="row"><strong class="breaks" dir="ltr">${name}</strong><${Badge} kind=${KINDS[status] ?? ""}>${t(`domains.${status}`)}<//></span>
      <span class="row"><${Button} small glyph="refresh" onClick=${check}>${t("domains.check")}<//><${Menu} label=${t("domains.do", { name })} end choices=${choices} /></span></div>
    <span class="soft small">${
      status === "VERIFIED" && domain.verifiedAt ? t(domain.method === "EMAIL" ? "domains.proven-by-mail" : "domains.proven-by-dns", { date: date(domain.verifiedAt) }) : ""} ${
      domain.checkedAt ? html`${t("domains.checked")} <${Ago} at=${domain.checkedAt} />` : t("domains.unchecked")}</span>
    ${domain.problem && html`<${Note} kind=${status === "VERIFIED" ? "warn" : "bad"}>${domain.problem}<//>`}
    ${domain.endsAt && html`<${Note} kind="warn">${t("domains.ends", { date: date(domain.endsAt, true) })}<//>`}
    ${status !== "VERIFIED" && html`<p>${t("domains.publish")}</p>`}
    <details open=${status !== "VERIFIED"}><summary>${t("domains.record")}</summary>
      <${ToCopy} values=${[[t("domains.record-type"), record.type], [t("domains.record-name"), record.name], [t("domains.record-value"), record.value]]} /></details>
    ${entering && html`<${TokenDialog} organization=${organization} domain=${domain} onClose=${() => setEntering(false)} />`}
  </div>`;
}

/** @param {{ organization: string, stated: string[], onClose: () => void }} props */
function AddDialog({ organization, stated, onClose }) {
  const [name, setName] = useState(""), { wrong, tried } = useRefusals();
  const add = () =>
    tried(async () => {
      await mutate("StateEmailDomains", { organization, emailDomains: [...stated, name.trim()] }, { refresh: ["EmailDomains"] });
      onClose();
    });
  return html`<${Dialog} title=${t("domains.add")} onClose=${onClose}>
    <${Form} onSubmit=${add}>
      <${TextField} label=${t("domains.name")} hint=${t("domains.name-hint")} dir="ltr" value=${name} onInput=${setName} wrong=${wrong("emailDomains")} required autofocus autocomplete="off" placeholder="example.com" />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!name.trim()}>${t("domains.add-it")}<//></div>
    <//>
  <//>`;
}

/** @param {{ organization: string, domain: any, onClose: () => void }} props */
function TokenDialog({ organization, domain, onClose }) {
  const [token, setToken] = useState(""), { wrong, tried } = useRefusals();
  const prove = () =>
    tried(async () => {
      await mutate("VerifyEmailDomain", { organization, domain: domain.restId, token: token.trim() }, { refresh: ["EmailDomains", "SingleSignOn"] });
      say(t("domains.proven-now", { name: domain.name }));
      onClose();
    });
  return html`<${Dialog} title=${t("domains.enter-token")} onClose=${onClose}>
    <${Form} onSubmit=${prove}>
      <p class="soft">${t("domains.token-text", { name: domain.name })}</p>
      <${TextField} label=${t("domains.token")} dir="ltr" value=${token} onInput=${setToken} wrong=${wrong("token")} required autofocus autocomplete="off" />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!token.trim()}>${t("domains.prove")}<//></div>
    <//>
  <//>`;
}
