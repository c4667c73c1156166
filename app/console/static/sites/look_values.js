// The look of a site as a form has it: nested values by their paths, and what differs between two looks.

/** @typedef {Record<string, any>} Values */

const PAIRS = ["styling.primaryColor", "styling.infoColor", "styling.successColor", "styling.warningColor", "styling.dangerColor",
  "header.backgroundColor", "header.linkColor", "header.logo", "footer.logo", "favicon.icon"];

/**
 * Return the value at a path such as `styling.primaryColor.light`.
 * @param {Values} values
 * @param {string} path
 */
export function at(values, path) {
  return path.split(".").reduce((/** @type {any} */ inner, name) => inner?.[name], values);
}

/**
 * Return the values with another one at a path; undefined takes it away.
 * @param {Values} values
 * @param {string} path
 * @param {any} value
 * @returns {Values}
 */
export function put(values, path, value) {
  const [name = "", ...rest] = path.split("."), made = /** @type {Values} */ (Array.isArray(values) ? [...values] : { ...values });
  const inner = rest.length ? put(made[name] ?? {}, rest.join("."), value) : value;
  if (inner === undefined) delete made[name];
  else made[name] = inner;
  return made;
}

/**
 * Return what a query answered without fields that are null.
 * @param {any} value
 * @returns {any}
 */
export function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined).map(([name, each]) => [name, withoutNulls(each)]));
}

/**
 * Return the values as they are sent: what was left empty is left out, and a dark picture or colour is the light one.
 * @param {Values} values
 * @returns {Values}
 */
export function complete(values) {
  let made = withoutEmpty(values) ?? {};
  for (const path of PAIRS) {
    const pair = at(made, path);
    if (pair) made = put(made, path, { light: pair.light ?? pair.dark, dark: pair.dark ?? pair.light });
  }
  for (const link of made["header"]?.links ?? []) if (link.links?.length && !link.url) link.url = link.links[0].url;
  if (made["announcement"] && !made["announcement"].message) delete made["announcement"];
  return made;
}

/** @param {any} value @param {boolean} [listed] an item of a list that says nothing is left out @returns {any} */
function withoutEmpty(value, listed = false) {
  if (Array.isArray(value)) return value.map((each) => withoutEmpty(each, true)).filter((each) => each !== undefined);
  if (!isObject(value)) return value === "" ? undefined : value;
  const kept = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)]).filter(([, each]) => each !== undefined);
  const says = kept.some(([name, each]) => name !== "style" && (!Array.isArray(each) || each.length));
  return listed && !says ? undefined : kept.length ? Object.fromEntries(kept) : undefined;
}

/**
 * Return what has to be laid over one look to have another: null takes away.
 * @param {Values} from
 * @param {Values} to
 * @returns {Values}
 */
export function difference(from, to) {
  /** @type {Values} */
  const made = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[name], after = to[name];
    if (after === undefined) made[name] = null;
    else if (isObject(before) && isObject(after)) {
      const inner = difference(before, after);
      if (Object.keys(inner).length) made[name] = inner;
    } else if (JSON.stringify(before) !== JSON.stringify(after)) made[name] = after;
  }
  return made;
}

/**
 * Return a look with a difference laid over it.
 * @param {Values} values
 * @param {Values} changes as `difference` returns them
 * @returns {Values}
 */
export function laidOver(values, changes) {
  const made = { ...values };
  for (const [name, each] of Object.entries(changes)) {
    if (each === null) delete made[name];
    else made[name] = isObject(each) && isObject(made[name]) ? laidOver(made[name], each) : each;
  }
  return made;
}

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
