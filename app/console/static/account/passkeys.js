// Adding a passkey: the server gives a challenge, the device answers it. This is signing in, and so it has
// addresses of its own beside the API.

import { ApiError } from "../api/client.js";
import { BASE } from "../settings.js";
import { t } from "../texts.js";

/** Return whether this browser can keep passkeys. */
export function canHavePasskeys() {
  return typeof window.PublicKeyCredential?.["parseCreationOptionsFromJSON"] === "function";
}

/**
 * Have the device make a passkey, and add it to the account; raises ApiError.
 * @param {string} name
 */
export async function createPasskey(name) {
  const options = await send("/account/passkeys/options", {});
  const made = await fromDevice(options);
  await send("/account/passkeys", { name, answer: made.toJSON() });
}

/** @param {any} options */
async function fromDevice(options) {
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return /** @type {PublicKeyCredential} */ (await navigator.credentials.create({ publicKey }));
  } catch (error) {
    const name = /** @type {Error} */ (error).name;
    const key = name === "InvalidStateError" ? "account.passkey-there" : "account.passkey-not";
    throw new ApiError("REFUSED", t(key));
  }
}

/**
 * @param {string} path
 * @param {unknown} body
 */
async function send(path, body) {
  const answer = await fetch(`${BASE}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new ApiError("OFFLINE", t("error.OFFLINE"));
  });
  const read = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ApiError("REFUSED", read.error?.message ?? t("error.INTERNAL"));
  return read;
}
