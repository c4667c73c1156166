// A dialog that inserts a page which a content source of an integration computes.

import { html, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { ChooseChange } from "../editor/saving.js";
import { Component } from "../integrations/component.js";
import { named } from "../integrations/configuration.js";
import { Bones, Button, Nothing } from "../parts/basic.js";
import { Checkbox, Form, TextField } from "../parts/forms.js";
import { Failed } from "../parts/lists.js";
import { attempt, Dialog, say } from "../parts/overlays.js";
import { go } from "../router.js";
import { BASE } from "../settings.js";
import { spacePath } from "../space/side.js";
import { t } from "../texts.js";

/** @typedef {{ integration: any, source: any, key: string }} Choice */
/** @typedef {{ props?: Record<string, unknown>, dependencies?: Record<string, any> }} Chosen what a source is asked with */

/** @param {{ space: any, onClose: () => void }} props */
export function InsertSource({ space, onClose }) {
  const found = useQuery("ContentSources", { space: space.restId });
  const [choice, setChoice] = useState(/** @type {Choice | null} */ (null)), [title, setTitle] = useState("");
  const [step, setStep] = useState("source"), [chosen, setChosen] = useState(/** @type {Chosen} */ ({}));
  const isLive = space.editMode === "LIVE" && space.permissions.edit && space.permissions.merge;
  const name = title.trim() || choice?.source.title;
  const insert = async (/** @type {Chosen} */ asked, /** @type {any} */ change) => {
    const where = change ? { changeRequest: change.id } : { space: space.restId };
    const type = `integration:${choice?.integration.name}:${choice?.source.restId}`;
    const page = { type: "COMPUTED", title: name, computed: { type, ...sent(asked) } };
    const done = await mutate("InsertComputedPage", { ...where, changes: [{ insertPage: page }] }, { refresh: ["Space", "SpaceTree"] });
    const path = (done.changes[0]?.page?.path ?? "").split("/").map(encodeURIComponent).join("/");
    onClose();
    say(t("sources.inserted"));
    await go(change ? `${spacePath(space)}/~/changes/${change.number}/${path}` : `${spacePath(space)}/${path}`);
  };
  const choose = (/** @type {Chosen} */ asked) => {
    setChosen(asked);
    if (isLive) return attempt(() => insert(asked, null));
    return setStep("change");
  };
  if (step === "change") return html`<${ChooseChange} space=${space.restId} title=${name} onSave=${(/** @type {any} */ change) => insert(chosen, change)} onClose=${onClose} />`;
  const nodes = found.data?.space?.integrations?.nodes;
  return html`<${Dialog} title=${t("sources.insert")} onClose=${onClose} wide=${step === "settings"}>
    ${!nodes ? (found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} lines=${3} />`)
      : step === "settings" && choice ? html`<${Settings} space=${space} choice=${choice} onBack=${() => setStep("source")} onChosen=${choose} />`
      : html`<${Sources} choices=${choicesOf(nodes)} choice=${choice} onChoose=${setChoice} title=${title} onTitle=${setTitle} space=${space} onClose=${onClose} onNext=${() => setStep("settings")} />`}
  <//>`;
}

/**
 * @param {{ choices: Choice[], choice: Choice | null, onChoose: (choice: Choice) => void, title: string, onTitle: (title: string) => void,
 *   space: any, onClose: () => void, onNext: () => void }} props
 */
function Sources({ choices, choice, onChoose, title, onTitle, space, onClose, onNext }) {
  if (!choices.length) {
    const actions = space.permissions.installIntegration && html`<${Button} href=${`${BASE}/o/${space.organizationId}/integrations`}>${t("sources.find")}<//>`;
    return html`<${Nothing} title=${t("sources.none")} actions=${actions}>${t("sources.none-text")}<//>`;
  }
  return html`<${Form} onSubmit=${onNext}>
    <p class="soft">${t("sources.insert-text")}</p>
    <fieldset class="stack tight"><legend>${t("sources.source")}</legend>
      ${choices.map((each) => html`<${Checkbox} key=${each.key} type="radio" name="source" checked=${choice?.key === each.key} onChange=${() => onChoose(each)}
        label=${each.source.title} hint=${[each.integration.title, each.source.description].filter(Boolean).join(" · ")} />`)}
    </fieldset>
    <${TextField} label=${t("sources.page-title")} hint=${t("sources.page-title-hint")} value=${title} onInput=${onTitle} maxlength="500" />
    <div class="foot"><${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" type="submit" disabled=${!choice}>${t("sources.next")}<//></div>
  <//>`;
}

/**
 * The component of a source that asks what to compute; it ends with that.
 * @param {{ space: any, choice: Choice, onBack: () => void, onChosen: (chosen: Chosen) => unknown }} props
 */
function Settings({ space, choice, onBack, onChosen }) {
  const label = t("sources.settings-of", { source: choice.source.title });
  const given = { contentSource: { props: {}, dependencies: {} }, submitLabel: t("sources.insert-short") };
  const done = (/** @type {unknown} */ returned) => (returned && typeof returned === "object" ? onChosen(/** @type {Chosen} */ (returned)) : undefined);
  return html`<div class="stack">
    <${Component} integration=${choice.integration.name} component=${choice.source.configuration.componentId} label=${label}
      place=${{ type: "CONFIGURATION_CONTENTSOURCE", spaceId: space.restId }} given=${given} onDone=${done} />
    <div class="foot"><${Button} onClick=${onBack}>${t("sources.back")}<//><${Button} onClick=${() => onChosen({})}>${t("sources.insert-bare")}<//></div>
  </div>`;
}

/** @param {any[]} integrations @returns {Choice[]} */
function choicesOf(integrations) {
  return integrations.flatMap((integration) => integration.contentSources.map((/** @type {any} */ source) => ({ integration, source, key: `${integration.name}:${source.restId}` })));
}

/** Write what a source is asked with as the API takes it. @param {Chosen} chosen */
function sent({ props = {}, dependencies = {} }) {
  const refs = Object.entries(dependencies).map(([name, { ref }]) => ({ name, value: { ref: { ...ref, kind: String(ref?.kind ?? "").toUpperCase() } } }));
  const values = Object.entries(props).map(([name, value]) => ({ name, value: named(value) }));
  return { ...(values.length ? { props: values } : {}), ...(refs.length ? { dependencies: refs } : {}) };
}
