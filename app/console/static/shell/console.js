// The whole console: the screen that the address names, and what lies over every screen.

import { html, signal, useEffect, useErrorBoundary } from "../vendor/preact.js";
import { answers, checkSession, lostConnection, offline, signedOut } from "../api/client.js";
import { Bones, Button } from "../parts/basic.js";
import { whenIdle } from "../parts/later.js";
import { Dialog, Questions, Toasts } from "../parts/overlays.js";
import { listenToKeys, ShortcutHelp, useShortcuts } from "../parts/shortcuts.js";
import { go, here, match, restorePlace } from "../router.js";
import { askWho } from "../session.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";
import { Screen } from "./screen.js";
import { Palette, openPalette } from "./palette.js";
import { NoSuchPage } from "./refused.js";

/** @typedef {{ component: any, params: Record<string, string>, query: URLSearchParams, key: string, path: string } | null} Drawn */

const drawn = signal(/** @type {Drawn} */ (null));
const failed = signal(/** @type {unknown} */ (null));

let followed = /** @type {unknown} */ (null); // the address that was followed last

/** Load the screen of the address; the one before stays until it is there. */
export async function follow() {
  followed = here.peek();
  const { path, query } = here.value;
  const found = match(path);
  try {
    const component = found ? (await found.route.load()).default : NoSuchPage;
    if (here.peek().path !== path) return;
    failed.value = null;
    const pattern = found?.route.pattern.source ?? path;
    const before = drawn.peek();
    drawn.value = { component, params: found?.params ?? {}, query, key: pattern + (found?.params["space"] ?? ""), path };
    if (before) announce(before.path !== path);
  } catch (error) {
    if (await answers()) failed.value = error;
    else await lostConnection().then(follow); // what is shown stays until then
  }
}

/**
 * After another screen is drawn: scroll, and tell those who cannot see where they are.
 * @param {boolean} elsewhere whether it is another screen, not the same with other filters
 */
function announce(elsewhere) {
  requestAnimationFrame(() => {
    restorePlace();
    if (!elsewhere || document.querySelector("dialog[open]")) return;
    const heading = /** @type {HTMLElement | null} */ (document.querySelector("main h1") ?? document.querySelector("main"));
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  });
}

export function Console() {
  useEffect(() => {
    askWho();
    listenToKeys();
  }, []);
  useEffect(() => here.subscribe((now) => void (now !== followed && follow())), []);
  useEffect(() => whenIdle(() => void import("../api/documents.js").catch(() => undefined)), []);
  useShortcuts([
    { keys: "Mod+k", label: t("palette.title"), run: () => openPalette() },
    { keys: "/", label: t("palette.search"), run: () => openPalette() },
    { keys: "g h", label: t("home.title"), run: () => go("/") },
  ]);
  return html`
    ${offline.value && html`<div class="banner" role="status">${t("offline")}</div>`}
    <${Drawn} />
    <${SignInAgain} />
    <${Palette} />
    <${Questions} />
    <${ShortcutHelp} />
    <${Toasts} />
  `;
}

function Drawn() {
  const [broken, mend] = useErrorBoundary((error) => console.error(error));
  const screen = drawn.value;
  if (broken || failed.value) {
    const again = () => (mend(), void follow());
    return html`<${Screen} title=${t("broken.title")}><div class="stack">
      <p>${failed.value ? t("broken.load") : t("broken.text")}</p>
      <div class="row"><${Button} kind="main" onClick=${again}>${t("try-again")}<//>
      <${Button} onClick=${() => location.reload()}>${t("broken.reload")}<//></div>
    </div><//>`;
  }
  if (!screen) return html`<${Screen} title=""><${Bones} /><//>`;
  return html`<${screen.component} key=${screen.key} params=${screen.params} query=${screen.query} />`;
}

function SignInAgain() {
  useEffect(() => {
    const look = () => signedOut.peek() && void checkSession();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  if (!signedOut.value) return null;
  const again = async () => void ((await checkSession()) || window.open(`${BASE}/sign-in`, "_blank"));
  const foot = html`<${Button} kind="main" onClick=${again}>${t("signed-out.again")}<//>`;
  return html`<${Dialog} title=${t("signed-out.title")} onClose=${() => undefined} foot=${foot}><p>${t("signed-out.text")}</p><//>`;
}
