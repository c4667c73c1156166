"""Who calls (Actor), and everything one call may use (Context)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from app.access.rights import Level
from app.kit.db import Reader, Transaction
from app.kit.paging import Tokens
from app.kit.settings import Settings
from app.kit.signing import Signer


@cache
def _on_content(own: Level, inherited: Level) -> tuple[Level, ...]:
    levels = (*Level, inherited)
    if own == Level.ADMIN:
        return (Level.ADMIN,) * len(levels)
    if inherited == Level.NONE:  # a guest has grants only
        return (Level.NONE,) * len(levels)
    return levels


@dataclass(slots=True, frozen=True)
class Membership:
    """A person's standing in one organization, as this token sees it.

    `on_content` is their level on content by its base level; the last entry, which -1 reaches, is for content
    that inherits from the organization (see access.levels).
    """

    organization_id: str
    level: Level
    inherited: Level
    outside_token: bool = False
    on_content: tuple[Level, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "on_content", _on_content(self.level, self.inherited))


@dataclass(slots=True, frozen=True)
class Actor:
    """The verified caller; without a user nobody is calling."""

    user_id: str
    token_id: str = ""
    read_only: bool = False
    only_organization: str | None = None  # what the token is limited to
    memberships: Mapping[str, Membership] = field(default_factory=dict)


@dataclass(slots=True)
class Context:
    """One call's surroundings. `db` reads; `tx` is the same connection when the call may write."""

    db: Reader
    actor: Actor
    now: datetime
    signer: Signer
    settings: Settings

    @property
    def tx(self) -> Transaction:
        """The transaction of this call; asking for it in a read is a programming error."""
        assert isinstance(self.db, Transaction), "this call only reads"
        return self.db

    @property
    def tokens(self) -> Tokens:
        """Page tokens of this caller."""
        return Tokens(self.signer, self.actor.user_id)
