"""Resolves URLs: the content of the application at one, or how content that embeds it shows it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Label, select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.change_requests.change_requests import ChangeRequestDetails, details_of, request_column
from app.domain.content.content import PAGE_VERSIONS, page_columns
from app.domain.content.views import REQUEST, SPACES, ContentVersion, View, Where, at, find, reading
from app.domain.sites import site_integrations
from app.kit import workers
from app.kit.database.sql import nested
from app.kit.database.statements import given, query
from app.kit.errors import Invalid, NotFound
from app.kit.settings import Settings
from app.models.collections import Collection
from app.models.links import UrlQuery
from app.models.pages import PageVersion
from app.models.spaces import Space


@dataclass(slots=True, frozen=True)
class ContentAtUrl:
    """A collection, or a space with the change request or revision (`at`) and the page that are meant."""

    collection: Collection | None = None
    space: Any = None
    at: ContentVersion | None = None
    request: ChangeRequestDetails | None = None
    page: PageVersion | None = None


def _columns(view: View) -> list[Label[Any]]:
    page = select(*page_columns()).where(
        view.valid(PAGE_VERSIONS), PAGE_VERSIONS.c.path == given("page_path")
    )
    return [*([request_column()] if view is REQUEST else []), nested(page, "page")]


_AT = reading(_columns)


async def resolve(cx: Context, query: UrlQuery) -> ContentAtUrl:
    """Get the content at an address of the application.

    Raises Invalid for what is no such address, NotFound where nothing is there that the caller may see.
    """
    match _parts(cx.settings, query.url):
        case ["o", organization, "c", collection_id]:
            collection = await fetch(cx, Collection, collection_id)
            _check_owner(collection.organization_id, organization)
            return ContentAtUrl(collection)
        case ["o", organization, "s", space_id, "~", "changes", number, *path]:
            return await _in_space(cx, organization, Where(space_id, change_request=number), path)
        case ["o", organization, "s", space_id, "~", "revisions", revision_id, *path]:
            return await _in_space(cx, organization, Where(space_id, revision=revision_id), path)
        case ["o", organization, "s", space_id, *path]:
            return await _in_space(cx, organization, Where(space_id), path)
    raise NotFound("There is no content at this address.")


async def _in_space(cx: Context, organization: str, where: Where, path: list[str]) -> ContentAtUrl:
    row = await find(cx, where, _AT, page_path="/".join(path))
    _check_owner(row.organization_id, organization)
    if path and not row.page:
        raise NotFound("There is no such page.")
    request = details_of(row) if where.change_request is not None else None
    return ContentAtUrl(space=row, at=at(row), request=request, page=row.page[0] if path else None)


def _check_owner(owner: str, organization: str) -> None:
    if owner != organization:
        raise NotFound("There is no content at this address.")


def _parts(settings: Settings, url: str) -> list[str]:
    base = urlsplit(settings.app_base)
    try:
        parts = urlsplit(url)
    except ValueError:
        raise Invalid("This must be a complete URL.", path="url") from None
    inside = parts.path.removeprefix(base.path)
    if (parts.scheme, parts.netloc.lower()) != (base.scheme, base.netloc) or "\x00" in unquote(inside):
        raise Invalid("This is not a redirect URI of the application.", path="url")
    return [unquote(part) for part in inside.split("/") if part]


LARGEST = 1_000_000  # bytes of a page that is asked what it is


@dataclass(slots=True, frozen=True)
class Embed:
    """An address with the title, host, description and icon of its page, and the block that shows it."""

    url: str
    title: str
    site: str
    description: str = ""
    icon: str | None = None
    integration: str | None = None
    block: str | None = None


_WITH_BLOCKS = query(
    Space, lambda: select(*SPACES.c, site_integrations.blocks_of_space()).where(SPACES.c.id == given("id"))
)


async def get_embed(cx: Context, query: UrlQuery) -> Embed:
    """Get how an address is shown where content embeds it.

    Raises Invalid for an address that cannot be fetched.
    """
    return await _read_page(cx, query.url)


async def get_embed_in_space(cx: Context, space_id: str, query: UrlQuery) -> Embed:
    """Get how an address is shown where a space embeds it: by a block of an integration that is active there,
    or as a link.

    Raises Invalid for an address that cannot be fetched.
    """
    space: Any = await fetch(cx, Space, space_id, using=_WITH_BLOCKS)
    block = site_integrations.offered(space, space_id).unfurling(query.url)
    if block is None:
        return await _read_page(cx, query.url)
    site = urlsplit(query.url).hostname or ""
    return Embed(query.url, block.title, site, integration=block.integration, block=block.id)


async def _read_page(cx: Context, url: str) -> Embed:
    from app.kit.http.outbound import Outbound, OutboundError

    settings = cx.settings
    outbound = Outbound(settings.allowed_hosts, settings.outbound_timeout, settings.outbound_max_bytes)
    try:
        fetched = await outbound.fetch(url, accept="text/html, */*;q=0.5", max_bytes=LARGEST)
    except OutboundError as error:
        raise Invalid(error.message, path="url") from None
    parts = urlsplit(fetched.url)
    site = parts.hostname or ""
    name = posixpath.basename(unquote(parts.path).rstrip("/")) or site
    if fetched.content_type not in ("text/html", "application/xhtml+xml"):
        return Embed(url, name, site)
    from app.formats.html_import.html_page import about

    told = await workers.run(len(fetched.body), about, fetched.body, fetched.url, fetched.charset)
    return Embed(url, told.title or name, site, told.description, told.icon)
