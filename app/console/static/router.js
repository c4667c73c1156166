// Addresses and screens. The address of the page is a signal; links of the console are followed without a load.

import { signal } from "./vendor/preact.js";
import { ROUTES } from "./routes.js";
import { BASE } from "./settings.js";

/** @typedef {{ path: string, query: URLSearchParams, hash: string, key: string }} Address */
/** @typedef {Record<string, string>} Params */
/** @typedef {(props: { params: Params, query: URLSearchParams }) => unknown} Screen */
/** @typedef {{ pattern: RegExp, names: string[], load: () => Promise<{ default: Screen }> }} Route */

/** Where the page is: its path below the server's base, decoded by `match` only. */
export const here = signal(read());
/** @type {Set<() => boolean | Promise<boolean>>} */
const guards = new Set();
const places = new Map();
const routes = ROUTES.map(([pattern, load]) => compiled(pattern, load));

function read() {
  const { pathname, search, hash } = location;
  const path = pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
  return { path, query: new URLSearchParams(search), hash: hash.slice(1), key: history.state?.key ?? "first" };
}

/**
 * Return a route of a pattern such as `/o/:organization/s/:space/*page`.
 * @param {string} pattern
 * @param {() => Promise<any>} load
 * @returns {Route}
 */
function compiled(pattern, load) {
  /** @type {string[]} */
  const names = [];
  const source = pattern.replace(/\/:(\w+)|\/\*(\w+)/g, (_, one, rest) => {
    names.push(one ?? rest);
    return one ? "/([^/]+)" : "(?:/((?!~(?:/|$)).*))?"; // ~ begins what is no page
  });
  return { pattern: new RegExp(`^${source}/?$`), names, load };
}

/**
 * Return the route of a path and the values in it; null where there is none.
 * @param {string} path
 */
export function match(path) {
  for (const route of routes) {
    const found = route.pattern.exec(path);
    if (!found) continue;
    /** @type {Params} */
    const params = {};
    route.names.forEach((name, place) => (params[name] = decoded(found[place + 1] ?? "")));
    return { route, params };
  }
  return null;
}

/**
 * Tell whether the console has a screen at a path, which may have a query.
 * @param {string} to
 */
export function hasScreen(to) {
  return match(to.replace(/[?#].*/, "")) !== null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Go to an address of the console, unless a guard objects. `replace` leaves no trace in the history.
 * @param {string} to path with query and fragment, below the base
 * @param {{ replace?: boolean }} [options]
 */
export async function go(to, { replace = false } = {}) {
  if (!(await mayLeave())) return;
  keepPlace();
  const key = replace ? here.peek().key : `${Date.now()}${Math.random()}`;
  history[replace ? "replaceState" : "pushState"]({ key }, "", BASE + to);
  here.value = read();
}

/**
 * Ask before the page is left or another screen is shown; returns what ends that.
 * @param {() => boolean | Promise<boolean>} ask
 */
export function guard(ask) {
  guards.add(ask);
  return () => guards.delete(ask);
}

async function mayLeave() {
  for (const ask of guards) if (!(await ask())) return false;
  return true;
}

/**
 * Return the path below the base that an address of this server leads to; null where no screen is there.
 * @param {string} href
 */
export function pathOf(href) {
  const url = new URL(href, location.href);
  if (url.origin !== location.origin || !url.pathname.startsWith(`${BASE}/`)) return null;
  const path = url.pathname.slice(BASE.length);
  return match(path) ? path + url.search + url.hash : null;
}

/**
 * Return where one is with another value of a parameter; empty takes it away.
 * @param {string} name
 * @param {string} value
 */
export function addressWith(name, value) {
  const { path, query } = here.peek();
  const made = new URLSearchParams(query);
  if (value) made.set(name, value);
  else made.delete(name);
  const text = made.toString();
  return path + (text ? `?${text}` : "");
}

/** Follow clicks on links, and the browser's back and forward. */
export function start() {
  history.scrollRestoration = "manual";
  addEventListener("popstate", async () => {
    keepPlace();
    const before = here.peek();
    if (await mayLeave()) here.value = read();
    else history.pushState({ key: before.key }, "", BASE + before.path); // stay
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = /** @type {Element} */ (event.target).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || link.target || link.download || link.rel === "external") return;
    const to = pathOf(link.href);
    if (to === null) return;
    event.preventDefault();
    void go(to);
  });
  for (const kind of ["pointerover", "focusin"]) addEventListener(kind, loadAhead, { passive: true });
}

/**
 * Load the screen of a link that somebody points at.
 * @param {Event} event
 */
function loadAhead(event) {
  const link = event.target instanceof Element && event.target.closest("a[href]");
  const to = link instanceof HTMLAnchorElement ? pathOf(link.href) : null;
  if (to !== null) match(to.replace(/[?#].*/, ""))?.route.load().catch(() => undefined); // it is loaded again on a click
}

function keepPlace() {
  places.set(here.peek().key, scrollY);
}

/** Scroll to where this entry of the history was left, or to the top. */
export function restorePlace() {
  scrollTo({ top: places.get(here.peek().key) ?? 0, behavior: "instant" });
}
