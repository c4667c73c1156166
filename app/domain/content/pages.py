"""One page with its body: as Markdown to the byte, or as a structured document; plain or evaluated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Label, Select, exists, literal, null, or_, select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.content.content import PAGE, p_, page_columns, variables
from app.domain.content.views import NOW, Reading, View, Where, at, find, reading, s_
from app.formats.markdown.passages import Text
from app.kit import workers
from app.kit.database.sql import below, nested
from app.kit.database.statements import given, query, table
from app.kit.errors import Invalid, NotFound, OverBudget
from app.models.change_requests import ChangeRequest
from app.models.changes import DocumentQuery
from app.models.pages import Document, PageVersion
from app.models.queries import BodyQuery
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

LARGEST = 1_000_000  # characters of a body that is parsed while somebody waits
LONGEST_KEPT = 10_000  # characters of a body whose document is kept
_d = table(Document)
_below = p_.alias("below")


@dataclass(slots=True, frozen=True)
class PageRead:
    """A page, the pages under it, and its body: `{"markdown"}`, `{"document"}` or nothing."""

    space: Space
    at: Any
    page: PageVersion
    below: Sequence[PageVersion]
    body: dict[str, Any]
    metadata: bool

    @property
    def shown_size(self) -> int:
        """About how many characters showing the pages under it writes."""
        return len(self.below) * PAGE


def _reading(which: Callable[[], Any], *, keyed: bool) -> Reading:
    def found(view: View) -> Select[Any]:
        return (
            select(*page_columns(), _d.c.markdown, _d.c.conditional)
            .outerjoin(_d, _d.c.id == p_.c.document_id)
            .where(view.valid(p_, keyed=keyed), which())
        )

    def under(view: View) -> Select[Any]:
        beneath = below(_below.c.path, p_.c.path)
        valid = (view.valid(_below), view.valid(p_, keyed=keyed), which())
        return select(*page_columns(_below)).join(p_, beneath).where(*valid)

    def columns(view: View) -> list[Label[Any]]:
        return [nested(found(view), "page"), nested(under(view), "below"), variables(view)]

    return reading(columns)


_BY_ID = _reading(lambda: p_.c.page_id == given("page_id"), keyed=True)
_BY_PATH = _reading(lambda: p_.c.path == given("page_path"), keyed=False)


async def get(cx: Context, where: Where, page_id: str, query: BodyQuery) -> PageRead:
    """Get a page of a space by its id."""
    return await _read(await find(cx, where, _BY_ID, page_id=page_id), query)


async def get_by_path(cx: Context, where: Where, page_path: str, query: BodyQuery) -> PageRead:
    """Get a page of a space by its path."""
    return await _read(await find(cx, where, _BY_PATH, page_path=page_path.strip("/")), query)


async def _read(row: Any, query: BodyQuery) -> PageRead:
    if not row.page:
        raise NotFound("There is no such page.")
    page = row.page[0]
    below = row.below if query.computed else [p for p in row.below if p.computed is None]
    body = await body_of(page, row.variables or {}, query)
    return PageRead(row, at(row), page, below, body, query.metadata)


async def body_of(page: Any, space_variables: dict[str, Any], query: BodyQuery) -> dict[str, Any]:
    """A body (`markdown`, with the `title` and `variables` of its page) in the form asked for.

    Raises Invalid where it is too large to be structured.
    """
    if page.markdown is None:
        return {}
    if query.format == "markdown" and not query.evaluated:
        return {"markdown": page.markdown}
    scope = scope_of(page, space_variables)
    text = Text(page.markdown, bool(page.conditional))
    try:
        if len(text.body) <= LARGEST:
            return await workers.run(len(text.body), _rendered, text, query, scope)
    except OverBudget:
        pass
    raise Invalid("This body is too large to be structured; read it as Markdown.", path="format")


def scope_of(page: Any, space_variables: dict[str, Any]) -> dict[str, Any]:
    """Return what expressions on a page may refer to, where nobody in particular reads it."""
    return {
        "space": {"vars": space_variables},
        "page": {"vars": page.variables or {}, "title": page.title},
        "visitor": {"claims": {}},
    }


def _rendered(text: Text, query: BodyQuery, scope: dict[str, Any]) -> dict[str, Any]:
    is_document = query.format != "markdown"
    if not (query.evaluated and text.conditional):
        return {"document": structured(text.body)} if is_document else {"markdown": text.body}
    from app.formats.markdown.evaluation import evaluate_document, evaluate_markdown

    deterministic = query.evaluated == "deterministic-only"
    if is_document:
        return {"document": evaluate_document(text.body, scope, deterministic_only=deterministic)}
    return {"markdown": evaluate_markdown(text.body, scope, deterministic_only=deterministic)}


def document_for(text: Text, scope: dict[str, Any]) -> dict[str, Any]:
    """A text as the structured document that its reader gets."""
    if not text.conditional:
        return structured(text.body)
    from app.formats.markdown.evaluation import evaluate_document

    return evaluate_document(text.body, scope)


def structured(markdown: str) -> dict[str, Any]:
    """A body as a structured document, which nobody changes: the last short ones are kept."""
    from app.formats.markdown.parser import to_document

    return kept_document(markdown) if len(markdown) <= LONGEST_KEPT else to_document(markdown)


@lru_cache(maxsize=32)
def kept_document(markdown: str) -> dict[str, Any]:
    """Return the document of a short body."""
    from app.formats.markdown.parser import to_document

    return to_document(markdown)


_r = table(ChangeRequest)
NONE = "There is no such document."


def _held_by(t: Any) -> Any:
    """Tell whether some version on a line of the space has the document."""
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


async def get_document(cx: Context, space_id: str, document_id: str, query: DocumentQuery) -> dict[str, Any]:
    """Get a document that a page or a reusable content of the space has, or had.

    Evaluated, it knows the variables of the space, and none of a page.
    """
    space: Any = await fetch(cx, Space, space_id, using=_READ, document=document_id)
    if not space.document:
        raise NotFound(NONE)
    asked = BodyQuery(format="document", evaluated=query.evaluated)
    return _document_in(await body_of(space.document[0], space.variables or {}, asked))


async def get_page_document(cx: Context, where: Where, page_id: str, query: DocumentQuery) -> dict[str, Any]:
    """Get the document of a page."""
    asked = BodyQuery(format="document", evaluated=query.evaluated)
    return _document_in((await get(cx, where, page_id, asked)).body)


def _document_in(body: dict[str, Any]) -> dict[str, Any]:
    if "document" not in body:
        raise NotFound("The page has no document.")
    found: dict[str, Any] = body["document"]
    return found
