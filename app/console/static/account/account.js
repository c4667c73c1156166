// What belongs to a person: profile and mail, tokens, ways to sign in, applications, data.

import { html } from "../vendor/preact.js";
import { Nothing } from "../parts/basic.js";
import { LinkTabs } from "../parts/lists.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { Applications } from "./applications.js";
import { Data } from "./data.js";
import { Profile } from "./profile.js";
import { Security } from "./security.js";
import { Tokens } from "./tokens.js";

/** @type {Record<string, (props: any) => any>} */
const PARTS = { settings: Profile, tokens: Tokens, security: Security, applications: Applications, data: Data };

/** @param {{ params: Record<string, string> }} props */
export default function Account({ params }) {
  const name = params["part"] ?? "", part = PARTS[name];
  const tabs = Object.keys(PARTS).map((each) => ({ to: `/account/${each}`, label: t(`account.${each}`) }));
  return html`<${Screen} title=${t("account.title")}>
    <div class="stack">
      <${LinkTabs} label=${t("account.title")} tabs=${tabs} />
      ${part ? html`<${part} />` : html`<${Nothing} title=${t("missing.title")} />`}
    </div>
  <//>`;
}
