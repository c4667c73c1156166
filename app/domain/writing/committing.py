"""A draft becomes the next revision of its line, or none where nothing differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from app.content.conditional import Text
from app.domain.content import contributions, search_index
from app.domain.writing import documents, line
from app.domain.writing.drafts import VALIDITY, Draft, Row
from app.domain.writing.import_rows import differs as says_otherwise
from app.domain.writing.import_rows import link_rows, storable
from app.domain.writing.line import Step
from app.domain.writing.preparing import Resolved, document_id
from app.domain.writing.relating import Related, relate
from app.domain.writing.settling import settle_paths
from app.kit.predicates import among
from app.kit.statements import given, rows, table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion

_l = table(Link)
_LINKS = rows(
    lambda: (
        select(_l.c.page_id, *(_l.c[name] for name in Resolved._fields))
        .where(_l.c.line_id == given("line"), _l.c.valid_to.is_(None), among(_l.c.page_id, "ids"))
        .order_by(_l.c.page_id, _l.c.position)
    )
)


async def commit(draft: Draft, *, always: bool = False, **what: Any) -> Step | None:
    """Write a draft as one revision (`what` it is: see `line.advance`).

    None where nothing differs, unless there shall `always` be one.
    """
    await settle_paths(draft)
    related = await relate(draft)
    _set_documents(draft, related)
    changed = draft.changed
    properties = await _properties(draft)
    differs = changed or draft.gone or draft.files or draft.reusable or properties
    if not (differs or always):
        return None
    await _write_pages(draft, changed, related)
    await _write_files(draft)
    await _write_reusable(draft)
    if properties:
        await line.close(draft.cx, draft.line, LineProperties, [draft.line.id])
        await draft.cx.tx.add_many(LineProperties, [properties])
    if draft.line.request is not None:
        await contributions.edited(draft.cx, draft.line.request)
    return await line.advance(draft.cx, draft.line, **what)


def _set_documents(draft: Draft, related: dict[str, Related]) -> None:
    for page_id in draft.bodies:
        page = draft.pages.get(page_id)
        if page:
            page["document_id"] = document_id(related[page_id].body)


async def _write_pages(draft: Draft, changed: Sequence[Row], related: dict[str, Related]) -> None:
    cx, on = draft.cx, draft.line
    gone = draft.gone
    rewritten = [page["page_id"] for page in changed]
    relinked = [page_id for page_id in related if page_id not in rewritten]
    if on.request is None:
        await _index(draft, changed, related)
    else:  # links lie over the main line with their page
        changed = [*changed, *(page for page_id in relinked if (page := draft.pages[page_id]))]
    await line.remove(cx, on, PageVersion, gone)
    await line.close(cx, on, PageVersion, [page["page_id"] for page in changed])
    needless = await _needless(draft, changed, related)
    changed = [page for page in changed if page["page_id"] not in needless]
    texts = {document_id(each.body): Text(each.body, each.conditional) for each in related.values()}
    await documents.keep(cx, texts)
    await cx.tx.add_many(PageVersion, [_page_row(draft, page) for page in changed])
    await line.close(cx, on, Link, [*(page.page_id for page in gone), *related, *needless])
    links = [
        row
        for page_id, each in related.items()
        if page_id not in needless
        for row in link_rows(on.id, on.number, page_id, each.links)
    ]
    await cx.tx.add_many(Link, links)


def _page_row(draft: Draft, page: Row) -> Row:
    held, now = draft.held.get(page["page_id"]), draft.cx.now
    return {
        **_row(draft, {name: storable(value) for name, value in page.items()}),
        "created_at": held.created_at if held else now,
        "updated_at": now if held is None or draft.is_changed(page) else held.updated_at,
    }


def _row(draft: Draft, row: Row) -> Row:
    here = {"line_id": draft.line.id, "valid_from": draft.line.number, "valid_to": None}
    return {**row, **here} if "deleted" not in row else {**row, **here, "deleted": False}


async def _needless(draft: Draft, changed: Sequence[Row], related: dict[str, Related]) -> set[str]:
    """The pages that say what the main line says, with links that lead where they lead there."""
    same = [page["page_id"] for page in changed if _says_what_is_below(draft, page)]
    if not same:
        return set()
    below: dict[str, list[Any]] = {page_id: [] for page_id in same}
    for row in await draft.cx.db.all(_LINKS, line=draft.line.space.id, ids=same):
        below[row.page_id].append(tuple(row)[1:])
    return {
        page_id
        for page_id in same
        if below[page_id] == [tuple(link) for link in (related[page_id].links if page_id in related else ())]
    }


def _says_what_is_below(draft: Draft, page: Row) -> bool:
    below = draft.below.get(page["page_id"])
    return below is not None and all(
        getattr(below, name) == value for name, value in page.items() if name not in VALIDITY | {"created_at"}
    )


async def _index(draft: Draft, changed: Sequence[Row], related: dict[str, Related]) -> None:
    """Keep the search right: the pages that went, and those with another title or text."""
    cx, space = draft.cx, draft.line.space
    found = [page for page in changed if page["kind"] != "link" and _reads_otherwise(draft, page)]
    before = [page.page_id for page in draft.gone]
    before += [page["page_id"] for page in found if page["page_id"] in draft.held]
    sections: list[Row] = []
    for page in found:
        text = related.get(page["page_id"])
        passages = text.passages if text else ()
        sections += search_index.sections(space, page["page_id"], page["title"], passages)
    await search_index.replace(cx, space, before, sections)


def _reads_otherwise(draft: Draft, page: Row) -> bool:
    held = draft.held.get(page["page_id"])
    return held is None or (held.title, held.document_id) != (page["title"], page["document_id"])


async def _write_files(draft: Draft) -> None:
    cx, on = draft.cx, draft.line
    if not draft.files:
        return
    kept = {file_id: row for file_id, row in draft.files.items() if row}
    gone = [draft.held_files[file_id] for file_id in draft.files if file_id not in kept]
    await line.remove(cx, on, FileVersion, gone)
    await line.close(cx, on, FileVersion, list(kept))
    await cx.tx.add_many(FileVersion, [_row(draft, row) for row in kept.values()])


async def _write_reusable(draft: Draft) -> None:
    cx, on = draft.cx, draft.line
    if not draft.reusable:
        return
    kept = {block_id: row for block_id, row in draft.reusable.items() if row}
    gone = [draft.held_reusable[block_id] for block_id in draft.reusable if block_id not in kept]
    await line.remove(cx, on, ReusableVersion, gone)
    await line.close(cx, on, ReusableVersion, list(kept))
    texts = {document_id(body): await documents.read(body) for body in draft.blocks.values()}
    await documents.keep(cx, texts)
    await cx.tx.add_many(ReusableVersion, [_row(draft, row) for row in kept.values()])


async def _properties(draft: Draft) -> Row | None:
    """What the line says as a whole, where the draft says otherwise."""
    if draft.properties is None:
        return None
    held: Any = await line.properties(draft.cx, draft.line)
    row = _row(draft, {**held._asdict(), **draft.properties})
    return row if says_otherwise(held, {**row, "line_id": held.line_id}) else None
