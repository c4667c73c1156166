// Where old addresses of a site lead: found, written, changed and deleted.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError, send } from "../api/client.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button, Glyph, Nothing } from "../parts/basic.js";
import { go, here } from "../router.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { Listing, useAll } from "../parts/lists.js";
import { attempt, confirm, Dialog, Menu, say } from "../parts/overlays.js";
import { t } from "../texts.js";

const PAUSE = 250; // milliseconds without a key before the server is asked
const KINDS = ["path", "external", "sitePage", "siteSpace", "siteSection"];
const AGAIN = { refresh: ["SiteRedirects"] };

/** @param {{ site: any, organization: string }} props */
export function SiteRedirects({ site, organization }) {
  const [text, setText] = useState(""), [search, setSearch] = useState("");
  const begun = here.peek().query.get("source"), [edited, setEdited] = useState(/** @type {any} */ (begun && site.permissions.edit ? { source: begun } : null));
  useEffect(() => void (begun && go(here.peek().path, { replace: true })), []);
  const place = { organization, site: site.restId };
  const found = useQuery("SiteRedirects", { ...place, filter: search ? { search } : null });
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  const remove = async (/** @type {any} */ redirect) => {
    const sure = await confirm({ title: t("redirects.delete-title", { source: redirect.source }), text: t("redirects.delete-text"), yes: t("delete"), danger: true });
    if (sure) await attempt(() => mutate("DeleteSiteRedirect", { ...place, siteRedirect: redirect.restId }, AGAIN));
  };
  const may = site.permissions.edit;
  const row = (/** @type {any} */ redirect) => html`<div class="grow stack tight">
      <span class="row"><code class="breaks" dir="ltr">${redirect.source}${redirect.captureWildcard ? "/*" : ""}</code>
        ${redirect.permanent && html`<${Badge}>${t("redirects.permanent-short")}<//>`}</span>
      <span class="soft small row redirects-to"><${Glyph} name="forward" /><span class="breaks" dir="auto">${named(redirect.destination)}</span></span>
    </div>
    ${may && html`<${Menu} label=${t("redirects.do", { source: redirect.source })} end choices=${[
      { label: t("redirects.edit"), glyph: "edit", onChoose: () => setEdited(redirect) },
      { label: t("delete"), glyph: "trash", danger: true, onChoose: () => remove(redirect) },
    ]} />`}`;
  const empty = search ? html`<p>${t("redirects.not-found", { search })}</p>` : html`<${Nothing} title=${t("redirects.none")}>${t("redirects.none-text")}<//>`;
  return html`<section class="stack redirects">
    <p class="soft">${t("redirects.text")}</p>
    <div class="row redirects-head"><div class="grow"><${TextField} type="search" label=${t("redirects.search")} value=${text} onInput=${setText} maxlength="512" dir="ltr" /></div>
      ${may && html`<${Button} kind="main" glyph="add" onClick=${() => setEdited({})}>${t("redirects.create")}<//>`}</div>
    <${Listing} query=${found} list=${(/** @type {any} */ all) => all.organization.site.redirects} label=${t("redirects.title")} empty=${empty} row=${row} />
    ${edited && html`<${RedirectDialog} place=${place} redirect=${edited} onClose=${() => setEdited(null)} />`}
  </section>`;
}

/** @param {any} to */
function named(to) {
  if (to.__typename === "ToPath") return to.path;
  if (to.__typename === "ToExternal") return to.url;
  const title = (to.siteSection ?? to.siteSpace)?.title;
  if (!title) return t("redirects.gone");
  if (to.__typename !== "ToPage") return title;
  return to.page ? t("redirects.page-named", { page: to.page.title, space: title }) : t("redirects.page-of", { space: title });
}

/** @param {any} to the destination of a redirect, or nothing @returns {[string, Record<string, string>]} */
function begun(to) {
  if (to?.__typename === "ToExternal") return ["external", { url: to.url }];
  if (to?.__typename === "ToPage") return ["sitePage", { siteSpace: to.siteSpaceId, page: to.pageId }];
  if (to?.__typename === "ToSpace") return ["siteSpace", { siteSpace: to.siteSpaceId }];
  if (to?.__typename === "ToSection") return ["siteSection", { siteSection: to.siteSectionId }];
  return ["path", { path: to?.path ?? "" }];
}

/** @param {{ place: { organization: string, site: string }, redirect: any, onClose: () => void }} props `redirect` is empty for a new one */
function RedirectDialog({ place, redirect, onClose }) {
  const [first, known] = begun(redirect.destination);
  const [source, setSource] = useState(redirect.source ?? ""), [kind, setKind] = useState(first), [to, setTo] = useState(/** @type {Record<string, string>} */ (known));
  const [permanent, setPermanent] = useState(redirect.permanent ?? false), [wildcard, setWildcard] = useState(redirect.captureWildcard ?? false);
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const targets = useQuery("SiteRedirectTargets", place);
  const spaces = useAll(targets, (data) => data.organization?.site?.siteSpaces), sections = useAll(targets, (data) => data.organization?.site?.sections, "afterSections");
  const change = (/** @type {Record<string, string>} */ more) => setTo((/** @type {any} */ now) => ({ ...now, ...more }));
  const kinds = KINDS.filter((each) => each !== "siteSection" || sections.length).map((each) => /** @type {[string, string]} */ ([each, t(`redirects.to-${each}`)]));
  const chosen = to["siteSpace"] ?? spaces[0]?.restId ?? "", section = to["siteSection"] ?? sections[0]?.restId ?? "";
  const destination = () => {
    if (kind === "sitePage") return { sitePage: { siteSpace: chosen, page: to["page"] ?? "" } };
    if (kind === "siteSpace") return { siteSpace: { siteSpace: chosen } };
    if (kind === "siteSection") return { siteSection: { siteSection: section } };
    return kind === "external" ? { external: { url: (to["url"] ?? "").trim() } } : { path: { path: (to["path"] ?? "").trim() } };
  };
  const save = async () => {
    setWrong(null);
    const input = { ...place, source: source.trim(), destination: destination(), permanent, captureWildcard: wildcard };
    try {
      await (redirect.restId ? mutate("UpdateSiteRedirect", { ...input, siteRedirect: redirect.restId }, AGAIN) : mutate("CreateSiteRedirect", input, AGAIN));
      onClose();
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const at = (/** @type {string} */ name) => (wrong?.path.includes(name) ? wrong.message : null), placed = ["source", "path", "url", "page", "siteSpace", "siteSection"];
  const page = (/** @type {string} */ id) => change({ page: id });
  const title = t(redirect.restId ? "redirects.edit" : "redirects.create");
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      ${wrong && !wrong.path.some((each) => placed.includes(each)) && html`<p class="wrong" role="alert">${wrong.message}</p>`}
      <${TextField} label=${t("redirects.source")} hint=${t("redirects.source-hint")} dir="ltr" value=${source} onInput=${setSource} wrong=${at("source")} required maxlength="512" placeholder="/old/page" />
      <${Select} label=${t("redirects.kind")} value=${kind} options=${kinds} onChange=${setKind} />
      ${kind === "path" && html`<${TextField} label=${t("redirects.path")} dir="ltr" value=${to["path"] ?? ""} onInput=${(/** @type {string} */ path) => change({ path })} wrong=${at("path")} required maxlength="512" placeholder="/new/page" />`}
      ${kind === "external" && html`<${TextField} label=${t("redirects.url")} dir="ltr" value=${to["url"] ?? ""} onInput=${(/** @type {string} */ url) => change({ url })} wrong=${at("url")} required maxlength="2048" placeholder="https://" />`}
      ${(kind === "sitePage" || kind === "siteSpace") && html`<${Select} label=${t("redirects.space")} value=${chosen} wrong=${at("siteSpace")} onChange=${(/** @type {string} */ siteSpace) => change({ siteSpace, page: "" })}
        options=${spaces.map((/** @type {any} */ each) => [each.restId, each.title])} />`}
      ${kind === "siteSection" && html`<${Select} label=${t("redirects.section")} value=${section} wrong=${at("siteSection")} onChange=${(/** @type {string} */ siteSection) => change({ siteSection })}
        options=${sections.map((/** @type {any} */ each) => [each.restId, each.title])} />`}
      ${kind === "sitePage" && html`<${PageField} known=${redirect.destination?.page} space=${spaces.find((/** @type {any} */ each) => each.restId === chosen)?.space.restId} value=${to["page"] ?? ""} onChange=${page} wrong=${at("page")} />`}
      <${Checkbox} label=${t("redirects.wildcard")} hint=${t("redirects.wildcard-hint")} checked=${wildcard} onChange=${setWildcard} />
      <${Checkbox} label=${t("redirects.permanent")} hint=${t("redirects.permanent-hint")} checked=${permanent} onChange=${setPermanent} />
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!source.trim() || (kind === "sitePage" && !to["page"])}>${t("save")}<//></div>
    <//>
  <//>`;
}

