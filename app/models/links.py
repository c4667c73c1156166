"""Links between pages, files and the rest of the world, kept as rows so that both directions are look-ups."""

from __future__ import annotations

from typing import Any, Literal

from sqlmodel import Field

from app.kit.columns import Key, index_of_closed_rows, index_of_open_rows
from app.models.base import Shape, Table
from app.models.queries import PageQuery

LinkStatus = Literal["ok", "broken", "in-app"]
LinkRelation = Literal["reference", "dependsOn"]
ContextKind = Literal["revision", "changeRequest"]
ReferenceKind = Literal[
    "file", "url", "page", "anchor", "user", "collection", "space", "reusable-content", "tag", "openapi"
]


class Link(Table, table=True):
    """One href of a page's body, with what it leads to; `position` counts through the body."""

    __table_args__ = (
        index_of_open_rows(
            "ix_link_current",
            "line_id",
            "page_id",
            "position",
        ),
        index_of_open_rows(
            "ix_link_target_page",
            "line_id",
            "target_page",
        ),
        index_of_open_rows(
            "ix_link_status",
            "line_id",
            "status",
            "page_id",
            "position",
        ),
        index_of_open_rows(
            "ix_link_target_file",
            "line_id",
            "target_file",
        ),
        index_of_closed_rows("ix_link_closed"),
    )

    line_id: str = Field(sa_type=Key, primary_key=True)
    page_id: str = Field(sa_type=Key, primary_key=True)
    valid_from: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    valid_to: int | None = None
    href: str
    line: int
    status: str
    relation: str
    target_kind: str
    target_reusable: str | None = Field(default=None, sa_type=Key)
    target_page: str | None = Field(default=None, sa_type=Key)
    target_file: str | None = Field(default=None, sa_type=Key)
    target_anchor: str | None = None


class VersionContext(Shape):
    """Which version of a space a reference is about."""

    type: ContextKind
    revision: str | None = None
    change_request: str | None = None


class Reference(Shape):
    """A place or thing that a link joins (decisions, Location): members are whole objects."""

    kind: ReferenceKind
    organization: dict[str, Any] | None = None
    space: dict[str, Any] | None = None
    version_context: VersionContext | None = None
    page: dict[str, Any] | None = None
    file: dict[str, Any] | None = None
    url: str | None = None
    anchor: str | None = None
    internal_location: dict[str, Any] | None = None


class LinkOut(Shape):
    """A link and where it stands (specification, Content reference lists)."""

    status: LinkStatus
    relation: LinkRelation
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
