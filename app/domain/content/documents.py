"""Structured documents by themselves: the body of a page at a revision, or any that a space holds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Label, exists, literal, null, or_, select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.content import pages
from app.domain.content.content import variables
from app.domain.content.views import NOW, Where, s_
from app.kit.database.sql import nested
from app.kit.database.statements import given, query, table
from app.kit.errors import NotFound
from app.models.change_requests import ChangeRequest
from app.models.changes import DocumentQuery
from app.models.pages import Document, PageVersion
from app.models.queries import BodyQuery
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

_d, _r = table(Document), table(ChangeRequest)
NONE = "There is no such document."


def _held_by(t: Any) -> Any:
    """Whether some version on a line of the space has the document."""
    request = exists().where(_r.c.id == t.c.line_id, _r.c.space_id == s_.c.id).correlate(t, s_)
    held = exists().where(t.c.document_id == _d.c.id, or_(t.c.line_id == s_.c.id, request))
    return held.correlate(_d, s_)


def _found() -> Label[Any]:
    is_held = or_(_held_by(table(PageVersion)), _held_by(table(ReusableVersion)))
    body = select(_d.c.markdown, _d.c.conditional, literal("").label("title"), null().label("variables"))
    return nested(body.where(_d.c.id == given("document"), is_held), "document")


_READ = query(
    Space, lambda: select(*s_.c, _found(), variables(NOW)).select_from(s_).where(s_.c.id == given("id"))
)


async def get(cx: Context, space_id: str, document_id: str, query: DocumentQuery) -> dict[str, Any]:
    """Get a document that a page or a reusable content of the space has, or had.

    Evaluated, it knows the variables of the space, and none of a page.
    """
    space: Any = await fetch(cx, Space, space_id, using=_READ, document=document_id)
    if not space.document:
        raise NotFound(NONE)
    asked = BodyQuery(format="document", evaluated=query.evaluated)
    return _document(await pages.body_of(space.document[0], space.variables or {}, asked))


async def of_page(cx: Context, where: Where, page_id: str, query: DocumentQuery) -> dict[str, Any]:
    """Get the document of a page."""
    asked = BodyQuery(format="document", evaluated=query.evaluated)
    return _document((await pages.get(cx, where, page_id, asked)).body)


def _document(body: dict[str, Any]) -> dict[str, Any]:
    if "document" not in body:
        raise NotFound("The page has no document.")
    found: dict[str, Any] = body["document"]
    return found
