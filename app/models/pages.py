"""Pages: documents, groups and links in a tree, with the bodies that documents show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Optional

from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Json, Key, index_of_closed_rows, index_of_open_rows
from app.models.base import Column, Enumeration, Names, Shape, Table, UrlOut
from app.models.documents import JSONDocument
from app.models.page_layouts import Cover, Layout, UrlReference

PageKind = Literal["document", "group", "link", "computed"]
Variables = dict[str, str | int | float | bool]
SpecificationPart = Literal["models", "operations", "info", "operation", "tag"]


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

    app: UrlOut


class PageGit(Shape):
    """Place of a page in the Git repository that it came from."""

    oid: str | None = Field(default=None, description="Object id of the Git blob.")
    path: str | None = Field(default=None, description="Path of the file in the repository.")


class OpenAPIReference(Shape):
    """A reference to an OpenAPI specification."""

    kind: Literal["openapi"] = Field(description="Kind of the reference.")
    spec: Annotated[str, Names("OpenAPISpec")] = Field(description="The specification.")


class SpecificationDependency(Shape):
    """The OpenAPI specification that a page is computed from."""

    ref: OpenAPIReference = Field(description="Specification that the page is computed from.")
    version: Annotated[str, Names("OpenAPISpecVersion")] | None = Field(
        default=None,
        description="Version of the specification that the pages below show. Only on the page that was "
        "inserted, once there is a version.",
    )


class ComputedDependenciesOut(Shape):
    """What a page is computed from."""

    spec: SpecificationDependency | None = Field(
        default=None, description="Specification that the page is computed from."
    )


class ComputedPropsOut(Shape):
    """The part of an OpenAPI specification that a page shows."""

    doc: SpecificationPart | None = Field(default=None, description="What the page shows.")
    page: str | None = Field(
        default=None,
        description='Tag that the page is about or that contains it; "info" on the inserted page. Absent '
        "on the page of the schemas.",
    )
    method: str | None = Field(
        default=None,
        description="Method of the operation in lower case, such as `get`; `hook` for a webhook. Only on "
        "pages of operations.",
    )
    path: str | None = Field(
        default=None,
        description="Path of the operation, or name of the webhook. Only on pages of operations.",
    )
    deprecated: bool | None = Field(
        default=None, description="True if the operation is deprecated. Absent otherwise."
    )
    models: bool | None = Field(
        default=None, description="False if the page of the schemas is left out. Absent otherwise."
    )


class ComputedOut(Shape):
    """How a page is computed."""

    type: str = Field(description="What computes the page, such as `builtin:openapi`.")
    dependencies: ComputedDependenciesOut | None = Field(
        default=None, description="What the page is computed from."
    )
    props: ComputedPropsOut | None = Field(default=None, description="What the page shows of it.")


class PageOut(Shape):
    """A page of a space (specification, Page)."""

    id: Annotated[str, Column("page_id")]
    title: str = Field(description="Title of the page.")
    link_title: str | None = Field(
        default=None, description="Title in the tree of pages. Absent if it is the title of the page."
    )
    emoji: str | None = Field(default=None, description="Emoji of the page. Absent if it has none.")
    icon: str | None = Field(default=None, description="Name of the icon of the page. Absent if it has none.")
    created_at: datetime
    updated_at: datetime
    condition: str | None = Field(
        default=None,
        description="Expression that decides which visitors of a site see the page. Absent if all do.",
    )
    type: Annotated[PageKind, Column("kind")] = Field(
        description="Type of the page. It decides which of the other fields there are."
    )
    urls: PageUrls
    slug: str | None = Field(
        default=None, description="Last part of the path, unique among the siblings. Absent for links."
    )
    path: str | None = Field(
        default=None,
        description="Slugs from the root to the page, joined by `/`. It changes when the page moves. "
        "Absent for links.",
    )
    description: str | None = Field(
        default=None, description="Description below the title. Absent if there is none."
    )
    document_id: str | None = Field(
        default=None, description="Id of the document with the text. Only documents have one."
    )
    pages: Optional[list[PageOut]] = Field(  # noqa: UP045 - Pydantic needs the name as text
        default=None,
        description="Pages below the page, in their order. Absent for links, and where a page is returned "
        "by itself.",
    )
    git: PageGit | None = Field(
        default=None,
        description="Place of the page in the Git repository that it was synchronised with. Absent if it "
        "was changed since, or did not come from Git.",
    )
    layout: Layout | None = Field(
        default=None, description="Parts of the page that a reader shows. Only documents have one."
    )
    cover: Cover | None = Field(
        default=None, description="Picture at the top of the page. Absent if there is none."
    )
    variables: Variables | None = Field(
        default=None, description="Variables of the page, by their names. Absent if there are none."
    )
    hidden: bool | None = Field(
        default=None, description="Whether the page is left out of navigation. Only documents have it."
    )
    no_index: bool | None = Field(
        default=None,
        description="Whether the page is left out of the search of published sites. Only documents have it.",
    )
    no_robots_index: bool | None = Field(
        default=None,
        description="Whether search engines are asked not to index the page. Only for documents.",
    )
    target: UrlReference | None = Field(default=None, description="Target of a link. Only for links.")
    href: str | None = Field(default=None, description="Target URL of a link. Only for links.")
    computed: ComputedOut | None = Field(
        default=None, description="How the page is computed. Absent if it is not."
    )
    computed_seed: str | None = Field(
        default=None,
        description="Mark of what the page is computed from: the id of the specification on the page that "
        "was inserted, a hash of the text on those below it. Only on computed pages.",
    )
    markdown: str | None = Field(
        default=None,
        description="Text of the page as Markdown. Only where one page is read with `format=markdown`.",
    )
    document: JSONDocument | None = Field(
        default=None,
        description="Text of the page as a structured document. Only where one page is read with "
        "`format=document`.",
    )


ENUMERATIONS = (
    Enumeration(
        "PageType",
        PageKind,
        {
            "document": "A page with a text.",
            "group": "A heading in the tree of pages that holds pages.",
            "link": "A link to a URL or a file in the page tree.",
            "computed": "A page made from other data. Pages of OpenAPI specifications are documents "
            "with `computed` instead.",
        },
    ),
    Enumeration(
        "SpecificationPart",
        SpecificationPart,
        {
            "models": "All schemas.",
            "operations": "All operations.",
            "info": "What the API is: its title, description and servers.",
            "operation": "One operation or webhook.",
            "tag": "The operations of a tag.",
        },
    ),
)
