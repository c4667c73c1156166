// How the pages of two revisions differ, which may lie far apart.

import { useEffect, useState } from "../vendor/preact.js";
import { send } from "../api/client.js";

const FIELDS = ["title", "description", "slug", "emoji"];

/**
 * Compare two revisions; `found` are changes as the API has them, once they are known.
 * @param {string} space
 * @param {string} before
 * @param {string} after
 */
export function useDifferences(space, before, after) {
  const [state, setState] = useState(/** @type {{ found: any[] | null, error: Error | null, older: any }} */ ({ found: null, error: null, older: null }));
  useEffect(() => {
    let stale = false;
    setState({ found: null, error: null, older: null });
    Promise.all([pagesAt(space, before), pagesAt(space, after)]).then(
      ([old, now]) => stale || setState({ found: differences(old.pages, now.pages), error: null, older: old.revision }),
      (error) => stale || setState({ found: null, error, older: null }),
    );
    return () => void (stale = true);
  }, [space, before, after]);
  return state;
}

/**
 * @param {string} space
 * @param {string} revision
 */
async function pagesAt(space, revision) {
  /** @type {Map<string, any>} */
  const pages = new Map();
  let after = null, found;
  do {
    const { data, errors } = await send("RevisionPages", { space, revision, after });
    found = data.space?.revision;
    if (!found) throw new Error(errors[0]?.message);
    for (const page of found.pageList.nodes) pages.set(page.restId, page);
    after = found.pageList.pageInfo.hasNextPage ? found.pageList.pageInfo.endCursor : null;
  } while (after);
  return { pages, revision: found };
}

/**
 * @param {Map<string, any>} old
 * @param {Map<string, any>} now
 */
function differences(old, now) {
  const made = [];
  for (const [id, page] of now) {
    const before = old.get(id), pageSummary = page;
    if (!before) made.push({ type: "PAGE_CREATED", pageSummary });
    else {
      const names = FIELDS.filter((name) => (before[name] ?? null) !== (page[name] ?? null));
      const attributes = Object.fromEntries(names.map((name) => [name, { before: before[name], after: page[name] }]));
      if (names.length || before.documentId !== page.documentId) made.push({ type: "PAGE_EDITED", pageSummary, attributes });
      else if (before.path !== page.path) made.push({ type: "PAGE_MOVED", pageSummary, parent: { before: { title: before.path }, after: { title: page.path } } });
    }
  }
  for (const [id, page] of old) if (!now.has(id)) made.push({ type: "PAGE_DELETED", pageSummary: page });
  return made;
}
