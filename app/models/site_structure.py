"""The structure of a site: its sections, groups and links, and the order of all that it shows.

Sections of a site, groups of sections, and links beside them in the navigation.

The structure of a site: all that it shows, and the order of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, RootModel, StringConstraints, model_validator
from pydantic.alias_generators import to_camel, to_pascal
from pydantic_core import PydanticCustomError

from app.models.base import Change, Choice, Choices, Column, Enumeration, Link, Names, Shape, absent, one_of
from app.models.collections import Beside
from app.models.site_items import CONDITION, CONDITION_SENT, Condition, ItemKind, SiteItemUrls, SiteSpaceOut
from app.models.sites import AddressPart, IconName, SiteTitle
from app.models.texts import Label

GroupTitle = Annotated[str, Label(100)]
Description = Annotated[str, StringConstraints(max_length=256)]
GroupSideKind = Literal["site-section", "site-section-group"]
NEIGHBOURS = {"site-section": "section", "site-section-group": "group of sections"}
ICON = "Name of an icon, such as `gear`, at most 50 characters. Null means none."
BELOW_TITLE = "Text below the title in the navigation, at most 256 characters. Null means none."


def _by_id(kinds: Mapping[str, str]) -> dict[str, Choice]:
    """Return choices of objects by their ids, of these kinds of REST and the words for them."""
    return {
        to_camel(kind.replace("-", "_")): Choice(
            "id", f"Id of a {noun}.", {"type": kind}, names=to_pascal(kind.replace("-", "_"))
        )
        for kind, noun in kinds.items()
    }


GROUP_NEIGHBOURS = Choices(_by_id(NEIGHBOURS))


class SectionCreate(Change):
    """A new section around a space; its title is the space's unless it is given."""

    space_id: Annotated[str, Names("Space")] = Field(
        description="Id of a space of the organization, the first of the section. Needs the level `create` on"
        " the space."
    )
    title: SiteTitle | None = Field(
        default=None, description="Title, 2 to 128 characters. By default the title of the space."
    )
    icon: IconName | None = Field(default=None, description=ICON)


class SectionUpdate(Change):
    """Changes to a section; null removes `condition`, `icon` and `description`, and takes it out of its
    group."""

    title: SiteTitle = absent("Title, 2 to 128 characters.")
    path: AddressPart = absent(
        "Path segment of the section in URLs, unique in the site. 1 to 100 characters."
    )
    default_site_space: Annotated[str, Names("SiteSpace")] = absent(
        "Id of the space of this section that is shown at its address."
    )
    section_group: Annotated[str, Names("SiteSectionGroup")] | None = Field(
        default=None,
        description="Id of the group to move the section to, where it comes last. Null moves it out of its"
        " group, right after it.",
    )
    condition: Condition | None = Field(default=None, description=CONDITION_SENT)
    icon: IconName | None = Field(default=None, description=ICON)
    description: Description | None = Field(default=None, description=BELOW_TITLE)


class SiteSectionOut(Shape):
    """A section of a site: a part with its own path that contains one or more spaces (specification,
    SiteSection)."""

    object: Literal["site-section"]
    id: str
    title: str = Field(description="Title in the navigation.")
    description: str | None = Field(default=None, description="Text below the title in the navigation.")
    default: Annotated[bool, Column("is_default")] = Field(
        description="Whether it is shown at the address of the site."
    )
    path: str = Field(description="Path segment of the section in URLs, unique in the site.")
    condition: str | None = Field(default=None, description=CONDITION)
    section_group: Annotated[str | None, Column("parent_id"), Names("SiteSectionGroup")] = Field(
        default=None, description="Group that the section is in. Absent at the root of the site."
    )
    site_spaces: list[SiteSpaceOut] = Field(description="Spaces of the section, in their order.")
    urls: SiteItemUrls
    icon: str | None = Field(default=None, description="Name of the icon, such as `gear`.")


class SectionSide(Shape):
    """A neighbouring section or group: a section as `siteSection`, either by `id`."""

    model_config = one_of({"siteSection": {"type": "string"}}, {"id": {"type": "string"}}, only=True)
    choices = GROUP_NEIGHBOURS

    type: GroupSideKind = Field(description="Type of the neighbour.")
    site_section: Annotated[str, Names("SiteSection")] | None = Field(
        default=None, description="Id of the neighbouring section."
    )
    named: str | None = Field(
        default=None, alias="id", description="Id of the neighbouring section or group."
    )

    @property
    def id(self) -> str:
        """Return the neighbour's id."""
        return self.site_section or self.named or ""

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        if bool(self.site_section) == bool(self.named):
            raise PydanticCustomError("side", "name the neighbour as `siteSection` or by its `id`")
        return self


class SectionPosition(Beside[SectionSide]):
    """Before or after another section of the same level."""


class SectionMove(Change):
    """A section's new place; last without a position."""

    position: SectionPosition = absent("Place of the section beside another one. Last if left out.")


