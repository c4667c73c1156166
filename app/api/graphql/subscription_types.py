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
    "review-requested": "A review was requested from somebody.",
    "review-withdrawn": "A review request was withdrawn.",
    "reviewed": "It was reviewed.",
    "merged": "It was merged.",
    "resolved": "It was resolved.",
    "reopened": "It was reopened.",
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
                f"The {title(each)} to watch, by its `id` or `restId`.",
            )
            for each in watched.scopes
        }
        about = "Position after which to start: missed changes are sent first. By default, only new changes."
        arguments[AFTER] = Argument(optional(str), about)
        subscription.fields[name] = Field(
            optional(change.handle), ABOUT[name], resolve=told, arguments=arguments
        )


def _change(declarations: Declarations, name: str) -> Declared:
    change = declarations.type(
        title(name.removesuffix("d")), "A change and the current state of the changed object."
    )
    change.fields = {
        "kind": Field(declarations.enumeration(CHANGE_KINDS), "What was changed.", key="kind"),
        "action": Field(declarations.enumeration(CHANGE_ACTIONS), "What happened.", key="action"),
        "changedAt": Field(DateTime, "When it was changed.", key="changedAt"),
        "position": Field(
            str, "Position of the change. Pass it as `after` to continue from there.", key="position"
        ),
    }
    if name == "jobChanged":
        change.fields["jobId"] = Field(optional(ID), "Identifier of the job in REST.", key="jobId")
    for type_ in SHOWN[name]:
        about = (
            f"The {type_} in its current state. Null if the change is not about one, or if the subscriber "
            "may no longer see it."
        )
        change.fields[lower(type_)] = Field(
            optional(declarations.type(type_).handle), about, resolve=Loading(nodes()[type_])
        )
    return change
