// Writing a comment or a reply: Markdown, with people found after an @.

import { html, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { Avatar, Button } from "../parts/basic.js";
import { findPeople } from "../parts/people.js";
import { attempt } from "../parts/overlays.js";
import { organizationOf } from "../session.js";
import { t } from "../texts.js";

const MENTION = /(^|[\s(])@([\p{L}\p{N}._-]{0,40})$/u;

/**
 * @param {{ label: string, send: (text: string) => Promise<unknown>, yes: string, organization: string, start?: string,
 *   onCancel?: () => void, focus?: boolean, children?: any }} props
 *   `start` is the text to begin with; `children` stand above the field
 */
export function Compose({ label, send, yes, organization, start = "", onCancel, focus, children }) {
  const [text, setText] = useState(start), [people, setPeople] = useState(/** @type {import("../parts/people.js").User[]} */ ([])), [at, setAt] = useState(0);
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null)), id = useId(), asked = useRef(0);
  const mayMention = !!organizationOf(organization)?.permissions["listMembers"];
  useEffect(() => {
    if (focus) field.current?.focus();
  }, []);
  const before = () => (field.current?.value ?? "").slice(0, field.current?.selectionStart ?? 0);
  const look = async () => {
    const number = ++asked.current, found = mayMention ? MENTION.exec(before()) : null;
    if (!found) return setPeople([]);
    const known = await findPeople(organization, found[2] ?? "", true);
    if (number === asked.current) setPeople(known.slice(0, 6)), setAt(0);
  };
  const mention = (/** @type {import("../parts/people.js").User | undefined} */ user) => {
    if (!user) return;
    const head = before(), start = head.replace(MENTION, "$1"), made = `${start}[@${user.displayName.replace(/[[\]\\]/g, "")}](mention://${user.restId}) `;
    setText(made + text.slice(head.length));
    setPeople([]);
    requestAnimationFrame(() => (field.current?.focus(), field.current?.setSelectionRange(made.length, made.length)));
  };
  const post = () =>
    attempt(async () => {
      await send(text);
      setText("");
    });
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim()) return event.preventDefault(), void post();
    if (event.key === "Escape" && people.length) return event.preventDefault(), event.stopPropagation(), setPeople([]);
    if (event.key === "Escape" && onCancel) return event.preventDefault(), onCancel();
    if (!people.length) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + people.length) % people.length);
    else if (event.key === "Enter" || event.key === "Tab") mention(people[at]);
    else return;
    event.preventDefault();
  };
  const sent = (/** @type {Event} */ event) => (event.preventDefault(), void post());
  const typed = (/** @type {any} */ event) => (setText(event.currentTarget.value), void look());
  return html`<form class="compose stack tight" onSubmit=${sent}>
    ${children}
    <div class="finder">
      <textarea class="input" ref=${field} rows="2" dir="auto" required maxlength="100000" aria-label=${label} placeholder=${label} value=${text}
        aria-describedby=${`${id}-hint`} aria-controls=${people.length ? id : undefined} aria-activedescendant=${people.length ? `${id}-${at}` : undefined}
        onInput=${typed} onKeyDown=${pressed} onBlur=${() => setPeople([])}></textarea>
      ${people.length > 0 && html`<ul class="offered" role="listbox" id=${id} aria-label=${t("comments.mention")}>
        ${people.map((each, n) => html`<li role="option" id=${`${id}-${n}`} key=${each.restId} aria-selected=${String(n === at)}
          onMouseDown=${(/** @type {Event} */ event) => (event.preventDefault(), mention(each))}><${Avatar} user=${each} small />
          <span class="cut grow" dir="auto">${each.displayName}</span><span class="soft small cut">${each.email ?? ""}</span></li>`)}
      </ul>`}
    </div>
    <div class="row spread"><span class="soft small" id=${`${id}-hint`}>${t(mayMention ? "comments.hint" : "markdown.hint")}</span>
      <div class="row">${onCancel && html`<${Button} small onClick=${onCancel}>${t("cancel")}<//>`}
        <${Button} small kind="main" type="submit" disabled=${!text.trim()}>${yes}<//></div></div>
  </form>`;
}
