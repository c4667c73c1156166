// Queries that screens show and mutations that they cause, over the store.

import { batch, computed, effect, signal, useLayoutEffect, useMemo } from "../vendor/preact.js";
import { ApiError, first, offline, randomKey, send, STALE } from "./client.js";
import { change, keep, remove, shown } from "./store.js";

/** @typedef {import("./client.js").GraphQLError} GraphQLError */

const FRESH = 1000; // milliseconds for which an answer is not asked for again when another screen needs it
const MOST = 60; // answers that are kept of queries that nobody shows

/** A query with its variables: what it answered last, and what is wrong with it. */
export class Query {
  /**
   * @param {string} name
   * @param {Record<string, unknown>} variables
   */
  constructor(name, variables) {
    this.name = name;
    this.variables = variables;
    this.users = 0;
    this.at = 0;
    this.isFirst = false;
    this.raw = signal(/** @type {any} */ (undefined));
    this.problems = signal(/** @type {GraphQLError[]} */ ([]));
    this.failure = signal(/** @type {ApiError | null} */ (null));
    this.loading = signal(false);
    this.shown = computed(() => shown(this.raw.value));
    /** @type {Promise<void> | null} */
    this.running = null;
    this.again = false;
  }

  /** The data, undefined until the first answer; fields that were refused are null. */
  get data() {
    return this.shown.value;
  }

  get isLoading() {
    return this.loading.value;
  }

  /** Why there is no data, or what was refused of it as a whole. */
  get error() {
    if (this.failure.value) return this.failure.value;
    const refused = this.problems.value.find((each) => (each.path?.length ?? 0) <= 1);
    return refused ? new ApiError(refused.extensions.code, refused.message) : null;
  }

  /**
   * Why a field is null, named by its path such as `space.gitInfo`.
   * @param {string} path
   */
  errorAt(path) {
    const found = this.problems.value.find((each) => each.path?.join(".") === path);
    return found ? new ApiError(found.extensions.code, found.message) : null;
  }

  /** Ask for whoever shows this from now on, unless the answer is so new that it need not be asked for again. */
  ask() {
    const isFirst = this.isFirst && (this.running || Date.now() - this.at < STALE);
    this.isFirst = false;
    if (!isFirst && Date.now() - this.at > FRESH) void this.refresh();
  }

  /** Ask again; whoever asks meanwhile gets one more answer. */
  refresh() {
    this.again = true;
    this.running ??= this.#run();
    return this.running;
  }

  async #run() {
    this.loading.value = true;
    try {
      while (this.again) {
        this.again = false;
        const { data, errors } = await send(this.name, this.variables);
        this.at = Date.now();
        batch(() => {
          keep(data);
          this.raw.value = data;
          this.problems.value = errors;
          this.failure.value = null;
        });
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.failure.value = error;
    } finally {
      this.running = null; // before anybody is told: who asks then starts a new request
      this.loading.value = false;
    }
  }

  /**
   * Change the answer itself, such as one of its lists, until it is asked for again.
   * @param {(data: any) => any} how
   */
  update(how) {
    if (this.raw.value !== undefined) this.raw.value = how(structuredClone(this.raw.value));
  }

  /**
   * Append the next page of a list to the answer.
   * @param {(data: any) => any} list returns the connection in an answer
   * @param {string} [after] the variable with the cursor
   */
  async more(list, after = "after") {
    const cursor = list(this.raw.value)?.pageInfo?.endCursor;
    if (!cursor) return;
    const { data } = await send(this.name, { ...this.variables, [after]: cursor });
    keep(data);
    this.update((known) => {
      const ours = list(known), theirs = list(data);
      ours.nodes.push(...theirs.nodes);
      ours.pageInfo = theirs.pageInfo;
      return known;
    });
  }
}

/** @type {Map<string, Query>} */
const queries = new Map();

/**
 * @param {string} name
 * @param {Record<string, unknown>} variables
 */
