"""Going back: a page as it was, and a space's main branch to what a revision held or on what one did.

A page as it was: at a revision, or before it was changed last.

Going back on a space's main line: to what a revision held, or on what one revision did.

Both are new revisions of type `rollback`: what was written in between stays in the history. `revert` takes
one revision back and keeps everything that came after it, like a merge: what met is told as data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, and_, or_, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import permit
from app.domain.content.views import REVISION, REVISIONS, Where, find, reading
from app.domain.revisions.branch import KEYS, Branch
from app.domain.revisions.commit import commit
from app.domain.revisions.drafts import PAGE_VERSIONS, Draft
from app.domain.revisions.link_targets import LinkMeanings, refs_of
from app.domain.revisions.merge import AT
from app.domain.revisions.merge_pages import MergeInput, merge_content
from app.domain.revisions.merge_states import LinkStates, MergeOutcome, MergeRows, States
from app.domain.revisions.records import PageRecord
from app.domain.revisions.three_way import ThreeWay
from app.domain.revisions.winners import Winners
from app.formats.text.diffs import changes, lines
from app.formats.text.three_way_merge import Side
from app.kit import workers
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, rows, table
from app.kit.errors import Conflict, Invalid
from app.models.files import FileVersion
from app.models.links import Link
from app.models.merges import Revert
from app.models.pages import Document, PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space

DOCUMENTS, LINKS = table(Document), table(Link)
_N = given("number", Integer())
_LINKS = (LINKS.c.href, LINKS.c.target_kind, LINKS.c.target_id, LINKS.c.target_path)
_AT_REVISION = reading(
    lambda view: [
        nested(
            select(*PAGE_VERSIONS.c, DOCUMENTS.c.markdown)
            .outerjoin(DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id)
            .where(view.valid(PAGE_VERSIONS, keyed=True), PAGE_VERSIONS.c.page_id == given("page_id")),
            "page",
        ),
        nested(select(*_LINKS).where(view.valid(LINKS), LINKS.c.holder_id == given("page_id")), "links"),
    ]
)


def _links_then() -> Any:
    """Return the links of a version of a page at a number, or when it ended before that."""
    ended = and_(PAGE_VERSIONS.c.valid_to <= _N, LINKS.c.valid_to >= PAGE_VERSIONS.c.valid_to)
    return select(*_LINKS).where(
        LINKS.c.line_id == PAGE_VERSIONS.c.line_id,
        LINKS.c.holder_id == PAGE_VERSIONS.c.page_id,
        LINKS.c.valid_from <= _N,
        or_(PAGE_VERSIONS.c.valid_to.is_(None), LINKS.c.valid_from < PAGE_VERSIONS.c.valid_to),
        or_(LINKS.c.valid_to.is_(None), LINKS.c.valid_to > _N, ended),
    )


_BEFORE = rows(
    lambda: (
        select(
            *PAGE_VERSIONS.c, DOCUMENTS.c.markdown, nested(_links_then().correlate(PAGE_VERSIONS), "links")
        )
        .outerjoin(DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id)
        .where(
            PAGE_VERSIONS.c.line_id == given("line"),
            PAGE_VERSIONS.c.page_id == given("page_id"),
            PAGE_VERSIONS.c.valid_from <= _N,
        )
        .order_by(PAGE_VERSIONS.c.valid_from.desc())
        .limit(1)
    )
)
_TEXT = rows(
    lambda: select(
        DOCUMENTS.c.markdown,
        nested(
            select(*_LINKS).where(
                LINKS.c.line_id == given("line"),
                LINKS.c.holder_id == given("page"),
                LINKS.c.valid_to.is_(None),
            ),
            "links",
        ),
    ).where(DOCUMENTS.c.id == given("id"))
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
        raise Invalid("The page did not exist then.", path=f"{path}.page")
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


_SIDES: dict[str, Side] = {"revert": "ours", "main": "theirs"}


def _whole_revision(view: Any) -> list[Any]:
    same = REVISIONS.alias()
    return [nested(select(*same.c).where(same.c.id == REVISIONS.c.id), "revision")]


_REVISION = reading(lambda view: _whole_revision(view) if view.noun == "revision" else [])


def _touched(
    model: type[SQLModel], when: Callable[[Any], tuple[ColumnElement[bool], ColumnElement[bool]]]
) -> Statement[Any]:
    """Return the ids of what has rows that were opened or closed then;
    an index serves open and closed ones each.
    """
    t = table(model)

    def found() -> Select[Any]:
        opened, closed = when(t)
        condition = or_(and_(t.c.valid_to.is_(None), opened), and_(t.c.valid_to.is_not(None), closed))
        return select(t.c[KEYS[model]].label("id")).distinct().where(t.c.line_id == given("line"), condition)

    return rows(found)


_MODELS: tuple[type[SQLModel], ...] = (PageVersion, FileVersion, ReusableVersion, LineProperties)
_SINCE = {model: _touched(model, lambda t: (t.c.valid_from > _N, t.c.valid_to > _N)) for model in _MODELS}
_IN = {
    model: _touched(model, lambda t: (t.c.valid_from == _N, or_(t.c.valid_to == _N, t.c.valid_from == _N)))
    for model in _MODELS
}


async def restore(cx: Context, where: Where) -> MergeOutcome:
    """Restore a space's content as it was at a revision, in a new revision."""
    space, revision = await _on_main(cx, where)
    if revision.number == space.revision_number:
        return MergeOutcome(space.revision_id, True, [])
    states = States(space.revision_number, space.revision_number, revision.number)
    return await _roll_back(cx, space, _SINCE, revision.number, states, Winners("ours"))


