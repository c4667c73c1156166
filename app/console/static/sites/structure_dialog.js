// The dialog of a section, group, link or space of a site: a new one, or one that is there.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, useQuery } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form, Select, TextField } from "../parts/forms.js";
import { Dialog, say } from "../parts/overlays.js";
import { SpaceField } from "../parts/spaces.js";
import { t } from "../texts.js";
import { KINDS, parentOf, UPDATES } from "./structure_moves.js";

/** @typedef {import("./structure.js").Whole} Whole */

/** The fields of each kind that are kept of it, besides what it is in; those of a new one. */
/** @type {Record<string, { add: string, fields: string[], first: string[] }>} */
const KIND = {
  SiteSection: { add: "AddSiteSection", fields: ["title", "path", "description", "icon", "condition"], first: ["title", "icon"] },
  SiteSectionGroup: { add: "AddSiteSectionGroup", fields: ["title", "icon"], first: ["title", "icon"] },
  SiteExternalLink: { add: "AddSiteExternalLink", fields: ["title", "url", "description", "icon", "condition"], first: ["title", "url", "description", "icon", "condition"] },
  SiteSpace: { add: "AddSpaceToSite", fields: ["path", "condition"], first: [] },
};
/** What cannot be removed, only changed. */
const ALWAYS = ["title", "path", "url"];
/** @type {Record<string, Record<string, any>>} */
const TIES = {
  title: { required: true },
  path: { required: true, maxlength: "100", dir: "ltr" },
  url: { required: true, maxlength: "2048", dir: "ltr", placeholder: "https://" },
  description: { maxlength: "256" },
  icon: { maxlength: "50", dir: "ltr", placeholder: "gear" },
  condition: { maxlength: "1024", dir: "ltr", placeholder: 'visitor.claims.plan == "pro"' },
};

