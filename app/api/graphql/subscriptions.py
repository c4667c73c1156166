"""Subscriptions: fields that answer again whenever something was changed, fed by the feed of changes.

Each change runs the document once, with the rights that the subscriber has then (see `streams`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import strawberry

from app.api.graphql.declarations import Argument, DateTime, Declarations, Declared, Field, optional
from app.api.graphql.nodes import AT, Source, lower, nodes, title
from app.api.graphql.reading import load, place
from app.api.graphql.state import Info, RequestState
from app.domain.change_feed.change_feed import Topic
from app.domain.change_feed.recorded_changes import RecordedChange
from app.kit.errors import Forbidden, Invalid, NotFound
from app.models.base import Enumeration
from app.models.change_feed import JOB_KINDS

ID = strawberry.ID
AFTER = "after"


@dataclass(slots=True, frozen=True)
class Watched:
    """What a field of subscriptions watches: kinds of changes, in the first object that its arguments name.

    `scopes` are the fields of a change by which it is found, by the arguments that give them.
    """

    kinds: frozenset[str]
    scopes: Mapping[str, str]


PARAMETERS = {
    "organization": "organizationId",
    "space": "spaceId",
    "changeRequest": "changeRequestId",
    "page": "pageId",
    "job": "importRunId",
}
WATCHED = {
    "spaceChanged": Watched(frozenset({"space"}), {"space": "space_id"}),
    "changeRequestChanged": Watched(
        frozenset({"change-request"}), {"changeRequest": "change_request_id", "space": "space_id"}
    ),
    "commentChanged": Watched(
        frozenset({"comment"}),
        {"page": "page_id", "changeRequest": "change_request_id", "space": "space_id"},
    ),
    "jobChanged": Watched(JOB_KINDS, {"space": "space_id", "organization": "organization_id"}),
}
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
            optional(change.handle), ABOUT[name], resolve=_told, arguments=arguments
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
            optional(declarations.type(type_).handle), about, resolve=_object(type_)
        )
    return change


def _told(source: Source, _info: Info, **_given: Any) -> Source:
    """Resolve a field of subscriptions: the change that is told."""
    return source


def _object(type_: str) -> Callable[[Source, Info], Awaitable[Any]]:
    async def resolve(source: Source, info: Info) -> Any:
        node = nodes()[type_]
        address = node.address(source[AT])
        if address is None:
            return None
        try:
            return await load(info.context, node, address)
        except (NotFound, Forbidden):
            return None

    return resolve


async def topic_of(state: RequestState, field: str, given: Mapping[str, Any]) -> Topic:
    """Return what a subscription watches; raises NotFound where the subscriber may not see it.

    Raises Invalid where no argument names it, or several do that are not in each other.
    """
    watched = WATCHED[field]
    values: dict[str, str] = {}
    for name in watched.scopes:
        if given.get(name) is not None:
            place(values, PARAMETERS[name], given[name], name)
    named = next((name for name in watched.scopes if values.get(PARAMETERS[name])), None)
    if named is None:
        wanted = " or ".join(f"`{name}`" for name in watched.scopes)
        raise Invalid(f"Say what to watch: {wanted}.", path=next(iter(watched.scopes)))
    node = nodes()[title(named)]
    address = node.address(values)
    if address is None:
        raise Invalid("Give the `space` too, or the id of GraphQL.", path="space")
    await load(state, node, address)
    return Topic(watched.kinds, watched.scopes[named], address[-1])


def source_of(change: RecordedChange) -> Source:
    """Return the source of a change."""
    values = {
        "organizationId": change.organization_id,
        "spaceId": change.space_id,
        "changeRequestId": change.change_request_id,
        "commentId": change.comment_id,
        "commentReplyId": change.reply_id,
        "pageId": change.page_id,
        "importRunId": change.job_id if change.kind == "import-run" else None,
    }
    return {
        AT: {name: value for name, value in values.items() if value},
        "kind": change.kind,
        "action": change.action,
        "changedAt": change.created_at,
        "position": str(change.position),
        "jobId": change.job_id,
    }
