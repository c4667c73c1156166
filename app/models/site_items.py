"""What a site shows: sections, groups, links and spaces, and their order."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field as ShapeField
from pydantic import StringConstraints, model_validator
from pydantic_core import PydanticCustomError
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Link, Shape, Table, absent, one_of
from app.models.collections import Beside
from app.models.queries import PageQuery, QueryBool, ShareKeyQuery
from app.models.sites import AddressPart, IconName, SiteTitle
from app.models.spaces import SpaceOut
from app.models.texts import Label

ItemKind = Literal["site-space", "site-section", "site-section-group", "site-external-link"]
StructureType = Literal["sections", "siteSpaces"]
GroupTitle = Annotated[str, Label(100)]
Description = Annotated[str, StringConstraints(max_length=256)]
Condition = Annotated[str, StringConstraints(min_length=1, max_length=1024)]


class SiteItem(Table, table=True):
    """A node of a site's tree. `position` is its parent's and its own rank, so that text order is tree order.

    `path` is unique in its `scope`: sections in the site (""), spaces in their section. Of the spaces of a
    section (or of a site without), one that can be seen has `is_default`; likewise of the sections of a site.
    """

    __tablename__ = "site_item"
    __table_args__ = (
        Index(None, "site_id", "position"),
        Index(None, "site_id", "scope", "path", unique=True),
        Index(None, "site_id", "scope", "space_id", unique=True),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    kind: str
    parent_id: str | None = Field(default=None, sa_type=Key)
    position: str = Field(sa_type=Key)
    scope: str | None = Field(default=None, sa_type=Key)
    path: str | None = Field(default=None, sa_type=Key)
    space_id: str | None = Field(default=None, sa_type=Key, foreign_key="space.id", index=True)
    is_default: bool
    draft: bool
    title: str | None = None
    description: str | None = None
    icon: str | None = None
    condition: str | None = None
    url: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class SiteItemsQuery(PageQuery, ShareKeyQuery):
    """A page of the sections of a site."""


class SiteSpacesQuery(SiteItemsQuery):
    """Which spaces of a site to list."""

    default: QueryBool | None = Field(
        default=None, description="true: only the default space of the site; false: only the others"
    )


class SectionCreate(Change):
    """A new section around a space; its title is the space's unless it is given."""

    space_id: str
    title: SiteTitle | None = None
    icon: IconName | None = None


class SectionUpdate(Change):
    """Changes to a section; null removes `condition`, `icon` and `description`."""

    title: SiteTitle = absent()
    path: AddressPart = absent()
    default_site_space: str = absent()
    condition: Condition | None = None
    icon: IconName | None = None
    description: Description | None = None


class GroupCreate(Change):
    """A new group, with sections that leave where they are."""

    title: GroupTitle
    icon: IconName | None = None
    sections: Annotated[list[str], Field(max_length=100)] = Field(default_factory=list)


class GroupUpdate(Change):
    """Changes to a group."""

    title: GroupTitle = absent()
    icon: IconName | None = None


class GroupedSection(Change):
    """A section to put into a group."""

    section_id: str


class SiteSpaceCreate(Change):
    """A space to add: to a section, else to the default one, or to a site without sections."""

    space_id: str
    section_id: str = absent()


class SiteSpaceUpdate(Change):
    """Changes to a space of a site; null removes `condition`. A draft is not shown to visitors."""

    path: AddressPart = absent()
    condition: Condition | None = None
    space_id: str = absent()
    draft: bool = absent()


class SiteSpaceCopy(Change):
    """How to copy: a draft is not shown to visitors."""

    draft: bool = False


class ExternalLinkCreate(Change):
    """A link in the navigation, at the root or in a group (`parent`)."""

    title: GroupTitle
    url: Link
    description: Description | None = None
    icon: IconName | None = None
    parent: str | None = None
    condition: Condition | None = None


class ExternalLinkUpdate(Change):
    """Changes to a link in the navigation."""

    title: GroupTitle = absent()
    url: Link = absent()
    description: Description | None = None
    icon: IconName | None = None
    parent: str | None = None
    condition: Condition | None = None


class SiteItemUrls(Shape):
    """Where visitors find it, while the site is online."""

    published: str | None = None


class SiteSpaceOut(Shape):
    """A space of a site (specification, SiteSpace)."""

    object: Literal["site-space"]
    id: str
    path: str
    section: Annotated[str | None, Column("parent_id")] = None
    space: SpaceOut
    title: Annotated[str, Column("space_title")]
    default: Annotated[bool, Column("is_default")]
    condition: str | None = None
    draft: bool | None = None
    has_advanced_customization_feature: bool
    urls: SiteItemUrls


