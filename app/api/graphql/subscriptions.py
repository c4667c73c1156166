"""Subscriptions: fields that answer again whenever something was changed, fed by the feed of changes.

Each change runs the document once, with the rights that the subscriber has then (see `streams`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.api.graphql.nodes import AT, Source, nodes, title
from app.api.graphql.reading import load, place
from app.api.graphql.state import Info, RequestState
from app.domain.change_feed.change_feed import Topic
from app.domain.change_feed.recorded_changes import RecordedChange
from app.kit.errors import Invalid
from app.models.change_events import JOB_KINDS

AFTER = "after"


@dataclass(slots=True, frozen=True)
class Watched:
    """The kinds of changes that a field of subscriptions watches, in the first object of its arguments.

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


def told(source: Source, _info: Info, **_given: Any) -> Source:
    """Resolve a field of subscriptions: the change that is told."""
    return source


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
        raise Invalid(f"Give what to watch: {wanted}.", path=next(iter(watched.scopes)))
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
