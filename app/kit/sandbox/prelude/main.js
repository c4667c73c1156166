// What scripts find around them, and the function by which the sandbox enters.

const waiting = new Map(); // fetches under way, by number
let fetchCount = 0;

async function fetch(input, init) {
  const request = new Request(input, init);
  request.signal?.throwIfAborted();
  const id = ++fetchCount;
  const { method, url, redirect } = request;
  const headers = [...request.headers];
  const body = await takeBody(request);
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
  let place;
  try {
    message = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    if (reason instanceof Error && reason.stack) console.error(reason);
    place = /\bintegration:(\d+):(\d+)/.exec(reason?.stack)?.slice(1).map(Number);
  } catch {
    message ??= "something that cannot be shown";
  }
  host(MESSAGE.failed + JSON.stringify({ code, place, message: message.slice(0, 1000) }));
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
  began = Date.now();
  try {
    const bodyless = method === "GET" || method === "HEAD";
    const request = new Request(url, { method, headers, body: bodyless ? null : body });
    const response = await script.fetch(request, environment, context);
    if (!(response instanceof Response)) throw new TypeError("The script's fetch answered with something that is no Response.");
    const bytes = await takeBody(response);
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

// A stack begins with the error, as elsewhere, and tells nothing of what is around the script.
Error.prepareStackTrace = (error, sites) => {
  const frames = sites.filter((site) => site.getFileName() !== "eval_script").map((site) => {
    const [name, file] = [site.getFunctionName(), site.getFileName() ?? "native"];
    const place = site.getLineNumber() > 0 ? `${file}:${site.getLineNumber()}:${site.getColumnNumber()}` : file;
    return `\n    at ${name ? `${name} (${place})` : place}`;
  });
  return String(error) + frames.join("");
};

function structuredClone(value, options) {
  if (!arguments.length) throw new TypeError("Expected a value.");
  try {
    return standards.structuredClone(value, options);
  } catch (reason) {
    throw reason?.name === "DataCloneError" ? new DOMException(reason.message, "DataCloneError") : reason;
  }
}
let began = 0; // of the call, since engines start from an image
const performance = {
  get timeOrigin() {
    return began;
  },
  now: () => Date.now() - began,
};
delete globalThis["__core-js_shared__"]; // what its modules share
const surroundings = {
  AbortController, AbortSignal, Blob, Crypto, CryptoKey, CustomEvent, DOMException, Event, EventTarget, File, FormData, Headers, Request,
  Response, SubtleCrypto, TextDecoder, TextDecoderStream, TextEncoder, TextEncoderStream, URL, URLSearchParams, atob, btoa,
  clearInterval, clearTimeout, console, crypto, fetch, performance, queueMicrotask, self: globalThis, setInterval,
  setTimeout, structuredClone,
};
const { getEventAttributeValue, setEventAttributeValue, setErrorHandler, setWarningHandler, ...interfaces } = standards;
for (const [name, value] of Object.entries({ ...interfaces, ...surroundings })) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

return (step, text, body) => {
  if (step === "next") return nextTimer();
  steps[step](text ? JSON.parse(text) : undefined, body)?.catch?.(reported);
  return undefined;
};
