"""Records of one call that writes: the action for the audit log, the events it emits, what it changes and
stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # reading does not load the feed
    from app.models.agents import AgentChangeKind
    from app.models.audit import Face
    from app.models.change_events import ChangedKind


@dataclass(slots=True, frozen=True)
class AuditAction:
    """An operation by its operationId (a command by its name), called with these parts of a path."""

    face: Face
    name: str
    path: tuple[tuple[str, str], ...] = ()
    address: str | None = None


@dataclass(slots=True, frozen=True)
class Event:
    """Something that integrations are told of: an event's type and payload, about an object of a kind."""

    type: str
    organization_id: str
    kind: str
    object_id: str
    payload: Mapping[str, Any]


@dataclass(slots=True, frozen=True)
class ChangeNote:
    """A change for the feed: what happened to an object of a kind, and the ids of all that this is in."""

    kind: ChangedKind
    action: str
    organization_id: str
    space_id: str | None = None
    change_request_id: str | None = None
    comment_id: str | None = None
    reply_id: str | None = None
    page_id: str | None = None
    job_id: str | None = None


@dataclass(slots=True, frozen=True)
class AgentNote:
    """Something that an agent made: its kind, its id, and where it is; of content the revision's number."""

    kind: AgentChangeKind
    organization_id: str
    space_id: str
    object_id: str
    change_request_id: str | None = None
    number: int | None = None


@dataclass(slots=True, frozen=True)
class AuditSubject:
    """The object of an organization that a call is about, with its title where that is known."""

    kind: str
    id: str
    organization_id: str
    title: str | None = None


@dataclass(slots=True)
class CallNotes:
    """Collects what the audit log and the quotas have to know of a call that writes.

    `subjects` by organization: what was judged first there. `ids` by noun: what a path may name otherwise.
    `shown` is the answer. `emitted` are the events for integrations, `changes` those of the feed, each once.
    `agent` is what an agent makes.
    `job_due` tells whether a job was enqueued that is due now. `jobs` are the organizations that work was
    asked for, `events` how many events there are for integrations in each, `stored` the bytes by organization
    and what holds them. `erases_caller` tells whether the caller's account is erased, so that no event keeps
    their address.
    """

    subjects: dict[str, AuditSubject] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)
    emitted: list[Event] = field(default_factory=list)
    changes: dict[ChangeNote, None] = field(default_factory=dict)
    agent: list[AgentNote] = field(default_factory=list)
    job_due: bool = False
    jobs: set[str] = field(default_factory=set)
    events: dict[str, int] = field(default_factory=dict)
    stored: dict[tuple[str, str], int] = field(default_factory=dict)
    erases_caller: bool = False
