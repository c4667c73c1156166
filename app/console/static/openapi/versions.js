// What changed from one version of a specification to the next: operations and schemas, added, changed and removed.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Bones } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { t } from "../texts.js";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const KINDS = /** @type {const} */ (["added", "changed", "removed"]);

/** @param {{ organization: string, spec: any, version: string, before: string }} props */
export function VersionDifference({ organization, spec, version, before }) {
  const named = { organization, spec: spec.restId };
  const now = useQuery("SpecVersion", { ...named, version }), then = useQuery("SpecVersion", { ...named, version: before });
  const error = now.error ?? then.error;
  if (error) return html`<${Failed} error=${error} retry=${() => (now.refresh(), then.refresh())} />`;
  const [one, other] = [then, now].map((each) => each.data?.organization?.openAPISpec?.specVersion?.content?.filesystem);
  if (!one || !other) return html`<${Bones} lines=${2} />`;
  const changed = compare(one, other);
  if (!changed.some((each) => each.names.length)) return html`<p class="soft">${t("openapi.compare-other")}</p>`;
  return html`<div class="stack tight spec-compared">${changed.map(({ part, kind, names }) => names.length > 0 && html`<div key=${part + kind}>
    <h3 class="small">${t(`openapi.${part}-${kind}`)}</h3>
    <ul class=${`spec-${kind}`}>${names.map((name) => html`<li class="breaks" dir="ltr"><code>${name}</code></li>`)}</ul>
  </div>`)}</div>`;
}

/**
 * Return the names of operations and schemas that were added, changed and removed between two sets of files.
 * @param {any[]} before
 * @param {any[]} after
 */
export function compare(before, after) {
  const parts = /** @type {const} */ (["operations", "schemas"]);
  const [one, other] = [before, after].map(read);
  return parts.flatMap((part) => {
    const was = /** @type {any} */ (one)[part], is = /** @type {any} */ (other)[part];
    /** @type {Record<string, string[]>} */
    const found = {
      added: [...is.keys()].filter((name) => !was.has(name)),
      changed: [...is.keys()].filter((name) => was.has(name) && was.get(name) !== is.get(name)),
      removed: [...was.keys()].filter((name) => !is.has(name)),
    };
    return KINDS.map((kind) => ({ part, kind, names: /** @type {string[]} */ (found[kind]) }));
  });
}

/**
 * Return what the operations and schemas of a version say, as text, by their names.
 * @param {any[]} files
 */
function read(files) {
  const entry = files.find((each) => each.value.isEntrypoint)?.value.specification ?? {};
  const operations = new Map(), schemas = new Map();
  for (const [path, item] of Object.entries(entry.paths ?? {})) {
    const { parameters, servers } = /** @type {any} */ (item) ?? {};
    for (const method of METHODS) {
      const operation = /** @type {any} */ (item)?.[method];
      if (operation) operations.set(`${method.toUpperCase()} ${path}`, said({ operation, parameters, servers }));
    }
  }
  for (const [name, schema] of Object.entries(entry.components?.schemas ?? entry.definitions ?? {})) schemas.set(name, said(schema));
  return { operations, schemas };
}

/**
 * Return a value as text in which the order of keys does not matter.
 * @param {unknown} value
 */
function said(value) {
  const sorted = (/** @type {string} */ _key, /** @type {any} */ each) =>
    each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each;
  return JSON.stringify(value, sorted);
}
