"""Operations on addresses: what content is there, and how they are embedded."""

from __future__ import annotations

from app.api.operation import family, get
from app.domain.publishing import content_urls
from app.models.content_urls import UrlQuery
from app.present.references import content_at_url, embed

OPERATIONS = family(
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
)
