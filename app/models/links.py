"""Links and backlinks of content, and what is at an address.

What is at an address: content of the application, or a page to embed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field as ShapeField
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Key, index_of_closed_rows, index_of_open_rows
from app.models.base import Enumeration, Names, Shape, Table, UrlOut
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
    """The version of a space that a reference is about."""

    type: ContextKind = ShapeField(description="Kind of the version.")
    revision: Annotated[str, Names("Revision")] | None = ShapeField(
        default=None, description="The revision. Only for the type `revision`."
    )
    change_request: Annotated[str, Names("ChangeRequest")] | None = ShapeField(
        default=None, description="The change request. Only for the type `changeRequest`."
    )


class ReusableReference(Shape):
    """The reusable content that a reference is about."""

    id: Annotated[str, Names("ReusableContent")] = ShapeField(description="Id of the reusable content.")
    title: str = ShapeField(description="Title of the reusable content.")


class InternalLocation(Shape):
    """The block of a structured document that contains a link."""

    type: Literal["node"] = ShapeField(description="Kind of the location.")
    node: str = ShapeField(description="Key of the block.")


class Reference(Shape):
    """A place or a thing that a link connects (decisions, Location)."""

    kind: ReferenceKind = ShapeField(
        description="Kind of the target. It decides which of the other fields are present."
    )
    organization: OrganizationOut | None = ShapeField(
        default=None, description="Organization that it is in. Absent for addresses."
    )
    space: SpaceOut | None = ShapeField(
        default=None, description="Space that contains the target or is the target. Absent for URLs."
    )
    version_context: VersionContext | None = ShapeField(
        default=None, description="Version of the space that it is in. Absent for addresses."
    )
    page: PageOut | None = ShapeField(
        default=None,
        description="The page, without its subpages. Only for the kinds `page` and `anchor`.",
    )
    file: FileOut | None = ShapeField(default=None, description="The file. Only for the kind `file`.")
    reusable_content: ReusableReference | None = ShapeField(
        default=None, description="The reusable content. Only for the kind `reusable-content`."
    )
    url: UrlOut | None = ShapeField(default=None, description="The URL. Only for the kind `url`.")
    anchor: str | None = ShapeField(
        default=None, description="The anchor in the page. Only for the kind `anchor`."
    )
    internal_location: InternalLocation | None = ShapeField(
        default=None,
        description="Block that contains the link. Absent for targets, and if the link is in no block.",
    )


class LinkOut(Shape):
    """A link in a page or a reusable content (specification, Content reference lists; decisions, Links)."""

    status: LinkStatus = ShapeField(description="Whether the link works.")
    reason: BrokenReason | None = ShapeField(
        default=None, description="What is missing. Absent unless the link is broken."
    )
    relation: LinkRelation = ShapeField(description="How the text uses the target.")
    href: str = ShapeField(description="The link as it is written.")
    block: str | None = ShapeField(
        default=None,
        description="Key of the block of the structured document that the link stands in. Absent if it "
        "stands in none.",
    )
    target_reference: Reference | None = ShapeField(
        default=None,
        description="What the link leads to. Absent if that is not there, or the caller may not see it.",
    )
    location_references: list[Reference] = ShapeField(description="Where the link stands.")


class BrokenStats(Shape):
    """Numbers of broken links."""

    total: int = ShapeField(description="Number of broken links.")
    change_request: int | None = ShapeField(
        default=None,
        description="How many of them the change request brings. Only where a change request is read.",
    )


class LinkStats(Shape):
    """Numbers of links."""

    total: int = ShapeField(description="Number of links.")
    broken: BrokenStats = ShapeField(description="Numbers of broken links.")


class LinkTotals(Shape):
    """The facts that a list of links tells besides its items."""

    stats: LinkStats = ShapeField(description="Numbers of links, whatever filter and page were asked for.")


class LinkQuery(PageQuery):
    """Filters of links."""

    status: LinkStatus | None = ShapeField(
        default=None, description="Only links with this status. All if left out."
    )
    new: bool = ShapeField(
        default=False,
        description="Only links that the main content does not have with the same status: those that merging "
        "a change request would bring. The main content itself has none.",
    )


EmbedType = Literal["link", "integration"]


class UrlQuery(Shape):
    """The address to look up."""

    url: str = Field(min_length=1, max_length=4096, description="Absolute address, up to 4,096 characters.")


class ContentAtUrlOut(Shape):
    """The content at a URL of the application: a collection, or a space and the part of it that the URL
    points to.
    """

    collection: CollectionOut | None = Field(
        default=None, description="Collection at the address. Absent if it is that of a space."
    )
    space: SpaceOut | None = Field(
        default=None, description="Space at the address. Absent if it is that of a collection."
    )
    change_request: ChangeRequestOut | None = Field(
        default=None, description="Change request that the address names. Absent if it names none."
    )
    revision: Annotated[str, Names("Revision")] | None = Field(
        default=None, description="Revision that the address names. Absent if it names none."
    )
    page: PageOut | None = Field(
        default=None,
        description="Page that the address names, without the pages below it. Absent if it names none.",
    )


class UrlEmbedOut(Shape):
    """The way to show an address that content embeds."""

    type: EmbedType = Field(description="How to show it.")
    url: str = Field(description="Address that is embedded.")
    title: str = Field(description="Title of the page at the address, or of the block that shows it.")
    site: str = Field(description="Host of the address.")
    description: str | None = Field(
        default=None, description="Description of the page at the address. Absent if it has none."
    )
    icon: str | None = Field(
        default=None, description="Address of the icon of the page. Absent if it has none."
    )
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None, description="Integration whose block shows the address. Only of the type `integration`."
    )
    block: str | None = Field(
        default=None,
        description="Id of the block of the integration that shows the address. Only of the type "
        "`integration`.",
    )


ENUMERATIONS = (
    Enumeration(
        "LinkStatus",
        LinkStatus,
        {
            "ok": "The target is there, or is an address elsewhere, which is not fetched.",
            "broken": "The target is not there.",
            "in-app": "The link is an address of this application.",
        },
    ),
    Enumeration(
        "LinkBrokenReason",
        BrokenReason,
        {
            "missing-target": "The page, the file or the space is not there.",
            "missing-anchor": "The page is there, and the place in it is not.",
        },
    ),
    Enumeration(
        "LinkRelation",
        LinkRelation,
        {
            "reference": "The text leads there.",
            "dependsOn": "The text shows the target: an image, a file, an embed, an include or a block "
            "of an OpenAPI specification.",
        },
    ),
    Enumeration(
        "ReferenceKind",
        ReferenceKind,
        {
            "file": "A file.",
            "url": "An address.",
            "page": "A page.",
            "anchor": "A place in a page.",
            "user": "A person.",
            "collection": "A collection.",
            "space": "A space.",
            "reusable-content": "A reusable content.",
            "tag": "A tag.",
            "openapi": "An OpenAPI specification.",
        },
    ),
    Enumeration(
        "VersionContextType",
        ContextKind,
        {
            "revision": "A revision of the space.",
            "changeRequest": "A change request of the space.",
        },
    ),
    Enumeration(
        "EmbedType",
        EmbedType,
        {
            "link": "As a link with title, description and icon.",
            "integration": "By a block of an integration.",
        },
    ),
)
