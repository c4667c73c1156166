"""Roles that are granted, and the explanation of what somebody may do."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from app.models.base import Change, Column, Enumeration, Names, Role, Shape
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
Action = Literal[SpaceAction, CollectionAction, SiteAction]
Rule = Literal[
    "organization-admin", "user-grant", "team-grant", "default-level", "inherited-default-level",
    "organization-role", "organization-default-role", "creator", "no-access", "locked", "deleted",
    "not-deleted", "organization-deleted", "disabled", "not-a-member", "sso", "token-limited",
    "token-read-only",
]  # fmt: skip
SourceKind = Literal["space", "collection", "site", "organization"]


def _given(name: str) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"minItems": 1}}}


class GrantsCreate(Change):
    """A role for people, for teams, or for both. It replaces a role that they were granted there before."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_given("users"), _given("teams")]})

    role: Role = Field(description="Role to grant.")
    users: Annotated[list[MemberId], Names("User")] = Field(
        default_factory=list,
        max_length=MOST_PEOPLE,
        description="Identifiers of members of the organization, guests included, who get the role; at most "
        "1,000.",
    )
    teams: Annotated[list[MemberId], Names("Team")] = Field(
        default_factory=list,
        max_length=MOST_PEOPLE,
        description="Identifiers of teams of the organization that get the role; at most 1,000.",
    )

    @model_validator(mode="after")
    def _to_somebody(self) -> Self:
        if not self.users and not self.teams:
            raise PydanticCustomError("grantees", "name `users`, `teams` or both")
        return self


class GrantUpdate(Change):
    """Changes to a granted role."""

    role: Role = Field(description="Role to grant from now on.")


class AccessQuery(PageQuery):
    """Filters of the people who have access to an object."""

    role: Role | None = Field(default=None, description="Lists only people whose highest level is this one.")


class UserPermissionOut(Shape):
    """The level of a person on an object."""

    permission: Role = Field(
        description="Role that the person was granted, or in lists of effective access the highest level "
        "that they have."
    )
    user: UserOut = Field(description="Person who has the level.")


class TeamPermissionOut(Shape):
    """The role of a team on an object."""

    permission: Role = Field(description="Role that the team was granted.")
    team: TeamOut = Field(description="Team that was granted the role.")


class _Explain(Shape):
    user: Annotated[str, Names("User")] | None = Field(
        default=None,
        max_length=100,
        description="Identifier of the person whose access to explain. Left out, that of the caller is "
        "explained.",
    )


class SpaceExplainQuery(_Explain):
    """The question whether somebody may do something with a space."""

    action: SpaceAction = Field(description="What to do, by its name in the `permissions` of the space.")


class CollectionExplainQuery(_Explain):
    """The question whether somebody may do something with a collection."""

    action: CollectionAction = Field(
        description="What to do, by its name in the `permissions` of the collection."
    )


class SiteExplainQuery(_Explain):
    """The question whether somebody may do something with a site."""

    action: SiteAction = Field(description="What to do, by its name in the `permissions` of the site.")


class RuleSource(Shape):
    """The object whose setting or grant decided whether somebody may do something."""

    object: SourceKind
    id: str
    team: Annotated[str, Names("Team")] | None = Field(
        default=None, description="Team that was granted the role. Absent unless `rule` is `team-grant`."
    )


class ExplanationOut(Shape):
    """The explanation why somebody may do something, or may not."""

    object: Literal["explanation"]
    user: Annotated[str, Column("user_id"), Names("User")] = Field(
        description="Person whose access is explained."
    )
    action: Action = Field(description="Action to explain, by its name in `permissions`.")
    allowed: bool = Field(description="Whether the person may do it.")
    level: Role = Field(description="Least level that the action needs.")
    permission: Role | None = Field(
        description="Highest level that the person has on the object. Null if they have no access."
    )
    rule: Rule = Field(description="Rule that decided the result.")
    source: RuleSource = Field(description="Object that the rule belongs to.")
    message: str = Field(description="The result as an English sentence.")


