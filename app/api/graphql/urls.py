"""GraphQL face of addresses: what content is there, and how they are embedded."""

from __future__ import annotations

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, read, reads
from app.api.graphql.change_requests import ChangeRequest  # noqa: F401 - declared before what holds them
from app.api.graphql.collections import Collection  # noqa: F401
from app.api.graphql.shapes import output
from app.domain.publishing import content_urls
from app.models.base import checked
from app.models.content_urls import ContentAtUrlOut, EmbedOut, UrlQuery
from app.present.references import content_at_url
from app.present.references import embed as show_embed


@output(ContentAtUrlOut)
class ContentAtUrl:
    """The content at an address of the application."""


@output(EmbedOut)
class Embed:
    """How an address is shown where content embeds it."""


@strawberry.type
class UrlQueries:
    @reads(content_urls.resolve)
    async def content_at_url(self, info: Info, url: str) -> ContentAtUrl | None:
        return await read(info, content_urls.resolve, _asked(url), show=content_at_url)

    @reads(content_urls.get_embed)
    async def embed(self, info: Info, url: str) -> Embed | None:
        return await read(info, content_urls.get_embed, _asked(url), show=show_embed)

    @reads(content_urls.get_embed_in_space)
    async def embed_in_space(self, info: Info, space: ID, url: str) -> Embed | None:
        return await read(info, content_urls.get_embed_in_space, space, _asked(url), show=show_embed)


def _asked(url: str) -> UrlQuery:
    return checked(UrlQuery, {"url": url}, strict=False)
