"""GraphQL face of changing what sites show."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, body, write, writes
from app.api.graphql.shapes import input_of, output
from app.api.graphql.sites import SiteExternalLink, SiteSection, SiteSectionGroup, SiteSpace
from app.domain.sites import site_navigation, site_spaces
from app.models.site_sections import (
    ExternalLinkCreate,
    ExternalLinkUpdate,
    GroupCreate,
    GroupedSection,
    GroupMove,
    GroupUpdate,
    SectionCreate,
    SectionMove,
    SectionUpdate,
)
from app.models.site_spaces import SiteSpaceCopy, SiteSpaceCreate, SiteSpaceMove, SiteSpaceUpdate
from app.models.site_structure import SortedItemOut, StructureSort
from app.present.site_items import (
    site_external_link,
    site_section,
    site_section_group,
    site_space,
    sorted_item,
)

SectionCreateInput: Any = input_of(SectionCreate, "SiteSectionCreateInput")
SectionUpdateInput: Any = input_of(SectionUpdate, "SiteSectionUpdateInput")
SectionMoveInput: Any = input_of(SectionMove, "SiteSectionMoveInput")
GroupCreateInput: Any = input_of(GroupCreate, "SiteSectionGroupCreateInput")
GroupUpdateInput: Any = input_of(GroupUpdate, "SiteSectionGroupUpdateInput")
GroupMoveInput: Any = input_of(GroupMove, "SiteSectionGroupMoveInput")
GroupedSectionInput: Any = input_of(GroupedSection)
SiteSpaceCreateInput: Any = input_of(SiteSpaceCreate)
SiteSpaceUpdateInput: Any = input_of(SiteSpaceUpdate)
SiteSpaceMoveInput: Any = input_of(SiteSpaceMove)
SiteSpaceCopyInput: Any = input_of(SiteSpaceCopy)
StructureSortInput: Any = input_of(StructureSort)
LinkCreateInput: Any = input_of(ExternalLinkCreate, "SiteExternalLinkCreateInput")
LinkUpdateInput: Any = input_of(ExternalLinkUpdate, "SiteExternalLinkUpdateInput")


@output(SortedItemOut)
class SortedSiteItem:
    """The item that was moved."""


@strawberry.type
class SiteItemMutation:
    @writes(site_navigation.add_section)
    async def add_site_section(
        self, info: Info, organization: ID, site: ID, new: SectionCreateInput
    ) -> SiteSection | None:
        asked = body(SectionCreate, new)
        return await write(info, site_navigation.add_section, organization, site, asked, show=site_section)

    @writes(site_navigation.update_section)
    async def update_site_section(
        self, info: Info, organization: ID, site: ID, id: ID, change: SectionUpdateInput
    ) -> SiteSection | None:
        asked = body(SectionUpdate, change)
        return await write(
            info, site_navigation.update_section, organization, site, id, asked, show=site_section
        )

    @writes(site_navigation.move_section)
    async def move_site_section(
        self, info: Info, organization: ID, site: ID, id: ID, to: SectionMoveInput
    ) -> SiteSection | None:
        asked = body(SectionMove, to)
        return await write(
            info, site_navigation.move_section, organization, site, id, asked, show=site_section
        )

    @writes(site_navigation.remove_section)
    async def delete_site_section(self, info: Info, organization: ID, site: ID, id: ID) -> bool | None:
        return await write(info, site_navigation.remove_section, organization, site, id)

    @writes(site_navigation.add_group)
    async def add_site_section_group(
        self, info: Info, organization: ID, site: ID, new: GroupCreateInput
    ) -> SiteSectionGroup | None:
        call, asked = site_navigation.add_group, body(GroupCreate, new)
        return await write(info, call, organization, site, asked, show=site_section_group)

    @writes(site_navigation.update_group)
    async def update_site_section_group(
        self, info: Info, organization: ID, site: ID, id: ID, change: GroupUpdateInput
    ) -> SiteSectionGroup | None:
        call, asked = site_navigation.update_group, body(GroupUpdate, change)
        return await write(info, call, organization, site, id, asked, show=site_section_group)

    @writes(site_navigation.put_section_in_group)
    async def add_section_to_group(
        self, info: Info, organization: ID, site: ID, id: ID, new: GroupedSectionInput
    ) -> SiteSectionGroup | None:
        call, asked = site_navigation.put_section_in_group, body(GroupedSection, new)
        return await write(info, call, organization, site, id, asked, show=site_section_group)

    @writes(site_navigation.take_section_from_group)
    async def remove_section_from_group(
        self, info: Info, organization: ID, site: ID, site_section_group: ID, id: ID
    ) -> bool | None:
        call = site_navigation.take_section_from_group
        return await write(info, call, organization, site, site_section_group, id)

    @writes(site_navigation.move_group, instead="sortSiteStructure")
    async def move_site_section_group(
        self, info: Info, organization: ID, site: ID, id: ID, to: GroupMoveInput
    ) -> SiteSectionGroup | None:
        call, asked = site_navigation.move_group, body(GroupMove, to)
        return await write(info, call, organization, site, id, asked, show=site_section_group)

    @writes(site_navigation.remove_group)
    async def delete_site_section_group(self, info: Info, organization: ID, site: ID, id: ID) -> bool | None:
        return await write(info, site_navigation.remove_group, organization, site, id)

    @writes(site_spaces.add)
    async def add_space_to_site(
        self, info: Info, organization: ID, site: ID, new: SiteSpaceCreateInput
    ) -> SiteSpace | None:
        asked = body(SiteSpaceCreate, new)
        return await write(info, site_spaces.add, organization, site, asked, show=site_space)

    @writes(site_spaces.update)
    async def update_site_space(
        self, info: Info, organization: ID, site: ID, id: ID, change: SiteSpaceUpdateInput
    ) -> SiteSpace | None:
        asked = body(SiteSpaceUpdate, change)
        return await write(info, site_spaces.update, organization, site, id, asked, show=site_space)

    @writes(site_spaces.duplicate)
    async def duplicate_site_space(
        self, info: Info, organization: ID, site: ID, id: ID, how: SiteSpaceCopyInput
    ) -> SiteSpace | None:
        asked = body(SiteSpaceCopy, how)
        return await write(info, site_spaces.duplicate, organization, site, id, asked, show=site_space)

    @writes(site_spaces.move, instead="sortSiteStructure")
    async def move_site_space(
        self, info: Info, organization: ID, site: ID, id: ID, to: SiteSpaceMoveInput
    ) -> SiteSpace | None:
        asked = body(SiteSpaceMove, to)
        return await write(info, site_spaces.move, organization, site, id, asked, show=site_space)

    @writes(site_spaces.remove)
    async def remove_space_from_site(self, info: Info, organization: ID, site: ID, id: ID) -> bool | None:
        return await write(info, site_spaces.remove, organization, site, id)

    @writes(site_navigation.sort_structure)
    async def sort_site_structure(
        self, info: Info, organization: ID, site: ID, order: StructureSortInput
    ) -> SortedSiteItem | None:
        asked = body(StructureSort, order)
        return await write(info, site_navigation.sort_structure, organization, site, asked, show=sorted_item)

    @writes(site_navigation.add_link)
    async def add_site_external_link(
        self, info: Info, organization: ID, site: ID, new: LinkCreateInput
    ) -> SiteExternalLink | None:
        asked = body(ExternalLinkCreate, new)
        return await write(info, site_navigation.add_link, organization, site, asked, show=site_external_link)

    @writes(site_navigation.update_link)
    async def update_site_external_link(
        self, info: Info, organization: ID, site: ID, id: ID, change: LinkUpdateInput
    ) -> SiteExternalLink | None:
        asked = body(ExternalLinkUpdate, change)
        return await write(
            info, site_navigation.update_link, organization, site, id, asked, show=site_external_link
        )

    @writes(site_navigation.remove_link)
    async def delete_site_external_link(self, info: Info, organization: ID, site: ID, id: ID) -> bool | None:
        return await write(info, site_navigation.remove_link, organization, site, id)
