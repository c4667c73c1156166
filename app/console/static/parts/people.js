// Fields in which a person of an organization is found by name or address.

import { html, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { query, useQuery } from "../api/queries.js";
import { addressWith, go, here } from "../router.js";
import { me } from "../session.js";
import { t } from "../texts.js";
import { Avatar, Button } from "./basic.js";

/** @typedef {{ id: string, restId: string, displayName: string, email?: string | null, photoURL?: string | null }} User */

const PAUSE = 150; // milliseconds without a key after which people are asked for

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
export function PersonField({ label, organization, value, onChange, placeholder, without = [], withoutMe, unlabelled }) {
  const [text, setText] = useState(""), [open, setOpen] = useState(false), [at, setAt] = useState(0);
  const [found, setFound] = useState(/** @type {User[]} */ ([]));
  const id = useId(), field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const offered = namedFirst(found.filter((each) => fits(each, text) && !without.includes(each.restId)), text); // also before the answer is there
  useEffect(() => {
    if (!open) return undefined;
    let stale = false;
    const ask = async () => {
      const people = await findPeople(organization, text.trim(), withoutMe);
      if (!stale) setFound(people), setAt(0);
    };
    const timer = setTimeout(() => void ask(), text ? PAUSE : 0);
    return () => ((stale = true), clearTimeout(timer));
  }, [open, text, organization]);
  useEffect(() => setAt(0), [text]);
  const choose = (/** @type {User | null | undefined} */ one) => {
    if (one === undefined) return;
    setText("");
    setOpen(false);
    onChange(one);
    if (!one) setTimeout(() => field.current?.focus());
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && open) return event.preventDefault(), event.stopPropagation(), setOpen(false);
    if (event.key === "Enter" && open) return event.preventDefault(), choose(offered[at]);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    if (!open) setOpen(true);
    else if (offered.length) setAt((at + step + offered.length) % offered.length);
  };
  if (value)
    return html`<div class="field person-field">
      <span class=${unlabelled ? "unseen" : "label"} id=${id}>${label}</span>
      <div class="row chosen" role="group" aria-labelledby=${id}><${Avatar} user=${value} small />
        <span class="cut grow" dir="auto" title=${label}>${value.displayName}</span>
        <${Button} kind="quiet" small glyph="close" label=${t("person.clear", { name: value.displayName })} onClick=${() => choose(null)} /></div>
    </div>`;
  const left = (/** @type {FocusEvent} */ event) => !(/** @type {Element} */ (event.currentTarget).contains(/** @type {Node} */ (event.relatedTarget))) && setOpen(false);
  return html`<div class="field person-field" onFocusOut=${left}>
    <label class=${unlabelled ? "unseen" : ""} for=${id}>${label}</label>
    <input class="input" id=${id} ref=${field} type="text" role="combobox" autocomplete="off" dir="auto" placeholder=${placeholder ?? label} value=${text}
      aria-expanded=${String(open)} aria-controls=${`${id}-found`} aria-autocomplete="list"
      aria-activedescendant=${open && offered.length ? `${id}-${at}` : undefined}
      onInput=${(/** @type {any} */ event) => (setText(event.currentTarget.value), setOpen(true))}
      onClick=${() => setOpen(true)} onKeyDown=${pressed} />
    <ul class="offered" role="listbox" id=${`${id}-found`} aria-label=${label} hidden=${!open || !offered.length}>
      ${offered.map((each, n) => html`<li role="option" id=${`${id}-${n}`} key=${each.restId} aria-selected=${String(n === at)}
        onMouseDown=${(/** @type {Event} */ event) => (event.preventDefault(), choose(each))} onMouseMove=${() => n !== at && setAt(n)}>
        <${Avatar} user=${each} small /><span class="cut grow" dir="auto">${each.displayName}</span>
        <span class="soft small cut">${each.restId === me.value?.restId ? t("person.me") : (each.email ?? "")}</span></li>`)}
    </ul>
  </div>`;
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
