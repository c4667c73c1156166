"""REST rows of what sites show: sections, section groups, spaces, external links, and their order."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.sites import (
    external_links,
    site_nodes,
    site_section_groups,
    site_sections,
    site_sorting,
    site_spaces,
)
from app.models.queries import PageQuery, ShareKeyQuery
from app.models.site_items import (
    ExternalLinkCreate,
    ExternalLinkUpdate,
    GroupCreate,
    GroupedSection,
    GroupUpdate,
    SectionCreate,
    SectionUpdate,
    SiteItemsQuery,
    SiteSpaceCopy,
    SiteSpaceCreate,
    SiteSpacesQuery,
    SiteSpaceUpdate,
)
from app.models.site_positions import GroupMove, SectionMove, SiteSpaceMove, StructureSort
from app.present.site_items import (
    site_external_link,
    site_section,
    site_section_group,
    site_space,
    site_structure,
    sorted_item,
)

T = "/orgs/{organizationId}/sites/{siteId}"
SECTION = f"{T}/sections/{{siteSectionId}}"
GROUP = f"{T}/section-groups/{{siteSectionGroupId}}"
SPACE = f"{T}/site-spaces/{{siteSpaceId}}"
LINK = f"{T}/external-links/{{siteExternalLinkId}}"

OPERATIONS = [
    *family(
        "Site sections",
        listing(
            "listSiteSections",
            f"{T}/sections",
            site_nodes.list_sections,
            query=SiteItemsQuery,
            show=site_section,
        ),
        post(
            "addSectionToSite",
            f"{T}/sections",
            site_sections.add,
            body=SectionCreate,
            show=site_section,
            status=201,
        ),
        remove("deleteSiteSectionById", SECTION, site_sections.remove),
        patch("updateSiteSectionById", SECTION, site_sections.update, body=SectionUpdate, show=site_section),
        post("moveSiteSection", f"{SECTION}/move", site_sections.move, body=SectionMove, show=site_section),
    ),
    *family(
        "Site section groups",
        listing(
            "listSiteSectionGroups",
            f"{T}/section-groups",
            site_nodes.list_groups,
            query=PageQuery,
            show=site_section_group,
        ),
        post(
            "addSectionGroupToSite",
            f"{T}/section-groups",
            site_section_groups.add,
            body=GroupCreate,
            show=site_section_group,
            status=201,
        ),
        remove("deleteSiteSectionGroupById", GROUP, site_section_groups.remove),
        patch(
            "updateSiteSectionGroupById",
            GROUP,
            site_section_groups.update,
            body=GroupUpdate,
            show=site_section_group,
        ),
        post(
            "addSectionToGroup",
            f"{GROUP}/sections",
            site_section_groups.put_section,
            body=GroupedSection,
            show=site_section_group,
            status=201,
        ),
        remove(
            "removeSectionFromGroup",
            f"{GROUP}/sections/{{siteSectionId}}",
            site_section_groups.take_section,
        ),
        post(
            "moveSiteSectionGroup",
            f"{GROUP}/move",
            site_section_groups.move,
            body=GroupMove,
            show=site_section_group,
            deprecated=True,
        ),
    ),
    *family(
        "Site spaces",
        listing(
            "listSiteSpaces",
            f"{T}/site-spaces",
            site_nodes.list_spaces,
            query=SiteSpacesQuery,
            show=site_space,
        ),
        post(
            "addSpaceToSite",
            f"{T}/site-spaces",
            site_spaces.add,
            body=SiteSpaceCreate,
            show=site_space,
            status=201,
        ),
        remove("deleteSiteSpaceById", SPACE, site_spaces.remove),
        patch("updateSiteSpaceById", SPACE, site_spaces.update, body=SiteSpaceUpdate, show=site_space),
        post(
            "moveSiteSpace",
            f"{SPACE}/move",
            site_spaces.move,
            body=SiteSpaceMove,
            show=site_space,
            deprecated=True,
        ),
        post(
            "duplicateSiteSpace",
            f"{SPACE}/duplicate",
            site_spaces.duplicate,
            body=SiteSpaceCopy,
            show=site_space,
            status=201,
        ),
    ),
    *family(
        "Site structure",
        get("getSiteStructure", f"{T}/structure", site_nodes.get, query=ShareKeyQuery, show=site_structure),
        patch(
            "sortSiteStructure",
            f"{T}/structure/sort",
            site_sorting.sort,
            body=StructureSort,
            show=sorted_item,
        ),
        post(
            "addExternalLinkToSite",
            f"{T}/external-links",
            external_links.add,
            body=ExternalLinkCreate,
            show=site_external_link,
            status=201,
        ),
        patch(
            "updateSiteExternalLinkById",
            LINK,
            external_links.update,
            body=ExternalLinkUpdate,
            show=site_external_link,
        ),
        remove("deleteSiteExternalLinkById", LINK, external_links.remove),
    ),
]