async def revert(cx: Context, where: Where, body: Revert) -> MergeOutcome:
    """Take back what one revision did, in a new revision, and keep everything that came after it.

    With conflicts nothing is applied, unless `winners` and `onConflict` say which are reverted too.
    """
    space, revision = await _on_main(cx, where)
    if revision.number == 1:
        raise Invalid("There is nothing before the first revision.", path="revisionId")
    states = States(revision.number, space.revision_number, revision.number - 1)
    winners = await Winners.chosen(cx, body, _SIDES)
    return await _roll_back(cx, space, _IN, revision.number, states, winners, dry_run=body.dry_run)


async def _on_main(cx: Context, where: Where) -> tuple[Space, Revision]:
    row = await find(cx, where, _REVISION, can="edit")
    permit(cx, Space, row, can="merge")
    await cx.tx.lock(row.id)
    if row.edit_mode == "locked":
        raise Conflict("The space is locked. Unlock it first.")
    revision: Revision = row.revision[0]
    if revision.line_id != row.id:
        raise Invalid("This is a revision of a change request, not of the space.", path="revisionId")
    return row, revision


async def _roll_back(
    cx: Context,
    space: Space,
    touched: dict[type[SQLModel], Statement[Any]],
    number: int,
    states: States[int],
    winners: Winners,
    *,
    dry_run: bool = False,
) -> MergeOutcome:
    draft = Draft(cx, Branch(space))
    sides = {model: await _sides(cx, space.id, model, touched[model], number, states) for model in _MODELS}
    draft.learn(sides[PageVersion].main.values())
    coming = MergeInput(sides[PageVersion], sides[FileVersion], sides[ReusableVersion])
    properties = sides[LineProperties]
    if properties.keys and properties.ours:
        coming.properties = properties.of(space.id)
    conflicts = await merge_content(ThreeWay(draft, winners, LinkStates(cx, space.id, states)), coming)
    applies = winners.settle(conflicts)
    if dry_run or not applies:
        return MergeOutcome(space.revision_id, applies, conflicts)
    made = await commit(draft, type="rollback")
    return MergeOutcome(made.id if made else space.revision_id, True, conflicts)


async def _sides(
    cx: Context,
    line_id: str,
    model: type[SQLModel],
    touched: Statement[Any],
    number: int,
    states: States[int],
) -> MergeRows:
    key = KEYS[model]
    ids = [row.id for row in await cx.db.all(touched, line=line_id, number=number)]
    if not ids:
        return MergeRows({}, {}, {})
    found = []
    for at in states:
        held = await cx.db.all(AT[model], line=line_id, ids=ids, number=at)
        found.append({getattr(row, key): row for row in held})
    return MergeRows(*found)
