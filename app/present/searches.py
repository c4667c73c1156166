"""Search results as callers see them (specification, Content reference lists)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.content.searching import Hit, SpaceHit
from app.models.searches import OrganizationSearchItemOut, SearchItemOut
from app.present import links
from app.present.shape import shows


@shows(SearchItemOut)
def search_item(cx: Context, hit: Hit) -> dict[str, Any]:
    """A page that matches; of its sections the text around the first match."""
    page = hit.page
    out: dict[str, Any] = {
        "id": page.page_id,
        "title": page.title,
        "path": page.path,
        "score": round(-page.score, 6),
        "sections": [_section(cx, hit, section) for section in hit.sections],
        "urls": links.page(cx, hit, page.path),
    }
    return {**out, "description": page.description} if page.description else out


def _section(cx: Context, hit: Hit, section: Any) -> dict[str, Any]:
    place = f"#{section.anchor}" if section.anchor else ""
    return {
        "id": str(section.id),
        "title": section.heading or hit.page.title,
        "path": f"{hit.page.path}{place}",
        "body": hit.excerpts[section.id],
        "urls": {"app": links.page(cx, hit, hit.page.path)["app"] + place},
    }


@shows(OrganizationSearchItemOut)
def organization_search_item(cx: Context, hit: SpaceHit) -> dict[str, Any]:
    """A space with its pages that match."""
    return {
        "type": "space",
        "id": hit.space.id,
        "title": hit.space.title,
        "pages": [search_item(cx, page) for page in hit.pages],
    }
