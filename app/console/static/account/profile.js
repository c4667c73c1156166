// A person's name and picture, and what they are told of by mail.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate, useQuery } from "../api/queries.js";
import { Bones, Button } from "../parts/basic.js";
import { Form, Select, TextField } from "../parts/forms.js";
import { Failed } from "../parts/lists.js";
import { attempt, say } from "../parts/overlays.js";
import { t } from "../texts.js";

const DELIVERIES = ["IMMEDIATELY", "DAILY", "WEEKLY", "NEVER"];
/** Kinds of mail and how each can be sent. @type {[string, string[]][]} */
const MAIL = [["mentions", DELIVERIES], ["reviewRequests", DELIVERIES], ["invitations", ["IMMEDIATELY", "NEVER"]]];

export function Profile() {
  const found = useQuery("Account"), user = found.data?.me;
  if (!user) return found.error ? html`<${Failed} error=${found.error} retry=${() => found.refresh()} />` : html`<${Bones} />`;
  return html`<${Names} user=${user} /><${Mail} preferences=${user.notificationPreferences} refresh=${() => found.refresh()} />`;
}

/** @param {{ user: any }} props */
function Names({ user }) {
  const [name, setName] = useState(user.displayName), [photo, setPhoto] = useState(user.photoURL ?? "");
  const [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null));
  useEffect(() => (setName(user.displayName), setPhoto(user.photoURL ?? "")), [user.displayName, user.photoURL]);
  const save = async () => {
    setWrong(null);
    try {
      await mutate("UpdateProfile", { user: user.restId, displayName: name.trim(), ...(photo.trim() ? { photoURL: photo.trim() } : {}) });
      say(t("saved"));
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
  };
  const at = (/** @type {string} */ field) => (wrong?.path.includes(field) ? wrong.message : null);
  return html`<${Form} onSubmit=${save} class="stack account-part">
    <h2>${t("account.profile")}</h2>
    <p class="soft breaks">${user.email}</p>
    <${TextField} label=${t("account.name")} value=${name} onInput=${setName} wrong=${at("displayName")} required maxlength="100" autocomplete="name" />
    <${TextField} label=${t("account.photo")} hint=${t("account.photo-hint")} type="url" dir="ltr" value=${photo} onInput=${setPhoto} wrong=${at("photoURL")} />
    <div><${Button} kind="main" type="submit" disabled=${!name.trim()}>${t("save")}<//></div>
  <//>`;
}

/** @param {{ preferences: any, refresh: () => unknown }} props */
function Mail({ preferences, refresh }) {
  const choose = (/** @type {string} */ kind, /** @type {string} */ delivery) =>
    attempt(async () => (await mutate("UpdateNotificationPreferences", { [kind]: delivery }), await refresh(), say(t("saved"))));
  return html`<section class="stack account-part">
    <h2>${t("account.mail")}</h2>
    <p class="soft">${t("account.mail-text")}</p>
    ${MAIL.map(([kind, deliveries]) => html`<${Select} key=${kind} label=${t(`account.mail-${kind}`)} value=${preferences[kind]}
      onChange=${(/** @type {string} */ chosen) => choose(kind, chosen)}
      options=${deliveries.map((each) => [each, t(`account.mail-${each}`)])} />`)}
  </section>`;
}
