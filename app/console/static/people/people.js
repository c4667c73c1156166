// The people of an organization: members, teams, invitations, how they sign in, and what they did.

import { html } from "../vendor/preact.js";
import { useQuery } from "../api/queries.js";
import { Nothing } from "../parts/basic.js";
import { later } from "../parts/later.js";
import { LinkTabs } from "../parts/lists.js";
import { NeedsPermission, Without } from "../shell/refused.js";
import { Screen } from "../shell/screen.js";
import { t } from "../texts.js";
import { Members } from "./members.js";

/** @type {Record<string, { needs: string, part: (props: any) => any }>} */
const PARTS = {
  "": { needs: "listMembers", part: Members },
  teams: { needs: "listTeams", part: later(() => import("./teams.js"), "Teams") },
  invitations: { needs: "admin", part: later(() => import("./invitations.js"), "Invitations") },
  domains: { needs: "admin", part: later(() => import("../sso/domains.js"), "EmailDomains") },
  sso: { needs: "admin", part: later(() => import("../sso/sso.js"), "SingleSignOn") },
  audit: { needs: "admin", part: later(() => import("../audit/audit.js"), "Audit") },
};

/** @param {{ params: Record<string, string>, query: URLSearchParams }} props */
export default function People({ params, query }) {
  const organization = params["organization"] ?? "", [name = "", rest = ""] = (params["part"] ?? "").split("/");
  const found = useQuery("People", { organization });
  const data = found.data?.organization, chosen = PARTS[name];
  if (!data) return html`<${Without} query=${found} organization=${organization} />`;
  const base = `/o/${organization}/people`;
  const tabs = Object.entries(PARTS)
    .filter(([, { needs }]) => data.permissions[needs])
    .map(([each]) => ({ to: each ? `${base}/${each}` : base, label: t(`people.${each || "members"}`) }));
  const part = () => {
    if (!chosen) return html`<${Nothing} title=${t("missing.title")} />`;
    if (!data.permissions[chosen.needs]) return html`<${NeedsPermission} permission=${chosen.needs} organization=${organization} />`;
    return html`<${chosen.part} organization=${data} query=${query} rest=${rest} />`;
  };
  return html`<${Screen} title=${t("people.title")} organization=${organization}>
    <div class="stack">
      ${tabs.length > 1 && html`<${LinkTabs} label=${t("people.title")} tabs=${tabs} />`}
      ${part()}
    </div>
  <//>`;
}
