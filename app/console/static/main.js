// The console's first module: the interface's texts and what the screen asks first, then the screen itself.

import { html, render } from "./vendor/preact.js";
import { pause } from "./api/client.js";
import { takeFirst } from "./api/queries.js";
import { Console, follow } from "./shell/console.js";
import { start } from "./router.js";
import { loadTexts } from "./texts.js";

const PATIENCE = 300; // milliseconds in which the page itself says enough: drawing twice takes longer

const asked = takeFirst();
await loadTexts();
start();
await Promise.race([Promise.all([asked, follow()]), pause(PATIENCE)]);
const place = /** @type {HTMLElement} */ (document.getElementById("console"));
place.textContent = "";
render(html`<${Console} />`, place);
