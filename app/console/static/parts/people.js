// Fields in which a person of an organization is found by name or address.

import { html, useEffect, useState } from "../vendor/preact.js";
import { query, useQuery } from "../api/queries.js";
import { addressWith, go, here } from "../router.js";
import { me } from "../session.js";
import { t } from "../texts.js";
import { Avatar } from "./basic.js";
import { Finder } from "./finder.js";

/** @typedef {{ id: string, restId: string, displayName: string, email?: string | null, photoURL?: string | null }} User */

/**
 * Find people of an organization: those first whose name has the text, and whoever is signed in before others.
 * @param {string} organization
 * @param {string} text
 * @param {boolean} [withoutMe]
 * @returns {Promise<User[]>}
 */
export async function findPeople(organization, text, withoutMe = false) {
  const asked = query("FindPeople", { organization, ...(text ? { search: text } : {}) });
  await asked.refresh();
  /** @type {User[]} */
  const members = (asked.data?.organization?.members?.nodes ?? []).map((/** @type {any} */ each) => each.user);
  const others = members.filter((each) => each.restId !== me.peek()?.restId);
  return namedFirst(withoutMe ? others : [me.peek(), ...others].filter((each) => fits(each, text)), text);
}

/**
 * Put those whose name has the text before those of whom only the address has it.
 * @param {User[]} people
 * @param {string} text
 */
function namedFirst(people, text) {
  const isNamed = (/** @type {User} */ each) => Number(fits({ ...each, email: null }, text));
  return people.sort((one, other) => isNamed(other) - isNamed(one));
}

/**
 * Tell whether a text is in the name or the address of somebody.
 * @param {User} user
 * @param {string} text
 */
function fits(user, text) {
  return `${user.displayName} ${user.email ?? ""}`.toLowerCase().includes(text.trim().toLowerCase());
}

/**
 * @param {{ label: string, organization: string, value: User | null, onChange: (user: User | null) => void,
 *   placeholder?: string, without?: string[], withoutMe?: boolean, unlabelled?: boolean }} props
 *   `without` are the ids (of REST) of people who are not offered; `unlabelled` hides the label from view
 */
export function PersonField({ organization, without = [], withoutMe, ...more }) {
  const offer = (/** @type {User[]} */ found, /** @type {string} */ text) => namedFirst(found.filter((each) => fits(each, text) && !without.includes(each.restId)), text);
  return html`<${Finder} ...${more} about=${organization} find=${(/** @type {string} */ text) => findPeople(organization, text, withoutMe)} offer=${offer}
    idOf=${(/** @type {User} */ each) => each.restId} nameOf=${(/** @type {User} */ each) => each.displayName}
    picture=${(/** @type {User} */ each) => html`<${Avatar} user=${each} small />`}
    detail=${(/** @type {User} */ each) => (each.restId === me.value?.restId ? t("person.me") : (each.email ?? ""))} />`;
}

/**
 * A person that a list is narrowed to, kept in a parameter of the address.
 * @param {{ organization: string, name: string, label: string, unlabelled?: boolean, placeholder?: string }} props `name` is the parameter
 */
export function PersonFilter({ organization, name, ...more }) {
  const id = here.value.query.get(name) ?? "";
  const named = useQuery("NamedPerson", { user: id }, { skip: !id });
  const [chosen, setChosen] = useState(/** @type {User | null} */ (null));
  useEffect(() => {
    if (chosen && chosen.restId !== id) setChosen(null);
  }, [id]);
  const value = id ? (chosen?.restId === id ? chosen : (named.data?.user ?? { id, restId: id, displayName: "…" })) : null;
  const change = (/** @type {User | null} */ user) => {
    setChosen(user);
    void go(addressWith(name, user?.restId ?? ""), { replace: true });
  };
  return html`<${PersonField} organization=${organization} value=${value} onChange=${change} ...${more} />`;
}
