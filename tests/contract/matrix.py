"""Permissions: the verdict that each operation owes to each actor, told from the one table of rights.

The row of an operation states what it needs (`Operation.permission`; several rights are judged in their
order). An organization that the path does not name is the cast's. What the
table of rights cannot tell is an exception with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.access.rights import TABLES, WHILE_DELETED, Level
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from tests.contract.exceptions import EXCEPTIONS
from tests.contract.faces import SUCCESS, Call

IDS = {"space": "spaceId", "collection": "collectionId", "site": "siteId"}
CONTENT = tuple(IDS)
Verdict = str | int


@dataclass(frozen=True, slots=True)
class Need:
    """One right on one kind of object, which the path names, or else the body."""

    kind: str
    right: str
    named: bool = False

    @property
    def least(self) -> Level:
        """The least level that has it."""
        return TABLES[self.kind]["admin" if self.right == "restore" else self.right]

    @property
    def to_see(self) -> Level:
        """The least level that knows of the object."""
        return TABLES[self.kind]["view"]


@dataclass(frozen=True, slots=True)
class Rights:
    """What an operation needs."""

    needs: tuple[Need, ...] = ()
    public: bool = False

    @property
    def content(self) -> Need | None:
        """What it needs of content that its path names, first of all."""
        return next((need for need in self.needs if need.kind in CONTENT and not need.named), None)


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody with a token, as far as verdicts go. `role` is None for a guest, `granted` what they have been
    granted of the content in the path, themselves or through a team."""

    name: str
    token: str | None
    user: str = ""
    known: bool = True
    belongs: bool = True
    role: str | None = None
    read_only: bool = False
    closed: bool = False
    granted: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: an operation, called so, by somebody, on content that may be deleted."""

    operation: Operation
    rights: Rights
    deleted: bool = False
    call: Call = field(default_factory=Call)


def rights() -> dict[str, Rights]:
    """The rights that the rows state, by operationId."""
    return {row.id: _rights(row.permission) for row in OPERATIONS}


def _rights(text: str) -> Rights:
    if text in ("public", "anybody"):
        return Rights(public=text == "public")
    needs = tuple(_need(part.strip()) for part in text.split("+"))
    for need in needs:
        assert need.right == "restore" or need.right in TABLES[need.kind], f"there is no right {need}"
    return Rights(needs)


def _need(text: str) -> Need:
    kind, right = text.removeprefix("named ").split(":")
    return Need(kind, right, text.startswith("named "))


def level_of(asked: Asked, player: Player, need: Need) -> Level:
    """What somebody has on an object of this kind: their role, or more where they were granted more."""
    own = Level[player.role.upper()] if player.role else Level.NONE
    if not player.granted or IDS.get(need.kind) not in asked.operation.parameters:
        return own
    return max(own, Level[player.granted.upper()])


def expected(asked: Asked, player: Player) -> Verdict:
    """The verdict that somebody is owed."""
    if not player.known and not asked.rights.public:
        return 401
    if asked.operation.writes and player.read_only:
        return 403
    found = EXCEPTIONS.get((asked.operation.id, player.name))
    if found is not None and not asked.deleted and not _lacks(asked, player):
        return found[0]
    for need in asked.rights.needs:
        verdict = _judged(asked, player, need)
        if verdict != SUCCESS:
            return verdict
    return SUCCESS


def _lacks(asked: Asked, player: Player) -> bool:
    """Tell whether a guest was granted less than is needed: then no exception is about them."""
    need = asked.rights.content
    return player.name.endswith(" guest") and need is not None and level_of(asked, player, need) < need.least


def _judged(asked: Asked, player: Player, need: Need) -> Verdict:
    held = level_of(asked, player, need)
    deleted = asked.deleted and need.kind == "space"
    if not player.belongs or held < need.to_see or (deleted and held < Level.ADMIN):
        in_address = {"organizationId", *IDS.values()} & {*asked.operation.parameters}
        return 400 if need.named and (player.belongs or not in_address) else 404
    if player.closed:
        return 403
    if deleted and need.right not in WHILE_DELETED:
        return 409
    return SUCCESS if held >= need.least else 403


def boundary(asked: Asked, players: Sequence[Player]) -> Player | None:
    """Whoever just may, among those with a role: all who have more may too."""
    able = [
        p for p in players if p.role and not p.read_only and not p.closed and expected(asked, p) == SUCCESS
    ]
    return min(able, key=lambda player: Level[str(player.role).upper()], default=None)


def granted(player: Player, level: Level) -> Player:
    """Return the same guest with a grant of this level; NONE is no grant."""
    return replace(player, granted=level.name if level else "")
