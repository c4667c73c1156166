"""Links and backlinks of content, and what is at an address."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field as ShapeField
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Key, index_of_closed_rows, index_of_open_rows
from app.models.base import DescribedAs, Enumeration, Shape, Table
from app.models.change_requests import ChangeRequestOut
from app.models.collections import CollectionOut
from app.models.files import FileOut
from app.models.organizations import OrganizationOut
from app.models.pages import PageOut
from app.models.queries import PageQuery
from app.models.spaces import SpaceOut

LinkStatus = Literal["ok", "broken", "in-app"]
BrokenReason = Literal["missing-target", "missing-anchor"]
LinkRelation = Literal["reference", "dependsOn"]
ContextKind = Literal["revision", "changeRequest"]
ReferenceKind = Literal[
    "file", "url", "page", "anchor", "user", "collection", "space", "reusable-content", "tag", "openapi"
]


class Link(Table, table=True):
    """One href of a body, with what it leads to; `position` counts through the body.

    It stands in a page or a reusable content, its `holder`. `target_path` is the path of the repository that
    it asks for, whether there is anything or not, `pages/ID` where it names something by its id; None where
    it leads elsewhere. `target_space` is the space that it names. Whether something is in another space is
    asked when the link is read, since that space changes by itself. `shown_if` are the conditions on which
    what is included is shown, one to a line; None for what includes nothing.
    """

    __table_args__ = (
        index_of_open_rows("ix_link_current", "line_id", "holder_id", "position"),
        index_of_open_rows("ix_link_target", "line_id", "target_id"),
        index_of_open_rows("ix_link_path", "line_id", "target_path"),
        index_of_open_rows("ix_link_status", "line_id", "status", "holder_id", "position"),
        index_of_closed_rows("ix_link_closed"),
        Index(
            "ix_link_elsewhere",
            "target_space",
            "target_id",
            info={"where": "valid_to IS NULL AND target_space IS NOT NULL"},
        ),
    )

    line_id: str = Field(sa_type=Key, primary_key=True)
    holder_id: str = Field(sa_type=Key, primary_key=True)
    valid_from: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    valid_to: int | None = None
    href: str
    line: int
    status: str
    relation: str
    target_kind: str
    target_id: str | None = Field(default=None, sa_type=Key)
    target_anchor: str | None = None
    target_path: str | None = Field(default=None, sa_type=Key)
    target_space: str | None = Field(default=None, sa_type=Key)
    shown_if: str | None = None


class FormerSource(Table, table=True):
    """A file that a page, a file or a reusable content was kept in until a revision of its line."""

    __tablename__ = "former_source"
    __table_args__ = (Index(None, "line_id", "target_id"),)

    line_id: str = Field(sa_type=Key, primary_key=True)
    source: str = Field(sa_type=Key, primary_key=True)
    until: int = Field(primary_key=True)
    target_id: str = Field(sa_type=Key, primary_key=True)


class VersionContext(Shape):
    """Which version of a space a reference is about."""

    type: ContextKind
    revision: str | None = None
    change_request: str | None = None


class ReusableReference(Shape):
    """The reusable content that a reference is about."""

    id: str
    title: str


class InternalLocation(Shape):
    """Where in a structured document something stands: the block with this key."""

    type: Literal["node"]
    node: str


class Reference(Shape):
    """A place or thing that a link joins (decisions, Location): members are whole objects."""

    kind: ReferenceKind
    organization: Annotated[dict[str, Any], DescribedAs(OrganizationOut)] | None = None
    space: Annotated[dict[str, Any], DescribedAs(SpaceOut)] | None = None
    version_context: VersionContext | None = None
    page: Annotated[dict[str, Any], DescribedAs(PageOut)] | None = None
    file: Annotated[dict[str, Any], DescribedAs(FileOut)] | None = None
    reusable_content: ReusableReference | None = None
    url: str | None = None
    anchor: str | None = None
    internal_location: Annotated[dict[str, Any], DescribedAs(InternalLocation)] | None = None


class LinkOut(Shape):
    """A link and where it stands (specification, Content reference lists; decisions, Links).

    `block` is the key of the block of the structured document that it stands in; `reason` tells what is
    missing where it is broken.
    """

    status: LinkStatus
    reason: BrokenReason | None = None
    relation: LinkRelation
    href: str
    block: str | None = None
    target_reference: Reference | None = None
    location_references: list[Reference]


class BrokenStats(Shape):
    """How many links are broken; where a change request is read, also how many of them it brings."""

    total: int
    change_request: int | None = None


class LinkStats(Shape):
    """How many links there are."""

    total: int
    broken: BrokenStats


class LinkTotals(Shape):
    """What a list of links says besides its items."""

    stats: LinkStats


class LinkQuery(PageQuery):
    """Query of link lists."""

    status: LinkStatus | None = None


EmbedType = Literal["link", "integration"]


class UrlQuery(Shape):
    """The address that is asked about."""

    url: str = ShapeField(min_length=1, max_length=4096, description="a whole address")


class ContentAtUrlOut(Shape):
    """The content at an address of the application: a collection, or a space and what is meant of it."""

    collection: CollectionOut | None = None
    space: SpaceOut | None = None
    change_request: ChangeRequestOut | None = None
    revision: str | None = None
    page: PageOut | None = None


class EmbedOut(Shape):
    """How an address is shown where content embeds it: as a link, or by the block of an integration."""

    type: EmbedType
    url: str
    title: str
    site: str
    description: str | None = None
    icon: str | None = None
    integration: str | None = None
    block: str | None = None


ENUMERATIONS = (
    Enumeration(
        "LinkStatus",
        LinkStatus,
        {
            "ok": "",
            "broken": "",
            "in-app": "",
        },
    ),
    Enumeration(
        "LinkBrokenReason",
        BrokenReason,
        {
            "missing-target": "",
            "missing-anchor": "",
        },
    ),
    Enumeration(
        "LinkRelation",
        LinkRelation,
        {
            "reference": "",
            "dependsOn": "",
        },
    ),
    Enumeration(
        "ReferenceKind",
        ReferenceKind,
        {
            "file": "",
            "url": "",
            "page": "",
            "anchor": "",
            "user": "",
            "collection": "",
            "space": "",
            "reusable-content": "",
            "tag": "",
            "openapi": "",
        },
    ),
    Enumeration(
        "VersionContextType",
        ContextKind,
        {
            "revision": "",
            "changeRequest": "",
        },
    ),
    Enumeration(
        "EmbedType",
        EmbedType,
        {
            "link": "",
            "integration": "",
        },
    ),
)
