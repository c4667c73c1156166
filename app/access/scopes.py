"""The scopes of tokens: each opens the operations whose rows name it, and no others.

The tokens of installations always have scopes; a scope also says how much it allows on the content that was
selected for the installation. People's tokens may have them: `read` and `write` open all operations that
read or write, the others the same as for installations. A scope never gives more than the person may do.

Agents propose and people decide: the token of an agent opens what reads, and of what writes the tools of
agents alone (see api.mcp). Anything else it opens only where one of its scopes names that very operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from app.access.context import Actor
from app.access.rights import READING, Level
from app.kit.errors import Forbidden


@dataclass(slots=True, frozen=True)
class Scope:
    """The level that a scope gives on the selected content of a kind, or in the organization."""

    kind: str
    level: Level


ALWAYS = "always"
"""Stands in the rows of operations that every token of an installation opens: it may look after itself."""

INTEGRATION = "integration"
"""Stands in the rows of operations that only the token of the integration itself opens, besides people's: it
finds its installations."""

READ, WRITE = "read", "write"
"""Open, to people's tokens, every operation that reads, and every one that writes."""

OPERATION = "operation:"
"""Begins a scope that opens one operation, by its operationId: `operation:mergeChangeRequest`."""

VISITOR_AUTH = "site:visitor:auth"  # signs in the visitors of the sites that name the integration for it

SCOPES: Mapping[str, Scope] = {
    "space:content:read": Scope("space", Level.READ),
    "space:content:write": Scope("space", Level.EDIT),
    "space:metadata:read": Scope("space", Level.READ),
    "space:metadata:write": Scope("space", Level.EDIT),
    "space:git:sync": Scope("space", Level.EDIT),
    "space:views:read": Scope("space", Level.READ),
    "space:script:inject": Scope("space", Level.READ),
    "space:script:cookies": Scope("space", Level.READ),
    "space:visitor:auth": Scope("space", Level.READ),
    "page:feedback:read": Scope("site", Level.READ),
    "site:metadata:read": Scope("site", Level.READ),
    "site:views:read": Scope("site", Level.READ),
    "site:script:inject": Scope("site", Level.READ),
    "site:script:cookies": Scope("site", Level.READ),
    VISITOR_AUTH: Scope("site", Level.ADMIN),
    "site:visitor:claims": Scope("site", Level.READ),
    "site:adaptive:read": Scope("site", Level.READ),
    "site:adaptive:write": Scope("site", Level.CREATE),
    "conversations:ingest": Scope("organization", Level.NONE),
    "openapi:read": Scope("organization", Level.READ),
    "openapi:write": Scope("organization", Level.CREATE),
}


def in_force(declared: Iterable[str], agreed: Iterable[str]) -> list[str]:
    """Return, of the scopes that an integration declares, those that were agreed to where it is installed."""
    known = frozenset(agreed)
    return [name for name in declared if name in known]


def level_of(scopes: Iterable[str], kind: str) -> Level:
    """Return the level that scopes give on selected content of a kind (or in the organization)."""
    levels = (SCOPES[name].level for name in scopes if name in SCOPES and SCOPES[name].kind == kind)
    return max(levels, default=Level.NONE)


class OpenedRow(Protocol):
    """An operation's row as far as tokens open it."""

    @property
    def id(self) -> str:
        """Return its operationId."""

    @property
    def scope(self) -> str:
        """Return the scope that it names, if any."""

    @property
    def tool(self) -> str:
        """Return the name of the tool that it is for agents, if any."""

    @property
    def writes(self) -> bool:
        """Return whether it changes something."""


def permit(actor: Actor, row: OpenedRow) -> None:
    """Raise Forbidden unless the caller's token opens an operation."""
    if actor.scopes is None and not actor.is_agent:
        return
    named = actor.scopes is not None and f"{OPERATION}{row.id}" in actor.scopes
    if named and actor.installation is None:
        return
    if actor.is_agent and row.writes and not row.tool:
        raise Forbidden("Agents propose and people decide: this token does not allow this operation.")
    if actor.scopes is None or (row.scope and row.scope in actor.scopes):
        return
    if actor.installation is not None:
        raise Forbidden("No scope of this integration opens this operation.")
    if (WRITE if row.writes else READ) not in actor.scopes:
        raise Forbidden("No scope of this token opens this operation.")


NAMED = {
    "changeContent": "edit",
    "submitChangeRequestReview": "review",
    "mergeChangeRequest": "merge",
}
"""The rights that `permissions` tell, by the operations that each is about, for tokens that name those."""


def rights_of(actor: Actor) -> frozenset[str] | None:
    """Return the rights that the token of a person is good for, whatever they may do; None for all."""
    if actor.read_only:
        return READING
    if actor.installation is not None or (actor.scopes is None and not actor.is_agent):
        return None
    return _rights_of(actor.scopes, actor.is_agent)


@lru_cache(1000)
def _rights_of(scopes: frozenset[str] | None, is_agent: bool) -> frozenset[str] | None:
    named = [name.removeprefix(OPERATION) for name in scopes or () if name.startswith(OPERATION)]
    writes = scopes is None or any(name != READ and not name.startswith(OPERATION) for name in scopes)
    if writes and not is_agent:
        return None
    proposed = ("comment",) if writes else ()
    return READING.union(proposed, (NAMED[name] for name in named if name in NAMED))


def refuse_narrowed(actor: Actor) -> None:
    """Raise Forbidden for a narrowed token: it must not make or change what opens more than itself."""
    if actor.scopes is not None or actor.spaces is not None or actor.is_agent:
        raise Forbidden("A token that is limited to scopes or spaces, or an agent's token, may not do this.")
