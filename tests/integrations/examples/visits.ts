// A script for the pages of a site: it counts visits in a cookie and in the storage of the site's origin.

import { createIntegration } from "@gitbook/runtime";

const SCRIPT = `
const kept = Object.fromEntries(document.cookie.split("; ").map((each) => each.split("=")));
const visits = Number(kept.visits ?? 0) + 1;
document.cookie = "visits=" + visits + "; path=/; max-age=86400; samesite=lax";
localStorage.setItem("visits", String(Number(localStorage.getItem("visits") ?? 0) + 1));
document.documentElement.dataset.visits = visits + " " + localStorage.getItem("visits");
document.documentElement.dataset.cookies = document.cookie;
`;

export default createIntegration({
  async fetch_published_script() {
    return new Response(SCRIPT, { headers: { "content-type": "application/javascript" } });
  },
});
