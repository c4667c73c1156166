"""Spaces of a site: where each is found, and who sees it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.models.base import Change, Column, Names, Shape, absent
from app.models.collections import Beside
from app.models.queries import QueryBool
from app.models.site_items import CONDITION, CONDITION_SENT, Condition, SiteItemsQuery, SiteItemUrls
from app.models.sites import AddressPart
from app.models.spaces import SpaceOut


class SiteSpacesQuery(SiteItemsQuery):
    """Which spaces of a site to list."""

    default: QueryBool | None = Field(
        default=None,
        description="Lists only the default space of the site if true, only the others if false.",
    )


class SiteSpaceCreate(Change):
    """A space to add: to a section, else to the default one, or to a site without sections."""

    space_id: Annotated[str, Names("Space")] = Field(
        description="Id of a space of the organization. Needs the level `create` on the space."
    )
    section_id: Annotated[str, Names("SiteSection")] = absent(
        "Id of the section to add it to. By default the default section, or the site itself while it has no"
        " sections."
    )


class SiteSpaceUpdate(Change):
    """Changes to a space of a site; null removes `condition`. A draft is not shown to visitors."""

    path: AddressPart = absent(
        "Part of the address that stands for the space, unique in its section. 1 to 100 characters."
    )
    condition: Condition | None = Field(default=None, description=CONDITION_SENT)
    space_id: Annotated[str, Names("Space")] = absent(
        "Id of the space to show in its place, under the same path."
    )
    draft: bool = absent("Whether the space is hidden from visitors.")


class SiteSpaceCopy(Change):
    """How to copy: a draft is not shown to visitors."""

    draft: bool = Field(default=False, description="Whether the copy is hidden from visitors.")


class SiteSpaceOut(Shape):
    """A space of a site (specification, SiteSpace).

    Spaces of one section, or of a site without sections, are variants of each other, such as versions or
    languages.
    """

    object: Literal["site-space"]
    id: str
    path: str = Field(description="Part of the address that stands for the space, unique in its section.")
    section: Annotated[str | None, Column("parent_id"), Names("SiteSection")] = Field(
        default=None, description="Section that the space is in. Absent on a site without sections."
    )
    space: SpaceOut = Field(description="Space whose content is shown.")
    title: Annotated[str, Column("space_title")] = Field(description="Title of the space.")
    default: Annotated[bool, Column("is_default")] = Field(
        description="Whether it is shown at the address of its section, or of a site without sections."
    )
    condition: str | None = Field(default=None, description=CONDITION)
    draft: bool | None = Field(
        default=None, description="True while the space is hidden from visitors. Absent otherwise."
    )
    has_advanced_customization_feature: bool = Field(
        description="Whether the space may look different from the site. Always true."
    )
    urls: SiteItemUrls


class SiteSpaceSide(Shape):
    """A neighbouring space of the site."""

    type: Literal["site-space"] = Field(description="Type of the neighbour.")
    site_space: str = Field(description="Id of the neighbouring space of the site.")

    @property
    def id(self) -> str:
        """Return the neighbour's id."""
        return self.site_space


class SiteSpacePosition(Beside[SiteSpaceSide]):
    """Before or after another space of the same section."""


class SiteSpaceMove(Change):
    """A space's new place in its section; last without a position."""

    position: SiteSpacePosition = absent("Place of the space beside another one. Last if left out.")
