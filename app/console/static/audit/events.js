// Events of the audit log in words, and where what they are about is found.

import { keysBelow, t } from "../texts.js";

const DID = "audit.did.", TYPE = "audit.type.";
const GONE = /^(delete|remove|purge|withdraw|uninstall)/; // actions after which their object is not there

/** The actions that the log may have, by their names. */
export const ACTIONS = keysBelow(DID);
/** The types of objects that the log can be narrowed to. */
export const TYPES = keysBelow(TYPE);

/** Say what was done, as it follows a name. @param {string} action */
export function phraseOf(action) {
  const key = DID + action, said = t(key);
  return said === key ? t("audit.ran", { command: action }) : said;
}

/** Name a type of objects. @param {string} type */
export function typeName(type) {
  const key = TYPE + type, said = t(key);
  return said === key ? type : said;
}

/** Name who did it; of a sign-in that is who signed in. @param {any} event */
export function whoOf({ actor, subject, ...event }) {
  if (isOfOneself(event, subject)) return subject.title ?? t("person.nobody");
  return actor.user?.displayName ?? t(actor.type === "SYSTEM" ? "audit.by-system" : "audit.by-operator");
}

/**
 * Tell whether somebody did it to themselves before it was known who they are.
 * @param {any} event
 * @param {{ type: string }} subject
 */
function isOfOneself({ action }, { type }) {
  return action === "signIn" && type === "user";
}

/**
 * Return the title of what an event is about; nothing for the organization whose log it is, and where none is known.
 * @param {any} event
 * @param {any} organization
 */
export function titleOf({ subject, target, ...event }, organization) {
  if (isOfOneself(event, subject)) return "";
  return (subject.restId === organization.restId ? target?.title : subject.title) ?? "";
}

/**
 * Return the path of the screen that shows what an event is about; null where there is none, or nothing any more.
 * @param {any} event
 * @param {string} organization
 */
export function placeOf({ action, subject, target }, organization) {
  const gone = GONE.test(action), base = `/o/${organization}`;
  if (!target) return gone ? null : whole(subject, base);
  const within = subject.type === "space" ? `${base}/s/${subject.restId}/~` : null;
  const inside = within && { "change-request": `${within}/changes/${target.restId}`, revision: `${within}/revisions/${target.restId}`, comment: `${within}/comments` }[/** @type {string} */ (target.type)];
  return (!gone && (inside || whole(target, base))) || whole(subject, base);
}

/**
 * Return the path of an object that has a screen of its own.
 * @param {{ type: string, restId: string }} object
 * @param {string} base path of the organization
 */
function whole({ type, restId }, base) {
  const people = `${base}/people`;
  /** @type {Record<string, string>} */
  const places = {
    organization: base,
    space: `${base}/s/${restId}`,
    collection: `${base}/c/${restId}`,
    site: `${base}/site/${restId}`,
    team: `${people}/teams/${restId}`,
    invite: `${people}/invitations`,
    domain: `${people}/domains`,
    "saml-provider": `${people}/sso`,
    "oidc-provider": `${people}/sso`,
  };
  return places[type] ?? null;
}
