"""Operations on searches."""

from __future__ import annotations

from app.api.operation import family, listing
from app.domain.search import page_search
from app.models.searches import SearchQuery
from app.present.references import organization_search_item, search_item

OPERATIONS = [
    *family(
        "Space content",
        listing(
            "searchSpaceContent",
            "/spaces/{spaceId}/search",
            page_search.in_space,
            query=SearchQuery,
            show=search_item,
            field="Space.search",
            permission="space:view",
            scope="space:content:read",
        ),
    ),
    *family(
        "Organizations and invites",
        listing(
            "searchOrganizationContent",
            "/orgs/{organizationId}/search",
            page_search.in_organization,
            query=SearchQuery,
            show=organization_search_item,
            field="Organization.search",
            permission="organization:view",
        ),
    ),
]
