"""GraphQL face of a space's content: revision, pages, files, links, searches, imports."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql import calls
from app.api.graphql.calls import FIRST, Connection, Info, body, reads, write, writes
from app.api.graphql.places import where_of
from app.api.graphql.printing import Printed
from app.api.graphql.revisions import Changed, DocumentsOfRevision, DocumentsOfSpace, History
from app.api.graphql.shapes import enum_of, input_of, output
from app.domain.content import content as contents
from app.domain.content import link_lists
from app.domain.content import pages as bodies
from app.domain.content.views import Where
from app.domain.imports import import_sources
from app.domain.search import page_search
from app.models.base import checked
from app.models.files import FileOut
from app.models.imports import ImportBody, ImportOut
from app.models.links import LinkOut, LinkQuery, LinkStats, Reference
from app.models.links import LinkStatus as LinkStatusValue
from app.models.pages import PageOut
from app.models.queries import BodyFormat as BodyFormatValue
from app.models.queries import BodyQuery, ContentPageQuery, ContentQuery
from app.models.revisions import ReusableContentOut, RevisionOut, SnapshotOut
from app.models.searches import OrganizationSearchItemOut, SearchItemOut, SearchQuery
from app.present.imports import imported as show_imported
from app.present.pages import file as show_file
from app.present.pages import page as show_page
from app.present.pages import pages as show_pages
from app.present.references import backlink as show_backlink
from app.present.references import link as show_link
from app.present.references import organization_search_item, search_item
from app.present.revisions import reusable_content as show_reusable_content
from app.present.revisions import revision as show_revision

ImportInput: Any = input_of(ImportBody, "ImportInput")
BodyFormat: Any = enum_of(BodyFormatValue)
LinkStatus: Any = enum_of(LinkStatusValue)
Stats: Any = output(LinkStats)(type("LinkStats", (), {}))


@output(PageOut)
class Page:
    """A page of a space; its body only where one page is read."""


@output(FileOut)
class File:
    """A file of a space."""


@output(ReusableContentOut)
class ReusableContent:
    """A block of content that pages include."""


@output(RevisionOut)
class Revision:
    """A revision: the page tree, files, reusable contents and variables of a space."""


@output(LinkOut)
class Link:
    """A link, what it leads to and where it stands."""


@output(Reference)
class ContentReference:
    """A place or thing that a link joins."""


@output(SearchItemOut)
class SearchItem:
    """A page that matches, with its best sections."""


@output(OrganizationSearchItemOut)
class OrganizationSearchItem:
    """A space with its pages that match."""


@output(ImportOut)
class ImportResult:
    """What an import did."""


@strawberry.type(description="A page of a list of links, with counts over all of them.")
class LinkConnection(Connection[Link]):
    stats: Stats


@strawberry.type
class PlaceContent:
    """What can be asked of the content of a space, a change request or a revision."""

    @reads(contents.get_revision)
    async def content(self: Any, info: Info, metadata: bool = True, computed: bool = True) -> Revision:
        query = ContentQuery(metadata=metadata, computed=computed)
        return await calls.read(info, contents.get_revision, where_of(self), query, show=show_revision)

    @reads(contents.list_pages)
    async def pages(self: Any, info: Info, metadata: bool = True, computed: bool = True) -> list[Page]:
        query = ContentQuery(metadata=metadata, computed=computed)
        found = await calls.read(info, contents.list_pages, where_of(self), query, show=show_pages)
        return found["pages"]

    @reads(bodies.get)
    async def page(
        self: Any,
        info: Info,
        id: ID,
        format: BodyFormat | None = None,
        evaluated: str = "false",
        metadata: bool = True,
        computed: bool = True,
    ) -> Page | None:
        query = _body_query(format, evaluated, metadata, computed)
        return await calls.read(info, bodies.get, where_of(self), id, query, show=show_page)

    @reads(bodies.get_by_path)
    async def page_by_path(
        self: Any,
        info: Info,
        path: str,
        format: BodyFormat | None = None,
        evaluated: str = "false",
        metadata: bool = True,
        computed: bool = True,
    ) -> Page | None:
        query = _body_query(format, evaluated, metadata, computed)
        return await calls.read(info, bodies.get_by_path, where_of(self), path, query, show=show_page)

    @reads(contents.list_files)
    async def files(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        metadata: bool = True,
        computed: bool = True,
    ) -> Connection[File]:
        return await calls.pages(
            info,
            contents.list_files,
            where_of(self),
            first=first,
            after=after,
            show=show_file,
            shape=ContentPageQuery,
            metadata=metadata,
            computed=computed,
        )

    @reads(contents.get_file)
    async def file(
        self: Any, info: Info, id: ID, metadata: bool = True, computed: bool = True
    ) -> File | None:
        query = ContentQuery(metadata=metadata, computed=computed)
        return await calls.read(info, contents.get_file, where_of(self), id, query, show=show_file)

    @reads(link_lists.list_in_space)
    async def links(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, status: LinkStatus | None = None
    ) -> LinkConnection:
        return await _links(info, link_lists.list_in_space, where_of(self), first, after, status)

    @reads(link_lists.list_of_page)
    async def page_links(
        self: Any,
        info: Info,
        page: ID,
        first: int = FIRST,
        after: str | None = None,
        status: LinkStatus | None = None,
    ) -> LinkConnection:
        return await _links(info, link_lists.list_of_page, where_of(self), page, first, after, status)

    @reads(link_lists.list_to_page)
    async def page_backlinks(
        self: Any, info: Info, page: ID, first: int = FIRST, after: str | None = None
    ) -> Connection[ContentReference]:
        return await calls.pages(
            info, link_lists.list_to_page, where_of(self), page, first=first, after=after, show=show_backlink
        )

    @reads(link_lists.list_to_file)
    async def file_backlinks(
        self: Any, info: Info, file: ID, first: int = FIRST, after: str | None = None
    ) -> Connection[ContentReference]:
        return await calls.pages(
            info, link_lists.list_to_file, where_of(self), file, first=first, after=after, show=show_backlink
        )

    @reads(contents.get_reusable_content)
    async def reusable_content(
        self: Any, info: Info, id: ID, metadata: bool = True, computed: bool = True
    ) -> ReusableContent | None:
        query = ContentQuery(metadata=metadata, computed=computed)
        return await calls.read(
            info, contents.get_reusable_content, where_of(self), id, query, show=show_reusable_content
        )


@output(SnapshotOut)
class Snapshot(PlaceContent, Changed, DocumentsOfRevision):
    """A revision as something to read in: its pages with their bodies, its files and links."""


@strawberry.type
class SpaceContent(PlaceContent, History, DocumentsOfSpace, Printed):
    """What can be asked of a space's content."""

    @reads(page_search.in_space)
    async def search(
        self: Any, info: Info, query: str, first: int = FIRST, after: str | None = None
    ) -> Connection[SearchItem]:
        return await calls.pages(
            info,
            page_search.in_space,
            self["id"],
            first=first,
            after=after,
            show=search_item,
            shape=SearchQuery,
            query=query,
        )


