// Fields of the look of a site: colours and pictures in pairs, and lists of links.

import { html } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Field, Select, TextField } from "../parts/forms.js";
import { t } from "../texts.js";
import { at, put } from "./look_values.js";

/**
 * @typedef {{ values: import("./look_values.js").Values, change: (path: string, value: any) => void, wrong: (path: string) => string | undefined, ofSpace?: boolean }} Form
 *   `wrong` returns what is wrong at a path
 */

/**
 * A colour on light and on dark pages, as a picker and in hexadecimal.
 * @param {{ form: Form, path: string, label: string, hint?: string }} props
 */
export function ColorPair({ form, path, label, hint }) {
  return html`<fieldset class="look-pair"><legend>${label}</legend>
    ${hint && html`<p class="soft small">${hint}</p>`}
    ${["light", "dark"].map((mode) => {
      const place = `${path}.${mode}`, value = at(form.values, place) ?? "";
      const name = t(`look.on-${mode}`), changed = (/** @type {string} */ text) => form.change(place, text.trim() || undefined);
      return html`<${Field} key=${mode} label=${name} wrong=${form.wrong(place)}>${(/** @type {any} */ ties) => html`<span class="look-color">
        <input type="color" aria-label=${t("look.pick", { name: `${label}, ${name}` })} value=${/^#[0-9a-f]{6}$/i.test(value) ? value : "#888888"}
          onInput=${(/** @type {any} */ event) => changed(event.currentTarget.value)} />
        <input ...${ties} dir="ltr" value=${value} maxlength="7" placeholder=${t("look.usual")} spellcheck=${false}
          onInput=${(/** @type {any} */ event) => changed(event.currentTarget.value)} /></span>`}<//>`;
    })}
  </fieldset>`;
}

/**
 * The addresses of a picture on light and on dark pages.
 * @param {{ form: Form, path: string, label: string, hint?: string }} props
 */
export function PicturePair({ form, path, label, hint }) {
  return html`<fieldset class="look-pair"><legend>${label}</legend>
    ${hint && html`<p class="soft small">${hint}</p>`}
    ${["light", "dark"].map((mode) => html`<${TextField} key=${mode} type="url" dir="ltr" placeholder="https://" label=${t(`look.on-${mode}`)} wrong=${form.wrong(`${path}.${mode}`)}
      value=${at(form.values, `${path}.${mode}`) ?? ""} onInput=${(/** @type {string} */ text) => form.change(`${path}.${mode}`, text.trim() || undefined)} />`)}
  </fieldset>`;
}

/**
 * The title and address of one link.
 * @param {{ form: Form, path: string, label: string }} props
 */
export function OneLink({ form, path, label }) {
  return html`<fieldset class="look-pair"><legend>${label}</legend>
    <${TextField} label=${t("look.link-title")} maxlength="100" value=${at(form.values, `${path}.title`) ?? ""} wrong=${form.wrong(`${path}.title`)}
      onInput=${(/** @type {string} */ text) => form.change(`${path}.title`, text || undefined)} />
    <${TextField} label=${t("look.link-url")} dir="ltr" placeholder="https://" value=${at(form.values, `${path}.url`) ?? ""} wrong=${form.wrong(`${path}.url`)}
      onInput=${(/** @type {string} */ text) => form.change(`${path}.url`, text.trim() || undefined)} />
  </fieldset>`;
}

/**
 * A list of links; those of the header have a style, and links of a menu.
 * @param {{ form: Form, path: string, label: string, kind?: "header" | "" }} props
 */
export function Links({ form, path, label, kind = "" }) {
  const all = at(form.values, path) ?? [];
  const set = (/** @type {any[]} */ list) => form.change(path, list);
  return html`<fieldset class="look-links"><legend>${label}</legend>
    ${all.map((/** @type {any} */ link, /** @type {number} */ n) => {
      const place = `${path}.${n}`, name = link.title || t("look.link", { number: n + 1 });
      const edit = (/** @type {string} */ field, /** @type {any} */ value) => set(all.map((/** @type {any} */ each, /** @type {number} */ i) => (i === n ? put(each, field, value) : each)));
      return html`<div class="look-link card" key=${n} role="group" aria-label=${name}>
        <div class="look-pair">
          <${TextField} label=${t("look.link-title")} maxlength="100" value=${link.title ?? ""} wrong=${form.wrong(`${place}.title`)} onInput=${(/** @type {string} */ text) => edit("title", text)} />
          <${TextField} label=${t("look.link-url")} dir="ltr" placeholder="https://" value=${link.url ?? ""} wrong=${form.wrong(`${place}.url`)} onInput=${(/** @type {string} */ text) => edit("url", text.trim())} />
        </div>
        ${kind === "header" && html`<${Select} label=${t("look.link-style")} value=${link.style ?? "LINK"} onChange=${(/** @type {string} */ style) => edit("style", style)}
          options=${["LINK", "BUTTON_PRIMARY", "BUTTON_SECONDARY"].map((each) => [each, t(`look.style-${each}`)])} />
          ${link.links?.length > 0 && html`<${Links} form=${form} path=${`${place}.links`} label=${t("look.menu")} />`}`}
        <div class="row">
          <${Button} small kind="quiet" glyph="up" label=${t("look.move-up", { name })} disabled=${n === 0} onClick=${() => set(moved(all, n, -1))} />
          <${Button} small kind="quiet" glyph="down" label=${t("look.move-down", { name })} disabled=${n === all.length - 1} onClick=${() => set(moved(all, n, 1))} />
          ${kind === "header" && !link.links?.length && html`<${Button} small kind="quiet" glyph="list" onClick=${() => edit("links", [{ title: "", url: "" }])}>${t("look.add-menu")}<//>`}
          <span class="grow"></span>
          <${Button} small kind="quiet" glyph="trash" label=${t("look.remove", { name })} onClick=${() => set(all.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== n))} />
        </div>
      </div>`;
    })}
    <div><${Button} small glyph="add" disabled=${all.length >= 30} onClick=${() => set([...all, { title: "", url: "" }])}>${t("look.add-link")}<//></div>
  </fieldset>`;
}

/**
 * The groups of links in the footer.
 * @param {{ form: Form, path: string }} props
 */
export function Groups({ form, path }) {
  const all = at(form.values, path) ?? [];
  return html`<div class="stack">
    ${all.map((/** @type {any} */ group, /** @type {number} */ n) => html`<fieldset class="look-links card" key=${n}><legend>${group.title || t("look.group", { number: n + 1 })}</legend>
      <${TextField} label=${t("look.group-title")} maxlength="100" value=${group.title ?? ""} wrong=${form.wrong(`${path}.${n}.title`)} onInput=${(/** @type {string} */ text) => form.change(`${path}.${n}`, put(group, "title", text))} />
      <${Links} form=${form} path=${`${path}.${n}.links`} label=${t("look.group-links")} />
      <div><${Button} small kind="quiet" glyph="trash" onClick=${() => form.change(path, all.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== n))}>${t("look.remove-group")}<//></div>
    </fieldset>`)}
    <div><${Button} small glyph="add" disabled=${all.length >= 10} onClick=${() => form.change(path, [...all, { title: "", links: [{ title: "", url: "" }] }])}>${t("look.add-group")}<//></div>
  </div>`;
}

/** @param {any[]} list @param {number} from @param {number} by */
function moved(list, from, by) {
  const made = [...list];
  made.splice(from + by, 0, ...made.splice(from, 1));
  return made;
}
