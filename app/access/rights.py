"""The rights: one table per kind, right -> least level. What refuses a request is what fills `permissions`.

Levels are the specification's roles in their order (decisions, 2): the greater includes the less.
"""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """How much a caller may do. NONE on an organization is a guest; on content it is "cannot see it"."""

    NONE = 0
    READ = 1
    COMMENT = 2
    EDIT = 3
    REVIEW = 4
    CREATE = 5
    ADMIN = 6


def level(role: str | None) -> Level:
    """The level of a role; null gives nothing."""
    return Level[role.upper()] if role else Level.NONE


def role(held: int) -> str | None:
    """The role of a level; NONE has none."""
    return Level(held).name.lower() if held else None


ORGANIZATION = {
    "view": Level.NONE,
    "access": Level.NONE,
    "admin": Level.ADMIN,
    "ownTeam": Level.ADMIN,
    "createContent": Level.CREATE,
    "createOpenAPISpec": Level.CREATE,
    "ingestConversations": Level.ADMIN,
    "viewBilling": Level.ADMIN,
    "listMembers": Level.READ,
    "listTeams": Level.READ,
    "listIntegrations": Level.READ,
    "listInstallations": Level.READ,
    "installIntegration": Level.ADMIN,
}

COLLECTION = {
    "view": Level.READ,
    "admin": Level.ADMIN,
    "viewInviteLinks": Level.ADMIN,
    "create": Level.CREATE,
}

SPACE = {
    "view": Level.READ,
    "access": Level.READ,
    "comment": Level.COMMENT,
    "edit": Level.EDIT,
    "triggerGitSync": Level.EDIT,
    "review": Level.REVIEW,
    "merge": Level.REVIEW,
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
    "access": Level.READ,
    "viewAdaptiveSchema": Level.READ,
    "edit": Level.CREATE,
    "create": Level.CREATE,
    "editAdaptiveSchema": Level.CREATE,
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
# What a token that only reads is good for.
_READING = """
    view access viewInviteLinks viewAdaptiveSchema viewBilling
    listMembers listTeams listIntegrations listInstallations
    """
READING = frozenset(_READING.split())

# By level. Shared by every answer, so that showing the rights of a hundred rows costs a hundred look-ups.
PERMISSIONS = {
    kind: tuple({right: held >= least for right, least in table.items()} for held in Level)
    for kind, table in TABLES.items()
}
PERMISSIONS_TO_READ = {
    kind: tuple({right: has and right in READING for right, has in held.items()} for held in by_level)
    for kind, by_level in PERMISSIONS.items()
}
NONE_AT_ALL = {kind: dict.fromkeys(table, False) for kind, table in TABLES.items()}  # of who does not belong
