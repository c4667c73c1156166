"""Where an item of a site goes: beside which neighbour (decisions: section, group and site-space moves)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from app.models.base import Change, Shape, absent, one_of
from app.models.positions import Beside
from app.models.site_items import ItemKind

GroupSideKind = Literal["site-section", "site-section-group"]


class SectionSide(Shape):
    """A neighbouring section or group: a section as `siteSection`, either by `id`."""

    model_config = one_of({"siteSection": {"type": "string"}}, {"id": {"type": "string"}}, only=True)

    type: GroupSideKind
    site_section: str | None = None
    named: str | None = Field(default=None, alias="id")

    @property
    def id(self) -> str:
        """The neighbour's id."""
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
        """The neighbour's id."""
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
