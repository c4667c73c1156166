"""Revisions: numbered steps on a line. A space's main line carries the space's own id.

A draft becomes the next revision of its line, or none where nothing differs: the one path of all writing.

Edits, merges, rollbacks, imports, syncs and computed pages come here. First every page has its path, then
the links of all texts are worked out, then rows are written. What comes from outside is written as it comes,
some texts at a time.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from sqlalchemy import Insert, case, insert, literal, select

from app.access.context import Context
from app.domain.content import history
from app.domain.revisions import branch, source_renewals
from app.domain.revisions.branch import NewRevision
from app.domain.revisions.documents import REFUSED, PreparedText, blamed, document_id
from app.domain.revisions.drafts import Draft
from app.domain.revisions.link_targets import BranchLinks, LinkedText, ResolvedLink
from app.domain.revisions.links import checked, enters, settle_links
from app.domain.revisions.paths import settle_paths
from app.domain.revisions.records import ReusableRecord
from app.domain.revisions.revision_rows import RevisionRows
from app.domain.revisions.target_index import TextAnchors
from app.domain.search import search_index
from app.formats.markdown.hrefs import ELSEWHERE
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space


async def begin(cx: Context, space: Space) -> Revision:
    """Add the empty first revision of a space, and return it."""
    revision = await cx.tx.add(
        Revision,
        id=space.revision_id,
        space_id=space.id,
        line_id=space.id,
        number=space.revision_number,
        parents=[],
        type="edits",
        author_id=cx.actor.user_id or None,
        merged_from=None,
        git=None,
        created_at=cx.now,
    )
    await cx.tx.add(
        LineProperties,
        line_id=space.id,
        valid_from=1,
        valid_to=None,
        variables={},
        redirects={},
        summary_source=None,
        settings_source=None,
        variables_source=None,
    )
    return revision


KEPT_BY_VALIDITY = (PageVersion, FileVersion, Link, ReusableVersion, LineProperties)


async def copy_content(cx: Context, source: Space, target: Space) -> None:
    """Give a space that has only its empty first revision what another one holds now."""
    await cx.tx.remove(LineProperties, line_id=target.id)  # the empty ones it began with
    for statement in _COPY:
        await cx.tx.run(statement, from_line=source.id, to_line=target.id)
    await search_index.copy(cx, source, target)
    await search_index.copy_inclusions(cx, source, target)
    await source_renewals.look_at_copy(cx, target)


def _copy(t: Any) -> Insert:
    changed = {
        "line_id": given("to_line", Key),
        "valid_from": literal(1),
        "valid_to": literal(None, t.c.valid_to.type),
        **(_leading_back(t) if "target_space" in t.c else {}),
    }
    values = [changed.get(column.name, column) for column in t.c]
    current = select(*values).where(t.c.line_id == given("from_line"), t.c.valid_to.is_(None))
    return insert(t).from_select([column.name for column in t.c], current)


def _leading_back(t: Any) -> dict[str, Any]:
    """Return the columns of links to the space itself by its id: in a copy they lead to the original."""
    names_it = t.c.target_space == given("from_line")
    return {
        "status": case((names_it, ELSEWHERE), else_=t.c.status),
        "target_path": case((names_it, None), else_=t.c.target_path),
    }


_COPY = [command(partial(_copy, table(model))) for model in KEPT_BY_VALIDITY]


async def commit(draft: Draft, *, always: bool = False, **what: Any) -> NewRevision | None:
    """Write a draft as one revision (`what` it is: see `branch.advance`).

    None where nothing differs, unless there shall `always` be one.
    """
    await settle_paths(draft)
    anchors, rows = TextAnchors(draft), RevisionRows(draft)
    if draft.incoming is None:
        draft.links = await settle_links(draft, anchors)
        _set_documents(draft)
        draft.keep_git_ids()
    else:  # none of it is rewritten, so that what else there is may follow it
        await rows.make_room()
        broken = await _write_incoming(draft, rows, anchors)
        draft.links = await settle_links(draft, anchors)
        draft.links.broken_anchors = broken
        _set_documents(draft)
    brought_back = source_renewals.brought_back(draft) if what.get("type") != "computed" else []
    await _write(draft, rows)
    await source_renewals.look_at(draft, brought_back)
    is_other = await _write_properties(draft)
    if not (rows.is_written or is_other or always):
        return None
    await rows.finish_search()
    await rows.former_sources()
    if draft.line.request is not None and what.get("type") != "update":  # that writes nothing of one's own
        await history.count_edit(draft.cx, draft.line.request)
    return await branch.advance(draft.cx, draft.line, **what)


async def _write(draft: Draft, rows: RevisionRows) -> None:
    """Write all that does not come from outside."""
    links = draft.links
    await _read_laid(draft, links)
    coming = draft.incoming.holders if draft.incoming else frozenset()
    pages = [page for key, page in draft.pages.items() if page and key not in coming]
    await rows.pages(pages, links)
    await rows.files(draft.files)
    await rows.remove_reusable([draft.held_reusable[key] for key, row in draft.reusable.items() if not row])
    await rows.reusable([row for key, row in draft.reusable.items() if row and key not in coming], links)
    await rows.other_links(links)


def _set_documents(draft: Draft) -> None:
    for page_id, body in draft.bodies.items():
        if (page := draft.pages.get(page_id)) is not None:
            page.document_id = draft.documents.get(page_id) or document_id(body)
    for block_id, body in draft.blocks.items():
        if (block := draft.reusable.get(block_id)) is not None:
            block.document_id = draft.documents.get(block_id) or document_id(body)


async def _read_laid(draft: Draft, links: BranchLinks) -> None:
    """Have the records of what a change request lays over the main content for its links alone."""
    if links.laid:
        await draft.read(links.laid)
        missing = [key for key in links.laid if key not in draft.pages and key not in draft.reusable]
        if missing:
            await draft.read_reusable(missing)
            draft.reusable |= {key: ReusableRecord.of(draft.held_reusable[key]) for key in missing}


async def _write_incoming(
    draft: Draft, rows: RevisionRows, anchors: TextAnchors
) -> list[tuple[str, ResolvedLink]]:
    """Write what comes from outside; while some texts are on their way, the next ones are made ready.

    Gives the links, with what they stand in, that enter pages at places which are not there.
    """
    assert draft.incoming is not None
    entering: list[tuple[str, int, ResolvedLink]] = []
    writing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    writing.set_result(None)
    try:
        async for chunk in draft.incoming.chunks():
            texts = {each.holder_id: _linked(each.text) for each in chunk}
            for key, text in texts.items():
                anchors.learn(key, text.anchors, text.links)
                entering += [(key, n, link) for n, link in enumerate(text.links) if enters(link)]
            await writing
            writing = asyncio.ensure_future(_write_chunk(draft, rows, BranchLinks(texts)))
    finally:
        await writing
    await anchors.read(link.target_id for _, _, link in entering if link.target_id)
    broken = [(key, n, link) for key, n, link in entering if checked(link, anchors).status == "broken"]
    await rows.break_links([(key, n) for key, n, _ in broken])
    return [(key, link) for key, _, link in broken]


def _linked(text: PreparedText) -> LinkedText:
    links = list(text.links)
    return LinkedText(text.body, text.anchors, text.conditional, links, text.passages, text.raw)


async def _write_chunk(draft: Draft, rows: RevisionRows, links: BranchLinks) -> None:
    """Write texts that come from outside; raises FileFault where they come one by one and one is refused."""
    assert draft.incoming is not None
    if not draft.incoming.one_by_one:
        await _write_texts(draft, rows, links)
        return
    for key, text in links.texts.items():
        record = draft.pages.get(key) or draft.reusable.get(key)
        await draft.cx.tx.flush()
        with blamed((record and record.source) or key, reason=REFUSED):
            await _write_texts(draft, rows, BranchLinks({key: text}))
            await draft.cx.tx.flush()


async def _write_texts(draft: Draft, rows: RevisionRows, links: BranchLinks) -> None:
    await rows.pages([page for key in links.texts if (page := draft.pages.get(key))], links)
    await rows.reusable([block for key in links.texts if (block := draft.reusable.get(key))], links)


async def _write_properties(draft: Draft) -> bool:
    """Write what the line says as a whole where the draft says otherwise; tells whether it does."""
    if draft.properties is None:
        return False
    cx, on = draft.cx, draft.line
    held: Any = await branch.properties(cx, on)
    if all(getattr(held, name) == value for name, value in draft.properties.items()):
        return False
    here = {"line_id": on.id, "valid_from": on.number, "valid_to": None}
    await branch.close(cx, on, LineProperties, [on.id])
    await cx.tx.add_many(LineProperties, [{**held._asdict(), **draft.properties, **here}])
    return True
