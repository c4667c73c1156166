"""The structure of a site: all that it shows, and the order of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.models.base import Change, Enumeration, Names, Shape
from app.models.collections import Beside
from app.models.site_items import ItemKind, SiteItemUrls
from app.models.site_sections import (
    SiteExternalLinkOut,
    SiteSectionGroupChild,
    SiteSectionGroupOut,
    SiteSectionOut,
)
from app.models.site_spaces import SiteSpaceOut
from app.models.spaces import SpaceOut

StructureType = Literal["sections", "siteSpaces"]
SiteStructureItem = SiteSectionOut | SiteSectionGroupOut | SiteExternalLinkOut | SiteSpaceOut


class SiteStructureOut(Shape):
    """All that a site shows: sections, groups and links, or the spaces of a site that has no section."""

    type: StructureType = Field(description="Whether the site is made of sections or of spaces alone.")
    structure: list[SiteStructureItem] = Field(description="Items at the root of the site, in their order.")


class SortedItemOut(Shape):
    """The item that was moved: what `object` says, with the fields that such an item has."""

    object: ItemKind
    id: str
    title: str = Field(description="Title in the navigation.")
    path: str | None = Field(
        default=None, description="Part of the address that stands for the item. Of sections and spaces only."
    )
    description: str | None = Field(
        default=None, description="Text below the title in the navigation. Of sections and links only."
    )
    icon: str | None = Field(
        default=None, description="Name of the icon, such as `gear`. Of sections, groups and links only."
    )
    condition: str | None = Field(
        default=None,
        description="Expression over the visitor's claims; only visitors for whom it is true are shown the"
        " item. Of sections, links and spaces only.",
    )
    default: bool | None = Field(
        default=None,
        description="Whether it is shown at the address of what it is in. Of sections and spaces only.",
    )
    section: Annotated[str, Names("SiteSection")] | None = Field(
        default=None, description="Section that the space is in. Of spaces only."
    )
    section_group: Annotated[str, Names("SiteSectionGroup")] | None = Field(
        default=None, description="Group that the section is in. Of sections only."
    )
    parent: Annotated[str, Names("SiteSectionGroup")] | None = Field(
        default=None, description="Group that the link is in. Of links only."
    )
    url: str | None = Field(default=None, description="Where the link leads. Of links only.")
    space: SpaceOut | None = Field(default=None, description="Space whose content is shown. Of spaces only.")
    draft: bool | None = Field(
        default=None,
        description="True while the space is hidden from visitors. Absent otherwise. Of spaces only.",
    )
    has_advanced_customization_feature: bool | None = Field(
        default=None,
        description="Whether the space may look different from the site. Always true. Of spaces only.",
    )
    site_spaces: list[SiteSpaceOut] | None = Field(
        default=None, description="Spaces of the section, in their order. Of sections only."
    )
    sections: list[SiteSectionOut] | None = Field(
        default=None, description="Sections of the group, in their order. Of groups only."
    )
    children: list[SiteSectionGroupChild] | None = Field(
        default=None, description="Sections and links of the group, in their order. Of groups only."
    )
    urls: SiteItemUrls | None = Field(
        default=None, description="Addresses of the item. Of sections and spaces only."
    )


class Pointer(Shape):
    """An item of the site's structure."""

    type: ItemKind = Field(description="Type of the item.")
    id: str


class ItemPosition(Beside[Pointer]):
    """Before or after another item of the same level."""


class StructureSort(Change):
    """An item and its new place."""

    item: Pointer = Field(description="Item to move.")
    position: ItemPosition = Field(description="Place of the item beside another one of its level.")


ENUMERATIONS = (
    Enumeration(
        "SiteStructureType",
        StructureType,
        {
            "sections": "The site has at least one section.",
            "siteSpaces": "The site has no sections.",
        },
    ),
)
