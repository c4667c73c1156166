"""Versions of objects: what `If-Match` and `expectedVersion` compare (RFC 9110, section 13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.access.context import Context
from app.api.operation import Operation
from app.kit.clock import to_json
from app.kit.database.paging import Page
from app.kit.errors import PreconditionFailed
from app.kit.http.headers import etag, matches
from app.models.checks import checked


def content_of(cx: Context, row: Operation, result: Any) -> bytes:
    """Return the body of REST's answer to a row that reads."""
    assert row.show is not None
    if not row.paged:
        return to_json(row.show(cx, result))
    return to_json(envelope(cx, row, result))


def envelope(cx: Context, row: Operation, page: Page[Any]) -> dict[str, Any]:
    """Return the list envelope (specification, Conventions 3): `next` only where more follows."""
    show = row.show
    assert show is not None
    body: dict[str, Any] = {
        "count": page.count,
        "items": [show(cx, each) for each in page.items],
        **page.extra,
    }
    if page.next:
        body["next"] = {"page": page.next}
    return body


def arguments_at(row: Operation, values: Mapping[str, str]) -> list[Any]:
    """Return the arguments with which a row reads the object at these parameters, by its default query."""
    arguments = row.arguments([values[name] for name in row.parameters])
    return arguments if row.query is None else [*arguments, checked(row.query, {}, strict=False)]


async def version_of(cx: Context, row: Operation, arguments: list[Any]) -> str:
    """Return the version of what a row reads: the ETag of REST's answer."""
    return etag(content_of(cx, row, await row.call(cx, *arguments)))


async def refuse_stale(cx: Context, row: Operation, arguments: list[Any], expected: str) -> None:
    """Raise PreconditionFailed unless what a row reads has one of the `expected` versions."""
    if not matches(expected, await version_of(cx, row, arguments)):
        raise PreconditionFailed("The object has changed since you read it; read it again.")


async def refuse_stale_content(cx: Context, where: Any, expected: str) -> None:
    """Raise PreconditionFailed unless content is at the `expected` revision."""
    from app.domain.content import history  # few writes say what they expect

    entry = await history.get_entry(cx, where)
    if entry.revision.id != expected:
        raise PreconditionFailed(
            "The content has changed since you read it; read it again.", path="expectedRevision"
        )
