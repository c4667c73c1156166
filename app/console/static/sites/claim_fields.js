// The claims of a schema as a form: a name, what kind of value, what it means, and which values there are.

import { html, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Select, TextField } from "../parts/forms.js";
import { t } from "../texts.js";

const UNSIGNED = "unsigned";
const KINDS = ["boolean", "string", "number", "array", "object"];

/** @typedef {import("./claims.js").WrongClaim} WrongClaim */

/** @param {{ schema: any, onChange: (schema: any) => void, wrong: WrongClaim | null, may: boolean }} props */
export function ClaimsForm({ schema, onChange, wrong, may }) {
  const all = schema.properties ?? {}, { [UNSIGNED]: unsigned, ...signed } = all;
  const nothing = { type: "object", description: t("claims.unsigned"), properties: {}, additionalProperties: false };
  const put = (/** @type {any} */ properties) => onChange({ ...schema, type: "object", properties, additionalProperties: false });
  const general = wrong && !["properties"].includes(wrong.path[0] ?? "") ? wrong.message : null;
  return html`${general && html`<p class="wrong" role="alert">${general}</p>`}
    <${Group} label=${t("claims.signed")} text=${t("claims.signed-text")} properties=${signed} wrong=${inside(wrong, "properties")} may=${may}
      onChange=${(/** @type {any} */ made) => put({ ...made, ...(unsigned ? { [UNSIGNED]: unsigned } : {}) })} />
    <${Group} label=${t("claims.unsigned")} text=${t("claims.unsigned-text")} properties=${unsigned?.properties ?? {}} wrong=${inside(wrong, "properties", UNSIGNED, "properties")} may=${may}
      onChange=${(/** @type {any} */ made) => put({ ...signed, [UNSIGNED]: { ...(unsigned ?? nothing), properties: made } })} />`;
}

/** @param {{ label: string, text?: string, properties: Record<string, any>, wrong: WrongClaim | null, may: boolean, onChange: (properties: any) => void }} props */
function Group({ label, text, properties, wrong, may, onChange }) {
  const entries = Object.entries(properties), [name, setName] = useState(""), taken = entries.some(([each]) => each === name.trim());
  const put = (/** @type {number} */ at, /** @type {[string, any] | null} */ entry) =>
    onChange(Object.fromEntries(entries.flatMap((each, n) => (n === at ? (entry ? [entry] : []) : [each]))));
  const add = () => {
    onChange({ ...properties, [name.trim()]: { type: "boolean", description: name.trim() } });
    setName("");
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && (event.preventDefault(), name.trim() && !taken && add());
  return html`<fieldset class="claims-group stack tight"><legend>${label}</legend>
    ${text && html`<p class="soft small">${text}</p>`}
    ${wrong?.path.length === 0 && html`<p class="wrong" role="alert">${wrong.message}</p>`}
    ${entries.map(([each, claim], n) => html`<${Claim} key=${each} name=${each} claim=${claim} wrong=${inside(wrong, each)} may=${may}
      onChange=${(/** @type {any} */ made) => put(n, [each, made])} onRemove=${() => put(n, null)} />`)}
    ${may && html`<div class="row claims-add"><div class="grow"><${TextField} label=${t("claims.new", { group: label })} dir="ltr" value=${name} onInput=${setName} maxlength="100" placeholder="plan" wrong=${taken ? t("claims.taken") : null} onKeyDown=${pressed} /></div>
      <${Button} glyph="add" disabled=${!name.trim() || taken} onClick=${add}>${t("claims.add")}<//></div>`}
  </fieldset>`;
}

/** @param {{ name: string, claim: any, wrong: WrongClaim | null, may: boolean, onChange: (claim: any) => void, onRemove: () => void }} props */
function Claim({ name, claim, wrong, may, onChange, onRemove }) {
  const kind = KINDS.includes(claim.type) ? claim.type : "string", of = kind === "array" ? (claim.items ?? { type: "string" }) : claim;
  const [values, setValues] = useState((of.enum ?? []).join(", "));
  const at = (/** @type {string[]} */ ...path) => (wrong && wrong.path.slice(0, path.length).join() === path.join() && wrong.path.length >= path.length ? wrong.message : null);
  const change = (/** @type {string} */ type) => onChange({ type, description: claim.description, ...(type === "array" ? { items: { type: "string" } } : type === "object" ? { properties: {}, additionalProperties: false } : {}) });
  const list = (/** @type {string} */ text) => {
    setValues(text);
    const found = text.split(",").map((each) => each.trim()).filter(Boolean), { enum: _, ...rest } = of;
    const made = found.length ? { ...rest, enum: found } : rest;
    onChange(kind === "array" ? { ...claim, items: made } : made);
  };
  const ties = may ? {} : { disabled: true }, more = wrong && !["description", "type", "enum", "items", "properties"].includes(wrong.path[0] ?? "") ? wrong.message : null;
  return html`<div class="claim card" role="group" aria-label=${name}>
    <div class="row"><code class="grow breaks" dir="ltr">${name}</code>
      ${may && html`<${Button} small kind="quiet" glyph="trash" label=${t("claims.remove", { name })} onClick=${onRemove} />`}</div>
    ${more && html`<p class="wrong" role="alert">${more}</p>`}
    <div class="claims-fields">
      <${Select} label=${t("claims.kind")} value=${kind} onChange=${change} wrong=${at("type")} options=${KINDS.map((each) => [each, t(`claims.kind-${each}`)])} ...${ties} />
      <${TextField} label=${t("claims.description")} value=${claim.description ?? ""} wrong=${at("description")} maxlength="1000" onInput=${(/** @type {string} */ description) => onChange({ ...claim, description })} ...${ties} />
      ${kind === "array" && html`<${Select} label=${t("claims.items")} value=${of.type ?? "string"} wrong=${at("items")} onChange=${(/** @type {string} */ type) => onChange({ ...claim, items: { type } })} options=${KINDS.slice(0, 3).map((each) => [each, t(`claims.kind-${each}`)])} ...${ties} />`}
      ${of.type === "string" && html`<${TextField} label=${t("claims.values")} hint=${t("claims.values-hint")} value=${values} wrong=${at("enum")} onInput=${list} ...${ties} />`}
    </div>
    ${kind === "object" && html`<${Group} label=${t("claims.inside", { name })} properties=${claim.properties ?? {}} wrong=${inside(wrong, "properties")} may=${may} onChange=${(/** @type {any} */ properties) => onChange({ ...claim, properties })} />`}
  </div>`;
}

/** @param {WrongClaim | null} wrong @param {string[]} names @returns {WrongClaim | null} what is wrong below these names */
function inside(wrong, ...names) {
  return wrong && names.every((name, n) => wrong.path[n] === name) ? { ...wrong, path: wrong.path.slice(names.length) } : null;
}
