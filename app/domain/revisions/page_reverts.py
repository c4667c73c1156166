"""A page as it was: at a revision, or before it was changed last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, and_, or_, select

from app.domain.content.views import REVISION, Where, reading
from app.domain.revisions.drafts import Draft, p_
from app.domain.revisions.link_targets import LinkMeanings, refs_of
from app.domain.revisions.records import PageRecord
from app.formats.text.diffs import changes, lines
from app.kit import workers
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import Invalid
from app.models.links import Link
from app.models.pages import Document

_d, _l = table(Document), table(Link)
_N = given("number", Integer())
_LINKS = (_l.c.href, _l.c.target_kind, _l.c.target_id, _l.c.target_path)
_AT_REVISION = reading(
    lambda view: [
        nested(
            select(*p_.c, _d.c.markdown)
            .outerjoin(_d, _d.c.id == p_.c.document_id)
            .where(view.valid(p_, keyed=True), p_.c.page_id == given("page_id")),
            "page",
        ),
        nested(select(*_LINKS).where(view.valid(_l), _l.c.holder_id == given("page_id")), "links"),
    ]
)


def _links_then() -> Any:
    """Return the links of a version of a page at a number, or when it ended before that."""
    ended = and_(p_.c.valid_to <= _N, _l.c.valid_to >= p_.c.valid_to)
    return select(*_LINKS).where(
        _l.c.line_id == p_.c.line_id,
        _l.c.holder_id == p_.c.page_id,
        _l.c.valid_from <= _N,
        or_(p_.c.valid_to.is_(None), _l.c.valid_from < p_.c.valid_to),
        or_(_l.c.valid_to.is_(None), _l.c.valid_to > _N, ended),
    )


_BEFORE = rows(
    lambda: (
        select(*p_.c, _d.c.markdown, nested(_links_then().correlate(p_), "links"))
        .outerjoin(_d, _d.c.id == p_.c.document_id)
        .where(p_.c.line_id == given("line"), p_.c.page_id == given("page_id"), p_.c.valid_from <= _N)
        .order_by(p_.c.valid_from.desc())
        .limit(1)
    )
)
_TEXT = rows(
    lambda: select(
        _d.c.markdown,
        nested(
            select(*_LINKS).where(
                _l.c.line_id == given("line"), _l.c.holder_id == given("page"), _l.c.valid_to.is_(None)
            ),
            "links",
        ),
    ).where(_d.c.id == given("id"))
)
_PLACE = {"page_id", "parent_id", "rank", "slug", "path", "source"}


async def reverted(
    draft: Draft, page_id: str, revision_id: str | None, blocks: Sequence[str] | None, path: str
) -> None:
    """Make a page of a draft what it was: at a revision, where one is given.

    Otherwise as it is on the main line that a change request began with, or before its last change. A page
    that is gone comes back where it was. Raises Invalid where the page was not there then.
    """
    found = await _at(draft, page_id, revision_id, path)
    if found is None:
        raise Invalid("The page was not there then.", path=f"{path}.page")
    was, links = found
    page = await draft.page(page_id)
    if page is None:
        await _bring_back(draft, PageRecord.of(was))
    elif blocks is not None:
        await _revert_blocks(draft, page, was.markdown, refs_of(links), blocks, path)
        return
    else:
        values = PageRecord.of(was).values()
        page.set(**{name: value for name, value in values.items() if name not in _PLACE})
    if was.markdown is not None:
        draft.write(page_id, was.markdown, LinkMeanings([refs_of(links)]), was.document_id)


async def _at(draft: Draft, page_id: str, revision_id: str | None, path: str) -> tuple[Any, Any] | None:
    """Return the version of a page with its text, and its links then."""
    cx, line = draft.cx, draft.line
    if revision_id is not None:
        where = Where(line.space.id, revision=revision_id)
        found = await cx.db.first(_AT_REVISION[REVISION], id=line.space.id, **where.values, page_id=page_id)
        if found is None or not found.at:
            raise Invalid("The space has no such revision.", path=f"{path}.revision")
        return (found.page[0], found.links) if found.page else None
    if line.request is not None:
        number = line.request.base_number
    else:
        held = draft.held.get(page_id) if await draft.page(page_id) else None
        number = (held.valid_from if held else line.number) - 1
    row = await cx.db.first(_BEFORE, line=line.space.id, page_id=page_id, number=number)
    return (row, row.links) if row else None


async def _bring_back(draft: Draft, page: PageRecord) -> None:
    parent = await draft.page(page.parent_id) if page.parent_id else None
    if parent is None:
        page.parent_id = None
    page.slug = await draft.free_slug(page.parent_id, page.slug, page.page_id)
    page.rank = await draft.free_rank(page.parent_id, page.rank, page.page_id)
    draft.pages[page.page_id] = page


async def _revert_blocks(
    draft: Draft, page: PageRecord, was: str | None, refs: Any, blocks: Sequence[str], path: str
) -> None:
    page_id = page.page_id
    body, now = draft.bodies.get(page_id), draft.meanings.get(page_id)
    if body is None:
        found = await draft.cx.db.first(_TEXT, id=page.document_id, line=draft.line.id, page=page_id)
        body = found.markdown if found else ""
        now = LinkMeanings([refs_of(found.links)]) if found else None
    size = len(was or "") + len(body)
    text, origins = await workers.run(size, _with_blocks, was or "", body, blocks, path)
    here = now.sides[0] if now else {}
    starts = [start for start, _ in origins]
    draft.write(page_id, text, LinkMeanings([here, refs], starts, [side for _, side in origins]))
    page.git_oid = None


def _with_blocks(was: str, now: str, blocks: Sequence[str], path: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text with only what was changed in these blocks (by their keys in the document) taken back.

    Beside it the lines, from 1, from which on a run of them is as it is (0) or as it was (1).
    """
    from app.formats.markdown.parser import block_lines

    spans = block_lines(now)
    wanted: list[range] = []
    for n, key in enumerate(blocks):
        place = key.partition(".")[0]
        if not place.isascii() or not place.isdigit() or int(place[:9]) >= len(spans):
            raise Invalid("The page has no such block.", path=f"{path}.block.{n}")
        wanted.append(spans[int(place)])
    before, after = lines(was), lines(now)
    made: list[str] = []
    origins = [(1, 0)]
    at = 0
    for change in changes(before, after):
        touched = range(change.after, max(change.after_end, change.after + 1))
        if any(span.start < touched.stop and touched.start < span.stop for span in wanted):
            made += after[at : change.after]
            origins.append((len(made) + 1, 1))
            made += before[change.before : change.before_end]
            origins.append((len(made) + 1, 0))
            at = change.after_end
    return "".join(made + after[at:]), origins
