// Keeps what visitors read of a public site on their device, for when there is no network.
//
// Before this the server says what `SITE` is: the `base` of its path, the `page` to show where nothing was kept,
// and what the addresses of its `files` that anybody may read begin with. Nothing else is touched: other sites
// of the same host, addresses with a query (share keys, tokens, searches), and answers that are private or not
// to be stored. What was kept is shown only where the network fails, but for files with a hash in their address.
const NAME = `docyard ${registration.scope}`, SIZE = "x-docyard-size";
const MOST = 50_000_000, LARGEST = 5_000_000, MOST_KEPT = 1000; // bytes of all, bytes of one, how many
const KINDS = ["document", "style", "script", "image", "font"];
const { base, page, site } = SITE, files = new URL(SITE.files, location.href).href;
const OFFLINE = new URL(page, location.href).href;

const isOwn = ({ origin, pathname }) => origin === location.origin && (pathname === (base || "/") || pathname.startsWith(`${base}/`));
const isFile = ({ href }) => href.startsWith(files) && href.slice(files.length).split("/")[1] === site;
const mayKeep = ({ status, redirected, headers }) => status === 200 && !redirected && !/no-store|private/i.test(headers.get("cache-control") ?? "no-store");

// An address is asked for in one way only, so that what an answer varies by is the same
const cached = async () => caches.open(NAME);
const found = async (cache, url) => cache.match(url, { ignoreVary: true });

let indexed = null;
const index = async (cache) => {
  const sizes = new Map(); // by address; what was used longest ago comes first
  for (const { url } of await cache.keys()) sizes.set(url, Number((await found(cache, url))?.headers.get(SIZE)));
  return sizes;
};
const keep = async (url, answer) => {
  const cache = await cached(), sizes = await (indexed ??= index(cache));
  const drop = (each) => { sizes.delete(each); return cache.delete(each, { ignoreVary: true }); };
  if (!mayKeep(answer)) return answer.status < 500 && drop(url);
  if (Number(answer.headers.get("content-length")) > LARGEST) return drop(url);
  const body = await answer.blob(), headers = new Headers(answer.headers);
  if (body.size > LARGEST) return drop(url);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  headers.set(SIZE, String(body.size));
  try { await cache.put(url, new Response(body, { headers })); } catch { return drop(url); } // the device is full
  sizes.delete(url);
  sizes.set(url, body.size);
  let sum = 0;
  for (const size of sizes.values()) sum += size;
  for (const [each, size] of sizes) {
    if (sum <= MOST && sizes.size <= MOST_KEPT) break;
    if (each === url || each === OFFLINE) continue;
    sum -= size;
    await drop(each);
  }
};

// Pages are asked for as they are when somebody opens them, files of other origins without cookies
const ask = (url) => fetch(url.href, isOwn(url) ? { headers: { accept: "text/html,*/*" } } : { mode: "cors", credentials: "omit" });
const fetched = async (url) => {
  try { await keep(url.href, await ask(url)); } catch { /* another time */ }
};

let isFresh = false; // whether the page to show without a network was asked for since the worker started
const opened = async (event, request, url) => {
  const isVisit = request.mode === "navigate", isKept = !url.search && KINDS.includes(request.destination);
  const cache = await cached();
  if (isKept && url.pathname.startsWith(`${base}/~/static/`)) {
    const known = await found(cache, url.href);
    if (known) return known;
  }
  try {
    // The browser's own request for the page, if it sends one: it tells a visit from a script
    const answer = (isVisit && await event.preloadResponse) || (isOwn(url) ? await fetch(request) : await ask(url));
    if (isKept) event.waitUntil(keep(url.href, answer.clone()));
    if (isVisit && !isFresh) event.waitUntil(fetched(new URL(OFFLINE)));
    isFresh ||= isVisit;
    return answer;
  } catch {
    return (isKept && await found(cache, url.href)) || (isVisit && await found(cache, OFFLINE)) || Response.error();
  }
};

addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (request.method !== "GET" || request.headers.has("range")) return;
  if (isOwn(url) || (isFile(url) && request.destination === "image")) event.respondWith(opened(event, request, url));
  else if (request.mode === "navigate") event.respondWith(Promise.resolve(event.preloadResponse).then((answer) => answer ?? fetch(request))); // another site
});
addEventListener("message", (event) => {
  if (!Array.isArray(event.data)) return;
  const loaded = event.data.slice(0, MOST_KEPT).map((each) => new URL(each)).filter((url) => !url.search && (isOwn(url) || isFile(url)));
  event.waitUntil(Promise.all(loaded.map(fetched)));
});
addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(ask(new URL(OFFLINE)).then((answer) => keep(OFFLINE, answer)));
});
addEventListener("activate", (event) => event.waitUntil(Promise.resolve(registration.navigationPreload?.enable()).then(() => clients.claim())));
