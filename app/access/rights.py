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

TABLES = {"organization": ORGANIZATION, "collection": COLLECTION, "space": SPACE}

# By level. Shared by every answer, so that showing the rights of a hundred rows costs a hundred look-ups.
PERMISSIONS = {
    kind: tuple({right: held >= least for right, least in table.items()} for held in Level)
    for kind, table in TABLES.items()
}
