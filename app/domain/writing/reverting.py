"""A page as it was: at a revision, or before it was changed last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, or_, select

from app.content.matching import changes, lines
from app.domain.content.views import REVISION, View, Where, reading
from app.domain.writing.drafts import VALIDITY, Draft, Moved, Row, p_
from app.kit import workers
from app.kit.errors import Invalid
from app.kit.nesting import nested
from app.kit.statements import given, rows, table
from app.models.links import Link
from app.models.pages import Document

_d, _l = table(Document), table(Link)


def _led_to(view: View) -> Any:
    """The pages that links of the page led to then."""
    found = select(_l.c.target_page).where(view.valid(_l), _l.c.page_id == given("page_id"))
    return found.correlate_except(_l)


_AT_REVISION = reading(
    lambda view: [
        nested(
            select(*p_.c, _d.c.markdown)
            .outerjoin(_d, _d.c.id == p_.c.document_id)
            .where(view.valid(p_, keyed=True), p_.c.page_id == given("page_id")),
            "page",
        ),
        nested(
            select(p_.c.page_id, p_.c.source)
            .where(view.valid(p_), p_.c.source.is_not(None))
            .where(or_(p_.c.page_id == given("page_id"), p_.c.page_id.in_(_led_to(view)))),
            "kept",
        ),
    ]
)
_BEFORE = rows(
    lambda: (
        select(*p_.c, _d.c.markdown)
        .outerjoin(_d, _d.c.id == p_.c.document_id)
        .where(
            p_.c.line_id == given("line"),
            p_.c.page_id == given("page_id"),
            p_.c.valid_from <= given("number", Integer()),
        )
        .order_by(p_.c.valid_from.desc())
        .limit(1)
    )
)
_TEXT = rows(lambda: select(_d.c.markdown).where(_d.c.id == given("id")))
_PLACE = {"parent_id", "rank", "slug", "path", "source"}
_KEPT = VALIDITY | {"created_at", "deleted"}


async def reverted(
    draft: Draft, page_id: str, revision_id: str | None, blocks: Sequence[str] | None, path: str
) -> None:
    """Make a page of a draft what it was: at a revision, where one is given.

    Otherwise as it is on the main line that a change request began with, or before its last change. A page
    that is gone comes back where it was. Raises Invalid where the page was not there then.
    """
    was = await _at(draft, page_id, revision_id, path)
    if was is None:
        raise Invalid("The page was not there then.", path=f"{path}.page")
    row = {name: value for name, value in was._asdict().items() if name not in _KEPT and name != "markdown"}
    page = await draft.page(page_id)
    if page is None:
        await _bring_back(draft, row)
    elif blocks is not None:
        await _revert_blocks(draft, page, was.markdown, blocks, path)
        return
    else:
        page |= {name: value for name, value in row.items() if name not in _PLACE}
    if was.markdown is not None:
        draft.bodies[page_id] = was.markdown


async def _at(draft: Draft, page_id: str, revision_id: str | None, path: str) -> Any:
    cx, line = draft.cx, draft.line
    if revision_id is not None:
        where = Where(line.space.id, revision=revision_id)
        found = await cx.db.first(_AT_REVISION[REVISION], id=line.space.id, **where.values, page_id=page_id)
        if found is None or not found.at:
            raise Invalid("The space has no such revision.", path=f"{path}.revision")
        await draft.read(kept.page_id for kept in found.kept)
        draft.elsewhere += [Moved(kept.page_id, kept.source, None) for kept in found.kept]
        return found.page[0] if found.page else None
    if line.request is not None:
        number = line.request.base_number
    else:
        held = await draft.page(page_id)
        number = (held["valid_from"] if held and page_id in draft.held else line.number) - 1
    return await cx.db.first(_BEFORE, line=line.space.id, page_id=page_id, number=number)


async def _bring_back(draft: Draft, row: Row) -> None:
    parent = await draft.page(row["parent_id"]) if row["parent_id"] else None
    if parent is None:
        row["parent_id"] = None
    row["slug"] = await draft.free_slug(row["parent_id"], row["slug"], row["page_id"])
    row["rank"] = await draft.free_rank(row["parent_id"], row["rank"], row["page_id"])
    draft.pages[row["page_id"]] = {**row, "deleted": False}


async def _revert_blocks(draft: Draft, page: Row, was: str | None, blocks: Sequence[str], path: str) -> None:
    page_id = page["page_id"]
    body = draft.bodies.get(page_id)
    if body is None:
        found = await draft.cx.db.first(_TEXT, id=page["document_id"])
        body = found.markdown if found else ""
    draft.bodies[page_id] = await workers.run(
        len(was or "") + len(body), _with_blocks, was or "", body, blocks, path
    )
    page["git_oid"] = None


def _with_blocks(was: str, now: str, blocks: Sequence[str], path: str) -> str:
    """The text with only what was changed in these blocks (by their keys in the document) taken back."""
    from app.content.dialect.parse import block_lines

    spans = block_lines(now)
    wanted: list[range] = []
    for n, key in enumerate(blocks):
        place = key.partition(".")[0]
        if not place.isascii() or not place.isdigit() or int(place[:9]) >= len(spans):
            raise Invalid("The page has no such block.", path=f"{path}.block.{n}")
        wanted.append(spans[int(place)])
    before, after = lines(was), lines(now)
    made: list[str] = []
    at = 0
    for change in changes(before, after):
        touched = range(change.after, max(change.after_end, change.after + 1))
        if any(span.start < touched.stop and touched.start < span.stop for span in wanted):
            made += after[at : change.after] + before[change.before : change.before_end]
            at = change.after_end
    return "".join(made + after[at:])