class SiteSectionOut(Shape):
    """A section of a site (specification, SiteSection)."""

    object: Literal["site-section"]
    id: str
    title: str
    description: str | None = None
    default: Annotated[bool, Column("is_default")]
    path: str
    condition: str | None = None
    section_group: Annotated[str | None, Column("parent_id")] = None
    site_spaces: list[SiteSpaceOut]
    urls: SiteItemUrls
    icon: str | None = None


class SiteExternalLinkOut(Shape):
    """A link in the navigation of a site."""

    object: Literal["site-external-link"]
    id: str
    title: str
    url: str
    description: str | None = None
    icon: str | None = None
    parent: Annotated[str | None, Column("parent_id")] = None
    condition: str | None = None


class SiteSectionGroupOut(Shape):
    """A group of sections (specification, SiteSectionGroup); `children` are its links too, in their order."""

    object: Literal["site-section-group"]
    id: str
    title: str
    icon: str | None = None
    sections: list[SiteSectionOut]
    children: list[SiteSectionOut | SiteExternalLinkOut]


class SiteStructureOut(Shape):
    """All that a site shows: sections, groups and links, or the spaces of a site that has no section."""

    type: StructureType
    structure: list[SiteSectionOut | SiteSectionGroupOut | SiteExternalLinkOut | SiteSpaceOut]


class SortedItemOut(Shape):
    """The item that was moved: what `object` says, with the fields that such an item has."""

    object: ItemKind
    id: str
    title: str
    path: str | None = None
    description: str | None = None
    icon: str | None = None
    condition: str | None = None
    default: bool | None = None
    section: str | None = None
    section_group: str | None = None
    parent: str | None = None
    url: str | None = None
    space: SpaceOut | None = None
    draft: bool | None = None
    has_advanced_customization_feature: bool | None = None
    site_spaces: list[SiteSpaceOut] | None = None
    sections: list[SiteSectionOut] | None = None
    children: list[SiteSectionOut | SiteExternalLinkOut] | None = None
    urls: SiteItemUrls | None = None


GroupSideKind = Literal["site-section", "site-section-group"]


class SectionSide(Shape):
    """A neighbouring section or group: a section as `siteSection`, either by `id`."""

    model_config = one_of({"siteSection": {"type": "string"}}, {"id": {"type": "string"}}, only=True)

    type: GroupSideKind
    site_section: str | None = None
    named: str | None = ShapeField(default=None, alias="id")

    @property
    def id(self) -> str:
        """Return the neighbour's id."""
        return self.site_section or self.named or ""

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        if bool(self.site_section) == bool(self.named):
            raise PydanticCustomError("side", "name the neighbour as `siteSection` or by its `id`")
        return self


class GroupSide(Shape):
    """A neighbouring section or group by its id, whichever `type` says."""

    type: GroupSideKind
    id: str


class SiteSpaceSide(Shape):
    """A neighbouring space of the site."""

    type: Literal["site-space"]
    site_space: str

    @property
    def id(self) -> str:
        """Return the neighbour's id."""
        return self.site_space


class Pointer(Shape):
    """An item of the site's structure."""

    type: ItemKind
    id: str


class SectionPosition(Beside[SectionSide]):
    """Before or after another section of the same level."""


class GroupPosition(Beside[GroupSide]):
    """Before or after another section or group at the root."""


class SiteSpacePosition(Beside[SiteSpaceSide]):
    """Before or after another space of the same section."""


class ItemPosition(Beside[Pointer]):
    """Before or after another item of the same level."""


class SectionMove(Change):
    """A section's new place; last without a position."""

    position: SectionPosition = absent()


class GroupMove(Change):
    """A group's new place; last without a position."""

    position: GroupPosition = absent()


class SiteSpaceMove(Change):
    """A space's new place in its section; last without a position."""

    position: SiteSpacePosition = absent()


class StructureSort(Change):
    """An item and its new place."""

    item: Pointer
    position: ItemPosition


ENUMERATIONS = (
    Enumeration(
        "SiteItemType",
        ItemKind,
        {
            "site-space": "",
            "site-section": "",
            "site-section-group": "",
            "site-external-link": "",
        },
    ),
    Enumeration(
        "SiteStructureType",
        StructureType,
        {
            "sections": "",
            "siteSpaces": "",
        },
    ),
    Enumeration(
        "SiteGroupNeighbourType",
        GroupSideKind,
        {
            "site-section": "",
            "site-section-group": "",
        },
    ),
)
