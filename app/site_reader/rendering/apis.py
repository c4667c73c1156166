"""Blocks about an API: what they name, and where its description is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.openapi.openapi_blocks import asked_by
from app.formats.dialect.nodes import Node
from app.site_reader.rendering.inlines import address
from app.site_reader.rendering.markup import NOTHING, Html, el, followed, text, words
from app.site_reader.rendering.render_context import Here

if TYPE_CHECKING:
    from app.site_reader.rendering.openapi_operations import Blocks

_METHODS = {"get", "post", "put", "patch", "delete", "head", "options", "trace", "query"}


def shown(node: Node, here: Here, blocks: Blocks) -> Html:
    """What the block asks for, where a specification of the organization says it."""
    asked = asked_by(node)
    found = here.page.apis.get(asked) if asked is not None else None
    if found is None:
        return NOTHING
    from app.site_reader.rendering import openapi_operations

    write = openapi_operations.schemas if isinstance(found, list) else openapi_operations.operation
    return write(found, here, blocks)  # type: ignore[arg-type]


def block(node: Node, here: Here) -> Html:
    """The method and path of an operation, or the names of webhooks and schemas."""
    data = node["data"]
    method = str(data.get("method") or "").lower()
    sign = el("span", {"class": f"method {method}"}, text(method.upper())) if method in _METHODS else NOTHING
    named = [words(str(data.get(key) or "")) for key in ("path", "name", "schemas")]
    shown = el("code", None, text(" ".join(filter(None, named)))) if any(named) else NOTHING
    summary = words(str(data.get("summary") or data.get("spec") or ""))
    rest = el("span", {"class": "address"}, text(summary)) if summary else NOTHING
    if not (sign or shown or rest):
        rest = el("span", {"class": "address"}, text("API"))
    return el("div", {"class": "api"}, sign, shown, rest, _source(node, here))


def _source(node: Node, here: Here) -> Html:
    """A link to the description where the block names one by its address."""
    href = address(node["data"]) or str(node["data"].get("src") or "")
    found = followed(here.target(href).href) if href else None
    return el("a", {"href": found, "rel": "noopener noreferrer"}, text("Description")) if found else NOTHING
