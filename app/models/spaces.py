"""Spaces: containers of documentation content."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import (
    Change,
    Column,
    DefaultLevel,
    Enumeration,
    Names,
    Permissions,
    Shape,
    Table,
    Url,
    UrlOut,
    absent,
)
from app.models.queries import PageQuery
from app.models.texts import Emoji, Label
from app.models.translations import Language

Provider = Literal["github", "gitlab", "github-legacy"]
SpaceTitle = Annotated[str, Label(50)]
EditMode = Literal["live", "locked"]
VisitorBackend = Literal["custom", "integration"]
Visibility = Literal["public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"]


PUBLISHED_ONLY = "Absent for callers who may only read what a public site shows."


class Space(Table, table=True):
    """A space. Its content hangs on its line (see revisions); whoever changes them keeps the counters."""

    __table_args__ = (
        # lists and their counts
        Index(None, "organization_id", "rank", "id", "deleted_at", "base_level", "lineage"),
        Index(None, "organization_id", "parent_id", "rank", "id"),
        Index(None, "parent_id", "rank", "id"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    parent_id: str | None = Field(default=None, sa_type=Key, foreign_key="collection.id")
    rank: str = Field(sa_type=Key)
    title: str
    title_folded: str = Field(sa_column_kwargs={"server_default": ""})  # what the filter looks in
    emoji: str | None = None
    icon: str | None = None
    language: str | None = None
    edit_mode: str
    default_level: str | None = None
    base_level: int
    lineage: str
    revision_id: str = Field(sa_type=Key)
    revision_number: int
    comments: int
    comments_resolved: int = Field(sa_column_kwargs={"server_default": "0"})
    change_requests: int
    change_requests_open: int
    change_requests_draft: int
    git_sync: dict[str, Any] | None = Field(default=None, sa_type=Json)
    site_visibility: str | None = None  # of the site that shows it to most, and where it is there:
    site_url: str | None = None  # kept by `domain.publication`, without what every address begins with
    site_auth: dict[str, Any] | None = Field(default=None, sa_type=Json)  # of its visitors, as there
    is_public: bool = Field(sa_column_kwargs={"server_default": false()})
    """True if a public site shows it to everybody, without a condition; kept like these."""
    created_by: str | None = Field(default=None, sa_type=Key, index=True)  # whose rights as its creator count
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)
    deleted_at: datetime | None = Field(default=None, sa_type=Instant)


def is_synchronised(git_sync: dict[str, Any] | None) -> bool:
    """Tell whether a space belongs to a repository: a sync succeeded, or its first one is running."""
    if git_sync is None:
        return False
    return git_sync["synced"] is not None or git_sync["operation"]["state"] == "running"


class SpacesQuery(PageQuery):
    """Query parameters that select the spaces of an organization to list."""

    title: str | None = Field(
        default=None,
        max_length=128,
        description="Lists only spaces whose title contains this text, in any case.",
    )


class SpaceCreate(Change):
    """A new space, last in its parent, with an empty first revision."""

    title: SpaceTitle = Field(default="Untitled space", description="Title of the space, 1 to 50 characters.")
    emoji: Emoji | None = Field(
        default=None,
        description="Emoji of the space, as itself or as its code points in hexadecimal, joined by hyphens.",
    )
    icon: Url | None = Field(default=None, description="URL of the icon of the space.")
    parent: Annotated[str, Names("Collection")] | None = Field(
        default=None,
        description="Collection to create it in. Null or left out, it is created at the root of the "
        "organization.",
    )
    language: Language | None = Field(default=None, description="Language of the content.")
    edit_mode: EditMode = Field(default="live", description="How the content can be edited.")


class SpaceUpdate(Change):
    """Changes to a space (specification, Spaces). A space has either an emoji or an icon."""

    edit_mode: EditMode = absent("How the content can be edited. Needs the level `admin`.")
    title: SpaceTitle = absent("Title of the space, 1 to 50 characters.")
    default_level: DefaultLevel | None = Field(
        default=None,
        description="Level that members of the organization have without a grant. Null gives them no access. "
        "Needs the level `admin`.",
    )
    emoji: Emoji | None = Field(
        default=None,
        description="Emoji of the space, as itself or as its code points in hexadecimal, joined by hyphens. "
        "It replaces the icon; null removes the emoji.",
    )
    icon: Url | None = Field(
        default=None,
        description="URL of the icon of the space. It replaces the emoji; null removes the icon.",
    )
    language: Language | None = Field(default=None, description="Language of the content. Null removes it.")


class SpacePermissions(Permissions):
    """The permissions of the caller for a space."""

    view: bool = Field(description="Whether the caller may see the space and read its content.")
    access: bool = Field(
        description="Whether the caller may react to comments, and use the space elsewhere: duplicate it, "
        "move it or show it on a site, as far as the target allows."
    )
    admin: bool = Field(
        description="Whether the caller may change the edit mode and the default level, grant roles, "
        "transfer the space and delete comments of others."
    )
    view_invite_links: bool = Field(description="Whether the caller may see the invite links of the space.")
    edit: bool = Field(
        description="Whether the caller may change the content directly. False while the space is locked."
    )
    trigger_git_sync: bool = Field(
        description="Whether the caller may synchronise the space with a Git repository. False while the "
        "space is locked, when it can only be exported."
    )
    comment: bool = Field(description="Whether the caller may comment and reply to comments.")
    merge: bool = Field(
        description="Whether the caller may merge change requests, and restore and revert revisions."
    )
    review: bool = Field(description="Whether the caller may review change requests.")
    delete: bool = Field(description="Whether the caller may delete the space.")
    restore: bool = Field(description="Whether the caller may restore the space. False unless it is deleted.")
    install_integration: bool = Field(
        description="Whether the caller may put installations of integrations on the space. False for guests."
    )


class SpaceUrls(Shape):
    """Addresses of a space."""

    location: UrlOut
    app: UrlOut
    published: UrlOut | None = Field(
        default=None,
        description="Address on the site that shows the space. Absent if no published site shows it.",
    )
    public: UrlOut | None = Field(
        default=None, description="Address on a site with the visibility `public`. Absent if it is on none."
    )
    icon: UrlOut | None = Field(
        default=None, description="URL of the icon of the space. Absent if it has none."
    )


class GitSyncOut(Shape):
    """The Git repository that a space is synchronised with (specification, Space)."""

    repo_name: str = Field(description="Name of the repository.")
    installation_provider: Provider | None = Field(
        default=None, description="Service that hosts the repository. Absent if it is another one."
    )
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None, description="Integration that had the space synchronised last. Absent if a person had."
    )
    url: str = Field(description="Address of the repository.")
    updated_at: datetime = Field(description="When the state of the synchronisation last changed.")


class VisitorAuth(Shape):
    """The sign-in of visitors of the site that shows a space."""

    backend: VisitorBackend = Field(description="What signs visitors in.")
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None,
        description="Name of the integration that signs visitors in. Absent unless `backend` is "
        "`integration`.",
    )


class SpaceOut(Shape):
    """A space: a body of documentation with its own pages, files and history (specification, Space)."""

    object: Literal["space"]
    id: str
    title: str = Field(description="Title of the space.")
    emoji: str | None = Field(default=None, description="Emoji of the space. Absent if it has none.")
    visibility: Visibility = Field(
        description="Who may read the content: that of the site that shows it to most people, or else that "
        "of the space itself."
    )
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = Field(
        default=None,
        description="When the space was deleted. A deleted space is removed for good seven days later, "
        "unless it is restored. Absent if it is not deleted.",
    )
    edit_mode: EditMode = Field(description="How the content can be edited.")
    urls: SpaceUrls
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that owns the space."
    )
    parent: Annotated[str | None, Column("parent_id"), Names("Collection")] = Field(
        default=None,
        description="Collection that contains the space. Absent at the root of the organization.",
    )
    language: Language | None = Field(
        default=None, description="Language of the content. Absent if it was not stated."
    )
    git_sync: GitSyncOut | None = Field(
        default=None,
        description="Git repository that the space is synchronised with. Absent if there is none.",
    )
    visitor_auth: VisitorAuth | None = Field(
        default=None,
        description="How visitors of the site that shows the space sign in. Absent unless the visibility is "
        "`visitor-auth`.",
    )
    revision: Annotated[str, Column("revision_id"), Names("Revision")] = Field(
        description="Current revision of the content."
    )
    default_level: DefaultLevel | None = Field(
        description="Level that members of the organization have without a grant. Null if they have no "
        "access, and for callers who may only read what a public site shows."
    )
    comments: int | None = Field(default=None, description=f"Number of open comments. {PUBLISHED_ONLY}")
    change_requests: int | None = Field(
        default=None, description=f"Number of change requests of any status. {PUBLISHED_ONLY}"
    )
    change_requests_open: int | None = Field(
        default=None, description=f"Number of change requests with the status `open`. {PUBLISHED_ONLY}"
    )
    change_requests_draft: int | None = Field(
        default=None, description=f"Number of change requests with the status `draft`. {PUBLISHED_ONLY}"
    )
    permissions: SpacePermissions


ENUMERATIONS = (
    Enumeration(
        "EditMode",
        EditMode,
        {
            "live": "The content can be edited directly and by merging change requests.",
            "locked": "The content changes only by merging change requests.",
        },
    ),
    Enumeration(
        "SpaceVisibility",
        Visibility,
        {
            "public": "Anyone; search engines index it.",
            "unlisted": "Anyone; search engines do not index it.",
            "share-link": "Anyone with the secret key of a share link in the address.",
            "visitor-auth": "Visitors who were signed in with a JSON Web Token.",
            "in-collection": "Everybody who may access the collection that contains it.",
            "private": "Those who have a level on it, members of the organization and guests.",
        },
    ),
    Enumeration(
        "GitProvider",
        Provider,
        {
            "github": "Repository on GitHub.",
            "gitlab": "Repository on GitLab.",
            "github-legacy": "Repository on GitHub, connected by an earlier integration.",
        },
    ),
    Enumeration(
        "PublishingAuthBackend",
        VisitorBackend,
        {
            "custom": "A server that holds the key of the site and signs tokens with it.",
            "integration": "An integration that is installed on the site.",
        },
    ),
)