/** @param {{ node: any, whole: Whole, conditions: boolean, onClose: () => void }} props `node` has no id if it is new; `conditions`: whether some are offered */
export function ItemDialog({ node, whole, conditions, onClose }) {
  const type = node.__typename, kind = KIND[type], isNew = !node.id, names = (isNew ? kind?.first : kind?.fields) ?? [];
  const before = parentOf(node) ?? "", updates = UPDATES[type] ?? { update: "", into: "" };
  const known = /** @type {Record<string, string>} */ (Object.fromEntries(names.map((name) => [name, node[name] ?? ""])));
  const [values, setValues] = useState(known), [space, setSpace] = useState(/** @type {any} */ (node.space ?? null));
  const [into, setInto] = useState(before || (type === "SiteSpace" ? (whole.sections.find((each) => each.default)?.restId ?? "") : ""));
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  const hasSpace = type === "SiteSpace" || (isNew && type === "SiteSection");
  const shown = [...names, ...(hasSpace ? ["spaceId"] : []), updates.into], at = (/** @type {string} */ name) => (wrong?.path.includes(name) ? wrong.message : null);
  const save = async () => {
    setWrong(null);
    try {
      await keep();
      await whole.changed();
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const keep = async () => {
    const moved = into !== before || (isNew && into) ? { [updates.into]: into || null } : {};
    const changed = { ...changes(values, known, isNew), ...(hasSpace && space && space.restId !== node.space?.restId ? { spaceId: space.restId } : {}), ...moved };
    if (isNew) return mutate(kind?.add ?? "", { ...whole.place, ...changed });
    if (Object.keys(changed).length) await mutate(updates.update, { ...whole.place, ...changed, [KINDS[type] ?? ""]: node.restId });
  };
  const field = (/** @type {string} */ name) => html`<${TextField} key=${name} label=${t(`structure.field-${name}`)} value=${values[name]} wrong=${at(name)} ...${ties(type, name, isNew)}
    hint=${name === "path" ? addressWith(node, values["path"] ?? "", whole.base) : hintOf(type, name, isNew)}
    onInput=${(/** @type {string} */ value) => setValues((/** @type {any} */ now) => ({ ...now, [name]: value }))} />`;
  const groups = type === "SiteSpace" ? whole.sections : isNew && type === "SiteSection" ? [] : type === "SiteSectionGroup" ? [] : whole.groups;
  const options = [...(type === "SiteSpace" ? [] : [["", t("structure.no-group")]]), ...groups.map((each) => [each.restId, each.title])];
  const isReady = (!hasSpace || space) && names.every((name) => !ties(type, name, isNew)["required"] || values[name]?.trim());
  const title = t(isNew ? `structure.add-${type}` : `structure.edit-${type}`, { name: node.title ?? "" });
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <${Form} onSubmit=${save}>
      ${wrong && !wrong.path.some((each) => shown.includes(each)) && html`<p class="wrong" role="alert">${wrong.message}</p>`}
      ${hasSpace && html`<${SpaceField} label=${t("structure.field-space")} hint=${t(spaceHint(type, isNew))} organization=${whole.place.organization} value=${space} onChange=${setSpace} placeholder=${t("structure.find-space")} wrong=${at("spaceId")} />`}
      ${names.filter((name) => name !== "condition").map(field)}
      ${groups.length > 0 && html`<${Select} label=${t(type === "SiteSpace" ? "structure.section" : "structure.group")} value=${into} options=${options} onChange=${setInto} wrong=${at(updates.into)} />`}
      ${names.includes("condition") && html`${field("condition")}${conditions && html`<${Conditions} place=${whole.place} onChoose=${(/** @type {string} */ condition) => setValues((/** @type {any} */ now) => ({ ...now, condition }))} />`}`}
      <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!isReady}>${t(isNew ? "structure.add" : "save")}<//></div>
    <//>
  <//>`;
}

/**
 * Return what has changed of the values of fields; null removes what may be absent.
 * @param {Record<string, string>} values
 * @param {Record<string, string>} known
 * @param {boolean} isNew
 */
function changes(values, known, isNew) {
  const changed = Object.entries(values).map(([name, value]) => /** @type {[string, string]} */ ([name, value.trim()])).filter(([name, value]) => value !== known[name]);
  return Object.fromEntries(changed.filter(([, value]) => value || !isNew).map(([name, value]) => [name, value || ALWAYS.includes(name) ? value : null]));
}

/** @param {string} type @param {string} name @param {boolean} isNew @returns {Record<string, any>} the attributes of a field */
function ties(type, name, isNew) {
  if (name !== "title") return TIES[name] ?? {};
  return type === "SiteSection" ? { minlength: "2", maxlength: "128", required: !isNew } : { ...TIES["title"], maxlength: "100" };
}

/** @param {string} type @param {string} name @param {boolean} isNew */
function hintOf(type, name, isNew) {
  if (name === "title") return type === "SiteSection" && isNew ? t("structure.hint-title") : undefined;
  return name === "url" ? undefined : t(`structure.hint-${name}`);
}

/** @param {string} type @param {boolean} isNew */
function spaceHint(type, isNew) {
  return isNew ? (type === "SiteSection" ? "structure.hint-first-space" : "structure.hint-variant") : "structure.hint-space";
}

/** Where an item will be found with another path. @param {any} node @param {string} path @param {string} base */
function addressWith(node, path, base) {
  const start = node.section && !node.section.default ? `/${node.section.path}` : "";
  if (node.default) return t("structure.hint-start", { address: base + (start || "/") });
  return t("structure.hint-path", { address: `${base}${node.section ? `/${node.section.path}` : ""}/${path.trim() || "…"}` });
}

/** Conditions that suggest themselves by the claims of the site. @param {{ place: import("./structure_moves.js").Place, onChoose: (condition: string) => void }} props */
function Conditions({ place, onChoose }) {
  const found = useQuery("SiteConditions", place).data?.organization?.site?.templateConditions ?? [];
  if (!found.length) return null;
  return html`<${Select} label=${t("structure.conditions")} value="" onChange=${(/** @type {string} */ condition) => condition && onChoose(condition)}
    options=${[["", t("structure.conditions-choose")], ...found.map((/** @type {any} */ each) => [each.condition, each.description])]} />`;
}
