"""Pages: documents, groups and links in a tree, with the bodies that documents show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Optional

from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Json, Key, index_of_closed_rows, index_of_open_rows
from app.models.base import AnyValue, Column, Enumeration, Names, Shape, Table, UrlOut
from app.models.documents import JSONDocument
from app.models.page_layouts import Cover, Layout, UrlReference
from app.models.users import UserOut

SourceKind = Literal["openapi", "space"]
PageKind = Literal["document", "group", "link", "computed"]
Variables = dict[str, str | int | float | bool]


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
    id, which no page has. `edited_by` is who made the edit of `updated_at`; None where no person did.
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
    edited_by: str | None = Field(default=None, sa_type=Key)


class PageUrls(Shape):
    """Addresses of a page."""

    app: UrlOut


class PageGit(Shape):
    """Place of a page in the Git repository that it came from."""

    oid: str | None = Field(default=None, description="Object id of the Git blob.")
    path: str | None = Field(default=None, description="Path of the file in the repository.")


class ComputedReference(Shape):
    """A reference to what a page is computed from."""

    kind: SourceKind = Field(description="Kind of the reference.")
    spec: Annotated[str, Names("OpenAPISpec")] | None = Field(
        default=None, description="The OpenAPI specification. Only of the kind `openapi`."
    )
    space: Annotated[str, Names("Space")] | None = Field(
        default=None, description="The space. Only of the kind `space`."
    )


class DependencyState(Shape):
    """A dependency of a page, as it was when the page was computed."""

    object: str = Field(description="What it is: `openapi-spec` or `space`.")
    id: str = Field(description="Id of the specification or the space.")
    revision: Annotated[str, Names("Revision")] | None = Field(
        default=None, description="Revision of the space. Absent for a specification."
    )
    slug: str | None = Field(default=None, description="Slug of the specification. Absent for a space.")
    last_version: Annotated[str, Names("OpenAPISpecVersion")] | None = Field(
        default=None,
        description="Version of the specification. Absent for a space, and where there was none.",
    )


class ComputedDependency(Shape):
    """Something that a page is computed from."""

    ref: ComputedReference = Field(description="What the page is computed from.")
    version: Annotated[str, Names("OpenAPISpecVersion")] | None = Field(
        default=None,
        description="Version of the specification that the pages below show. Only on an inserted page of "
        "`builtin:openapi`, once there is a version.",
    )
    value: DependencyState | None = Field(
        default=None,
        description="What the page was computed with. Only on an inserted page of an integration, once it "
        "was computed.",
    )


class ComputedOut(Shape):
    """The source of a computed page, and its state."""

    type: str = Field(
        description="What computes the page: `builtin:openapi`, or `integration:NAME:SOURCE` for a content "
        "source of an integration."
    )
    dependencies: dict[str, ComputedDependency] | None = Field(
        default=None,
        description="What the page is computed from, by name. That of `builtin:openapi` is `spec`.",
    )
    props: dict[str, AnyValue] | None = Field(
        default=None,
        description="What the page shows of it. For `builtin:openapi`: `doc` is what the page shows (`info`, "
        "`tag`, `operation`, `operations` or `models`), `page` the tag that it is about; `path`, `method` "
        "and `deprecated` are those of an operation; `models` is false where the page of the schemas is "
        "left out. For integrations: what their source was given.",
    )
    version: int | None = Field(
        default=None,
        description="Version of the integration that computed the page and those below it. Only on an "
        "inserted page of an integration, once it was computed.",
    )
    computed_at: datetime | None = Field(
        default=None,
        description="When the pages were computed last. Only on an inserted page of an integration, once it "
        "was computed.",
    )
    error: str | None = Field(
        default=None,
        description="Why the last attempt to compute the pages failed; they are as they were before. Absent "
        "if it did not.",
    )


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
        description="Mark of what the page is computed from: on the page that was inserted the id of the "
        "specification, or the source; on those below it a hash. Only on computed pages.",
    )
    last_edited_by: UserOut | None = Field(
        default=None,
        description="Person who last edited the page, as it is read here: in a space, a change request or a "
        "past revision. Absent if that was no person, such as a sync or a specification; to visitors; and, "
        "in REST, where pages are listed.",
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
        "ComputedSourceKind",
        SourceKind,
        {"openapi": "An OpenAPI specification.", "space": "A space."},
    ),
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
)
