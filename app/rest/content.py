"""REST rows of a space's content: revision, pages, files, links, searches, imports."""

from __future__ import annotations

from app.domain import content, import_sources, linking, pages, searching
from app.models.imports import ImportBody
from app.models.links import LinkQuery, LinkTotals
from app.models.queries import BodyQuery, ContentPageQuery, ContentQuery
from app.models.searches import SearchQuery
from app.present.files import file
from app.present.pages import page
from app.present.pages import pages as page_tree
from app.present.references import backlink, link
from app.present.revisions import imported, revision
from app.present.searches import organization_search_item, search_item
from app.rest.operation import get, listing, post

S = "/spaces/{spaceId}"

OPERATIONS = [
    listing("searchSpaceContent", f"{S}/search", searching.in_space, query=SearchQuery, show=search_item),
    get("getCurrentRevision", f"{S}/content", content.get_revision, query=ContentQuery, show=revision),
    post(
        "importContent",
        f"{S}/content/import",
        import_sources.import_content,
        body=ImportBody,
        prepare=import_sources.gather,
        show=imported,
        status=201,
    ),
    get("listPages", f"{S}/content/pages", content.list_pages, query=ContentQuery, show=page_tree),
    listing("listFiles", f"{S}/content/files", content.list_files, query=ContentPageQuery, show=file),
    get("getFileById", f"{S}/content/files/{{fileId}}", content.get_file, query=ContentQuery, show=file),
    listing(
        "listSpaceFileBacklinks",
        f"{S}/content/files/{{fileId}}/backlinks",
        linking.list_to_file,
        show=backlink,
    ),
    get("getPageById", f"{S}/content/page/{{pageId}}", pages.get, query=BodyQuery, show=page),
    listing(
        "listPageLinksInSpace",
        f"{S}/content/page/{{pageId}}/links",
        linking.list_of_page,
        query=LinkQuery,
        show=link,
        extra=LinkTotals,
    ),
    listing(
        "listSpacePageBacklinks",
        f"{S}/content/page/{{pageId}}/backlinks",
        linking.list_to_page,
        show=backlink,
    ),
    post(
        "importContentInPageById",
        f"{S}/content/page/{{pageId}}/import",
        import_sources.import_into_page,
        body=ImportBody,
        prepare=import_sources.gather_for_page,
        show=imported,
        status=201,
    ),
    get(
        "getPageByPath",
        f"{S}/content/path/{{pagePath:path}}",
        pages.get_by_path,
        query=BodyQuery,
        show=page,
    ),
]

OF_SPACES = [
    listing(
        "listSpaceLinks",
        f"{S}/links",
        linking.list_in_space,
        query=LinkQuery,
        show=link,
        extra=LinkTotals,
    ),
]

OF_ORGANIZATIONS = [
    listing(
        "searchOrganizationContent",
        "/orgs/{organizationId}/search",
        searching.in_organization,
        query=SearchQuery,
        show=organization_search_item,
    ),
]
