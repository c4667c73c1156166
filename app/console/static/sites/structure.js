// What a site shows: its sections, groups, links and spaces, in their order, with the addresses they have.

import { html, useMemo, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Badge, Button, Nothing } from "../parts/basic.js";
import { attempt, confirm, Menu } from "../parts/overlays.js";
import { rearranged, Tree } from "../parts/tree.js";
import { Without } from "../shell/refused.js";
import { t } from "../texts.js";
import { ItemDialog } from "./structure_dialog.js";
import { KINDS, mayBeIn, moveNode } from "./structure_moves.js";

/** @typedef {import("../parts/tree.js").Item} Item */
/** @typedef {import("./structure_moves.js").Place} Place */
/** @typedef {{ place: Place, base: string, sections: any[], groups: any[], changed: () => unknown }} Whole
 *   `base` is the address of the site, empty while it is not published */

/** @type {Record<string, string>} */
const GLYPHS = { SiteSection: "file", SiteSectionGroup: "folder", SiteExternalLink: "link", SiteSpace: "book" };
/** @type {Record<string, string>} */
const REMOVE = { SiteSection: "DeleteSiteSection", SiteSectionGroup: "DeleteSiteSectionGroup", SiteExternalLink: "DeleteSiteExternalLink", SiteSpace: "RemoveSpaceFromSite" };

