// Whether the window is as narrow as a phone: what does not fit beside the content is out of sight then.

import { signal } from "../vendor/preact.js";

const narrow = matchMedia("(max-width: 800px)"); // as the style sheets have it

export const isNarrow = signal(narrow.matches);

narrow.addEventListener("change", () => (isNarrow.value = narrow.matches));
