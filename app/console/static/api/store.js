// The normalized store: the plain fields of every object, by its id. An answer is shown with what is newest of
// each object in it, so that a change that one screen learns of is seen on all. Lists belong to their query.

import { batch, signal } from "../vendor/preact.js";

/** @typedef {null | string | number | boolean | Json[] | { [name: string]: Json }} Json */
/** @typedef {{ fields: Record<string, any>, changed: { value: number }, gone: boolean }} Entity */

/** @type {Map<string, Entity>} */
const entities = new Map();
const GONE = Symbol("gone");

/**
 * Keep what an answer says of each object in it.
 * @param {unknown} data
 */
export function keep(data) {
  batch(() => visit(data));
}

/**
 * Change fields of an object before the server has; returns what takes that back.
 * @param {string} id
 * @param {Record<string, any>} fields
 */
export function change(id, fields) {
  const known = entity(id);
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, known.fields[name]]));
  Object.assign(known.fields, fields);
  known.changed.value++;
  return () => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete known.fields[name];
      else known.fields[name] = value;
    known.changed.value++;
  };
}

/**
 * Take an object out of everything that is shown.
 * @param {string} id
 */
export function remove(id) {
  const known = entity(id);
  known.gone = true;
  known.changed.value++;
  return () => {
    known.gone = false;
    known.changed.value++;
  };
}

/**
 * Return an answer with the newest fields of its objects, without those that are gone.
 * @template T
 * @param {T} data
 * @returns {T}
 */
export function shown(data) {
  const made = show(data);
  return /** @type {T} */ (made === GONE ? null : made);
}

/** @param {string} id */
function entity(id) {
  let known = entities.get(id);
  if (!known) entities.set(id, (known = { fields: {}, changed: signal(0), gone: false }));
  return known;
}

/** @param {unknown} value */
function visit(value) {
  if (Array.isArray(value)) for (const each of value) visit(each);
  else if (isObject(value)) {
    if (typeof value["id"] === "string") {
      const known = entity(value["id"]);
      if (merge(known.fields, value) || known.gone) {
        known.gone = false;
        known.changed.value++;
      }
    }
    for (const each of Object.values(value)) visit(each);
  }
}

/**
 * Merge the plain fields of an object, also of objects in it that have no id; tells whether anything differs.
 * @param {Record<string, any>} into
 * @param {Record<string, any>} from
 */
function merge(into, from) {
  let differs = false;
  for (const [name, value] of Object.entries(from)) {
    if (isObject(value)) {
      if ("id" in value || isList(value)) continue;
      if (!isObject(into[name])) into[name] = {};
      if (merge(into[name], value)) differs = true;
    } else if (isPlain(value) && !same(into[name], value)) {
      into[name] = value;
      differs = true;
    }
  }
  return differs;
}

/**
 * @param {any} raw
 * @returns {any}
 */
function show(raw) {
  if (Array.isArray(raw)) return raw.map(show).filter((each) => each !== GONE);
  if (!isObject(raw)) return raw;
  const known = typeof raw["id"] === "string" ? entities.get(raw["id"]) : undefined;
  if (known) void known.changed.value; // whoever shows it is told
  return known?.gone ? GONE : overlaid(raw, known?.fields);
}

/**
 * @param {Record<string, any>} raw
 * @param {Record<string, any> | undefined} newest
 */
function overlaid(raw, newest) {
  /** @type {Record<string, any>} */
  const made = {};
  for (const [name, value] of Object.entries(raw)) {
    const known = newest?.[name];
    if (isObject(value)) {
      const inner = "id" in value || isList(value) ? show(value) : overlaid(value, isObject(known) ? known : undefined);
      made[name] = inner === GONE ? null : inner;
    } else if (isPlain(value) && known !== undefined && isPlain(known)) made[name] = known;
    else made[name] = show(value);
  }
  return made;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {Record<string, any>} value */
function isList(value) {
  return "nodes" in value || "edges" in value || "pageInfo" in value || "totalCount" in value;
}

/** @param {unknown} value */
function isPlain(value) {
  return Array.isArray(value) ? !value.some(isObject) : !isObject(value);
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function same(one, other) {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((each, place) => each === other[place]);
}
