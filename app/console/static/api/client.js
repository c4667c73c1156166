// Requests to the GraphQL API: documents by the hash of their text, who is signed in by the session's cookie.

import { signal } from "../vendor/preact.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";

/** @typedef {{ message: string, path?: (string | number)[], extensions: { code: string, status?: number } }} GraphQLError */
/** @typedef {{ data: any, errors: GraphQLError[] }} Answer */

/** Whether the server was not reached last time. */
export const offline = signal(false);
/** Whether the session has ended; what is asked meanwhile waits until somebody has signed in again. */
export const signedOut = signal(false);
let signIns = 0; // that were seen here: what was asked before one is asked again after it
const TRIES = 3;
const JSON_ONLY = "application/graphql-response+json, application/json";
/** Milliseconds after the beginning of the page, from when on its first answers are not taken. */
export const STALE = 10_000;
/** The documents that the screen needs first, and what early.js has asked of them already.
 * @typedef {{ name: string, variables: Record<string, unknown> | null, hash: string, answer: Promise<Response> | null }} First
 * @type {First[]} */
export const first = Reflect.get(globalThis, "docyardFirst") ?? [];
const HEADERS = {
  "content-type": "application/json",
  "x-docyard-session": "1", // no other origin can make a browser send this
};

/** What went wrong with a request as a whole, or with what was asked, in words for people. */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} [message] what the server said
   * @param {string[]} [path] the field of the input that is meant
   */
  constructor(code, message = "", path = []) {
    super(worded(code, message));
    this.code = code;
    this.path = path;
  }
}

/**
 * Return what to say of an error: our words for what happens everywhere, else those of the server.
 * @param {string} code
 * @param {string} message
 */
function worded(code, message) {
  const key = `error.${code}`;
  const ours = t(key);
  return ours !== key && (!message || !OWN_WORDS.has(code)) ? ours : message || t("error.INTERNAL");
}

// Codes of which the server says more than we can.
const OWN_WORDS = new Set(["BAD_REQUEST", "CONFLICT", "PRECONDITION_FAILED", "UNPROCESSABLE", "FORBIDDEN", "GRAPHQL_INVALID"]);

/**
 * Run a document of `graphql/console` and return its answer; raises ApiError where there is none.
 * @param {string} name of the operation
 * @param {Record<string, unknown>} [variables]
 * @param {AbortSignal} [abort]
 * @returns {Promise<Answer>}
 */
export async function send(name, variables = {}, abort) {
  for (let tries = 1; ; tries++) {
    const before = signIns;
    const response = await (taken(name, variables) ?? reached(name, variables, JSON_ONLY, abort));
    if (response.status === 401) {
      await signedInAgain(before);
      continue;
    }
    if ([429, 502, 503].includes(response.status) && tries < TRIES) {
      const seconds = Number(response.headers.get("retry-after")) || tries;
      await pause(Math.min(seconds, 10) * 1000);
      continue;
    }
    const body = await response.json().catch(() => ({}));
    if (body.data !== undefined) return { data: body.data, errors: body.errors ?? [] };
    const error = body.errors?.[0];
    throw new ApiError(error?.extensions?.code ?? "INTERNAL", error?.message);
  }
}

/**
 * Send a document and return the response; raises ApiError OFFLINE where no server answers.
 * @param {string} name
 * @param {Record<string, unknown>} variables
 * @param {string} accept
 * @param {AbortSignal} [abort]
 */
export async function reached(name, variables, accept, abort) {
  return answered(async () => {
    const hash = first.find((each) => each.name === name)?.hash ?? (await import("./documents.js")).HASHES[name];
    if (!hash) throw new NoDocument(`There is no document ${name}: run python -m tests.contract.write_documents`);
    const body = { operationName: name, variables, extensions: { persistedQuery: { version: 1, sha256Hash: hash } } };
    return fetch(`${BASE}/graphql`, {
      method: "POST",
      headers: { ...HEADERS, accept },
      body: JSON.stringify(body),
      ...(abort ? { signal: abort } : {}),
    });
  }, abort);
}

class NoDocument extends Error {}

/**
 * Return the answer to what was asked before the scripts of the page were there, null where that was something else.
 * @param {string} name
 * @param {Record<string, unknown>} variables
 */
function taken(name, variables) {
  const found = first.find((each) => each.name === name), answer = found?.answer;
  if (!answer || performance.now() > STALE || JSON.stringify(found.variables) !== JSON.stringify(variables)) return null;
  found.answer = null; // whoever asks again wants a new one
  return answered(() => answer);
}

/**
 * Wait for a response, and note whether the server is there.
 * @param {() => Promise<Response>} ask
 * @param {AbortSignal} [abort]
 */
async function answered(ask, abort) {
  try {
    const response = await ask();
    offline.value = false;
    return response;
  } catch (error) {
    if (error instanceof NoDocument) throw error;
    if (abort?.aborted) throw error;
    void lostConnection();
    throw new ApiError("OFFLINE");
  }
}

/** @type {Promise<void> | null} */
let coming = null;

/** Say that the server is not reached; resolves when it answers again. */
export function lostConnection() {
  offline.value = true;
  return (coming ??= reachable().finally(() => (coming = null)));
}

/** Resolve when the server answers again. */
export function online() {
  return coming ?? Promise.resolve();
}

/** Tell whether the server answers now. */
export async function answers() {
  return (await fetch(`${BASE}/healthz`, { cache: "no-store" }).catch(() => null)) !== null;
}

async function reachable() {
  for (let seconds = 1; offline.value; seconds = Math.min(seconds * 1.5, 15)) {
    await Promise.race([pause(seconds * 1000), new Promise((again) => addEventListener("online", again, { once: true }))]);
    const response = await fetch(`${BASE}/healthz`, { cache: "no-store" }).catch(() => null);
    if (response?.ok) offline.value = false;
  }
}

/** @type {Promise<void> | null} */
let signingIn = null;

/** Return how often somebody has signed in again: a request that is refused may have been sent before that. */
export function signInsSeen() {
  return signIns;
}

/**
 * Ask for signing in again after a refused request, and resolve when somebody has.
 * @param {number} before how many sign-ins had been seen when the request was sent
 */
export async function signedInAgain(before) {
  if (before !== signIns) return;
  signedOut.value = true;
  signingIn ??= new Promise((/** @type {(_: void) => void} */ done) => {
    const stop = signedOut.subscribe((out) => {
      if (!out) queueMicrotask(() => (stop(), (signingIn = null), done()));
    });
  });
  await signingIn;
}

let person = ""; // who uses the console, by their id

/**
 * Say who uses the console: what they asked for goes on only when they themselves sign in again.
 * @param {string} id
 */
export function isUsedBy(id) {
  person = id;
}

/** Look whether somebody is signed in now; where it is somebody else than before, the console begins anew for them. */
export async function checkSession() {
  const response = await fetch(`${BASE}/sso/session`, { headers: { ...HEADERS, accept: "application/json" } }).catch(() => null);
  if (response?.ok) {
    const { user } = await response.json();
    if (person && user.id !== person) return location.reload(), false;
    if (signedOut.value) signIns++;
    signedOut.value = false;
  }
  return response?.ok ?? false;
}

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** Return a random text. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
