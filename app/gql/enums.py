"""The GraphQL names of our enumerations."""

from __future__ import annotations

from typing import Any

from app.gql.shapes import name_enum
from app.models import (
    base,
    change_requests,
    changes,
    content_changes,
    git_sync,
    imports,
    links,
    organizations,
    pages,
    positions,
    queries,
    reviews,
    revisions,
    spaces,
)

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
    "SemanticChangeType": changes.ChangeType,
    "DiffLineType": changes.LineKind,
    "BodyFormat": queries.BodyFormat,
    "ImportSource": imports.ImportSource,
    "LinkStatus": links.LinkStatus,
    "LinkRelation": links.LinkRelation,
    "ReferenceKind": links.ReferenceKind,
    "VersionContextType": links.ContextKind,
    "OrganizationType": organizations.OrganizationType,
    "TrialStatus": organizations.TrialStatus,
    "SiblingType": positions.SiblingType,
    "ChangeRequestStatus": change_requests.Status,
    "SettableChangeRequestStatus": change_requests.SettableStatus,
    "ChangeRequestOrder": change_requests.OrderBy,
    "MergeResult": change_requests.MergeResult,
    "UpdateResult": change_requests.UpdateResult,
    "ConflictWinner": change_requests.OnConflict,
    "RollbackResult": revisions.RollbackResult,
    "RevertConflictWinner": revisions.OnRevertConflict,
    "ReviewStatus": reviews.ReviewStatus,
    "ContributionType": reviews.ContributionKind,
    "ContentOperation": content_changes.Operation,
    "InsertedPageType": content_changes.InsertedKind,
    "PageChange": content_changes.ChangedKind,
    "GitProvider": spaces.Provider,
    "GitSyncDirection": git_sync.Direction,
    "GitSyncState": git_sync.State,
}


def name_enums() -> None:
    """Declare them all; before the first type that uses one."""
    for name, literal in NAMES.items():
        name_enum(name, literal)


name_enums()
