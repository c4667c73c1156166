// What the writer should know: that a draft came back, that it cannot be kept, that somebody else wrote meanwhile.

import { html, useEffect } from "../vendor/preact.js";
import { Ago, Button, Note } from "../parts/basic.js";
import { later, whenIdle } from "../parts/later.js";
import { copy, opening } from "../parts/overlays.js";
import { t } from "../texts.js";
import { draftAt } from "./drafts.js";

const Beside = later(() => import("./concurrent.js"), "Beside", opening);

/** @param {{ writing: import("./writing.js").Writing, onDiscard: () => unknown }} props */
export function Notes({ writing, onDiscard }) {
  const theirs = writing.theirs.value, restored = writing.restored.value, wrong = writing.wrong.value;
  useEffect(() => whenIdle(Beside.ahead), []);
  const open = () => (writing.compares.value = true), close = () => (writing.compares.value = false);
  return html`<div class="editor-notes" role="group" aria-label=${t("editor.notes")}>
    ${theirs && html`<${Note} kind="warn" actions=${html`<${Button} small onClick=${open}>${t("editor.compare")}<//>`}>
      ${t("editor.theirs", { name: theirs.by || t("person.nobody") })} <${Ago} at=${theirs.at} /><//>`}
    ${theirs && writing.compares.value && html`<${Beside} writing=${writing} theirs=${theirs} onClose=${close} />`}
    ${writing.isGone.value && html`<${Note} kind="warn">${t("editor.gone")}<//>`}
    ${restored && !theirs && html`<${Note} actions=${html`<${Button} small onClick=${onDiscard}>${t("editor.discard")}<//><${Button} small kind="quiet" onClick=${() => (writing.restored.value = null)}>${t("editor.go-on")}<//>`}>
      ${t("editor.restored")} <${Ago} at=${new Date(restored).toISOString()} /><//>`}
    ${writing.state.value === "lost" && html`<${Note} kind="bad">${t("editor.lost")}<//>`}
    ${wrong && html`<${Note} kind="bad">${wrong.message}<//>`}
  </div>`;
}

/**
 * The text that somebody wrote where they may no longer write, or where the page can no longer be opened.
 * @param {{ writing: import("./writing.js").Writing | null, place: import("./writing.js").Place }} props
 */
export function Kept({ writing, place }) {
  const content = writing?.isChanged.value ? writing.content.value : draftAt(place)?.content;
  if (!content?.text) return null;
  return html`<section class="stack kept" aria-label=${t("editor.kept")}>
    <h2>${t("editor.kept")}</h2><p>${t("editor.kept-text")}</p>
    <pre dir="auto" tabindex="0">${content.text}</pre>
    <div class="row"><${Button} glyph="copy" onClick=${() => copy(content.text)}>${t("editor.kept-copy")}<//></div>
  </section>`;
}
