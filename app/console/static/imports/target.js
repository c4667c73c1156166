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
 * Start an import run and return it. The change request that it goes into is opened when the run writes its content, so
 * that one that fails or is cancelled leaves none.
 * @param {string} organization
 * @param {Record<string, unknown>} source
 * @param {TargetChoice} target
 * @param {string} name what is imported, for the subject of the change request
 * @returns {Promise<any>}
 */
export async function startRun(organization, source, target, name) {
  const reviewed = target.reviewed ? { changeRequestSubject: t("import.subject", { source: name }).slice(0, 100) } : {};
  const into = target.id ? { space: target.id, ...reviewed } : {};
  return (await mutate("StartImportRun", { organization, source, target: into })).importRun;
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
