"""Operations on links: what pages lead to, and what leads to pages and files."""

from __future__ import annotations

from app.api.operation import family, listing
from app.domain.content import link_lists
from app.models.links import LinkQuery, LinkTotals
from app.present.references import backlink, link

S = "/spaces/{spaceId}"
C = f"{S}/change-requests/{{changeRequestId}}/content"

OPERATIONS = [
    *family(
        "Spaces",
        listing(
            "listSpaceLinks",
            f"{S}/links",
            link_lists.list_in_space,
            query=LinkQuery,
            show=link,
            extra=LinkTotals,
            field="Space.links",
            permission="space:view",
            scope="space:content:read",
            where=True,
        ),
    ),
    *family(
        "Space content",
        listing(
            "listSpaceFileBacklinks",
            f"{S}/content/files/{{fileId}}/backlinks",
            link_lists.list_to_file,
            show=backlink,
            field="File.backlinks",
            permission="space:view",
            scope="space:content:read",
            where=True,
        ),
        listing(
            "listPageLinksInSpace",
            f"{S}/content/page/{{pageId}}/links",
            link_lists.list_of_page,
            query=LinkQuery,
            show=link,
            extra=LinkTotals,
            field="Page.links",
            permission="space:view",
            scope="space:content:read",
            where=True,
        ),
        listing(
            "listSpacePageBacklinks",
            f"{S}/content/page/{{pageId}}/backlinks",
            link_lists.list_to_page,
            show=backlink,
            field="Page.backlinks",
            permission="space:view",
            scope="space:content:read",
            where=True,
        ),
    ),
    *family(
        "Change request content",
        listing(
            "listChangeRequestFileBacklinks",
            f"{C}/files/{{fileId}}/backlinks",
            link_lists.list_to_file,
            show=backlink,
            field="File.backlinks",
            permission="space:view",
            scope="space:content:read",
            where=True,
        ),
        listing(
            "listPageLinksInChangeRequest",
            f"{C}/page/{{pageId}}/links",
            link_lists.list_of_page,
            query=LinkQuery,
            show=link,
            extra=LinkTotals,
            field="Page.links",
            permission="space:view",
            scope="space:content:read",
            where=True,
        ),
    ),
]
