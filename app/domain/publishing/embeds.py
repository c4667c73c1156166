"""How addresses are shown where content embeds them: by a block of an integration, or as links."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.content.views import s_
from app.domain.sites import site_blocks
from app.kit import workers
from app.kit.database.statements import given, query
from app.kit.errors import Invalid
from app.models.spaces import Space
from app.models.urls import UrlQuery

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


_WITH_BLOCKS = query(Space, lambda: select(*s_.c, site_blocks.of_space()).where(s_.c.id == given("id")))


async def get(cx: Context, query: UrlQuery) -> Embed:
    """Get how an address is shown where content embeds it.

    Raises Invalid for an address that cannot be fetched.
    """
    return await _read(cx, query.url)


async def get_in_space(cx: Context, space_id: str, query: UrlQuery) -> Embed:
    """Get how an address is shown where a space embeds it: by a block of an integration that is active there,
    or as a link.

    Raises Invalid for an address that cannot be fetched.
    """
    space: Any = await fetch(cx, Space, space_id, using=_WITH_BLOCKS)
    block = site_blocks.offered(space, space_id).unfurling(query.url)
    if block is None:
        return await _read(cx, query.url)
    site = urlsplit(query.url).hostname or ""
    return Embed(query.url, block.title, site, integration=block.integration, block=block.id)


async def _read(cx: Context, url: str) -> Embed:
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
    from app.formats.convert.html import about

    told = await workers.run(len(fetched.body), about, fetched.body, fetched.url, fetched.charset)
    return Embed(url, told.title or name, site, told.description, told.icon)
