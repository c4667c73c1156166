"""The caller of a request (`Actor`) and the objects that its functions share (`Context`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from app.access.audit_actions import AgentNote, AuditSubject, CallNotes, ChangeNote, Event
from app.access.quotas import Own, take_request
from app.access.rate_limits import RateLimits
from app.access.rights import Level
from app.kit.database.interface import Database, Reader, Transaction
from app.kit.database.paging import PageTokens
from app.kit.settings import Settings
from app.kit.signing import Signer

if TYPE_CHECKING:  # reading does not load the feed
    from app.models.agents import AgentChangeKind
    from app.models.change_events import ChangedKind


@cache
def _on_content(own: Level, inherited: Level) -> tuple[Level, ...]:
    levels = (*Level, inherited)
    if own == Level.ADMIN:
        return (Level.ADMIN,) * len(levels)
    if inherited == Level.NONE:  # a guest has grants only
        return (Level.NONE,) * len(levels)
    return levels


@dataclass(slots=True, frozen=True)
class Grants:
    """The grants of a person in one organization, their own or through teams: levels by object.

    `collections` are those of the objects that are collections: their grants count for all below.
    """

    levels: Mapping[str, Level] = field(default_factory=dict)
    collections: tuple[str, ...] = ()


NO_GRANTS = Grants()


@dataclass(slots=True, frozen=True)
class Membership:
    """A person's standing in one organization, as this token sees it.

    `on_content` is their level on content by its base level; the last entry, which -1 reaches, is for content
    that inherits from the organization (see access.levels). `closed` says why this token is of no use there,
    as a sentence. `quotas` are those of the organization that differ from the settings. `deleted` tells
    whether the organization is deleted, so that this token only reads there.
    """

    organization_id: str
    level: Level
    inherited: Level
    closed: str | None = None
    grants: Grants = NO_GRANTS
    user_id: str = ""
    quotas: Own = None
    deleted: bool = False
    on_content: tuple[Level, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "on_content", _on_content(self.level, self.inherited))

    def on(self, row: HasLevels) -> Level:
        """Return the level on a row of content: the highest of its default level and of all that was
        granted on it or on a collection above it, to the person or to a team of theirs."""
        if not self.grants.levels:  # nearly everybody, asked for every row of a list
            return self.on_content[row.base_level]
        return self.ruling(row)[0]

    def ruling(self, row: HasLevels) -> tuple[Level, str | None]:
        """Return the level on a row of content and the object, the nearest one, whose grant gives it; None
        where that is the default level or the role."""
        held = self.on_content[row.base_level]
        granted = self.grants.levels
        if not granted or held == Level.ADMIN:
            return held, None
        giver = max((row.id, *row.lineage.split()), key=lambda known: granted.get(known, Level.NONE))
        given = granted.get(giver, Level.NONE)
        return (given, giver) if given > held else (held, None)


class HasLevels(Protocol):
    """Content as far as its levels go."""

    @property
    def id(self) -> str:
        """Return its id."""

    @property
    def base_level(self) -> int:
        """Return what its default level comes to."""

    @property
    def lineage(self) -> str:
        """Return the collections above it, whose grants count for it too."""


class HasOrganization(Protocol):
    """Content of an organization."""

    @property
    def id(self) -> str:
        """Return its id."""

    @property
    def organization_id(self) -> str:
        """Return the organization that it belongs to."""


@dataclass(slots=True, frozen=True)
class IntegrationCaller:
    """An integration that calls with the token of one of its installations, or with one of its own."""

    integration_id: str
    installation_id: str | None = None

    @property
    def name(self) -> str:
        """Return what stays the same while its tokens change, which last an hour."""
        if self.installation_id is None:
            return f"integration {self.integration_id}"
        return f"installation {self.installation_id}"

    def is_of(self, integration_id: str, installation_id: str) -> bool:
        """Return whether an installation is the caller's own."""
        return self.integration_id == integration_id and self.installation_id in (None, installation_id)