ENUMERATIONS = (
    Enumeration(
        "SpaceAction",
        SpaceAction,
        {
            "view": "See the space and read its content.",
            "access": "React to comments, duplicate or move the space, or show it on a site.",
            "comment": "Comment and reply to comments.",
            "edit": "Change the content directly.",
            "triggerGitSync": "Synchronise the space with a Git repository.",
            "review": "Review change requests.",
            "merge": "Merge change requests, restore and revert revisions.",
            "delete": "Delete the space.",
            "restore": "Restore the deleted space.",
            "admin": "Change the edit mode and the default level, grant roles, transfer the space.",
            "viewInviteLinks": "See the invite links of the space.",
            "installIntegration": "Put installations of integrations on the space.",
        },
    ),
    Enumeration(
        "CollectionAction",
        CollectionAction,
        {
            "view": "See the collection.",
            "create": "Create spaces and collections in the collection.",
            "edit": "Change the title and the description.",
            "delete": "Delete the collection.",
            "admin": "Change the default level and grant roles.",
            "viewInviteLinks": "See the invite links of the collection.",
        },
    ),
    Enumeration(
        "SiteAction",
        SiteAction,
        {
            "view": "See the site.",
            "access": "Use the site beyond seeing that it exists.",
            "viewAdaptiveSchema": "See the schema of visitor claims.",
            "edit": "Change what the site shows and how it looks.",
            "create": "Add sections, spaces and links to the site.",
            "editAdaptiveSchema": "Change the schema of visitor claims.",
            "delete": "Delete the site.",
            "admin": "Change who may read the site and where, publish it, manage its share links.",
            "installIntegration": "Put installations of integrations on the site.",
        },
    ),
    Enumeration(
        "AccessAction",
        Action,
        {
            "view": "See the object.",
            "access": "Use the object, within the limits of its own permissions.",
            "comment": "Comment and reply to comments on the space.",
            "edit": "Change the content of the space, the title of the collection, or what the site shows.",
            "triggerGitSync": "Synchronise the space with a Git repository.",
            "review": "Review change requests of the space.",
            "merge": "Merge change requests of the space, restore and revert its revisions.",
            "delete": "Delete the object.",
            "restore": "Restore the deleted space.",
            "admin": "Decide who has access to the object.",
            "viewInviteLinks": "See the invite links of the space or the collection.",
            "installIntegration": "Install integrations on the space or the site.",
            "create": "Create something in the collection or on the site.",
            "viewAdaptiveSchema": "See the schema of visitor claims of the site.",
            "editAdaptiveSchema": "Change the schema of visitor claims of the site.",
        },
    ),
    Enumeration(
        "AccessRule",
        Rule,
        {
            "organization-admin": "Administrators of the organization may do everything in it.",
            "user-grant": "The person was granted a role on the object or on a collection above it.",
            "team-grant": "A team of the person was granted a role on the object or on a collection above "
            "it.",
            "default-level": "The object has a default level of its own.",
            "inherited-default-level": "The object inherits the default level of a collection above it.",
            "organization-role": "The object inherits from the organization, where the person has a role.",
            "organization-default-role": "The object inherits from the organization, whose default role is "
            "above the role of the person.",
            "creator": "The person created the object.",
            "no-access": "No grant and no default level gives the person access.",
            "locked": "The space is locked.",
            "deleted": "The space is deleted.",
            "not-deleted": "The space is not deleted, so it cannot be restored.",
            "organization-deleted": "The organization is deleted.",
            "disabled": "The person is disabled in the organization.",
            "not-a-member": "The person does not belong to the organization.",
            "sso": "The person has to sign in by single sign-on and has not done so.",
            "token-limited": "The token is limited to another organization.",
            "token-read-only": "The token only reads.",
        },
    ),
    Enumeration(
        "RuleSourceType",
        SourceKind,
        {
            "space": "A space.",
            "collection": "A collection.",
            "site": "A site.",
            "organization": "The organization.",
        },
    ),
)
