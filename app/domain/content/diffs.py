"""One page's text before and after: in a revision, or in a change request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Label, select

from app.access.context import Context
from app.domain.content.changes import SIDES, comparing, on_side, versions
from app.domain.content.views import Where, find
from app.kit import workers
from app.kit.database.statements import given, table
from app.kit.errors import NotFound
from app.models.diffs import DiffQuery
from app.models.pages import Document, PageVersion

if TYPE_CHECKING:  # what compares texts is loaded when somebody asks
    from app.formats.text.diffs import Hunk

_p, _d = table(PageVersion), table(Document)


@dataclass(slots=True, frozen=True)
class PageDiff:
    """How a page's text changed; `before` and `after` are the ids of its documents, where it had any."""

    before: str | None
    after: str | None
    unified: str
    hunks: Sequence[Hunk]


def _columns() -> Iterator[Label[Any]]:
    page = versions(_p, _p.c.page_id == given("page_id"))
    text = page.outerjoin(_d, _d.c.id == page.c.document_id)
    found = select(page.c.path, page.c.source, page.c.document_id, _d.c.markdown).select_from(text)
    return (on_side(side, found, page) for side in SIDES)


_READ = comparing(_columns)


async def of_page(cx: Context, where: Where, page_id: str, query: DiffQuery) -> PageDiff:
    """Get how the text of a page changed, line by line.

    In a revision against the one before; in a change request against the content at its base.
    """
    row = await find(cx, where, _READ, page_id=page_id)
    if not row.before and not row.after:
        raise NotFound("There is no such page.")
    was, now = (rows[0] if rows else None for rows in (row.before, row.after))
    size = sum(len(_text(page)) for page in (was, now))
    return await workers.run(size, _diff, was, now, query.context)


def _diff(was: Any, now: Any, context: int) -> PageDiff:
    from app.formats.text.diffs import hunks, unified_of

    found = hunks(_text(was), _text(now), context)
    text = unified_of(found, _name("a", was), _name("b", now))
    return PageDiff(was and was.document_id, now and now.document_id, text, found)


def _text(page: Any) -> str:
    return (page and page.markdown) or ""


def _name(prefix: str, page: Any) -> str:
    """Return what a file is called in a unified diff."""
    if page is None or page.document_id is None:
        return "/dev/null"
    return f"{prefix}/{page.source or page.path + '.md'}"
