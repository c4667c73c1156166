"""REST rows of addresses: what content is there, and how they are embedded."""

from __future__ import annotations

from app.domain import content_urls, embeds
from app.models.urls import UrlQuery
from app.present.urls import content_at_url, embed
from app.rest.operation import family, get

OPERATIONS = family(
    "Addresses",
    get(
        "getContentByUrl",
        "/urls/content",
        content_urls.resolve,
        query=UrlQuery,
        show=content_at_url,
    ),
    get("getEmbedByUrl", "/urls/embed", embeds.get, query=UrlQuery, show=embed),
    get("getEmbedByUrlInSpace", "/spaces/{spaceId}/embed", embeds.get_in_space, query=UrlQuery, show=embed),
)
