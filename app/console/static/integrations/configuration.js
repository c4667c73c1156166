// The configuration of an integration: a form of its properties, or a component that its script draws.

import { html, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Checkbox, Form, Select, TextField } from "../parts/forms.js";
import { attempt, say } from "../parts/overlays.js";
import { refresh } from "../api/queries.js";
import { t } from "../texts.js";
import { Component } from "./component.js";

/** @typedef {{ name: string, value: { text?: string | null, number?: number | null, boolean?: boolean | null, json?: any } }} Named */

/**
 * @param {{ asked: any, values: Named[], integration: string, frames: string, place: Record<string, unknown>, props: Record<string, unknown>, endpoint: string,
 *   label: string, save: (configuration: Named[]) => Promise<unknown> }} props
 *   `asked` is what the integration asks for, null for nothing; `place` is the context in which its component is drawn, with `props`;
 *   `endpoint` is the address at which its buttons lead to the script
 */
export function Configuration({ asked, values, integration, frames, place, props, endpoint, label, save }) {
  if (!asked) return html`<p class="soft">${t("integrations.nothing-to-set")}</p>`;
  const done = () => refresh(["Installation", "Integration"]);
  if (asked.componentId) return html`<${Component} integration=${integration} component=${asked.componentId} frames=${frames} place=${place} given=${props} label=${label} onDone=${done} />`;
  return html`<${Properties} asked=${asked} values=${values} endpoint=${endpoint} save=${save} />`;
}

/** @param {{ asked: any, values: Named[], endpoint: string, save: (configuration: Named[]) => Promise<unknown> }} props */
function Properties({ asked, values, endpoint, save }) {
  const known = Object.fromEntries(values.map((each) => [each.name, plain(each.value)]));
  const [typed, setTyped] = useState(/** @type {Record<string, any>} */ ({})), [busy, setBusy] = useState(false);
  const required = new Set(asked.required ?? []), now = { ...known, ...typed };
  const send = async () => {
    setBusy(true);
    const chosen = Object.entries(now).filter(([, value]) => value !== "" && value !== undefined && value !== null);
    const saved = await attempt(() => save(chosen.map(([name, value]) => ({ name, value: named(value) }))));
    setBusy(false);
    if (saved) (setTyped({}), say(t("integrations.saved")));
  };
  return html`<${Form} onSubmit=${send}>
    ${asked.properties.map((/** @type {any} */ { name, value: property }) => html`<${Property} key=${name} name=${name} property=${property} required=${required.has(name)} value=${now[name]}
      endpoint=${endpoint} onChange=${(/** @type {any} */ value) => setTyped({ ...typed, [name]: value })} />`)}
    <div><${Button} kind="main" type="submit" busy=${busy} disabled=${!Object.keys(typed).length}>${t("save")}<//></div>
  <//>`;
}

/** @param {{ name: string, property: any, required: boolean, value: any, endpoint: string, onChange: (value: any) => void }} props */
function Property({ name, property, required, value, endpoint, onChange }) {
  const label = required ? t("integrations.required", { name: property.title ?? name }) : (property.title ?? name), hint = property.description;
  if (property.type === "BUTTON") {
    const press = () => window.open(endpoint + property.callbackURL, "_blank", "noopener,noreferrer");
    return html`<div class="field"><span class="label">${label}</span><div><${Button} glyph="share" onClick=${press}>${property.buttonText}<//></div>${hint && html`<span class="hint" dir="auto">${hint}</span>`}</div>`;
  }
  if (property.type === "BOOLEAN") return html`<${Checkbox} label=${label} hint=${hint} checked=${value === true} onChange=${onChange} />`;
  if (property.enum?.length) {
    const options = [...(required && value ? [] : [["", t("integrations.choose")]]), ...property.enum.map((/** @type {string} */ each) => [each, each])];
    return html`<${Select} label=${label} hint=${hint} value=${value ?? ""} options=${options} onChange=${onChange} />`;
  }
  const isNumber = property.type === "NUMBER";
  const typed = (/** @type {string} */ text) => onChange(isNumber && text !== "" ? Number(text) : text);
  return html`<${TextField} label=${label} hint=${hint} type=${isNumber ? "number" : "text"} step=${isNumber ? "any" : undefined} value=${String(value ?? "")} onInput=${typed} />`;
}

/** @param {Named["value"]} value */
export function plain(value) {
  return value.text ?? value.number ?? value.boolean ?? value.json;
}

/** @param {unknown} value */
export function named(value) {
  if (typeof value === "string") return { text: value };
  if (typeof value === "number") return { number: value };
  return typeof value === "boolean" ? { boolean: value } : { json: value };
}
