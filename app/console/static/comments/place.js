// Where comments are, for screens that load the comments themselves later.

/** What shows comments, or counts them. */
export const QUERIES = ["SpaceComments", "SpaceComment", "ChangeRequestComments", "ChangeRequestComment", "PageComments", "ChangedPageComments", "ChangeRequest"];

/**
 * Where comments are: the ids (of REST) of a space and perhaps of a change request, and what one may do there.
 * @typedef {{ space: string, changeRequest?: string, organization: string, mayComment: boolean, mayAdmin: boolean }} Place
 */

/**
 * @param {any} space
 * @param {any} [change]
 * @returns {Place}
 */
export function placeOf(space, change) {
  return {
    space: space.restId,
    ...(change ? { changeRequest: change.restId } : {}),
    organization: space.organizationId,
    mayComment: space.permissions.comment,
    mayAdmin: space.permissions.admin,
  };
}