@dataclass(slots=True, frozen=True)
class Actor:
    """The verified caller; without a user nobody is calling.

    `scopes` are those of the token, which opens only what they open (see access.scopes); None where it opens
    everything that the person may do. `spaces` are those that the token is limited to, None where it is not:
    `memberships` say so already. `counted` are the organizations that this request was counted in; None where
    requests are not counted.
    """

    user_id: str
    token_id: str = ""
    read_only: bool = False
    only_organization: str | None = None  # what the token is limited to
    spaces: frozenset[str] | None = None
    is_session: bool = False  # whether a person calls from a browser in which they are signed in
    memberships: Mapping[str, Membership] = field(default_factory=dict)
    installation: IntegrationCaller | None = None  # whose token it is, if no person's
    scopes: frozenset[str] | None = None
    is_agent: bool = False  # whether a program proposes changes for the person, who decides
    is_operator: bool = False  # whether whoever runs the installation calls, by a command
    run: str | None = None  # of an agent: what it names the task that it is at
    authorization_id: str | None = None  # for which an application was given the token
    counted: set[str] | None = field(default=None, compare=False)

    @property
    def holder(self) -> str:
        """Return what stays the same while an application refreshes its token: the authorization, or else the
        token."""
        return self.authorization_id or self.token_id

    @property
    def is_nobody(self) -> bool:
        """Tell whether there are no credentials: nobody reads what is public, and no more."""
        return not (self.user_id or self.installation or self.is_operator)


@dataclass(slots=True)
class Context:
    """One call's surroundings. `db` reads; `tx` is the same connection when the call may write.

    `notes` are taken of calls that write and are kept in the audit log.
    """

    db: Reader
    actor: Actor
    now: datetime
    signer: Signer
    settings: Settings
    notes: CallNotes | None = None
    home: Database | None = None  # for what is kept whatever becomes of the call
    limits: RateLimits | None = None
    is_lasting: bool = True  # what was read stays the same until something is committed

    def count_request(self, membership: Membership) -> None:
        """Count this request in an organization, once; raises TooManyRequests where its quota is used up."""
        counted = self.actor.counted
        if counted is None or self.limits is None or membership.organization_id in counted:
            return
        organization_id = membership.organization_id
        take_request(self.limits, self.settings, organization_id, membership.quotas, self.now)
        counted.add(organization_id)

    def note(self, kind: str, id: str, organization_id: str, title: str | None = None) -> None:
        """Note what this call is about, for the organization's audit log; the first to say so is right."""
        if self.notes is not None and organization_id not in self.notes.subjects:
            self.notes.subjects[organization_id] = AuditSubject(kind, id, organization_id, title)

    def emit(self, type: str, organization_id: str, kind: str, id: str, **payload: Any) -> None:
        """Note what integrations that have this object are told of when this call is committed."""
        if self.notes is not None:
            self.notes.emitted.append(Event(type, organization_id, kind, id, payload))

    def changed(self, kind: ChangedKind, action: str, organization_id: str, **ids: str | None) -> None:
        """Note a change for the feed, which subscribers are told of when this call is committed.

        `ids` are the fields of a `ChangeNote` that name what was changed and all that it is in.
        """
        if self.notes is not None:
            self.notes.changes[ChangeNote(kind, action, organization_id, **ids)] = None

    def agent_made(
        self,
        kind: AgentChangeKind,
        space: HasOrganization,
        object_id: str,
        request_id: str | None = None,
        number: int | None = None,
    ) -> None:
        """Note what is made here if an agent makes it, so that it can be undone."""
        if self.notes is not None and self.actor.is_agent:
            note = AgentNote(kind, space.organization_id, space.id, object_id, request_id, number)
            self.notes.agent.append(note)

    def stores(self, organization_id: str, holder_id: str, size: int) -> None:
        """Note that this call stores bytes for something of an organization."""
        if self.notes is not None and size:
            held = self.notes.stored
            held[organization_id, holder_id] = held.get((organization_id, holder_id), 0) + size

    @property
    def tx(self) -> Transaction:
        """Return the transaction of this call; asking for it in a read is a programming error."""
        assert isinstance(self.db, Transaction), "this call only reads"
        return self.db

    @property
    def tokens(self) -> PageTokens:
        """Return page tokens of this caller."""
        return PageTokens(self.signer, self.actor.user_id)
