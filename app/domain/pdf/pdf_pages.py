"""Which pages are printed, in which order, and what a change request did to each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Label, Select, and_, or_, select

from app.access.context import Context
from app.domain.content.changes import is_edited, is_moved
from app.domain.content.content import f_, p_, page_columns, page_rows, variables
from app.domain.content.views import REVISION, s_, v_
from app.domain.pdf.pdf_exports import PdfSelection
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.pages import PageVersion
from app.models.revisions import ReusableVersion

_u = table(ReusableVersion)
_own, _main = p_.alias("own"), p_.alias("main")


@dataclass(slots=True, frozen=True)
class PdfPage:
    """A page in print: how deep it stands, and what was done to it."""

    row: PageVersion
    depth: int
    changed: str | None


@dataclass(slots=True, frozen=True)
class PdfContent:
    """What there is to print: pages in their order, files and reusable contents by where they are kept."""

    leaves: Sequence[PdfPage]
    files: Sequence[Any]
    reusable: Sequence[Any]
    variables: dict[str, Any]


def _valid_at(t: Any, line: Any, number: Any) -> Any:
    still = or_(t.c.valid_to.is_(None), t.c.valid_to > number)
    return and_(t.c.line_id == line, t.c.valid_from <= number, still)


def _changed() -> list[Label[Any]]:
    """The pages that the line has of its own, also as deleted ones, and what they are on the main line."""
    is_own = and_(v_.c.line_id != s_.c.id, _valid_at(_own, v_.c.line_id, v_.c.number))
    own = select(_own.c.page_id, _own.c.deleted).where(is_own).correlate(s_, v_)
    ids = select(_own.c.page_id).where(is_own).correlate(s_, v_)
    on_main = _valid_at(_main, s_.c.id, v_.c.base_number)
    was = select(*page_columns(_main)).where(on_main, _main.c.page_id.in_(ids))
    return [nested(own, "own"), nested(was.correlate(s_, v_), "before")]


def _content() -> Select[Any]:
    files = select(f_.c.source, f_.c.blob_id, f_.c.size).where(REVISION.valid(f_), f_.c.source.is_not(None))
    reusable = select(_u.c.source, _u.c.document_id).where(REVISION.valid(_u))
    return (
        select(
            nested(page_rows(REVISION), "pages"),
            nested(files, "files"),
            nested(reusable, "reusable"),
            variables(REVISION),
            *_changed(),
        )
        .select_from(REVISION.source())
        .where(s_.c.id == given("id"))
    )


_CONTENT = rows(_content)


async def read_content(cx: Context, edition: PdfSelection) -> PdfContent:
    """Return what an edition prints, without texts; raises NotFound where it is gone."""
    row = await cx.db.first(_CONTENT, id=edition.space, at_revision=edition.revision)
    if row is None:
        raise NotFound("What was printed here is gone.")
    changed = _marks(row.own, row.before, row.pages) if edition.request else {}
    deleted = [was for was in row.before if changed.get(was.page_id) == "deleted"]
    leaves = _in_order([*row.pages, *deleted], changed, edition)
    return PdfContent(leaves, row.files, row.reusable, row.variables or {})


def _marks(
    own_pages: Sequence[PageVersion], before_them: Sequence[PageVersion], pages: Sequence[PageVersion]
) -> dict[str, str]:
    """Return what happened to each page that the change request has of its own, by the ids of the pages."""
    before = {was.page_id: was for was in before_them}
    now = {page.page_id: page for page in pages}
    found: dict[str, str] = {}
    for own in own_pages:
        was, page = before.get(own.page_id), now.get(own.page_id)
        if was is not None or page is not None:
            found[own.page_id] = _mark(was, page)
    return {page_id: mark for page_id, mark in found.items() if mark}


def _mark(was: Any, now: Any) -> str:
    if was is None or now is None:
        return "added" if was is None else "deleted"
    marks = [("edited", is_edited(was, now)), ("moved", is_moved(was, now))]
    return " and ".join(mark for mark, is_so in marks if is_so)


def _in_order(pages: Sequence[Any], changed: dict[str, str], edition: PdfSelection) -> list[PdfPage]:
    """Pages in the order of reading. Unless it is the first, a hidden page goes with all that is under it."""
    children: defaultdict[str | None, list[Any]] = defaultdict(list)
    for page in sorted(pages, key=lambda page: (page.rank, page.page_id), reverse=True):
        children[page.parent_id].append(page)
    first = [page for page in pages if page.page_id == edition.page]
    waiting = [(page, 0) for page in first or children[None] if first or not page.hidden]
    leaves = []
    while waiting:
        page, depth = waiting.pop()
        leaves.append(PdfPage(page, depth, changed.get(page.page_id)))
        if not edition.only:
            waiting += [(child, depth + 1) for child in children[page.page_id] if not child.hidden]
    return leaves
