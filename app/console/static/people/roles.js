// Roles in an organization, and the field in which one is chosen.

import { html } from "../vendor/preact.js";
import { Checkbox } from "../parts/forms.js";
import { t } from "../texts.js";

/** What people may do, the most first. */
export const LEVELS = ["ADMIN", "CREATE", "REVIEW", "EDIT", "COMMENT", "READ"];
/** The value of fields for people without a role. */
export const GUEST = "GUEST";

/** Name a role. @param {string | null | undefined} role null is that of guests */
export const roleName = (role) => t(`role.${role ?? GUEST}`);

/** Name what a role allows. @param {string | null | undefined} role */
export const roleHint = (role) => t(`role.${role ?? GUEST}-hint`);

/** The roles with their names, for a field. @returns {[string, string][]} */
export const roleOptions = () => [...LEVELS, GUEST].map((each) => [each, roleName(each)]);

/** The levels with their names, for a field. @returns {[string, string][]} */
export const levelOptions = () => LEVELS.map((each) => [each, t(`level.${each}`)]);

/** Return the role of a field's value. @param {string} value */
export const roleOf = (value) => (value === GUEST ? null : value);

/**
 * A choice of role, each with what it allows.
 * @param {{ value: string, onChange: (role: string) => void }} props
 */
export function RoleField({ value, onChange }) {
  return html`<fieldset class="field stack tight"><legend class="label">${t("people.role")}</legend>
    ${roleOptions().map(([each, label]) => html`<${Checkbox} key=${each} type="radio" name="role" checked=${value === each}
      onChange=${() => onChange(each)} label=${label} hint=${roleHint(each)} />`)}
  </fieldset>`;
}
