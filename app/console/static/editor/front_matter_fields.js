// Fields of the page settings that have parts: the cover, what of the page is shown, its variables.

import { html, useRef, useState } from "../vendor/preact.js";
import { Button } from "../parts/basic.js";
import { Checkbox, Select, TextField } from "../parts/forms.js";
import { attempt } from "../parts/overlays.js";
import { t } from "../texts.js";
import { coverOf, layoutOf, layoutText, PARTS, presetOf, PRESETS, textOfCover, textOfVariables, valueOf, variablesOf } from "./front_matter.js";

/** @typedef {import("./writing.js").Writing} Writing */

const TALLEST = 700, SMALLEST = 10; // pixels of a cover

/** @param {{ writing: Writing, mayUpload: () => boolean }} props */
export function CoverFields({ writing, mayUpload }) {
  const { cover: text, layout } = writing.content.value, cover = coverOf(text), looks = layoutOf(layout);
  const change = (/** @type {Partial<import("./front_matter.js").Cover>} */ some) => writing.change({ cover: textOfCover({ ...coverOf(writing.content.peek().cover), ...some }) });
  const size = (/** @type {string} */ chosen) => writing.change({ layout: layoutText({ ...looks, coverSize: chosen || null }) });
  return html`<fieldset class="page-part stack tight"><legend>${t("editor.cover")}</legend>
    <${Picture} label=${t("editor.cover-picture")} value=${cover.ref} onChange=${(/** @type {string} */ ref) => change({ ref })} writing=${writing} mayUpload=${mayUpload} />
    ${(cover.ref || cover.refDark) && html`
      <${Picture} label=${t("editor.cover-dark")} value=${cover.refDark} onChange=${(/** @type {string} */ refDark) => change({ refDark })} writing=${writing} mayUpload=${mayUpload} />
      <${Select} label=${t("editor.cover-size")} value=${String(looks["coverSize"] ?? "")} onChange=${size}
        options=${["", "HERO", "FULL", "BACKGROUND"].map((each) => [each, t(`editor.cover-size-${each || "none"}`)])} />
      <div class="row halves">
        <${TextField} type="number" label=${t("editor.cover-height")} min=${SMALLEST} max=${TALLEST} value=${cover.height ?? ""}
          onInput=${(/** @type {string} */ typed) => change({ height: Math.min(Math.round(Number(typed)), TALLEST) || null })} />
        <${TextField} type="number" label=${t("editor.cover-position")} value=${cover.yPos || ""} onInput=${(/** @type {string} */ typed) => change({ yPos: Number(typed) || 0 })} />
      </div>`}
  </fieldset>`;
}

/** @param {{ label: string, value: string, onChange: (address: string) => void, writing: Writing, mayUpload: () => boolean }} props */
function Picture({ label, value, onChange, writing, mayUpload }) {
  const file = useRef(/** @type {HTMLInputElement | null} */ (null)), [busy, setBusy] = useState(false);
  const chosen = async (/** @type {any} */ event) => {
    const [picture] = event.currentTarget.files;
    event.currentTarget.value = "";
    if (!picture || !mayUpload()) return;
    setBusy(true);
    await attempt(async () => onChange(await (await import("./images.js")).upload(writing, picture)));
    setBusy(false);
  };
  return html`<div class="row picture-field">
    <div class="grow"><${TextField} label=${label} value=${value} onInput=${(/** @type {string} */ typed) => onChange(typed.trim())} dir="ltr" maxlength="2048" placeholder="https://" /></div>
    <${Button} small glyph="image" busy=${busy} onClick=${() => file.current?.click()}>${t("editor.cover-upload")}<//>
    <input type="file" accept="image/*" hidden ref=${file} onChange=${chosen} aria-label=${t("editor.cover-upload")} /></div>`;
}

/** @param {{ writing: Writing }} props */
export function LayoutFields({ writing }) {
  const layout = layoutOf(writing.content.value.layout);
  const change = (/** @type {Record<string, boolean | string | null>} */ some) => writing.change({ layout: layoutText({ ...layout, ...some }) });
  const preset = presetOf(layout), names = [...Object.keys(PRESETS), ...(preset ? [] : [""])];
  return html`<fieldset class="page-part stack tight"><legend>${t("editor.layout")}</legend>
    <${Select} label=${t("editor.preset")} value=${preset} onChange=${(/** @type {string} */ name) => change(PRESETS[name] ?? {})}
      options=${names.map((name) => [name, t(`editor.preset-${name || "own"}`)])} />
    ${PARTS.map((name) => html`<${Checkbox} key=${name} label=${t(`editor.layout-${name}`)} checked=${layout[name] !== false} onChange=${(/** @type {boolean} */ is) => change({ [name]: is })} />`)}
    <${Checkbox} label=${t("editor.layout-wide")} checked=${layout["width"] === "WIDE"} onChange=${(/** @type {boolean} */ is) => change({ width: is ? "WIDE" : null })} />
  </fieldset>`;
}

/** @param {{ writing: Writing }} props */
export function VariableFields({ writing }) {
  const [rows, setRows] = useState(() => variablesOf(writing.content.peek().variables));
  const set = (/** @type {import("./front_matter.js").Variables} */ made) => {
    setRows(made);
    writing.change({ variables: textOfVariables([...made].sort(([one], [other]) => (one < other ? -1 : 1))) });
  };
  const put = (/** @type {number} */ n, /** @type {[string, string | number | boolean]} */ row) => set(rows.map((each, at) => (at === n ? row : each)));
  const twice = rows.filter(([name], n) => name && rows.findIndex(([other]) => other === name) !== n).map(([name]) => name);
  return html`<fieldset class="page-part stack tight"><legend>${t("editor.variables")}</legend>
    <p class="soft small">${t("editor.variables-hint")}</p>
    ${rows.map(([name, value], n) => html`<div key=${n} class="row variable-row">
      <${TextField} label=${t("editor.variable-name")} value=${name} dir="ltr" maxlength="100" wrong=${twice.includes(name) ? t("editor.variable-twice") : null}
        onInput=${(/** @type {string} */ typed) => put(n, [typed.trim(), value])} />
      <${TextField} label=${t("editor.variable-value")} value=${String(value)} maxlength="256" onInput=${(/** @type {string} */ typed) => put(n, [name, valueOf(typed)])} />
      <${Button} kind="quiet" small glyph="trash" label=${t("editor.variable-remove", { name })} onClick=${() => set(rows.toSpliced(n, 1))} /></div>`)}
    <div><${Button} small glyph="add" onClick=${() => setRows([...rows, ["", ""]])}>${t("editor.variable-add")}<//></div>
  </fieldset>`;
}