/** @param {{ site: any, organization: string }} props */
export function SiteStructure({ site: { restId, permissions }, organization }) {
  const place = { organization, site: restId }, found = useQuery("SiteStructure", place);
  const site = found.data?.organization?.site, roots = site?.structure?.structure;
  const [open, setOpen] = useState(/** @type {any} */ (null)), [shown, setShown] = useState(/** @type {{ of: any, items: Item[] } | null} */ (null));
  const { items, nodes } = useMemo(() => planted(roots ?? []), [roots]);
  if (!roots) return html`<${Without} query=${found} organization=${organization} bare />`;
  const all = [...nodes.values()], sections = all.filter((each) => each.__typename === "SiteSection"), groups = all.filter((each) => each.__typename === "SiteSectionGroup");
  const changed = () => found.refresh(), known = shown && shown.of === roots ? shown.items : items;
  const whole = { place, base: site.urls.published ?? "", sections, groups, changed };
  const move = async (/** @type {Item} */ item, /** @type {Item | null} */ into, /** @type {number} */ at) => {
    setShown({ of: roots, items: rearranged(known, item, into, at) });
    const siblings = (into ? (byId(known, into.id)?.children ?? []) : known).filter((each) => each.id !== item.id).map((each) => nodes.get(each.id));
    await attempt(() => moveNode(place, nodes.get(item.id), into ? nodes.get(into.id) : null, siblings, at));
    await changed();
    setShown(null);
  };
  const accepts = (/** @type {Item} */ item, /** @type {Item | null} */ into) => mayBeIn(nodes.get(item.id), into && nodes.get(into.id), sections.length > 0);
  const actions = (/** @type {Item} */ item) => html`<${ItemEnd} node=${nodes.get(item.id)} whole=${whole} may=${permissions} onEdit=${setOpen} />`;
  const add = (/** @type {string} */ kind) => () => setOpen({ __typename: kind });
  return html`<section class="stack structure">
    <p class="soft">${t(sections.length ? "structure.text" : "structure.text-spaces")}</p>
    ${permissions.create && html`<div class="row">
      <${Button} kind="main" glyph="add" onClick=${add("SiteSection")}>${t("structure.add-SiteSection")}<//>
      <${Button} glyph="add" onClick=${add("SiteSpace")}>${t("structure.add-SiteSpace")}<//>
      ${sections.length > 0 && html`<${Button} glyph="add" onClick=${add("SiteSectionGroup")}>${t("structure.add-SiteSectionGroup")}<//>`}
      <${Button} glyph="add" onClick=${add("SiteExternalLink")}>${t("structure.add-SiteExternalLink")}<//>
    </div>`}
    ${roots.length
      ? html`<${Tree} items=${known} label=${t("structure.title")} folded=${false} accepts=${accepts} actions=${actions}
          move=${permissions.edit ? move : undefined} choose=${permissions.edit ? (/** @type {Item} */ item) => setOpen(nodes.get(item.id)) : undefined} />`
      : html`<${Nothing} title=${t("structure.none")}>${t("structure.none-text")}<//>`}
    ${open && html`<${ItemDialog} node=${open} whole=${whole} conditions=${permissions.viewAdaptiveSchema} onClose=${() => setOpen(null)} />`}
  </section>`;
}

/**
 * Return the items of the tree, and the objects of the API by their ids, each with its `path` in the site as `at`.
 * @param {any[]} roots
 * @returns {{ items: Item[], nodes: Map<string, any> }}
 */
function planted(roots) {
  const nodes = new Map();
  const item = (/** @type {any} */ node, /** @type {any} */ section) => {
    const type = node.__typename ?? "SiteSpace"; // spaces of a section come without their type
    const own = { ...node, __typename: type, section, at: addressOf(node, section) };
    nodes.set(node.id, own);
    /** @type {Item[]} */
    const children = (node.siteSpaces ?? node.children ?? []).map((/** @type {any} */ each) => item(each, node.siteSpaces ? own : null));
    const emoji = node.space?.emoji, isGroup = type === "SiteSectionGroup";
    const name = [node.title, own.at, ...marksOf(own).map(([, text]) => text)].filter(Boolean).join(" ");
    return { id: node.id, label: node.title, name, children, faint: node.draft ?? false, glyph: GLYPHS[type] ?? "file", ...(emoji ? { emoji } : {}), ...(isGroup ? { isGroup } : {}) };
  };
  return { items: roots.map((each) => item(each, null)), nodes };
}

/**
 * Return where an item is below the address of the site, as visitors see it; nothing for what has no address.
 * @param {any} node
 * @param {any} section that it is in
 */
function addressOf(node, section) {
  if (node.path === undefined) return null;
  if (node.default) return section ? section.at : "/";
  return `${section ? `/${section.path}` : ""}/${node.path}`;
}

/** The badges of an item: kind and text. @param {any} node @returns {[string, string][]} */
function marksOf(node) {
  return [
    ...(node.condition ? [/** @type {[string, string]} */ (["info", t("structure.conditional")])] : []),
    ...(node.draft ? [/** @type {[string, string]} */ (["warn", t("structure.hidden")])] : []),
    ...(node.default ? [/** @type {[string, string]} */ (["", t("structure.is-start")])] : []),
  ];
}

/** @param {Item[]} items @param {string} id @returns {Item | undefined} */
function byId(items, id) {
  for (const each of items) {
    const found = each.id === id ? each : byId(each.children, id);
    if (found) return found;
  }
  return undefined;
}

/** The end of a row: its address, its state and what can be done with it. @param {{ node: any, whole: Whole, may: any, onEdit: (node: any) => void }} props */
function ItemEnd({ node, whole, may, onEdit }) {
  const kind = node.__typename, { place, changed } = whole, own = { ...place, [KINDS[kind] ?? ""]: node.restId };
  const run = (/** @type {string} */ name, /** @type {any} */ input) => attempt(async () => (await mutate(name, input), await changed()));
  const start = () => {
    if (kind === "SiteSection") return run("UpdateSiteStart", { ...place, defaultSiteSection: node.restId });
    return node.section ? run("UpdateSiteSection", { ...place, siteSection: node.section.restId, defaultSiteSpace: node.restId }) : run("UpdateSiteStart", { ...place, defaultSiteSpace: node.restId });
  };
  const remove = async () => {
    const question = { title: t("structure.remove-ask", { name: node.title }), text: t(`structure.remove-${kind}`), yes: t("structure.remove"), danger: true };
    if (await confirm(question)) await run(REMOVE[kind] ?? "", own);
  };
  const isSpace = kind === "SiteSpace", hasStart = isSpace || kind === "SiteSection", visit = node.urls?.published ?? node.url;
  const choices = [
    may.edit && { label: t("structure.edit"), glyph: "edit", onChoose: () => onEdit(node) },
    isSpace && { label: t("structure.open-space"), glyph: "book", href: node.space.urls.app },
    visit && !node.draft && { label: t(node.url ? "structure.visit-link" : "structure.visit"), glyph: "globe", href: visit, target: "_blank" },
    may.edit && hasStart && !node.default && { label: t(isSpace ? "structure.start-space" : "structure.start"), glyph: "home", onChoose: start },
    may.edit && isSpace && { label: t(node.draft ? "structure.show" : "structure.hide"), glyph: "eye", onChoose: () => run("UpdateSiteSpace", { ...own, draft: !node.draft }) },
    may.create && isSpace && { label: t("structure.duplicate"), glyph: "copy", onChoose: () => run("DuplicateSiteSpace", { ...own, draft: true }) },
    may.edit && { label: t("structure.remove"), glyph: "trash", danger: true, onChoose: remove },
  ];
  return html`${" "}<span class="structure-end row">
    ${node.at && html`<code class="soft small cut structure-address" dir="ltr">${node.at}</code>`}
    ${marksOf(node).map(([kind, text]) => html`${" "}<${Badge} key=${text} kind=${kind}>${text}<//>`)}
    ${choices.some(Boolean) && html`<${Menu} label=${t("structure.do", { name: node.title })} small end choices=${choices} />`}
  </span>`;
}
