"""What is at an address, as callers see it."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.publishing.content_urls import ContentAtUrl
from app.domain.publishing.embeds import Embed
from app.models.urls import ContentAtUrlOut, EmbedOut
from app.present.change_requests import change_request
from app.present.collections import collection
from app.present.pages import bare_page
from app.present.shape import shows
from app.present.spaces import space


@shows(ContentAtUrlOut)
def content_at_url(cx: Context, found: ContentAtUrl) -> dict[str, Any]:
    """The content at an address; a page comes without those under it."""
    if found.collection is not None:
        return {"collection": collection(cx, found.collection)}
    out: dict[str, Any] = {"space": space(cx, found.space)}
    if found.request is not None:
        out["changeRequest"] = change_request(cx, found.request)
    elif found.at is not None:
        out["revision"] = found.at.id
    if found.page is not None:
        out["page"] = bare_page(cx, found, found.page)
    return out


@shows(EmbedOut)
def embed(_cx: Context, found: Embed) -> dict[str, Any]:
    """How an address is shown; what its page does not say is left out."""
    out = {"url": found.url, "title": found.title, "site": found.site}
    if found.integration is not None:
        return {**out, "type": "integration", "integration": found.integration, "block": found.block}
    told = {"description": found.description, "icon": found.icon}
    return {**out, "type": "link", **{name: value for name, value in told.items() if value}}
