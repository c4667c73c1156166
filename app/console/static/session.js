// Who is signed in, and what they may do in their organizations.

import { computed, effect } from "./vendor/preact.js";
import { isUsedBy } from "./api/client.js";
import { query } from "./api/queries.js";
import { BASE, recall, remember } from "./settings.js";

/** @typedef {{ id: string, restId: string, title: string, permissions: Record<string, boolean>, urls: { app: string, logo?: string | null } }} Organization */

const session = query("Session");

/** Who is signed in: `undefined` until it is known. */
export const me = computed(() => session.data?.me);
/** The organizations of whoever is signed in. */
export const organizations = computed(() => /** @type {Organization[]} */ (session.data?.me?.organizations?.nodes ?? []));

effect(() => isUsedBy(me.value?.restId ?? ""));

/** Ask who is signed in; returns the query. */
export function askWho() {
  session.users++;
  session.ask();
  return session;
}

/**
 * Return an organization by its id in addresses.
 * @param {string | undefined} restId
 */
export function organizationOf(restId) {
  return organizations.value.find((each) => each.restId === restId);
}

/** Sign out, and leave the console. */
export async function signOut() {
  await fetch(`${BASE}/sign-out`, { method: "POST", headers: { "x-docyard-session": "1", accept: "application/json" } });
  location.assign(`${BASE}/`);
}

const MOST = 8;

/** The spaces that were opened last in this browser: `{ id, restId, title, emoji, organization }`. */
export function recentSpaces() {
  return recall("recent", /** @type {{ restId: string, title: string, emoji: string | null, organization: string }[]} */ ([]));
}

/**
 * Remember a space as opened.
 * @param {{ restId: string, title: string, emoji: string | null, organization: string }} space
 */
export function opened({ restId, title, emoji, organization }) {
  const others = recentSpaces().filter((each) => each.restId !== restId);
  remember("recent", [{ restId, title, emoji, organization }, ...others].slice(0, MOST));
}
