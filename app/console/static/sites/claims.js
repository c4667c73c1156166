// What a site may know of its visitors: its claims as a form and as JSON, and the site as such a visitor sees it.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ApiError, send } from "../api/client.js";
import { mutate, useQuery } from "../api/queries.js";
import { Button, Note } from "../parts/basic.js";
import { Form, Select, TextField } from "../parts/forms.js";
import { Tabs } from "../parts/lists.js";
import { attempt, confirm, say } from "../parts/overlays.js";
import { guard } from "../router.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { t } from "../texts.js";
import { ClaimsForm } from "./claim_fields.js";
import { Scaled, Switcher } from "./look_preview.js";

const PAUSE = 400; // milliseconds without a change before the server is asked

/** @typedef {{ path: string[], message: string }} WrongClaim */

/** @param {{ site: any, organization: string }} props */
export function SiteClaims({ site, organization }) {
  const place = { organization, site: site.restId }, found = useQuery("SiteClaims", place), known = found.data?.organization?.site;
  if (!site.permissions.viewAdaptiveSchema) return html`<${NeedsPermission} permission="edit" organization=${organization} />`;
  if (!known) return html`<${Without} query=${found} organization=${organization} bare />`;
  const adapt = (/** @type {boolean} */ enabled) => attempt(() => mutate("AdaptSite", { ...place, adaptiveContent: { enabled } }));
  return html`<div class="stack">
    <p class="soft">${t("claims.text")}</p>
    ${!known.adaptiveContent.enabled && html`<${Note} actions=${site.permissions.admin && html`<${Button} small onClick=${() => adapt(true)}>${t("claims.turn-on")}<//>`}>${t("claims.off")}<//>`}
    <${Schema} place=${place} kept=${known.adaptiveSchema.jsonSchema} may=${site.permissions.editAdaptiveSchema} />
    ${known.templateConditions?.length > 0 && html`<section class="card stack tight"><h2>${t("claims.conditions")}</h2><p class="soft small">${t("claims.conditions-text")}</p>
      <ul class="claims-conditions">${known.templateConditions.map((/** @type {any} */ each) => html`<li key=${each.condition}><code class="breaks" dir="ltr">${each.condition}</code> <span class="soft">${each.description}</span></li>`)}</ul></section>`}
    ${site.permissions.edit && html`<${ViewAs} place=${place} schema=${known.adaptiveSchema.jsonSchema} spaces=${known.siteSpaces.nodes} />`}
  </div>`;
}

/** @param {{ place: { organization: string, site: string }, kept: any, may: boolean }} props */
function Schema({ place, kept, may }) {
  const written = JSON.stringify(kept, null, 2);
  const [part, setPart] = useState("form"), [text, setText] = useState(written), [wrong, setWrong] = useState(/** @type {WrongClaim | null} */ (null));
  const changed = useRef(false), area = useRef(/** @type {HTMLDivElement | null} */ (null));
  const schema = parsed(text), broken = schema instanceof Error ? schema.message : "";
  changed.current = text !== written;
  useEffect(() => (setText(written), setWrong(null)), [written]);
  useEffect(() => {
    const unguard = guard(() => !changed.current || confirm({ title: t("look.leave"), text: t("look.leave-text"), yes: t("look.leave-yes"), danger: true }));
    return () => void unguard();
  }, []);
  const edit = (/** @type {any} */ made) => (setText(JSON.stringify(made, null, 2)), setWrong(null));
  const save = async () => {
    setWrong(null);
    try {
      await mutate("UpdateSiteClaims", { ...place, jsonSchema: schema }, { refresh: ["SiteClaims"] });
      changed.current = false;
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong({ path: error.path.flatMap((each) => each.split(".")).filter((each) => each !== "jsonSchema"), message: error.message });
      else say(/** @type {Error} */ (error));
    }
  };
  const line = wrong && lineOf(text, wrong.path);
  const show = () => {
    const field = area.current?.querySelector("textarea");
    if (!field || !line) return;
    field.focus();
    field.setSelectionRange(line.from, line.to);
    field.scrollTop = (line.number - 3) * parseFloat(getComputedStyle(field).lineHeight);
  };
  const message = broken || (wrong && (line ? t("claims.at-line", { line: line.number, message: wrong.message }) : wrong.message));
  return html`<section class="card stack claims" aria-label=${t("claims.schema")}>
    <${Tabs} label=${t("claims.schema")} tabs=${[["form", t("claims.form")], ["json", "JSON"]]} chosen=${part} onChoose=${setPart} id="claims-schema" />
    <${Form} onSubmit=${save}><div id="claims-schema" class="stack" role="tabpanel" aria-label=${part === "json" ? "JSON" : t("claims.form")} ref=${area}>
      ${part === "json" || broken
        ? html`<${TextField} label=${t("claims.json")} hint=${t("claims.json-hint")} rows=${16} dir="ltr" class="input claims-json" spellcheck=${false} value=${text} readonly=${!may} wrong=${message}
            onInput=${(/** @type {string} */ now) => (setText(now), setWrong(null))} />
          ${line && html`<div><${Button} small onClick=${show}>${t("claims.show")}<//></div>`}`
        : html`<${ClaimsForm} schema=${schema} onChange=${edit} wrong=${wrong} may=${may} />`}
    </div>
    ${may && html`<div class="row"><${Button} kind="main" type="submit" disabled=${!changed.current || !!broken}>${t("save")}<//>
      ${changed.current && html`<${Button} onClick=${() => (setText(written), setWrong(null))}>${t("look.discard")}<//>`}</div>`}<//>
  </section>`;
}

/** @param {string} text @returns {any} what the JSON says, or the error */
function parsed(text) {
  try {
    const found = JSON.parse(text);
    return found && typeof found === "object" && !Array.isArray(found) ? found : new Error(t("claims.no-object"));
  } catch (error) {
    return new Error(t("claims.no-json", { message: /** @type {Error} */ (error).message }));
  }
}

/**
 * Return where in a JSON text a path is: its names are looked for one after the other.
 * @param {string} text
 * @param {string[]} path
 */
export function lineOf(text, path) {
  let from = 0, last = /** @type {{ from: number, to: number } | null} */ (null);
  for (const name of path) {
    const found = text.indexOf(`${JSON.stringify(name)}:`, from);
    if (found < 0) break;
    last = { from: found, to: found + JSON.stringify(name).length };
    from = last.to;
  }
  return last && { ...last, number: text.slice(0, last.from).split("\n").length };
}

/** @typedef {{ path: string[], type: string, description: string, values: string[] }} Claim */

/** @param {any} schema @param {string[]} [above] @returns {Claim[]} every claim that has a value, whatever it is in */
function flat(schema, above = []) {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, claim]) => {
    const path = [...above, name];
    if (claim.type === "object") return flat(claim, path);
    return [{ path, type: claim.type, description: claim.description ?? "", values: claim.enum ?? claim.items?.enum ?? [] }];
  });
}

/** @param {{ place: { organization: string, site: string }, schema: any, spaces: any[] }} props */
function ViewAs({ place, schema, spaces }) {
  const all = flat(schema), [chosen, setChosen] = useState(/** @type {Record<string, string>} */ ({}));
  const [space, setSpace] = useState(""), [url, setUrl] = useState(""), [wrong, setWrong] = useState(""), [width, setWidth] = useState("1280");
  const claims = JSON.stringify(told(all, chosen));
  useEffect(() => {
    const abort = new AbortController();
    const ask = async () => {
      const { data, errors } = await send("SitePreviewAs", { ...place, claims, siteSpace: space || null }, abort.signal);
      const made = data?.organization?.site?.preview?.url;
      setWrong(made ? "" : (errors[0]?.message ?? ""));
      if (made) setUrl(made);
    };
    const timer = setTimeout(() => ask().catch((error) => abort.signal.aborted || setWrong(error.message)), url ? PAUSE : 0);
    return () => (clearTimeout(timer), abort.abort());
  }, [claims, space]);
  const set = (/** @type {Claim} */ claim) => (/** @type {string} */ value) => setChosen((/** @type {any} */ now) => ({ ...now, [claim.path.join(".")]: value }));
  const field = (/** @type {Claim} */ claim) => {
    const key = claim.path.join("."), ties = { key, label: key, hint: claim.description, value: chosen[key] ?? "" };
    const words = claim.type === "boolean" ? [["true", t("claims.yes")], ["false", t("claims.no")]] : claim.values.map((each) => [each, each]);
    if (words.length) return html`<${Select} ...${ties} options=${[["", t("claims.unknown")], ...words]} onChange=${set(claim)} />`;
    return html`<${TextField} ...${ties} onInput=${set(claim)} inputmode=${claim.type === "number" ? "decimal" : undefined} maxlength="200" placeholder=${claim.type === "array" ? t("claims.list-hint") : t("claims.unknown")} />`;
  };
  return html`<section class="card stack" aria-label=${t("claims.view-as")}>
    <h2>${t("claims.view-as")}</h2><p class="soft">${t("claims.view-as-text")}</p>
    <div class="claims-visitor">
      ${spaces.length > 1 && html`<${Select} label=${t("claims.begin")} value=${space} onChange=${setSpace} options=${[["", t("claims.begin-site")], ...spaces.map((each) => [each.restId, each.title])]} />`}
      ${all.map(field)}
    </div>
    ${wrong && html`<${Note} kind="warn">${wrong}<//>`}
    ${url && html`<div class="row"><${Switcher} label=${t("look.width")} value=${width} onChoose=${setWidth} options=${[["390", t("look.phone")], ["820", t("look.tablet")], ["1280", t("look.desktop")]]} /><span class="grow"></span>
        <${Button} small kind="quiet" glyph="globe" href=${url} target="_blank" rel="noopener noreferrer">${t("look.open")}<//></div>
      <${Scaled} width=${Number(width)} urls=${[url]} onLoad=${() => undefined} />`}
  </section>`;
}

/** @param {Claim[]} all @param {Record<string, string>} chosen @returns {Record<string, any>} the claims of a visitor */
function told(all, chosen) {
  /** @type {Record<string, any>} */
  const made = {};
  for (const { path, type } of all) {
    const text = chosen[path.join(".")]?.trim();
    if (!text) continue;
    let inner = made;
    for (const name of path.slice(0, -1)) inner = inner[name] ??= {};
    inner[/** @type {string} */ (path.at(-1))] = type === "boolean" ? text === "true" : type === "number" ? Number(text) : type === "array" ? text.split(",").map((each) => each.trim()) : text;
  }
  return made;
}
