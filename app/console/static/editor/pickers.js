// Fields of the forms of blocks in which a page, a reusable content, a specification or a block of an integration is
// found by its name.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Glyph } from "../parts/basic.js";
import { Finder } from "../parts/finder.js";
import { TextField } from "../parts/forms.js";
import { t } from "../texts.js";
import { addressOf, best, pagesOf } from "./links.js";

const OFFERED = 20;

/** @typedef {{ key: string, name: string, detail: string }} One  `key` is how a text names it */
/** @typedef {{ label: string, value: string, onChange: (value: string) => void, wrong?: string | null, place: import("./writing.js").Place }} Props */

/** @type {Record<string, (props: Props) => any>} the field for each kind of thing */
export const PICKERS = { page: PageField, reusable: ReusableField, specification: SpecificationField, integrationBlock: IntegrationBlockField };

/** @param {Props} props */
function PageField(props) {
  const all = pagesOf(props.place.space).map((each) => ({ key: addressOf(each.restId), name: each.title, detail: each.path }));
  return html`<${OneOf} ...${props} all=${all} glyph="file" />`;
}

/** @param {Props} props */
function ReusableField(props) {
  const { space, change } = props.place;
  const found = useQuery("ReusableContents", { space, change, inChange: !!change }).data?.space;
  const contents = (change ? found?.changeRequest : found)?.reusableContents;
  const all = contents?.map((/** @type {any} */ each) => ({ key: `/reusable-contents/${each.restId}`, name: each.title, detail: "" }));
  return html`<${OneOf} ...${props} all=${all} glyph="copy" none=${t("editor.no-reusable")} />`;
}

/** @param {Props} props */
function SpecificationField(props) {
  const found = useQuery("SpecNames", { organization: props.place.organization });
  const specs = found.data?.organization?.openAPISpecs?.nodes;
  if (found.data && !specs) return html`<${TextField} label=${props.label} value=${props.value} wrong=${props.wrong} onInput=${props.onChange} />`; // they may not be listed
  const all = specs?.map((/** @type {any} */ each) => ({ key: each.slug, name: each.slug, detail: "" }));
  return html`<${OneOf} ...${props} all=${all} glyph="code" none=${t("editor.no-specification")} />`;
}

/** @param {Props} props */
function IntegrationBlockField(props) {
  const active = useQuery("ActiveIntegrations", { space: props.place.space }).data?.space?.integrations?.nodes;
  const all = active?.flatMap((/** @type {any} */ { name, title, blocks }) => blocks.map((/** @type {any} */ block) => ({ key: `${name}/${block.restId}`, name: block.title, detail: title })));
  return html`<${OneOf} ...${props} all=${all} glyph="plug" none=${t("editor.no-integration-block")} />`;
}

/** @param {Props & { all: One[] | undefined, glyph: string, none?: string }} props `none` is said where there is nothing to choose */
function OneOf({ label, value, onChange, wrong, all, glyph, none }) {
  const offer = (/** @type {unknown} */ _, /** @type {string} */ text) => best(all ?? [], text.trim(), ({ name, detail }) => `${name} ${detail}`, OFFERED);
  return html`<${Finder} label=${label} wrong=${wrong} hint=${all?.length === 0 ? none : undefined} about=${label}
    value=${all?.find(({ key }) => key === value) ?? null} onChange=${(/** @type {One | null} */ one) => onChange(one?.key ?? "")}
    find=${async () => []} offer=${offer} idOf=${(/** @type {One} */ one) => one.key} nameOf=${(/** @type {One} */ one) => one.name || t("editor.untitled")}
    picture=${() => html`<${Glyph} name=${glyph} />`} detail=${(/** @type {One} */ one) => one.detail} />`;
}
