"""The types of subscriptions: their fields, and the changes that they tell of."""

from __future__ import annotations

import strawberry

from app.api.graphql.around import Loading
from app.api.graphql.declarations import Argument, DateTime, Declarations, Declared, Field, optional
from app.api.graphql.nodes import lower, nodes, title
from app.api.graphql.subscriptions import AFTER, WATCHED, told
from app.models.base import Enumeration

ID = strawberry.ID
ABOUT = {
    "spaceChanged": "A space was changed: its settings, its content, its place.",
    "changeRequestChanged": "A change request was changed, or one of those of a space.",
    "commentChanged": "A comment or a reply was changed: of a page, a change request, or all of a space.",
    "jobChanged": "A job went on: an import, a Git sync, the processing of an OpenAPI specification.",
}
SHOWN = {
    "spaceChanged": ("Space",),
    "changeRequestChanged": ("ChangeRequest", "Space"),
    "commentChanged": ("Comment", "CommentReply", "ChangeRequest", "Space"),
    "jobChanged": ("ImportRun", "Space", "Organization"),
}
CHANGE_ACTIONS = {
    "created": "It was created.",
    "updated": "It was updated.",
    "content-updated": "Its content was changed.",
    "moved": "It was moved or transferred.",
    "deleted": "It was deleted.",
    "restored": "It was restored.",
    "status-changed": "Its status was changed.",
    "review-requested": "Somebody was asked for a review.",
    "review-withdrawn": "Somebody is not asked for a review any more.",
    "reviewed": "It was reviewed.",
    "merged": "It was merged.",
    "resolved": "It was resolved.",
    "reopened": "It was opened again.",
    "reply-created": "A reply was created.",
    "reply-updated": "A reply was updated.",
    "reply-deleted": "A reply was deleted.",
    "started": "It was started.",
    "progressed": "It made progress.",
    "completed": "It was completed.",
    "failed": "It failed.",
    "cancelled": "It was cancelled.",
}
CHANGE_KINDS = {
    "space": "A space.",
    "change-request": "A change request.",
    "comment": "A comment or a reply.",
    "import-run": "An import.",
    "git-sync": "The sync of a space with a Git repository.",
    "openapi-spec": "The processing of an OpenAPI specification.",
}
ENUMERATIONS = (
    Enumeration("ChangeAction", tuple(CHANGE_ACTIONS), CHANGE_ACTIONS),
    Enumeration("ChangedKind", tuple(CHANGE_KINDS), CHANGE_KINDS),
)


def add_subscriptions(declarations: Declarations) -> None:
    """Declare the fields of subscriptions and the changes that they tell of."""
    subscription = declarations.type("Subscription", "What can be watched, over server-sent events.")
    for name, watched in WATCHED.items():
        change = _change(declarations, name)
        arguments = {
            each: Argument(
                ID if len(watched.scopes) == 1 else optional(ID),
                f"Either form of the id of the {title(each)}.",
            )
            for each in watched.scopes
        }
        about = "Position after which changes are told: what was missed comes first. By default, from now on."
        arguments[AFTER] = Argument(optional(str), about)
        subscription.fields[name] = Field(
            optional(change.handle), ABOUT[name], resolve=told, arguments=arguments
        )


def _change(declarations: Declarations, name: str) -> Declared:
    change = declarations.type(
        title(name.removesuffix("d")), "A change that was made, and what was changed as it is now."
    )
    change.fields = {
        "kind": Field(declarations.enumeration(CHANGE_KINDS), "What was changed.", key="kind"),
        "action": Field(declarations.enumeration(CHANGE_ACTIONS), "What happened.", key="action"),
        "changedAt": Field(DateTime, "When it was changed.", key="changedAt"),
        "position": Field(str, "Position of the change, to go on `after`.", key="position"),
    }
    if name == "jobChanged":
        change.fields["jobId"] = Field(optional(ID), "Identifier of the job in REST.", key="jobId")
    for type_ in SHOWN[name]:
        about = f"The {type_}, as the subscriber may see it now; null where it is gone or not concerned."
        change.fields[lower(type_)] = Field(
            optional(declarations.type(type_).handle), about, resolve=Loading(nodes()[type_])
        )
    return change
