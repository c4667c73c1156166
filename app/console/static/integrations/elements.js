// The elements that a component of an integration is made of, as controls of the console. Nothing in them is markup.

import { html } from "../vendor/preact.js";
import { Button, Note } from "../parts/basic.js";
import { Checkbox, Select, TextField } from "../parts/forms.js";
import { confirm } from "../parts/overlays.js";
import { t } from "../texts.js";
import { Summary } from "./summary.js";
import { WebFrame, originOf } from "./web-frame.js";

/** @typedef {{ state: Record<string, any>, set: (name: string, value: any) => void, act: (action: any) => any, moved: (url: string) => string }} Hands `moved` returns an address at the origin of the integration */

/** @param {{ elements: any[] } & Hands} props */
export function Elements({ elements, ...hands }) {
  return (elements ?? []).map((each, n) => html`<${Element} key=${`${each.type ?? "text"} ${each.state ?? n}`} element=${each} hands=${hands} />`);
}

/**
 * @param {{ element: any, hands: Hands, label?: string, hint?: any }} props
 *   `label` and `hint` are those of the `input` around it
 */
function Element({ element, hands, label, hint }) {
  const now = (/** @type {any} */ value) => resolved(value, hands.state);
  const inside = (/** @type {any} */ children) => html`<${Elements} elements=${children} ...${hands} />`;
  switch (element.type) {
    case "hstack":
      return html`<div class="kit-hstack">${inside(element.children)}</div>`;
    case "vstack":
      return html`<div class="stack">${inside(element.children)}</div>`;
    case "box":
      return html`<div class=${element.grow ? "kit-grow" : ""}>${inside(element.children)}</div>`;
    case "divider":
      return html`<hr />`;
    case "markdown":
      return html`<${Summary} text=${String(now(element.content) ?? "")} />`;
    case "text":
      return html`<p class="breaks"><${Words} words=${element.children} hands=${hands} /></p>`;
    case "hint":
      return html`<${Note}><${Words} words=${element.children} hands=${hands} /><//>`;
    case "link":
      return html`<${Words} words=${[element]} hands=${hands} />`;
    case "image":
      return html`<img class="integration-picture" src=${now(element.source.url)} alt="" />`;
    case "card":
      return html`<div class="card stack tight">${element.title && html`<strong dir="auto">${now(element.title)}</strong>`}
        ${element.hint && html`<span class="soft"><${Words} words=${[element.hint].flat()} hands=${hands} /></span>`}
        ${inside(element.children)}<div class="row">${element.onPress && html`<${Press} element=${{ label: t("integrations.open"), onPress: element.onPress }} hands=${hands} />`}${inside(element.buttons)}</div></div>`;
    case "webframe": {
      const url = hands.moved(now(element.source.url));
      if (originOf(url)) return html`<${WebFrame} url=${url} ratio=${now(element.aspectRatio)} data=${now(element.data ?? {})} act=${hands.act} />${inside(element.buttons)}`;
      return html`<p><a href=${url} target="_blank" rel="noopener noreferrer">${t("integrations.open-frame")}</a></p>`;
    }
    case "codeblock": {
      const text = String(now(element.content) ?? "");
      const code = element.state ? html`<${Control} element=${element} hands=${hands} label=${label ?? element.syntax ?? t("integrations.value")} hint=${hint} />` : html`<pre class="kit-code" tabindex="0"><code dir="ltr">${text}</code></pre>`;
      return html`<div class="stack tight">${inside(element.header)}${code}${inside(element.footer)}${element.buttons?.length > 0 && html`<div class="row">${inside(element.buttons)}</div>`}</div>`;
    }
    case "button":
      return label ? html`<div class="field"><span class="label">${label}</span><div><${Press} element=${element} hands=${hands} /></div>${hint}</div>` : html`<${Press} element=${element} hands=${hands} />`;
    case "input":
      return html`<${Element} element=${element.element} hands=${hands} label=${now(element.label)} hint=${element.hint && html`<span class="hint"><${Words} words=${[element.hint].flat()} hands=${hands} /></span>`} />`;
    case "stepper": {
      const steps = element.children, at = Math.max(0, steps.findIndex((/** @type {any} */ each) => each.id === now(element.activeStep)));
      const step = steps[at], next = steps[at + 1];
      const move = (/** @type {any} */ action, /** @type {any} */ more) => hands.act({ ...now(action), ...more });
      return html`<div class="stack"><p class="soft small">${t("integrations.step", { count: at + 1, of: steps.length })}</p>${step.title && html`<h3 dir="auto">${now(step.title)}</h3>`}${inside(step.children)}
        <div class="row">${at > 0 && html`<${Button} onClick=${() => move(element.onStepChange, { step: steps[at - 1].id })}>${t("integrations.step-back")}<//>`}
          <${Button} kind="main" disabled=${now(step.next) === false} onClick=${() => (next ? move(element.onStepChange, { step: next.id }) : move(element.onComplete, {}))}>${t(next ? "integrations.step-next" : "integrations.step-done")}<//></div></div>`;
    }
    default:
      return html`<${Control} element=${element} hands=${hands} label=${label ?? t("integrations.value")} hint=${hint} />`;
  }
}

