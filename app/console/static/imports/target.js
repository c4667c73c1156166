// Where an import goes: a new space, or one that is there, directly or as a change request.

import { html, useEffect, useState } from "../vendor/preact.js";
import { mutate, useQuery } from "../api/queries.js";
import { Checkbox, Select } from "../parts/forms.js";
import { useAll } from "../parts/lists.js";
import { t } from "../texts.js";

/**
 * Hold what is chosen as the target of an import.
 * @param {string} organization
 * @param {string} first id of the space to begin with, empty for a new one
 * @param {boolean} isGit whether a Git sync writes it
 */
export function useTarget(organization, first, isGit) {
  const found = useQuery("ImportTargets", { organization });
  const all = useAll(found, (data) => data.organization?.spaces);
  const [id, setId] = useState(first), [reviewed, setReviewed] = useState(false);
  const writable = (/** @type {any} */ each) => (isGit ? each.permissions?.triggerGitSync : each.permissions?.edit);
  const spaces = /** @type {any[]} */ (all.filter(writable)), space = spaces.find((each) => each.restId === id);
  const mustReview = !!space && !isGit && (space.editMode !== "LIVE" || !space.permissions.merge);
  return { organization, isLoading: !found.data && !found.error, spaces, space, id: space ? id : "", setId, mustReview, reviewed: !!space && (reviewed || mustReview), setReviewed };
}

/** @typedef {ReturnType<typeof useTarget>} TargetChoice */

/**
 * Return the target as an import run wants it; opens the change request that it goes into.
 * @param {TargetChoice} target
 * @param {string} source what is imported, for the subject of the change request
 * @returns {Promise<{ space?: string, changeRequest?: string }>}
 */
export async function opened(target, source) {
  if (!target.id) return {};
  if (!target.reviewed) return { space: target.id };
  const subject = t("import.subject", { source }).slice(0, 100);
  const { changeRequest } = await mutate("CreateChangeRequest", { space: target.id, subject }, { refresh: ["Space", "ChangeRequests"] });
  return { space: target.id, changeRequest: changeRequest.restId };
}

/** @param {{ target: TargetChoice, mayCreate: boolean | undefined }} props */
export function Target({ target, mayCreate }) {
  const { spaces, id, setId, space } = target;
  useEffect(() => {
    if (!mayCreate && !id && spaces[0]) setId(spaces[0].restId);
  }, [mayCreate, id, spaces.length]);
  const options = /** @type {[string, string][]} */ ([...(mayCreate ? [["", t("import.new-space")]] : []), ...spaces.map((each) => [each.restId, each.title])]);
  return html`<${Select} label=${t("import.target")} value=${id} options=${options} onChange=${setId} hint=${!id ? t("import.new-space-hint") : null} />
    ${space && html`<${Checkbox} label=${t("import.reviewed")} hint=${t(target.mustReview ? "import.must-review" : "import.reviewed-hint")} checked=${target.reviewed} disabled=${target.mustReview} onChange=${target.setReviewed} />`}`;
}
