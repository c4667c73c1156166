"""Pages: documents, groups and links in a tree, with the bodies that documents show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Optional

from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Json, Key, index_of_closed_rows, index_of_open_rows
from app.models.base import Column, Enumeration, JsonShape, Shape, Table
from app.models.documents import JSONDocument

PageKind = Literal["document", "group", "link", "computed"]
CoverSize = Literal["hero", "full", "background"]
Width = Literal["default", "wide"]


class Document(Table, table=True):
    """A body by the hash of its text: Markdown as it came, to the byte, shared by all that hold it.

    `conditional`: what it says depends on who reads it (see `content.conditional`), so that it must be
    evaluated before any of it is shown to a visitor. `anchors` are the places in it that links may lead to,
    one to a line; None where nobody asked yet. `raw` are the bytes of a body that is no text; its `markdown`
    is what can be shown of it, its id the hash of the bytes, and it is never rewritten.
    """

    id: str = Field(sa_type=Key, primary_key=True)
    markdown: str
    conditional: bool = Field(sa_column_kwargs={"server_default": false()})
    anchors: str | None = None
    raw: bytes | None = Field(default=None, sa_type=Bytes)


class PageVersion(Table, table=True):
    """A page from one revision of its line until another.

    On the line of a change request, `deleted` hides the page of the main line; its path is then `/` and its
    id, which no page has.
    """

    __tablename__ = "page_version"
    __table_args__ = (
        index_of_open_rows("uq_page_version_path", "line_id", "path", unique=True),
        index_of_open_rows("ix_page_version_current", "line_id", "page_id", "valid_from"),
        index_of_open_rows("ix_page_version_children", "line_id", "parent_id", "rank"),
        index_of_open_rows("ix_page_version_source", "line_id", "source"),
        index_of_closed_rows("ix_page_version_closed"),
        index_of_closed_rows("ix_page_version_closed_path", "line_id", "path"),
        Index("ix_page_version_document", "document_id"),
        Index("ix_page_version_seed", "computed_seed", info={"where": "computed_seed IS NOT NULL"}),
    )

    line_id: str = Field(sa_type=Key, primary_key=True)
    page_id: str = Field(sa_type=Key, primary_key=True)
    valid_from: int = Field(primary_key=True)
    valid_to: int | None = None
    parent_id: str | None = Field(default=None, sa_type=Key)
    rank: str = Field(sa_type=Key)
    kind: str
    title: str
    link_title: str | None = None
    slug: str
    path: str = Field(sa_type=Key)
    source: str | None = Field(default=None, sa_type=Key)
    front_matter: str
    document_id: str | None = Field(default=None, sa_type=Key, foreign_key="document.id")
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    hidden: bool
    no_index: bool
    no_robots_index: bool
    layout: dict[str, Any] | None = Field(default=None, sa_type=Json)
    cover: dict[str, Any] | None = Field(default=None, sa_type=Json)
    variables: dict[str, Any] | None = Field(default=None, sa_type=Json)
    condition: str | None = None
    href: str | None = None
    computed: dict[str, Any] | None = Field(default=None, sa_type=Json)
    computed_seed: str | None = None
    git_oid: str | None = None
    deleted: bool = Field(sa_column_kwargs={"server_default": false()})
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class PageUrls(Shape):
    """Addresses of a page."""

    app: str


class PageGit(Shape):
    """Where in a repository a page came from."""

    oid: str | None = None
    path: str | None = None


class Layout(Shape):
    """Which parts of a page a reader shows."""

    cover: bool
    cover_size: CoverSize | None = None
    title: bool
    description: bool
    table_of_contents: bool
    outline: bool
    pagination: bool
    width: Width | None = None
    metadata: bool | None = None
    tags: bool | None = None
    actions: bool | None = None
    anchors: bool | None = None


class UrlReference(JsonShape):
    """An address elsewhere."""

    kind: Literal["url"]
    url: str


class CoverReference(JsonShape):
    """A picture: a file of the space, or an address elsewhere."""

    kind: Literal["file", "url"]
    file: str | None = None
    space: str | None = None
    url: str | None = None


class OpenAPIReference(JsonShape):
    """A specification of the organization."""

    kind: Literal["openapi"]
    spec: str


class SpecificationDependency(JsonShape):
    """The specification that a page is computed from, and the version that it shows."""

    ref: OpenAPIReference
    version: str | None = None


class ComputedDependencies(JsonShape):
    """What a page is computed from."""

    spec: SpecificationDependency | None = None


class ComputedProps(JsonShape):
    """Which part of a specification a page shows."""

    doc: Literal["models", "operations", "info", "operation", "tag"] | None = None
    page: str | None = None
    method: str | None = None
    path: str | None = None
    deprecated: bool | None = None
    models: bool | None = Field(default=None, description="false leaves the models out")


class Computed(JsonShape):
    """What computes a page, such as `builtin:openapi`, from what and with what."""

    type: str
    dependencies: ComputedDependencies | None = None
    props: ComputedProps | None = None


class Cover(Shape):
    """The picture at the top of a page."""

    ref: CoverReference | None = None
    ref_dark: CoverReference | None = None
    y_pos: float
    height: int | None = None


class PageOut(Shape):
    """A page (specification, Page). `markdown` or `document` only where one page is read."""

    id: Annotated[str, Column("page_id")]
    title: str
    link_title: str | None = None
    emoji: str | None = None
    icon: str | None = None
    created_at: datetime
    updated_at: datetime
    condition: str | None = None
    type: Annotated[PageKind, Column("kind")]
    urls: PageUrls
    slug: str | None = None
    path: str | None = None
    description: str | None = None
    document_id: str | None = None
    pages: Optional[list[PageOut]] = None  # noqa: UP045 - Pydantic needs the name as text
    git: PageGit | None = None
    layout: Layout | None = None
    cover: Cover | None = None
    variables: dict[str, str | int | float | bool] | None = None
    hidden: bool | None = None
    no_index: bool | None = None
    no_robots_index: bool | None = None
    target: UrlReference | None = None
    href: str | None = None
    computed: Computed | None = None
    computed_seed: str | None = None
    markdown: str | None = None
    document: JSONDocument | None = None


ENUMERATIONS = (
    Enumeration(
        "PageType",
        PageKind,
        {
            "document": "",
            "group": "",
            "link": "",
            "computed": "",
        },
    ),
    Enumeration(
        "PageWidth",
        Width,
        {
            "default": "",
            "wide": "",
        },
    ),
    Enumeration(
        "CoverSize",
        CoverSize,
        {
            "hero": "",
            "full": "",
            "background": "",
        },
    ),
)