/** A control with a state. @param {{ element: any, hands: Hands, label: string, hint?: any }} props */
function Control({ element, hands, label, hint }) {
  const { state, set, act } = hands, begins = resolved(element.initialValue ?? element.content, state);
  const value = element.state in state ? state[element.state] : begins;
  const change = async (/** @type {any} */ chosen) => {
    if (element.confirm && !(await agreed(element.confirm))) return;
    set(element.state, chosen);
    if (element.onValueChange) await act(resolved(element.onValueChange, { ...state, [element.state]: chosen }));
  };
  if (element.type === "textinput" || element.type === "codeblock") {
    const rows = element.multiline || element.type === "codeblock" ? 6 : undefined;
    return html`<${TextField} label=${label} hint=${hint} rows=${rows} type=${rows ? undefined : (element.inputType ?? "text")} placeholder=${element.placeholder} disabled=${element.disabled === true}
      value=${String(value ?? "")} onInput=${(/** @type {string} */ text) => set(element.state, text)} />`;
  }
  if (element.type === "select" && !element.multiple) {
    const options = [["", element.placeholder ?? t("integrations.choose")], ...element.options.map((/** @type {any} */ each) => [each.id, each.label])];
    const chosen = Array.isArray(value) ? value[0] : value;
    return html`<${Select} label=${label} hint=${hint} value=${chosen ?? ""} options=${options} onChange=${change} />`;
  }
  if (element.type === "select") {
    const chosen = /** @type {string[]} */ (Array.isArray(value) ? value : value ? [value] : []);
    const toggle = (/** @type {string} */ id, /** @type {boolean} */ on) => change(on ? [...chosen, id] : chosen.filter((each) => each !== id));
    return html`<fieldset class="stack tight"><legend class="label">${label}</legend>${hint}${element.options.map((/** @type {any} */ each) =>
      html`<${Checkbox} key=${each.id} label=${each.label} checked=${chosen.includes(each.id)} onChange=${(/** @type {boolean} */ on) => toggle(each.id, on)} />`)}</fieldset>`;
  }
  if (element.type === "switch") return html`<${Checkbox} label=${label} hint=${hint} role="switch" checked=${value === true} onChange=${change} />`;
  const own = resolved(element.value, state), is = (/** @type {any} */ one) => JSON.stringify(one) === JSON.stringify(own);
  if (element.type === "radio") return html`<${Checkbox} type="radio" name=${element.state} label=${label} hint=${hint} checked=${is(value)} onChange=${() => change(own)} />`;
  const held = Array.isArray(value) ? value : [];
  return html`<${Checkbox} label=${label} hint=${hint} checked=${held.some(is)} onChange=${(/** @type {boolean} */ on) => change(on ? [...held, own] : held.filter((each) => !is(each)))} />`;
}

/** @param {{ element: any, hands: Hands }} props */
function Press({ element, hands }) {
  const kind = { primary: "main", danger: "danger" }[/** @type {string} */ (element.style)] ?? "";
  const press = async () => {
    if (element.confirm && !(await agreed(element.confirm))) return;
    await hands.act(resolved(element.onPress, hands.state));
  };
  return html`<${Button} kind=${kind} disabled=${resolved(element.disabled, hands.state) === true} onClick=${press}>${resolved(element.label, hands.state) ?? element.tooltip ?? t("integrations.open")}<//>`;
}

/** @param {{ title: string, text: string, confirm: string, style?: string }} asked */
function agreed(asked) {
  return confirm({ title: asked.title, text: asked.text, yes: asked.confirm, danger: asked.style === "danger" });
}

/** Texts, links and pictures in a line. @param {{ words: any[], hands: Hands }} props */
function Words({ words, hands }) {
  return words.map((each, n) => {
    const now = resolved(each, hands.state);
    if (typeof now !== "object" || now === null) return String(now ?? "");
    if (now.type === "link") return html`<a key=${n} href=${now.target.url} target="_blank" rel="noopener noreferrer"><${Words} words=${now.children} hands=${hands} /></a>`;
    if (now.type === "text") {
      const tag = { bold: "strong", italic: "em", code: "code", strikethrough: "s" }[/** @type {string} */ (now.style)] ?? "span";
      return html`<${tag} key=${n}><${Words} words=${now.children} hands=${hands} /><//>`;
    }
    return html`<${Element} key=${n} element=${each} hands=${hands} />`;
  });
}

/**
 * Return a value in which `{"$state": name}` is what that state is now.
 * @param {any} value
 * @param {Record<string, any>} state
 * @returns {any}
 */
export function resolved(value, state) {
  if (Array.isArray(value)) return value.map((each) => resolved(each, state));
  if (!value || typeof value !== "object") return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === "$state") return state[value.$state];
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, state)]));
}
