"""The structure of a site: all that it shows, and the order of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, RootModel

from app.models.base import Change, Enumeration, Shape
from app.models.collections import Beside
from app.models.site_items import ItemKind
from app.models.site_sections import (
    SiteExternalLinkOut,
    SiteSectionGroupOut,
    SiteSectionOut,
)
from app.models.site_spaces import SiteSpaceOut

StructureType = Literal["sections", "siteSpaces"]
SiteStructureItem = SiteSectionOut | SiteSectionGroupOut | SiteExternalLinkOut | SiteSpaceOut


class SiteStructureOut(Shape):
    """All that a site shows: sections, groups and links, or the spaces of a site that has no section."""

    type: StructureType = Field(description="Whether the site is made of sections or of spaces alone.")
    structure: list[SiteStructureItem] = Field(description="Items at the root of the site, in their order.")


class SortedItemOut(RootModel[Annotated[SiteStructureItem, Field(discriminator="object")]]):
    """The item that was moved."""


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
