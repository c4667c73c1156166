"""Operations that find content: links and backlinks, searches, addresses.

Operations on links: what pages lead to, and what leads to pages and files.

Operations on searches.

Operations on addresses: what content is there, and how they are embedded.
"""

from __future__ import annotations

from functools import partial

from app.api.operation import family, get, listing
from app.domain.content import link_lists
from app.domain.publishing import content_urls
from app.domain.search import page_search
from app.models.links import LinkQuery, LinkTotals, UrlQuery
from app.models.searches import SearchQuery, SearchTotals
from app.present.references import (
    backlink,
    content_at_url,
    embed,
    link,
    organization_search_item,
    search_item,
)

SPACE = "/spaces/{spaceId}"
CHANGE_REQUEST = f"{SPACE}/change-requests/{{changeRequestId}}"
REQUEST_CONTENT = f"{CHANGE_REQUEST}/content"
REVISION = f"{SPACE}/revisions/{{revisionId}}"
_reads = partial(listing, permission="space:view", scope="space:content:read", where=True)
_links = partial(_reads, query=LinkQuery, show=link, extra=LinkTotals)
_backlinks = partial(_reads, show=backlink)
_all, _of_page = link_lists.list_in_space, link_lists.list_of_page
_to_page, _to_file = link_lists.list_to_page, link_lists.list_to_file


OPERATIONS = [
    *family(
        "Spaces",
        _links("listSpaceLinks", f"{SPACE}/links", _all, field="Space.links", tool="check_links"),
    ),
    *family(
        "Space content",
        _backlinks(
            "listSpaceFileBacklinks",
            f"{SPACE}/content/files/{{fileId}}/backlinks",
            _to_file,
            field="File.backlinks",
        ),
        _links(
            "listPageLinksInSpace",
            f"{SPACE}/content/page/{{pageId}}/links",
            _of_page,
            field="Page.links",
            tool="check_links",
        ),
        _backlinks(
            "listSpacePageBacklinks",
            f"{SPACE}/content/page/{{pageId}}/backlinks",
            _to_page,
            field="Page.backlinks",
            tool="list_backlinks",
        ),
    ),
    *family(
        "Change request content",
        _links(
            "listChangeRequestLinks",
            f"{CHANGE_REQUEST}/links",
            _all,
            field="ChangeRequest.links",
            tool="check_links",
        ),
        _backlinks(
            "listChangeRequestFileBacklinks",
            f"{REQUEST_CONTENT}/files/{{fileId}}/backlinks",
            _to_file,
            field="File.backlinks",
        ),
        _links(
            "listPageLinksInChangeRequest",
            f"{REQUEST_CONTENT}/page/{{pageId}}/links",
            _of_page,
            field="Page.links",
            tool="check_links",
        ),
        _backlinks(
            "listChangeRequestPageBacklinks",
            f"{REQUEST_CONTENT}/page/{{pageId}}/backlinks",
            _to_page,
            field="Page.backlinks",
            tool="list_backlinks",
        ),
    ),
    *family(
        "Revisions",
        _links("listRevisionLinks", f"{REVISION}/links", _all, field="Revision.links"),
        _backlinks(
            "listRevisionFileBacklinks",
            f"{REVISION}/files/{{fileId}}/backlinks",
            _to_file,
            field="File.backlinks",
        ),
        _links("listPageLinksInRevision", f"{REVISION}/page/{{pageId}}/links", _of_page, field="Page.links"),
        _backlinks(
            "listRevisionPageBacklinks",
            f"{REVISION}/page/{{pageId}}/backlinks",
            _to_page,
            field="Page.backlinks",
        ),
    ),
    *family(
        "Space content",
        listing(
            "searchSpaceContent",
            "/spaces/{spaceId}/search",
            page_search.in_space,
            query=SearchQuery,
            show=search_item,
            extra=SearchTotals,
            field="Space.search",
            permission="space:view",
            scope="space:content:read",
            tool="search",
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
            extra=SearchTotals,
            field="Organization.search",
            permission="organization:view",
            tool="search",
        ),
    ),
    *family(
        "Addresses",
        get(
            "getContentByUrl",
            "/urls/content",
            content_urls.resolve,
            query=UrlQuery,
            show=content_at_url,
            field="Query.contentAtUrl",
            permission="space:view",
        ),
        get(
            "getEmbedByUrl",
            "/urls/embed",
            content_urls.get_embed,
            query=UrlQuery,
            show=embed,
            field="Query.embed",
            permission="anybody",
        ),
        get(
            "getEmbedByUrlInSpace",
            "/spaces/{spaceId}/embed",
            content_urls.get_embed_in_space,
            query=UrlQuery,
            show=embed,
            field="Space.embed",
            permission="space:view",
        ),
    ),
]
