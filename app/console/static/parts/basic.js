// Small parts: glyphs, buttons, avatars, times, badges, notes, and what stands where nothing is.

import { html, signal, useEffect, useState } from "../vendor/preact.js";
import { ago, date, t } from "../texts.js";
import { GLYPHS, TURNING } from "./glyphs.js";

/**
 * A line drawing, decoration only: name what it stands for beside it or on the control.
 * @param {{ name: string }} props
 */
export function Glyph({ name }) {
  return html`<svg class=${`glyph ${TURNING.has(name) ? "turns" : ""}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d=${GLYPHS[name]} />
  </svg>`;
}

/** Whether a question is asked: what waits for its answer is not busy yet. */
export const isAsking = signal(false);

/**
 * A button, or with `href` a link that looks like one. `kind`: "main", "quiet", "danger". `onClick` may return a
 * promise: the button shows that it waits, and cannot be pressed twice.
 * @param {{ kind?: string, glyph?: string, small?: boolean, label?: string, href?: string, disabled?: boolean,
 *   type?: "button" | "submit", busy?: boolean, onClick?: (event: Event) => unknown, children?: any,
 *   [attribute: string]: any }} props
 *   `label` names a button that has a glyph only
 */
export function Button({ kind = "", glyph, small, label, href, disabled, type = "button", busy, onClick, children, ...more }) {
  const [pending, setPending] = useState(false), waits = pending && !isAsking.value;
  const classes = `button ${kind} ${small ? "small" : ""} ${label && !children ? "icon" : ""}`;
  const inside = html`${waits || busy ? html`<span class="waiting" aria-hidden="true"></span>` : glyph && html`<${Glyph} name=${glyph} />`}${children}`;
  if (href) return html`<a class=${classes} href=${href} aria-label=${label} title=${label} ...${more}>${inside}</a>`;
  const press = async (/** @type {Event} */ event) => {
    const result = onClick?.(event);
    if (!(result instanceof Promise)) return;
    setPending(true);
    try {
      await result;
    } finally {
      setPending(false);
    }
  };
  return html`<button
    class=${classes} type=${type} disabled=${disabled || waits || busy} aria-busy=${waits || busy || undefined}
    aria-label=${label} title=${label} onClick=${press} ...${more}
  >${inside}</button>`;
}

/**
 * The picture of a person, or their initials.
 * @param {{ user: { displayName: string, photoURL?: string | null } | null, small?: boolean }} props
 */
export function Avatar({ user, small }) {
  const classes = `avatar ${small ? "small" : ""}`;
  if (user?.photoURL) return html`<img class=${classes} src=${user.photoURL} alt="" loading="lazy" referrerpolicy="no-referrer" />`;
  const words = (user?.displayName ?? "?").trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "").join("");
  return html`<span class=${classes} aria-hidden="true">${letters.toUpperCase()}</span>`;
}

/**
 * A person with picture and name.
 * @param {{ user: { displayName: string, photoURL?: string | null } | null }} props
 */
export function Person({ user }) {
  return html`<span class="row"><${Avatar} user=${user} small /><span class="cut" dir="auto">${user?.displayName ?? t("person.nobody")}</span></span>`;
}

/**
 * The emoji of a space or page, which the API has as code points such as "1f4d8"; a glyph where there is none.
 * @param {{ code?: string | null, glyph?: string }} props
 */
export function Emoji({ code, glyph = "file" }) {
  const points = code && /^[0-9a-f]+(-[0-9a-f]+)*$/i.test(code) ? code.split("-").map((each) => parseInt(each, 16)) : null;
  const text = points?.every((each) => each <= 0x10ffff) ? String.fromCodePoint(...points) : code;
  return text ? html`<span class="emoji" aria-hidden="true">${text}</span>` : html`<${Glyph} name=${glyph} />`;
}

/**
 * How long ago a moment was; the moment itself as a tooltip.
 * @param {{ at: string }} props
 */
export function Ago({ at }) {
  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return html`<time datetime=${at} title=${date(at, true)}>${ago(at)}</time>`;
}

/**
 * A short word on a ground: `kind` is "good", "warn", "bad", "info" or nothing.
 * @param {{ kind?: string, children?: any }} props
 */
export function Badge({ kind = "", children }) {
  return html`<span class=${`badge ${kind}`}>${children}</span>`;
}

/**
 * A sentence that should be seen, with what can be done about it. `kind` as of a badge.
 * @param {{ kind?: string, children?: any, actions?: any }} props
 */
export function Note({ kind = "", children, actions }) {
  return html`<div class=${`note ${kind}`} role=${kind === "bad" ? "alert" : "note"}>
    <div class="grow breaks">${children}</div>${actions}
  </div>`;
}

/**
 * What stands where there is nothing yet: why, and what to do.
 * @param {{ title: string, children?: any, actions?: any }} props
 */
export function Nothing({ title, children, actions }) {
  return html`<div class="nothing"><h2>${title}</h2>${children && html`<p>${children}</p>`}${actions}</div>`;
}

/** Grey lines in the place of what is being loaded. @param {{ lines?: number }} props */
export function Bones({ lines = 6 }) {
  return html`<div class="bones" role="status" aria-label=${t("loading")}>${Array.from({ length: lines }, (_, n) => html`<i key=${n}></i>`)}</div>`;
}

/**
 * How far something is, from 0 to 1.
 * @param {{ value: number, label: string }} props
 */
export function Progress({ value, label }) {
  const percent = Math.round(Math.min(Math.max(value, 0), 1) * 100);
  return html`<div class="bar" role="progressbar" aria-label=${label} aria-valuenow=${percent} aria-valuemin="0" aria-valuemax="100">
    <i style=${{ width: `${percent}%` }}></i>
  </div>`;
}
