"""Verdicts that the table of rights cannot tell, each with its reason."""

from __future__ import annotations

Exception_ = tuple[str | int, str]
SUCCESS = "success"
OUTSIDERS = ("stranger", "disabled member", "removed member")
MEMBERS = ("create", "review", "edit", "comment", "read")
GRANTED = ("alone guest", "teamed guest")


def _each(
    operations: str, actors: tuple[str, ...], verdict: str | int, why: str
) -> dict[tuple[str, str], Exception_]:
    return {(operation, actor): (verdict, why) for operation in operations.split() for actor in actors}


EXCEPTIONS: dict[tuple[str, str], Exception_] = {
    **_each(
        "getUserById updateUserById deleteUserById exportUserById",
        (*OUTSIDERS, "guest"),
        404,
        "people are known to those who may list the members of an organization that both belong to",
    ),
    **_each("updateUserById", MEMBERS, 403, "everybody changes only themselves; the recipe names Ada"),
    **_each(
        "exportUserById",
        ("token for here", "token for elsewhere"),
        403,
        "a token that is limited to an organization exports nobody",
    ),
    **_each("exportUserById", MEMBERS, 403, "everybody exports only themselves; the recipe names Ada"),
    **_each(
        "deleteUserById",
        ("admin", *MEMBERS, "token for here"),
        403,
        "everybody deletes only their own account; the recipe's is a newcomer's",
    ),
    **_each(
        "deleteUserById", ("token for elsewhere",), 404, "the token does not open the organization of both"
    ),
    **_each("getUserById", ("token for elsewhere",), 404, "the token does not open the organization of both"),
    **_each(
        "getSubdomain",
        (*OUTSIDERS, "token for elsewhere"),
        404,
        "a subdomain tells nothing to who does not belong to its organization",
    ),
    **_each(
        "getCustomHostname revalidateCustomHostname removeCustomHostname",
        ("token for elsewhere",),
        404,
        "a host tells nothing to a token that does not open the organization of its site",
    ),
    **_each(
        "getImportRunById cancelImportRun",
        (*MEMBERS, "guest"),
        404,
        "an import run is known to who started it, and to administrators; the recipe's is Ada's",
    ),
    **_each(
        "undoAgentChanges",
        (*MEMBERS, "guest"),
        404,
        "what an agent did is undone by its person and by administrators; the recipe's is Ada's",
    ),
    **_each(
        "joinOrganizationWithInvite",
        ("disabled member",),
        403,
        "who was disabled does not come back by another door",
    ),
    **_each(
        "joinOrganizationWithInvite joinOrganizationByEmailDomain",
        ("token for elsewhere",),
        403,
        "the token is limited to another organization",
    ),
    **_each(
        "updateCommentInSpace updateCommentInChangeRequest updateCommentReplyInSpace"
        " updateCommentReplyInChangeRequest",
        GRANTED,
        403,
        "only its author, who is Ada, changes what a comment says",
    ),
    **_each(
        "deleteCommentInSpace deleteCommentInChangeRequest",
        ("comment",),
        SUCCESS,
        "its author deletes a comment, and the recipe's is Tom's",
    ),
    **_each(
        "deleteCommentReplyInSpace deleteCommentReplyInChangeRequest",
        ("edit",),
        SUCCESS,
        "its author deletes a reply, and the recipe's is Ed's",
    ),
    **_each(
        "requestReviewersForChangeRequest removeRequestedReviewer",
        ("edit",),
        SUCCESS,
        "the author of a change request asks for reviews of it, and the recipe's is Ed's",
    ),
    **_each(
        "getOAuthApplicationById updateOAuthApplicationById deleteOAuthApplicationById"
        " rotateOAuthApplicationSecret getOAuthGrantById revokeOAuthGrantById",
        (*OUTSIDERS, *MEMBERS, "guest"),
        404,
        "everybody knows their own applications and grants only, and the recipe's are Ada's",
    ),
    **_each(
        "createUpload",
        ("review", "edit"),
        SUCCESS,
        "whoever may edit content may upload files for it, by their role or by a grant",
    ),
    **_each(
        "getUploadById",
        ("create", "review", "edit", "comment", "read", "guest"),
        404,
        "only who announced an upload reads it, and the recipe's is Ada's",
    ),
    **_each(
        "getTokenById updateTokenById revokeTokenById getSessionById endSessionById"
        " getPasskeyById updatePasskeyById deletePasskeyById",
        (*OUTSIDERS, *MEMBERS, "guest"),
        404,
        "tokens, sessions and passkeys are known to their person only, and the recipe's are Ada's",
    ),
    **_each(
        "getTokenById revokeTokenById getSessionById endSessionById",
        ("token for elsewhere",),
        404,
        "what is limited to an organization knows of no token that opens another",
    ),
    **_each(
        "listPasskeysForAuthenticatedUser getPasskeyById updatePasskeyById deletePasskeyById",
        ("token for here", "token for elsewhere"),
        403,
        "a passkey opens everything, so less does not manage it",
    ),
    **_each(
        "createToken updateTokenById",
        ("token for here", "token for elsewhere"),
        403,
        "a narrowed token creates and changes none",
    ),
    **_each(
        "createToken",
        (*OUTSIDERS, "guest"),
        400,
        "the body names an organization and a space that they do not see",
    ),
    **_each(
        "explainPermissionInSpace explainPermissionInCollection explainPermissionInSite",
        ("edit",),
        SUCCESS,
        "everybody may ask about themselves, and the recipe asks about Ed",
    ),
    **_each(
        "updateSiteById updateSiteSectionById createSiteRedirect searchSiteContent",
        GRANTED,
        400,
        "the request names a space of the site that they were not granted: to them the site has none",
    ),
    **_each(
        "resolvePublishedUrl", ("guest",), 404, "an address tells nothing to who was not granted the site"
    ),
    **_each(
        "transferSpace transferCollection",
        GRANTED,
        400,
        "the body names an organization that they do not belong to",
    ),
}
