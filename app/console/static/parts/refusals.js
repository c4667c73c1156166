// What the server refuses of a form, told at its fields.

import { useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { say } from "./overlays.js";

/** Return what runs an action and keeps the refusal of a field, and what tells it. */
export function useRefusals() {
  const [refused, setRefused] = useState(/** @type {ApiError | null} */ (null));
  const tried = async (/** @type {() => Promise<unknown>} */ act) => {
    setRefused(null);
    try {
      await act();
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setRefused(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const wrong = (/** @type {string} */ field) => (refused?.path.includes(field) ? refused.message : null);
  return { tried, wrong };
}