@strawberry.type
class OrganizationContent:
    """What can be asked of the content of an organization."""

    @reads(page_search.in_organization)
    async def search(
        self: Any, info: Info, query: str, first: int = FIRST, after: str | None = None
    ) -> Connection[OrganizationSearchItem]:
        return await calls.pages(
            info,
            page_search.in_organization,
            self["id"],
            first=first,
            after=after,
            show=organization_search_item,
            shape=SearchQuery,
            query=query,
        )


@strawberry.type
class ContentMutation:
    @writes(import_sources.import_content)
    async def import_content(self, info: Info, space: ID, source: ImportInput) -> ImportResult | None:
        return await write(
            info,
            import_sources.import_content,
            Where(space),
            body(ImportBody, source),
            show=show_imported,
            prepare=import_sources.gather,
        )

    @writes(import_sources.import_content)
    async def import_content_in_change_request(
        self, info: Info, space: ID, change_request: ID, source: ImportInput
    ) -> ImportResult | None:
        return await write(
            info,
            import_sources.import_content,
            Where(space, change_request),
            body(ImportBody, source),
            show=show_imported,
            prepare=import_sources.gather,
        )

    @writes(import_sources.import_into_page)
    async def import_content_in_page(
        self, info: Info, space: ID, page: ID, source: ImportInput
    ) -> ImportResult | None:
        return await write(
            info,
            import_sources.import_into_page,
            Where(space),
            page,
            body(ImportBody, source),
            show=show_imported,
            prepare=import_sources.gather_for_page,
        )


def _body_query(format: Any, evaluated: str, metadata: bool, computed: bool) -> BodyQuery:
    asked = {"evaluated": evaluated, "metadata": metadata, "computed": computed}
    return checked(BodyQuery, {**asked, **({"format": format.value} if format else {})}, strict=False)


async def _links(info: Info, call: calls.Call, *rest: Any) -> Any:
    *ids, first, after, status = rest
    return await calls.pages(
        info, call, *ids, first=first, after=after, show=show_link, shape=LinkQuery, status=status
    )