function keyOf(name, variables) {
  return `${name} ${JSON.stringify(variables)}`;
}

/**
 * Return the query with these variables, which all that show it share.
 * @param {string} name
 * @param {Record<string, unknown>} [variables]
 */
export function query(name, variables = {}) {
  const key = keyOf(name, variables);
  let found = queries.get(key);
  if (!found) {
    queries.set(key, (found = new Query(name, variables)));
    if (queries.size > MOST) for (const [old, each] of queries) if (!each.users && queries.size > MOST) queries.delete(old);
  }
  return found;
}

/**
 * Return a query that nobody else shows.
 * @param {string} name
 * @param {Record<string, unknown>} variables
 */
export function ownQuery(name, variables) {
  const key = keyOf(name, variables), found = queries.get(key);
  if (!found?.isFirst) return new Query(name, variables);
  queries.delete(key);
  return found;
}

/** Take the answers to what was asked before the scripts were there, for the screen that will show them. */
export function takeFirst() {
  return Promise.allSettled(first.map((each) => {
    if (!each.variables) return undefined;
    const found = query(each.name, each.variables);
    found.isFirst = true; // until it is shown, however long the screen takes
    return found.refresh();
  }));
}

/**
 * Show a query in a component: its last answer at once, and the newest as soon as it is there.
 * @param {string} name
 * @param {Record<string, unknown>} [variables]
 * @param {{ poll?: number, skip?: boolean }} [options] `poll` asks again every so many seconds
 */
export function useQuery(name, variables = {}, { poll = 0, skip = false } = {}) {
  const key = JSON.stringify(variables);
  const found = useMemo(() => query(name, variables), [name, key]);
  useLayoutEffect(() => { // what is asked need not wait for what is drawn
    if (skip) return undefined;
    found.users++;
    found.ask();
    const timer = poll ? setInterval(() => document.hidden || void found.refresh(), poll * 1000) : 0;
    return () => (found.users--, clearInterval(timer));
  }, [found, poll, skip]);
  return found;
}

/**
 * Ask the queries of these names again that are shown now; without names, all of them.
 * @param {string[]} [names]
 */
export function refresh(names) {
  const wanted = [...queries.values()].filter((each) => !names || names.includes(each.name));
  for (const each of wanted) if (!each.users) each.at = 0;
  return Promise.all(wanted.filter((each) => each.users).map((each) => each.refresh()));
}

/**
 * Run a mutation and return its payload; raises ApiError with what the person can mend, as the server says it.
 * @param {string} name of the document
 * @param {Record<string, unknown>} input
 * @param {{ optimistic?: Record<string, Record<string, unknown> | null>, refresh?: string[] }} [options]
 *   `optimistic` are fields to show at once, by ids of objects (null: the object is gone);
 *   `refresh` names the queries whose lists change
 * @returns {Promise<any>}
 */
export async function mutate(name, input, { optimistic = {}, refresh: names } = {}) {
  const undo = Object.entries(optimistic).map(([id, fields]) => (fields ? change(id, fields) : remove(id)));
  try {
    const { data, errors } = await send(name, { input: { idempotencyKey: randomKey(), ...input } });
    const payload = Object.values(data ?? {})[0];
    const stopped = payload?.userErrors?.[0];
    if (stopped) throw new ApiError(stopped.code, stopped.message, stopped.path ?? []);
    if (!payload) throw new ApiError(errors[0]?.extensions.code ?? "INTERNAL", errors[0]?.message);
    batch(() => {
      keep(payload);
      if (payload.deletedId) remove(payload.deletedId);
    });
    if (names) void refresh(names);
    return payload;
  } catch (error) {
    for (const back of undo.reverse()) back();
    throw error;
  }
}

let wasOffline = false;
effect(() => {
  if (wasOffline && !offline.value) void refresh();
  wasOffline = offline.value;
});
