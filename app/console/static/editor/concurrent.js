// What somebody else has made of the page meanwhile, beside what is written here: the person decides part by part.

import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { send } from "../api/client.js";
import { Ago, Bones, Button } from "../parts/basic.js";
import { Dialog } from "../parts/overlays.js";
import { Choose, Side } from "../parts/sides.js";
import { t } from "../texts.js";
import { readable, SENT } from "./front_matter.js";
import { chosen, compared, suggested } from "./lines.js";
import { contentOf, FIELDS } from "./writing.js";

/** @typedef {import("./writing.js").Writing} Writing */
/** @typedef {import("./writing.js").Content} Content */
/** @typedef {import("./lines.js").Choice} Choice */
/** @typedef {import("./lines.js").Part} Part */

/** @param {{ writing: Writing, theirs: import("./writing.js").Theirs, onClose: () => void }} props */
export function Beside({ writing, theirs, onClose }) {
  const [base, setBase] = useState(/** @type {Content | null | undefined} */ (undefined));
  useEffect(() => void before(writing).then(setBase), [theirs]);
  const foot = base === undefined && html`<${Button} onClick=${onClose}>${t("cancel")}<//>`;
  return html`<${Dialog} title=${t("editor.beside")} onClose=${onClose} wide foot=${foot}>
    <p class="soft">${t("editor.theirs", { name: theirs.by || t("person.nobody") })} <${Ago} at=${theirs.at} /></p>
    ${base === undefined ? html`<${Bones} />` : html`<${Decide} key=${theirs.revision} writing=${writing} theirs=${theirs} base=${base} onClose=${onClose} />`}
  <//>`;
}

/**
 * Return what both began with; null where that cannot be read.
 * @param {Writing} writing
 * @returns {Promise<Content | null>}
 */
async function before(writing) {
  if (!writing.isBehind) return writing.saved.peek();
  const { space, page } = writing.place, revision = writing.isBehind.revision;
  const { data } = await send("EditedPageBefore", { space, revision, page }).catch(() => ({ data: null }));
  const found = data?.space?.revision?.page;
  return found ? contentOf(found) : null;
}

/** @param {{ writing: Writing, theirs: import("./writing.js").Theirs, base: Content | null, onClose: () => void }} props */
function Decide({ writing, theirs, base, onClose }) {
  const mine = useMemo(() => writing.content.peek(), []);
  const parts = useMemo(() => compared(base ? base.text : null, mine.text, theirs.content.text), [base, theirs]);
  const [choices, setChoices] = useState(() => parts.map(suggested));
  const fields = useMemo(() => FIELDS.filter((name) => mine[name] !== theirs.content[name]), [theirs]);
  const first = (/** @type {keyof Content} */ name) => /** @type {Choice} */ (base && mine[name] === base[name] ? "theirs" : "mine");
  const [said, setSaid] = useState(() => Object.fromEntries(fields.map((name) => [name, first(name)])));
  const all = (/** @type {"mine" | "theirs"} */ side) => (setChoices(parts.map(() => side)), setSaid(Object.fromEntries(fields.map((name) => [name, side]))));
  const use = () => {
    const made = /** @type {any} */ ({ ...mine, text: chosen(parts, choices) });
    for (const name of fields) if (said[name] === "theirs") made[name] = theirs.content[name];
    writing.adopt(theirs.content, theirs.revision, theirs.document, made);
    onClose();
  };
  let last = "";
  return html`
    <div class="row"><${Button} small onClick=${() => all("theirs")}>${t("editor.take-theirs")}<//><${Button} small onClick=${() => all("mine")}>${t("editor.keep-mine")}<//></div>
    <div class="versions" role="group" aria-label=${t("editor.differences")} tabindex="0">
      ${fields.map((name) => html`<${Difference} key=${name} name=${name} label=${t(`editor.${name}`)} mine=${shown(name, mine[name])} theirs=${shown(name, theirs.content[name])}
        choice=${said[name]} both=${false} onChoose=${(/** @type {Choice} */ choice) => setSaid({ ...said, [name]: choice })} />`)}
      ${parts.map((part, n) => {
        if (part.kind === "same") return void (last = part.mine.findLast((line) => /^#{1,6}\s/.test(line))?.replace(/^#+\s*/, "") ?? last);
        return html`<${Difference} key=${n} name=${`part${n}`} label=${last || t("editor.text-short")} mine=${part.mine.join("\n")} theirs=${part.theirs.join("\n")}
          conflict=${part.kind === "conflict"} choice=${choices[n]} both=${part.kind === "conflict"}
          onChoose=${(/** @type {Choice} */ choice) => setChoices(choices.map((each, at) => (at === n ? choice : each)))} />`;
      })}
    </div>
    <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" onClick=${use}>${t("editor.use")}<//></div>`;
}

/**
 * @param {keyof Content} name
 * @param {string | boolean} value
 */
function shown(name, value) {
  if (name in SENT) return readable(String(value));
  return typeof value === "boolean" ? t(value ? "editor.yes" : "editor.no") : value;
}

/**
 * @param {{ name: string, label: string, mine: string, theirs: string, choice: Choice, both: boolean, conflict?: boolean,
 *   onChoose: (choice: Choice) => void }} props
 */
function Difference({ name, label, mine, theirs, choice, both, conflict, onChoose }) {
  const side = (/** @type {Choice} */ which, /** @type {string} */ text) => html`<${Side} name=${name} label=${t(`editor.side-${which}`)} chosen=${choice === which}
    taken=${choice === which || choice === "both"} onChoose=${() => onChoose(which)}><pre dir="auto">${text || html`<i class="soft">${t("editor.nothing")}</i>`}</pre><//>`;
  return html`<fieldset class="versions-part"><legend dir="auto">${label}${conflict && html` <span class="badge warn">${t("editor.conflict")}</span>`}</legend>
    <div class="versions-sides">${side("theirs", theirs)}${side("mine", mine)}</div>
    ${both && html`<${Choose} name=${name} label=${t("editor.side-both")} chosen=${choice === "both"} onChoose=${() => onChoose("both")} />`}
  </fieldset>`;
}
