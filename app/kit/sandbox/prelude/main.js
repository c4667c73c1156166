// What scripts find around them, and the function by which the sandbox enters.

const waiting = new Map(); // fetches under way, by number
let fetchCount = 0;

async function fetch(input, init) {
  const request = new Request(input, init);
  request.signal?.throwIfAborted();
  const id = ++fetchCount;
  const { method, url, redirect } = request;
  const headers = [...request.headers];
  const body = insideBody(request) ? spendBody(request) : new Uint8Array(0);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    request.signal?.addEventListener("abort", () => {
      waiting.delete(id);
      reject(request.signal.reason);
    });
    const refusal = host(MESSAGE.fetch + JSON.stringify({ id, method, url, redirect, headers }), body);
    if (refusal !== undefined) refused({ id, message: refusal });
  });
}

const kept = []; // what ctx.waitUntil was given

const context = {
  waitUntil(promise) {
    kept.push(Promise.resolve(promise).catch((reason) => console.error("In waitUntil:", reason)));
  },
  passThroughOnException() {},
};

let script = null;

function told(reason, code = "SCRIPT_FAILED") {
  let message;
  try {
    message = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    if (reason instanceof Error && reason.stack) console.error(reason);
  } catch {
    message = "something that cannot be shown";
  }
  host(MESSAGE.failed + JSON.stringify({ code, message: message.slice(0, 1000) }));
}

async function load() {
  let found;
  try {
    found = (await import("integration")).default;
  } catch (reason) {
    return told(reason, reason instanceof SyntaxError ? "SCRIPT_INVALID" : "SCRIPT_FAILED");
  }
  if (typeof found?.fetch !== "function") {
    return told(new TypeError("The script has no default export with a function fetch."), "SCRIPT_INVALID");
  }
  script = found;
  host(MESSAGE.loaded);
}

async function start({ request: { method, url, headers }, environment }, body) {
  try {
    const bodyless = method === "GET" || method === "HEAD";
    const request = new Request(url, { method, headers, body: bodyless ? null : body });
    const response = await script.fetch(request, environment, context);
    if (!(response instanceof Response)) throw new TypeError("The script's fetch answered with something that is no Response.");
    const bytes = spendBody(response);
    host(MESSAGE.response + JSON.stringify({ status: response.status, headers: [...response.headers] }), bytes);
  } catch (reason) {
    return told(reason);
  }
  for (let at = 0; at < kept.length; at++) await kept[at];
  host(MESSAGE.finished);
}

function answered({ id, url, redirected, status, headers }, body) {
  waiting.get(id)?.resolve(fetchedResponse(url, redirected, body, { status, headers }));
  waiting.delete(id);
}

function refused({ id, message }) {
  waiting.get(id)?.reject(new TypeError(message));
  waiting.delete(id);
}

const steps = { load, start, answered, refused, ring };

const structuredClone = (value) => {
  if (value === undefined || typeof value !== "object" || value === null) return value;
  if (isBytes(value)) return value.slice(0);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [structuredClone(key), structuredClone(item)]));
  if (value instanceof Set) return new Set([...value].map(structuredClone));
  if (Array.isArray(value)) return value.map(structuredClone);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredClone(item)]));
};

const surroundings = {
  AbortController, AbortSignal, Blob, CryptoKey, DOMException, File, FormData, Headers, Request, Response, TextDecoder,
  TextEncoder, URL, URLSearchParams, atob, btoa, clearInterval, clearTimeout, console, crypto, fetch, queueMicrotask,
  self: globalThis, setInterval, setTimeout, structuredClone,
};
for (const [name, value] of Object.entries(surroundings)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

return (step, text, body) => {
  if (step === "next") return nextTimer();
  steps[step](text ? JSON.parse(text) : undefined, body)?.catch?.(reported);
  return undefined;
};
