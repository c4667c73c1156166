// Has the worker keep what is read, for when there is no network. It is at `../worker.js`.
"use strict";
(async () => {
  const { src } = document.currentScript;
  if (self.origin === "null" || !navigator.serviceWorker) return; // in a sandbox, or without TLS
  const workers = navigator.serviceWorker, isSeen = Boolean(workers.controller);
  try {
    const scope = new URL("../../..", src).pathname.replace(/(.)\/$/, "$1");
    await workers.register(new URL("../worker.js", src), { scope });
    if (document.readyState !== "complete") await new Promise((done) => { addEventListener("load", done, { once: true }); });
    const { active } = await workers.ready;
    // What was loaded before there was a worker
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    if (!isSeen) active.postMessage([location.href.replace(/#.*/, ""), ...loaded]);
  } catch { /* the page is read as well without it */ }
})();