class GroupCreate(Change):
    """A new group, with sections that leave where they are."""

    title: GroupTitle = Field(description="Title, 1 to 100 characters.")
    icon: IconName | None = Field(default=None, description=ICON)
    sections: Annotated[list[str], Field(max_length=100), Names("SiteSection")] = Field(
        default_factory=list,
        description="Ids of the sections to put into the group, in this order. At most 100.",
    )


class GroupUpdate(Change):
    """Changes to a group."""

    title: GroupTitle = absent("Title, 1 to 100 characters.")
    icon: IconName | None = Field(default=None, description=ICON)


class GroupedSection(Change):
    """A section to put into a group."""

    section_id: Annotated[str, Names("SiteSection")] = Field(
        description="Id of the section. It leaves the group that it is in."
    )


class SiteExternalLinkOut(Shape):
    """A link in the navigation of a site."""

    object: Literal["site-external-link"]
    id: str
    title: str = Field(description="Text of the link.")
    url: str = Field(description="Where the link leads.")
    description: str | None = Field(default=None, description="Text below the title in the navigation.")
    icon: str | None = Field(default=None, description="Name of the icon, such as `gear`.")
    parent: Annotated[str | None, Column("parent_id"), Names("SiteSectionGroup")] = Field(
        default=None, description="Group that the link is in. Absent at the root of the site."
    )
    condition: str | None = Field(default=None, description=CONDITION)


SiteSectionGroupChild = SiteSectionOut | SiteExternalLinkOut


class SiteSectionGroupOut(Shape):
    """A group of sections: a title over them in the navigation (specification, SiteSectionGroup)."""

    object: Literal["site-section-group"]
    id: str
    title: str = Field(description="Title in the navigation.")
    icon: str | None = Field(default=None, description="Name of the icon, such as `gear`.")
    sections: list[SiteSectionOut] = Field(description="Sections of the group, in their order.")
    children: list[SiteSectionGroupChild] = Field(
        description="Sections and links of the group, in their order."
    )


class GroupSide(Shape):
    """A neighbouring section or group by its ID; `type` says which."""

    choices = GROUP_NEIGHBOURS

    type: GroupSideKind = Field(description="Type of the neighbour.")
    id: str = Field(description="Id of the neighbouring section or group.")


class GroupPosition(Beside[GroupSide]):
    """Before or after another section or group at the root."""


class GroupMove(Change):
    """A group's new place; last without a position."""

    position: GroupPosition = absent("Place of the group beside a section or group. Last if left out.")


class ExternalLinkCreate(Change):
    """A link in the navigation, at the root or in a group (`parent`)."""

    title: GroupTitle = Field(description="Text of the link, 1 to 100 characters.")
    url: Link = Field(
        description="Target of the link: a URL, or `mailto:` and an e-mail address, at most 2,048 characters."
    )
    description: Description | None = Field(default=None, description=BELOW_TITLE)
    icon: IconName | None = Field(default=None, description=ICON)
    parent: Annotated[str, Names("SiteSectionGroup")] | None = Field(
        default=None, description="Id of the group to put the link into. By default the root of the site."
    )
    condition: Condition | None = Field(default=None, description=CONDITION_SENT)


class ExternalLinkUpdate(Change):
    """Changes to a link in the navigation."""

    title: GroupTitle = absent("Text of the link, 1 to 100 characters.")
    url: Link = absent(
        "Target of the link: a URL, or `mailto:` and an e-mail address, at most 2,048 characters."
    )
    description: Description | None = Field(default=None, description=BELOW_TITLE)
    icon: IconName | None = Field(default=None, description=ICON)
    parent: Annotated[str, Names("SiteSectionGroup")] | None = Field(
        default=None,
        description="Id of the group to put the link into. Null puts it at the root of the site.",
    )
    condition: Condition | None = Field(default=None, description=CONDITION_SENT)


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

    choices = Choices(_by_id({**NEIGHBOURS, "site-space": "space of the site", "site-external-link": "link"}))

    type: ItemKind = Field(description="Type of the item.")
    id: str


class ItemPosition(Beside[Pointer]):
    """Before or after another item of the same level."""


class StructureParent(Shape):
    """A section or group of the site that other items are put into."""

    choices = Choices(_by_id(NEIGHBOURS))

    type: GroupSideKind = Field(description="Type of the parent.")
    id: str = Field(description="Id of the section or group.")


class StructureSort(Change):
    """An item and its new place: another parent, another position, or both."""

    item: Pointer = Field(description="Item to move.")
    parent: StructureParent | None = Field(
        default=None,
        description="Section to move a space into, or group to move a section or link into. Null moves it to "
        "the root of the site; left out, it stays in its parent.",
    )
    position: ItemPosition = Field(description="Place of the item beside another one in its parent.")


ENUMERATIONS = (
    Enumeration(
        "SiteGroupNeighbourType",
        GroupSideKind,
        {
            "site-section": "The neighbour is a section.",
            "site-section-group": "The neighbour is a group of sections.",
        },
    ),
    Enumeration(
        "SiteStructureType",
        StructureType,
        {
            "sections": "The site has at least one section.",
            "siteSpaces": "The site has no sections.",
        },
    ),
)
