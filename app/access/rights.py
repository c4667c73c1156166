"""The rights: one table per kind, right -> least level. What refuses a request is what fills `permissions`.

Levels are the specification's roles in their order (decisions, 2): the greater includes the less. What is
allowed on an object depends on its state too: who created it, whether it is locked or deleted.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache


class Level(IntEnum):
    """A level of rights. NONE on an organization is a guest; on content it is "cannot see it"."""

    NONE = 0
    READ = 1
    COMMENT = 2
    EDIT = 3
    REVIEW = 4
    CREATE = 5
    ADMIN = 6


_BY_ROLE = {each.name.lower(): each for each in Level}  # the look-up of an enumeration takes far longer


def level(role: str | None) -> Level:
    """Return the level of a role; null gives nothing."""
    return _BY_ROLE[role] if role else Level.NONE


def role(held: int) -> str | None:
    """Return the role of a level; NONE has none."""
    return Level(held).name.lower() if held else None


ORGANIZATION = {
    "view": Level.NONE,
    "access": Level.NONE,
    "admin": Level.ADMIN,
    "ownTeam": Level.ADMIN,
    "createContent": Level.CREATE,
    "createOpenAPISpec": Level.CREATE,
    "listMembers": Level.READ,
    "listTeams": Level.READ,
    "listIntegrations": Level.READ,
    "listInstallations": Level.READ,
    "installIntegration": Level.ADMIN,
    "delete": Level.ADMIN,
    "restore": Level.ADMIN,
}

# `edit` is the title and the description; `admin` the default level and who was granted what.
COLLECTION = {
    "view": Level.READ,
    "create": Level.CREATE,
    "edit": Level.ADMIN,
    "delete": Level.ADMIN,
    "admin": Level.ADMIN,
    "viewInviteLinks": Level.ADMIN,
}

# What a public site shows, everybody reads as its visitors do, without a token too.
READ_PUBLISHED = "readPublished"

SPACE = {
    "view": Level.READ,
    READ_PUBLISHED: Level.READ,
    "access": Level.READ,
    "comment": Level.COMMENT,
    "edit": Level.EDIT,
    "triggerGitSync": Level.EDIT,
    "review": Level.REVIEW,
    "merge": Level.REVIEW,
    "delete": Level.ADMIN,
    "restore": Level.ADMIN,
    "admin": Level.ADMIN,
    "viewInviteLinks": Level.ADMIN,
    "installIntegration": Level.ADMIN,
}

TEAM = {
    "view": Level.READ,
    "admin": Level.ADMIN,
}

# A site is content at the organization's root: members have their own level on it, and what they are granted.
# `edit` is what it shows and how it looks, `create` what is added. `admin` is who may read it and where: its
# visibility and address, publishing, share links, how visitors sign in (decisions, What a role allows).
SITE = {
    "view": Level.READ,
    READ_PUBLISHED: Level.READ,
    "access": Level.READ,
    "viewAdaptiveSchema": Level.READ,
    "edit": Level.CREATE,
    "create": Level.CREATE,
    "editAdaptiveSchema": Level.CREATE,
    "delete": Level.ADMIN,
    "admin": Level.ADMIN,
    "installIntegration": Level.ADMIN,
}

# What members of an organization see and those who create content there change.
OPENAPI = {
    "view": Level.READ,
    "edit": Level.CREATE,
}

TRANSLATION = {
    "view": Level.READ,
    "edit": Level.CREATE,
}

TABLES = {
    "organization": ORGANIZATION,
    "collection": COLLECTION,
    "space": SPACE,
    "team": TEAM,
    "site": SITE,
    "openapi": OPENAPI,
    "translation": TRANSLATION,
}
# What `create` allows besides on an object that its holder created.
CREATORS = {
    "collection": {"edit": Level.CREATE, "delete": Level.CREATE},
    "space": {"delete": Level.CREATE, "restore": Level.CREATE},
    "site": {"delete": Level.CREATE},
}
# What nobody may do on a locked object, and all that anybody may do on a deleted one, and on no other.
NOT_WHILE_LOCKED = frozenset({"edit", "triggerGitSync"})
NOT_FOR_GUESTS = frozenset({"installIntegration"})  # guests know of no installation to put there
WHILE_DELETED = frozenset({"view", READ_PUBLISHED, "restore"})
ONLY_WHILE_DELETED = frozenset({"restore"})


class ObjectState:
    """The state of an object that decides, besides a caller's level, what they may do: bits of a number.

    Plain integers: lists ask for the state of every row, and `enum.IntFlag` takes ten times as long.
    """

    PLAIN = 0
    CREATED = 1
    LOCKED = 2
    DELETED = 4
    GUEST = 8  # the caller is no member of its organization
    CLOSED = 16  # its organization is deleted: who still sees it reads, and no more


def least(kind: str, right: str, state: int = ObjectState.PLAIN) -> Level:
    """Return the least level that has a right on an object in this state, as far as levels go."""
    own = CREATORS.get(kind, {}).get(right) if state & ObjectState.CREATED else None
    return TABLES[kind][right] if own is None else own


def allowed(kind: str, right: str, held: int, state: int = ObjectState.PLAIN) -> bool:
    """Tell whether a level has a right on an object in this state, now."""
    if kind == "organization" and right == "restore":
        return bool(state & ObjectState.CLOSED) and held >= least(kind, right)
    if state & ObjectState.CLOSED and right not in READING:
        return False
    if state & ObjectState.DELETED:
        if right not in WHILE_DELETED or held < least(kind, "restore", state):
            return False
    elif right in ONLY_WHILE_DELETED or (state & ObjectState.LOCKED and right in NOT_WHILE_LOCKED):
        return False
    if state & ObjectState.GUEST and right in NOT_FOR_GUESTS:
        return False
    return held >= least(kind, right, state)


# What a token that only reads is good for.
_READING = """
    view access viewInviteLinks viewAdaptiveSchema
    listMembers listTeams listIntegrations listInstallations
    """
READING = frozenset(_READING.split())

# The states that objects of a kind may be in; all others are plain, or closed with their organization.
_OF_CONTENT = ObjectState.CREATED | ObjectState.GUEST | ObjectState.CLOSED
STATES: dict[str, int] = {
    "collection": _OF_CONTENT,
    "site": _OF_CONTENT,
    "space": _OF_CONTENT | ObjectState.LOCKED | ObjectState.DELETED,
}

# The rights that `permissions` tell: reading what is published is everybody's where it is anybody's.
TOLD = {kind: [right for right in table if right != READ_PUBLISHED] for kind, table in TABLES.items()}


@lru_cache(20_000)
def permissions_of_level(
    kind: str, held: int, state: int, rights: frozenset[str] | None = None
) -> dict[str, bool]:
    """Return the `permissions` of a level on an object in a state, whose token is good for `rights` at most
    (None: for all). Answers share what is returned: showing the rights of a hundred rows costs a hundred
    look-ups."""
    state &= STATES.get(kind, ObjectState.CLOSED)
    return {
        right: allowed(kind, right, held, state) and (rights is None or right in rights)
        for right in TOLD[kind]
    }


NONE_AT_ALL = {kind: dict.fromkeys(told, False) for kind, told in TOLD.items()}  # of who does not belong
