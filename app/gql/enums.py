"""The GraphQL names of our enumerations."""

from __future__ import annotations

from typing import Any

from app.gql.shapes import name_enum
from app.models import base, imports, links, organizations, pages, positions, queries, revisions, spaces

NAMES: dict[str, Any] = {
    "Role": base.Role,
    "DefaultLevel": base.DefaultLevel,
    "EditMode": spaces.EditMode,
    "Language": spaces.Language,
    "SpaceVisibility": spaces.Visibility,
    "PageType": pages.PageKind,
    "PageWidth": pages.Width,
    "CoverSize": pages.CoverSize,
    "RevisionType": revisions.RevisionType,
    "BodyFormat": queries.BodyFormat,
    "ImportSource": imports.ImportSource,
    "LinkStatus": links.LinkStatus,
    "LinkRelation": links.LinkRelation,
    "ReferenceKind": links.ReferenceKind,
    "VersionContextType": links.ContextKind,
    "OrganizationType": organizations.OrganizationType,
    "TrialStatus": organizations.TrialStatus,
    "SiblingType": positions.SiblingType,
}


def name_enums() -> None:
    """Declare them all; before the first type that uses one."""
    for name, literal in NAMES.items():
        name_enum(name, literal)


name_enums()
