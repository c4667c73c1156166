"""In which organization a call will probably write: what lets it wait there before it begins."""

from __future__ import annotations

from collections.abc import Collection, Set

from cachetools import LRUCache

from app.access.audit_actions import AuditAction
from app.access.context import Actor

_SPACE = "spaceId"  # the first part of the path of what is done in a space
_REMEMBERED = 10_000


class Homes:
    """The organizations of spaces in which somebody wrote lately. They are expected there again, no more."""

    def __init__(self) -> None:
        self._of_spaces: LRUCache[str, str] = LRUCache(_REMEMBERED)

    def expected(self, actor: Actor, action: AuditAction) -> Set[str]:
        """Return the organization that a call will change something in; none where that is not known."""
        space = space_of(action)
        known = self._of_spaces.get(space) if space else None
        if known is not None and known in actor.memberships:
            return {known}
        # Who belongs to one organization writes there.
        return actor.memberships.keys() if len(actor.memberships) == 1 else frozenset()

    def learn(self, action: AuditAction, organizations: Collection[str]) -> None:
        """Remember where a call wrote, if that was in a space."""
        space = space_of(action)
        if space and len(organizations) == 1:
            (self._of_spaces[space],) = organizations


def space_of(action: AuditAction) -> str | None:
    """Return the id of the space that a call is made in, as its path has it."""
    return action.path[0][1] if action.path and action.path[0][0] == _SPACE else None
