// Subscriptions over server-sent events: one connection each, ended while the page is hidden, resumed after
// breaks. Where the server has no streams, the screen asks again every few seconds.

import { useEffect } from "../vendor/preact.js";
import { ApiError, online, pause, reached, signedInAgain, signInsSeen } from "./client.js";
import { keep } from "./store.js";

const LONGEST = 30; // seconds between two attempts
const POLL = 5; // seconds
const TOGETHER = 80; // milliseconds in which changes count as one
const FOR_EVER = ["FORBIDDEN", "NOT_FOUND", "BAD_REQUEST", "GRAPHQL_INVALID"];

/**
 * Subscribe while the component is shown. `changed` is called for changes, for a few at once only one time, and
 * after breaks. What a change says of objects is in the store already. A screen has two subscriptions at most:
 * browsers open six connections to a server.
 * @param {string} name of the document
 * @param {Record<string, unknown> | null} variables null: nothing to watch yet
 * @param {(data: any) => void} changed
 */
export function useLive(name, variables, changed) {
  const key = JSON.stringify(variables);
  useEffect(() => (variables ? live(name, variables, changed) : undefined), [name, key]);
}

/**
 * Subscribe, and return what ends it.
 * @param {string} name
 * @param {Record<string, unknown>} variables
 * @param {(data: any) => void} changed
 */
export function live(name, variables, changed) {
  let ended = false, after = /** @type {string | null} */ (null), timer = 0, abort = new AbortController();

  const tell = (/** @type {any} */ data) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => changed(data), TOGETHER);
  };
  const watch = async () => {
    for (let failures = 0; !ended; failures++) {
      if (document.hidden) await shownAgain();
      if (ended) return;
      abort = new AbortController();
      const before = signInsSeen();
      try {
        await listen(name, { ...variables, after }, abort.signal, (event, id) => {
          failures = 0;
          if (id) after = id;
          if (!event) return;
          keep(event.data);
          tell(event.data);
        });
      } catch (error) {
        if (error instanceof ApiError && error.code === "UNAUTHENTICATED") await signedInAgain(before);
        else if (error instanceof ApiError && error.code === "OFFLINE") await online();
        else if (error instanceof ApiError && FOR_EVER.includes(error.code)) return tell(null);
        else if (error instanceof ApiError && error.code === "PRECONDITION_FAILED") return poll();
      }
      if (ended) return;
      if (!document.hidden) await pause(Math.min(2 ** failures, LONGEST) * 500 * (0.5 + Math.random()));
      if (failures) tell(null); // something may have been missed
    }
  };
  const poll = () => {
    const asking = setInterval(() => (ended ? clearInterval(asking) : document.hidden || changed(null)), POLL * 1000);
  };
  const hidden = () => document.hidden && abort.abort();
  document.addEventListener("visibilitychange", hidden);
  void watch();
  return () => {
    ended = true;
    abort.abort();
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", hidden);
  };
}

function shownAgain() {
  return new Promise((done) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      done(undefined);
    };
    document.addEventListener("visibilitychange", look);
  });
}

/**
 * Read a stream until it ends; raises ApiError where it is refused.
 * @param {string} name
 * @param {Record<string, unknown>} variables
 * @param {AbortSignal} abort
 * @param {(data: any, id: string | null) => void} told
 */
async function listen(name, variables, abort, told) {
  const response = await reached(name, variables, "text/event-stream", abort);
  if (response.status === 401) throw new ApiError("UNAUTHENTICATED");
  if (!response.ok || !response.body) throw new ApiError("UNAVAILABLE");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const { event, id, data } = fields(text.slice(0, end));
      text = text.slice(end + 2);
      if (event === "complete") return;
      const sent = event === "next" ? JSON.parse(data) : null;
      const error = sent?.errors?.[0];
      if (error && !sent.data) throw new ApiError(error.extensions?.code ?? "INTERNAL", error.message);
      told(sent, id);
    }
  }
}

/** @param {string} block */
function fields(block) {
  const found = { event: "", id: /** @type {string | null} */ (null), data: "" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name === "event") found.event = value ?? "";
    else if (name === "id") found.id = value ?? "";
    else if (name === "data") found.data += value;
  }
  return found;
}
