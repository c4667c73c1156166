// The console's first module: the interface's texts, then who is signed in, then the screen that the address names.

import { html, render } from "./vendor/preact.js";
import { Console } from "./shell/console.js";
import { start } from "./router.js";
import { loadTexts } from "./texts.js";

await loadTexts();
start();
const place = /** @type {HTMLElement} */ (document.getElementById("console"));
place.textContent = "";
render(html`<${Console} />`, place);
