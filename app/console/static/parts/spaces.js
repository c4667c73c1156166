// A field in which a space of an organization is found by its title, wherever it is.

import { html } from "../vendor/preact.js";
import { query } from "../api/queries.js";
import { Emoji } from "./basic.js";
import { Finder } from "./finder.js";

/** @typedef {{ id: string, restId: string, title: string, emoji?: string | null, parent?: { title: string } | null,
 *   permissions?: { edit: boolean, installIntegration: boolean } }} FoundSpace */

/**
 * @param {{ label: string, organization: string, value: FoundSpace | null, onChange: (space: FoundSpace | null) => void,
 *   placeholder?: string, hint?: string, wrong?: string | null, may?: (space: FoundSpace) => boolean | undefined }} props
 *   `may` chooses those that are offered
 */
export function SpaceField({ organization, may = () => true, ...more }) {
  const find = async (/** @type {string} */ text) => {
    const asked = query("FindSpaces", { organization, ...(text ? { filter: { title: text } } : {}) });
    await asked.refresh();
    return asked.data?.organization?.spaces?.nodes ?? [];
  };
  const offer = (/** @type {FoundSpace[]} */ found, /** @type {string} */ text) => found.filter((each) => may(each) && each.title.toLowerCase().includes(text.trim().toLowerCase()));
  return html`<${Finder} ...${more} about=${organization} find=${find} offer=${offer}
    idOf=${(/** @type {FoundSpace} */ each) => each.restId} nameOf=${(/** @type {FoundSpace} */ each) => each.title}
    picture=${(/** @type {FoundSpace} */ each) => html`<${Emoji} code=${each.emoji} glyph="book" />`}
    detail=${(/** @type {FoundSpace} */ each) => each.parent?.title ?? ""} />`;
}
