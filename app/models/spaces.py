"""Spaces: containers of documentation content."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Column, DefaultLevel, Enumeration, Permissions, Shape, Table, Url, absent
from app.models.texts import Emoji, Label

Provider = Literal["github", "gitlab", "github-legacy"]
SpaceTitle = Annotated[str, Label(50)]
EditMode = Literal["live", "locked"]
VisitorBackend = Literal["custom", "integration"]
Visibility = Literal["public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"]
Language = Literal[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl",
    "pl", "tr", "sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk",
    "bg", "hr", "lt", "lv", "et", "sl",
]  # fmt: skip


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
    created_by: str | None = Field(default=None, sa_type=Key)  # whose rights as its creator count
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)
    deleted_at: datetime | None = Field(default=None, sa_type=Instant)


def is_synchronised(git_sync: dict[str, Any] | None) -> bool:
    """Tell whether a space belongs to a repository: a sync succeeded, or its first one is running."""
    if git_sync is None:
        return False
    return git_sync["synced"] is not None or git_sync["operation"]["state"] == "running"


class SpaceCreate(Change):
    """A new space, last in its parent, with an empty first revision."""

    title: SpaceTitle = "Untitled space"
    emoji: Emoji | None = None
    icon: Url | None = None
    parent: str | None = None
    language: Language | None = None
    edit_mode: EditMode = "live"


class SpaceUpdate(Change):
    """Changes to a space (specification, Spaces). `icon` replaces `emoji`; null removes both."""

    edit_mode: EditMode = absent()
    title: SpaceTitle = absent()
    default_level: DefaultLevel | None = None
    emoji: Emoji | None = None
    icon: Url | None = None
    language: Language | None = None


class SpacePermissions(Permissions):
    """What the caller may do with a space."""

    view: bool
    access: bool
    admin: bool
    view_invite_links: bool
    edit: bool
    trigger_git_sync: bool
    comment: bool
    merge: bool
    review: bool
    delete: bool
    restore: bool
    install_integration: bool


class SpaceUrls(Shape):
    """Addresses of a space; `published` while a site shows it, `public` while everybody may find it there."""

    location: str
    app: str
    published: str | None = None
    public: str | None = None
    icon: str | None = None


class GitSyncOut(Shape):
    """The repository that a space is synchronised with (specification, Space)."""

    repo_name: str
    installation_provider: Provider | None = None
    integration: str | None = None
    url: str
    updated_at: datetime


class VisitorAuth(Shape):
    """Who signs in the visitors of a space: whoever holds the site's key, or an integration."""

    backend: VisitorBackend
    integration: str | None = None


class SpaceOut(Shape):
    """A space (specification, Space)."""

    object: Literal["space"]
    id: str
    title: str
    emoji: str | None = None
    visibility: Visibility
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    edit_mode: EditMode
    urls: SpaceUrls
    organization: Annotated[str, Column("organization_id")]
    parent: Annotated[str | None, Column("parent_id")] = None
    language: Language | None = None
    git_sync: GitSyncOut | None = None
    visitor_auth: VisitorAuth | None = None
    revision: Annotated[str, Column("revision_id")]
    default_level: DefaultLevel | None
    comments: int
    change_requests: int
    change_requests_open: int
    change_requests_draft: int
    permissions: SpacePermissions


ENUMERATIONS = (
    Enumeration(
        "EditMode",
        EditMode,
        {
            "live": "",
            "locked": "",
        },
    ),
    Enumeration(
        "Language",
        Language,
        {
            "en": "",
            "fr": "",
            "de": "",
            "es": "",
            "it": "",
            "pt": "",
            "pt-br": "",
            "ru": "",
            "ja": "",
            "zh": "",
            "zh-tw": "",
            "yue": "",
            "ko": "",
            "ar": "",
            "hi": "",
            "nl": "",
            "pl": "",
            "tr": "",
            "sv": "",
            "no": "",
            "da": "",
            "fi": "",
            "el": "",
            "cs": "",
            "hu": "",
            "ro": "",
            "th": "",
            "vi": "",
            "id": "",
            "ms": "",
            "he": "",
            "uk": "",
            "sk": "",
            "bg": "",
            "hr": "",
            "lt": "",
            "lv": "",
            "et": "",
            "sl": "",
        },
    ),
    Enumeration(
        "SpaceVisibility",
        Visibility,
        {
            "public": "",
            "unlisted": "",
            "share-link": "",
            "visitor-auth": "",
            "in-collection": "",
            "private": "",
        },
    ),
    Enumeration(
        "GitProvider",
        Provider,
        {
            "github": "",
            "gitlab": "",
            "github-legacy": "",
        },
    ),
    Enumeration(
        "PublishingAuthBackend",
        VisitorBackend,
        {
            "custom": "",
            "integration": "",
        },
    ),
)
