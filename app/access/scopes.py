"""The scopes of installations' tokens: each opens the operations whose rows name it, and no others.

A scope also says how much it allows on the selected content. Everything else is judged as for people:
content that was not selected is not found, and what needs a higher level is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.access.rights import Level


@dataclass(slots=True, frozen=True)
class Scope:
    """The level that a scope gives on the selected content of a kind, or in the organization."""

    kind: str
    level: Level


ALWAYS = "always"
"""Stands in the rows of operations that every token of an installation opens: it may look after itself."""

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