/**
 * A page of a space, found by what its text says.
 * @param {{ known: any, space: string | undefined, value: string, onChange: (page: string) => void, wrong: string | null }} props
 */
function PageField({ known, space, value, onChange, wrong }) {
  const [text, setText] = useState(""), [found, setFound] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    if (!space || !text.trim()) return setFound([]);
    const abort = new AbortController();
    const ask = async () => {
      const { data } = await send("SiteRedirectPages", { space, query: text.trim() }, abort.signal);
      setFound((data?.space?.search?.nodes ?? []).map((/** @type {any} */ each) => each.page).filter(Boolean));
    };
    const timer = setTimeout(() => ask().catch(() => undefined), PAUSE);
    return () => (clearTimeout(timer), abort.abort());
  }, [space, text]);
  const kept = known?.restId === value ? known : { restId: value, title: t("redirects.kept-page") };
  const offered = !value || found.some((each) => each.restId === value) ? found : [kept, ...found];
  return html`<${TextField} type="search" label=${t("redirects.find")} value=${text} onInput=${setText} maxlength="256" />
    <${Select} label=${t("redirects.page")} value=${value} onChange=${onChange} wrong=${wrong} disabled=${!offered.length}
      options=${[["", t(offered.length ? "redirects.choose" : "redirects.find-first")], ...offered.map((each) => [each.restId, each.title])]} />`;
}
