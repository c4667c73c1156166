// A component of an integration: its script draws it, and hears of what is pressed and chosen in it.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ApiError, send } from "../api/client.js";
import { Bones } from "../parts/basic.js";
import { Failed } from "../parts/lists.js";
import { Dialog, say } from "../parts/overlays.js";
import { appearance, SITES } from "../settings.js";
import { t } from "../texts.js";
import { Elements, resolved } from "./elements.js";

/** @typedef {{ element: any, state: Record<string, any>, props: Record<string, any> }} Drawn */

/**
 * @param {{ integration: string, component: string, place: Record<string, unknown>, given: Record<string, unknown>, label: string, first?: any, frames?: string,
 *   onDone: (returned: unknown) => unknown }} props
 *   `place` says where it is shown, as `context` of a request; `first` is the action that it begins with, if with one; `frames` is an address at the integration's own origin;
 *   `onDone` is told of the end, and of every change of the configuration
 */
export function Component({ integration, component, place, given, label, first = null, frames, onDone }) {
  const [drawn, setDrawn] = useState(/** @type {Drawn | null} */ (null)), [error, setError] = useState(/** @type {Error | null} */ (null));
  const [busy, setBusy] = useState(false), [modal, setModal] = useState(/** @type {any} */ (null)), latest = useRef(0);
  const context = { ...place, theme: isDark() ? "DARK" : "LIGHT" };
  const ask = async (/** @type {any} */ action, /** @type {Drawn | null} */ from) => {
    const turn = ++latest.current, more = { ...(from ? { state: from.state } : {}), ...(action ? { action } : {}) };
    setBusy(true);
    try {
      const { data, errors } = await send("RenderComponent", { integration, component, props: from?.props ?? given, context, ...more });
      const output = data?.renderIntegration;
      if (!output) throw new ApiError(errors[0]?.extensions.code ?? "INTERNAL", errors[0]?.message);
      if (turn !== latest.current) return;
      setError(null);
      if (output.type === "COMPLETE") await onDone(output.returnValue ?? null);
      else setDrawn({ element: output.element, state: output.state ?? {}, props: output.props ?? {} });
      if (action && from) await onDone(undefined);
    } catch (failure) {
      if (from) say(/** @type {Error} */ (failure));
      else setError(/** @type {Error} */ (failure));
    } finally {
      if (turn === latest.current) setBusy(false);
    }
  };
  useEffect(() => void ask(first, null), [integration, component, JSON.stringify(place)]);
  const act = (/** @type {any} */ action) => {
    if (action.action === "@ui.url.open") window.open(action.url, "_blank", "noopener,noreferrer");
    else if (action.action === "@ui.modal.open") setModal(action);
    else if (action.action === "@ui.modal.close") void onDone(action.returnValue);
    else if (!action.action.startsWith("@")) return ask(resolved(action, drawn?.state ?? {}), drawn);
    return undefined;
  };
  const moved = (/** @type {string} */ url) => (frames && SITES && url.startsWith(`${SITES}/~integrations/${integration}/`) ? new URL(frames).origin + new URL(url).pathname + new URL(url).search : url);
  if (error) return html`<${Failed} error=${error} retry=${() => ask(first, null)} />`;
  if (!drawn) return html`<${Bones} lines=${3} />`;
  const set = (/** @type {string} */ name, /** @type {any} */ value) => setDrawn((now) => now && { ...now, state: { ...now.state, [name]: value } });
  const closed = async (/** @type {unknown} */ returned) => {
    if (returned === undefined) return;
    setModal(null);
    await ask({ action: "@ui.modal.close", returnValue: returned }, drawn);
  };
  return html`<div class="stack kit" role="group" aria-label=${label} aria-busy=${busy || undefined}>
    <${Elements} elements=${drawn.element.children} state=${drawn.state} set=${set} act=${act} moved=${moved} />
    ${drawn.element.controls?.length > 0 && html`<div class="row"><${Elements} elements=${drawn.element.controls.filter((/** @type {any} */ each) => each.onPress)} state=${drawn.state} set=${set} act=${act} moved=${moved} /></div>`}
    ${drawn.element.submit && html`<${Elements} elements=${[drawn.element.submit]} state=${drawn.state} set=${set} act=${act} moved=${moved} />`}
    ${modal && html`<${Dialog} title=${t("integrations.dialog")} onClose=${() => setModal(null)} wide>
      <${Component} integration=${integration} component=${modal.componentId} place=${place} given=${modal.props} frames=${frames} label=${t("integrations.dialog")} onDone=${closed} />
    <//>`}
  </div>`;
}

function isDark() {
  return appearance() ? appearance() === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
