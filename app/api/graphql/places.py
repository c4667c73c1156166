"""Which place of content a GraphQL object is."""

from __future__ import annotations

from typing import Any

from app.domain.content.views import Where


def where_of(source: dict[str, Any]) -> Where:
    """The place that a space, a change request or a snapshot means."""
    if source.get("object") == "change-request":
        return Where(source["space"], change_request=source["id"])
    if source.get("object") == "snapshot":
        return Where(source["space"], revision=source["revision"])
    return Where(source["id"])
