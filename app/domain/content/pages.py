"""One page with its body: as Markdown to the byte, or as a structured document; plain or evaluated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Label, Select, exists, literal, null, or_, select

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.content import published
from app.domain.content.content import PAGE, PAGE_VERSIONS, page_columns, variables
from app.domain.content.page_editors import editor
from app.domain.content.views import NOW, SPACES, Reading, View, Where, at, find, reading
from app.formats.markdown.passages import BodyText
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
from app.models.users import User

LARGEST = 1_000_000  # characters of a body that is parsed while somebody waits
LONGEST_KEPT = 10_000  # characters of a body whose document is kept
DOCUMENTS = table(Document)
_below = PAGE_VERSIONS.alias("below")


@dataclass(slots=True, frozen=True)
class PageRead:
    """A page, the pages under it, and its body: `{"markdown"}`, `{"document"}` or nothing.

    `editor` is who last edited it; visitors are told of nobody.
    """

    space: Space
    at: Any
    page: PageVersion
    below: Sequence[PageVersion]
    body: dict[str, Any]
    metadata: bool
    editor: User | None

    @property
    def shown_size(self) -> int:
        """About how many characters showing the pages under it writes."""
        return len(self.below) * PAGE


def _reading(which: Callable[[], Any], *, keyed: bool) -> Reading:
    def found(view: View) -> Select[Any]:
        return (
            select(*page_columns(), DOCUMENTS.c.markdown, DOCUMENTS.c.conditional, editor())
            .outerjoin(DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id)
            .where(view.valid(PAGE_VERSIONS, keyed=keyed), which())
        )

    def under(view: View) -> Select[Any]:
        beneath = below(_below.c.path, PAGE_VERSIONS.c.path)
        valid = (view.valid(_below), view.valid(PAGE_VERSIONS, keyed=keyed), which())
        return select(*page_columns(_below)).join(PAGE_VERSIONS, beneath).where(*valid)

    def columns(view: View) -> list[Label[Any]]:
        return [nested(found(view), "page"), nested(under(view), "below"), variables(view)]

    return reading(columns)


_BY_ID = _reading(lambda: PAGE_VERSIONS.c.page_id == given("page_id"), keyed=True)
_BY_PATH = _reading(lambda: PAGE_VERSIONS.c.path == given("page_path"), keyed=False)


async def get(cx: Context, where: Where, page_id: str, query: BodyQuery) -> PageRead:
    """Get a page of a space by its id."""
    found = await find(cx, where, _BY_ID, can=published.right(where), page_id=page_id)
    return await _read(cx, found, query)


async def get_by_path(cx: Context, where: Where, page_path: str, query: BodyQuery) -> PageRead:
    """Get a page of a space by its path."""
    found = await find(cx, where, _BY_PATH, can=published.right(where), page_path=page_path.strip("/"))
    return await _read(cx, found, query)


async def _read(cx: Context, row: Any, query: BodyQuery) -> PageRead:
    if not row.page:
        raise NotFound("There is no such page.")
    page, below = row.page[0], row.below
    last = page.editor[0] if page.editor else None
    if published.is_visitor(cx, row):
        last = None
        await published.refuse_closed(cx, row, page)
        below = published.open_pages(below)
        query = query.model_copy(update={"evaluated": True, "metadata": False})
    if not query.computed:
        below = [p for p in below if p.computed is None]
    body = await body_of(page, row.variables or {}, query)
    return PageRead(row, at(row), page, below, body, query.metadata, last)


async def body_of(page: Any, space_variables: dict[str, Any], query: BodyQuery) -> dict[str, Any]:
    """Return a body (`markdown`, with the `title` and `variables` of its page) in the form asked for.

    Raises Invalid where it is too large to be structured.
    """
    if page.markdown is None:
        return {}
    if query.format == "markdown" and not query.evaluated:
        return {"markdown": page.markdown}
    scope = scope_of(page, space_variables)
    text = BodyText(page.markdown, bool(page.conditional))
    try:
        if len(text.body) <= LARGEST:
            return await workers.run(len(text.body), _rendered, text, query, scope)
    except OverBudget:
        pass
    raise Invalid("This body is too large to be read as a document; read it as Markdown.", path="format")


def scope_of(page: Any, space_variables: dict[str, Any]) -> dict[str, Any]:
    """Return what expressions on a page may refer to, where nobody in particular reads it."""
    return {
        "space": {"vars": space_variables},
        "page": {"vars": page.variables or {}, "title": page.title},
        "visitor": {"claims": {}},
    }


def _rendered(text: BodyText, query: BodyQuery, scope: dict[str, Any]) -> dict[str, Any]:
    is_document = query.format != "markdown"
    if not (query.evaluated and text.conditional):
        return {"document": structured(text.body)} if is_document else {"markdown": text.body}
    from app.formats.markdown.evaluation import evaluate_document, evaluate_markdown

    deterministic = query.evaluated == "deterministic-only"
    if is_document:
        return {"document": evaluate_document(text.body, scope, deterministic_only=deterministic)}
    return {"markdown": evaluate_markdown(text.body, scope, deterministic_only=deterministic)}


def document_for(text: BodyText, scope: dict[str, Any]) -> dict[str, Any]:
    """Return a text as the document that is shown to its reader, with what other tools write in our dialect.

    Its nodes have keys of their own: those that comments refer to are of the document of the text itself.
    """
    from app.formats.markdown.dialects import understood

    text = text._replace(body=understood(text.body))
    if not text.conditional:
        return structured(text.body)
    from app.formats.markdown.evaluation import evaluate_document

    return evaluate_document(text.body, scope)


def structured(markdown: str) -> dict[str, Any]:
    """Return a body as a structured document, which nobody changes: the last short ones are kept."""
    from app.formats.markdown.parser import to_document

    return kept_document(markdown) if len(markdown) <= LONGEST_KEPT else to_document(markdown)


@lru_cache(maxsize=32)
def kept_document(markdown: str) -> dict[str, Any]:
    """Return the document of a short body."""
    from app.formats.markdown.parser import to_document

    return to_document(markdown)


CHANGE_REQUESTS = table(ChangeRequest)
NONE = "There is no such document."


def _held_by(t: Any) -> Any:
    """Tell whether some version on a line of the space has the document."""
    request = (
        exists()
        .where(CHANGE_REQUESTS.c.id == t.c.line_id, CHANGE_REQUESTS.c.space_id == SPACES.c.id)
        .correlate(t, SPACES)
    )
    held = exists().where(t.c.document_id == DOCUMENTS.c.id, or_(t.c.line_id == SPACES.c.id, request))
    return held.correlate(DOCUMENTS, SPACES)


def _found() -> Label[Any]:
    is_held = or_(_held_by(table(PageVersion)), _held_by(table(ReusableVersion)))
    body = select(
        DOCUMENTS.c.markdown, DOCUMENTS.c.conditional, literal("").label("title"), null().label("variables")
    )
    return nested(body.where(DOCUMENTS.c.id == given("document"), is_held), "document")


_READ = query(
    Space,
    lambda: select(*SPACES.c, _found(), variables(NOW)).select_from(SPACES).where(SPACES.c.id == given("id")),
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
