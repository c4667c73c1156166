"""Roles that are granted, and the explanation of what somebody may do."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, model_validator
from pydantic import Field as Part
from pydantic_core import PydanticCustomError

from app.models.base import Change, Column, Enumeration, Role, Shape
from app.models.queries import PageQuery
from app.models.teams import MOST_PEOPLE, MemberId, TeamOut
from app.models.users import UserOut

SpaceAction = Literal[
    "view", "access", "comment", "edit", "triggerGitSync", "review", "merge", "delete", "restore", "admin",
    "viewInviteLinks", "installIntegration",
]  # fmt: skip
CollectionAction = Literal["view", "create", "edit", "delete", "admin", "viewInviteLinks"]
SiteAction = Literal[
    "view", "access", "viewAdaptiveSchema", "edit", "create", "editAdaptiveSchema", "delete", "admin",
    "installIntegration",
]  # fmt: skip
Rule = Literal[
    "organization-admin", "user-grant", "team-grant", "default-level", "inherited-default-level",
    "organization-role", "organization-default-role", "creator", "no-access", "locked", "deleted",
    "not-deleted", "disabled", "not-a-member", "sso", "token-limited", "token-read-only",
]  # fmt: skip
SourceKind = Literal["space", "collection", "site", "organization"]


def _given(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"minItems": 1}}}


class GrantsCreate(Change):
    """A role for people, for teams, or for both. Whoever has one there already has the new one then."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_given("users"), _given("teams")]})

    role: Role
    users: list[MemberId] = Part(default_factory=list, max_length=MOST_PEOPLE)
    teams: list[MemberId] = Part(default_factory=list, max_length=MOST_PEOPLE)

    @model_validator(mode="after")
    def _to_somebody(self) -> Self:
        if not self.users and not self.teams:
            raise PydanticCustomError("grantees", "name `users`, `teams` or both")
        return self


class GrantUpdate(Change):
    """Another role."""

    role: Role


class AccessQuery(PageQuery):
    """Whose access to list."""

    role: Role | None = Part(default=None, description="only who has exactly this much")


class UserPermissionOut(Shape):
    """What a person may do at most."""

    permission: Role
    user: UserOut


class TeamPermissionOut(Shape):
    """What a team was granted."""

    permission: Role
    team: TeamOut


class _Explain(Shape):
    user: str | None = Part(
        default=None, max_length=100, description="whose right to explain; the caller's if left out"
    )


class SpaceExplainQuery(_Explain):
    """Whose right to do what with a space."""

    action: SpaceAction = Part(description="a name of the space's `permissions`")


class CollectionExplainQuery(_Explain):
    """Whose right to do what with a collection."""

    action: CollectionAction = Part(description="a name of the collection's `permissions`")


class SiteExplainQuery(_Explain):
    """Whose right to do what with a site."""

    action: SiteAction = Part(description="a name of the site's `permissions`")


class RuleSource(Shape):
    """The object whose rule decided; `team` is the one through which a grant came."""

    object: SourceKind
    id: str
    team: str | None = None


class ExplanationOut(Shape):
    """Whether somebody may do something, how much that needs, how much they have, and why."""

    object: Literal["explanation"]
    user: Annotated[str, Column("user_id")]
    action: str
    allowed: bool
    level: Role
    permission: Role | None
    rule: Rule
    source: RuleSource
    message: str


ENUMERATIONS = (
    Enumeration(
        "SpaceAction",
        SpaceAction,
        {
            "view": "",
            "access": "",
            "comment": "",
            "edit": "",
            "triggerGitSync": "",
            "review": "",
            "merge": "",
            "delete": "",
            "restore": "",
            "admin": "",
            "viewInviteLinks": "",
            "installIntegration": "",
        },
    ),
    Enumeration(
        "CollectionAction",
        CollectionAction,
        {
            "view": "",
            "create": "",
            "edit": "",
            "delete": "",
            "admin": "",
            "viewInviteLinks": "",
        },
    ),
    Enumeration(
        "SiteAction",
        SiteAction,
        {
            "view": "",
            "access": "",
            "viewAdaptiveSchema": "",
            "edit": "",
            "create": "",
            "editAdaptiveSchema": "",
            "delete": "",
            "admin": "",
            "installIntegration": "",
        },
    ),
    Enumeration(
        "AccessRule",
        Rule,
        {
            "organization-admin": "",
            "user-grant": "",
            "team-grant": "",
            "default-level": "",
            "inherited-default-level": "",
            "organization-role": "",
            "organization-default-role": "",
            "creator": "",
            "no-access": "",
            "locked": "",
            "deleted": "",
            "not-deleted": "",
            "disabled": "",
            "not-a-member": "",
            "sso": "",
            "token-limited": "",
            "token-read-only": "",
        },
    ),
    Enumeration(
        "RuleSourceType",
        SourceKind,
        {
            "space": "",
            "collection": "",
            "site": "",
            "organization": "",
        },
    ),
)
