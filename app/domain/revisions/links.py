"""The links of a revision: those of texts that are written, and those of others that lead elsewhere now.

It is worked out once all pages, files and reusable contents have their places, for edits, merges, rollbacks,
imports and syncs alike. What it comes to is what reading every text anew would.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, literal, select

from app.domain.content.bodies import read_conditions
from app.domain.revisions.branch import on_branch
from app.domain.revisions.documents import anchors_of, document_id
from app.domain.revisions.drafts import PAGE_VERSIONS, REUSABLE_VERSIONS, Draft
from app.domain.revisions.link_rewriting import LINK, RewritableText, asked, rewritten
from app.domain.revisions.link_targets import (
    BranchLinks,
    LinkedText,
    LinkMeanings,
    LinkRow,
    LinkTargets,
    ResolvedLink,
    TargetRef,
    leading,
    ref_of,
    refs_of,
    resolved_links,
)
from app.domain.revisions.records import PageRecord, ReusableRecord
from app.domain.revisions.target_index import TargetIndex, TextAnchors, changed_paths, including
from app.formats.markdown.passages import Passage, passages
from app.formats.markdown.scanner import Scan, scan
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.links import Link
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion

if TYPE_CHECKING:
    from app.formats.markdown.conditions import Conditions


SCANNED = 5  # characters that are scanned in the time that one takes to parse
AT_ONCE = 1_000  # paths whose links are looked for in one statement
LINKS, DOCUMENTS = table(Link), table(Document)


def _rows() -> Select[Any]:
    columns = (LINKS.c[name] for name in ResolvedLink._fields)
    return select(LINKS.c.line_id, LINKS.c.holder_id, LINKS.c.position, *columns)


_TOUCHED = on_branch(
    lambda view: _rows().where(view.valid(LINKS), among(LINKS.c.target_path, "paths")),
    lambda view: _rows().where(
        view.valid(LINKS), among(LINKS.c.target_id, "pages"), LINKS.c.target_anchor.is_not(None)
    ),
)
_OF_HOLDERS = on_branch(
    lambda view: (
        _rows()
        .where(view.valid(LINKS), among(LINKS.c.holder_id, "ids"))
        .order_by(LINKS.c.holder_id, LINKS.c.position)
    )
)
_TEXTS = on_branch(
    lambda view: (
        select(
            literal("page").label("kind"),
            PAGE_VERSIONS.c.page_id.label("holder_id"),
            DOCUMENTS.c.id,
            DOCUMENTS.c.markdown,
        )
        .join_from(PAGE_VERSIONS, DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id)
        .where(view.valid(PAGE_VERSIONS, keyed=True), among(PAGE_VERSIONS.c.page_id, "ids"))
    ),
    lambda view: (
        select(
            literal("reusable-content"), REUSABLE_VERSIONS.c.reusable_id, DOCUMENTS.c.id, DOCUMENTS.c.markdown
        )
        .join_from(REUSABLE_VERSIONS, DOCUMENTS, DOCUMENTS.c.id == REUSABLE_VERSIONS.c.document_id)
        .where(view.valid(REUSABLE_VERSIONS, keyed=True), among(REUSABLE_VERSIONS.c.reusable_id, "ids"))
    ),
)
_RAW = rows(
    lambda: select(DOCUMENTS.c.markdown).where(DOCUMENTS.c.id == given("id"), DOCUMENTS.c.raw.is_not(None))
)


async def settle_links(draft: Draft, anchors: TextAnchors) -> BranchLinks:
    """Work out the links of a draft whose paths are settled; texts that are rewritten join its texts.

    Of a draft with texts from outside these are written before.
    """
    await _forget_what_is_kept(draft)
    index = TargetIndex(draft)
    touched = await _touched(draft)
    await index.look_up(row.target_path for row in touched if row.target_path is not None)
    await index.read(ref_of(row) for row in touched)
    moved = _moved(draft) | {row.holder_id for row in touched if _follows(draft, index, row)}
    links = BranchLinks(await _linked(draft, index, await _texts(draft, moved)))
    for holder_id, text in links.texts.items():
        anchors.learn(holder_id, text.anchors, text.links)
    links.passages = await _retitled(draft, links.texts)
    others = [row for row in touched if row.holder_id not in links.texts]
    leads = [leading(_resolved(row), _target(index, row)) for row in others]
    every = [*(text.links for text in links.texts.values()), leads]
    await anchors.read(link.target_id for each in every for link in each if link.target_id and enters(link))
    for each in every:
        each[:] = [checked(link, anchors) for link in each]
    changed = [(row, link) for row, link in zip(others, leads, strict=True) if link != _resolved(row)]
    if draft.line.request is None:
        links.changed = changed
    else:
        links.laid = await _laid(draft, links.texts, changed)
    return links


async def _forget_what_is_kept(draft: Draft) -> None:
    """Leave texts alone that are those which are there."""
    pages = [(draft.bodies, key, draft.held.get(key), draft.pages.get(key)) for key in draft.bodies]
    blocks = [
        (draft.blocks, key, draft.held_reusable.get(key), draft.reusable.get(key)) for key in draft.blocks
    ]
    for texts, key, held, record in [*pages, *blocks]:
        if held is None or record is None or held.document_id is None:
            continue
        made = draft.documents.get(key) or document_id(texts[key])
        if made == held.document_id or await _is_shown_of(draft, held.document_id, texts[key]):
            record.document_id = held.document_id
            del texts[key]


async def _is_shown_of(draft: Draft, document: str, text: str) -> bool:
    """Tell whether a text is what is shown of a body that is none, so that saving it changes nothing."""
    if "\ufffd" not in text:
        return False
    return [row.markdown for row in await draft.cx.db.all(_RAW, id=document)] == [text]


async def _touched(draft: Draft) -> list[Any]:
    """Return the links that ask for paths which mean something else now,
    or enter pages whose places differ.
    """
    coming = draft.incoming.holders if draft.incoming else frozenset()
    gone = {page_id for page_id, page in draft.pages.items() if page is None}
    gone |= {block_id for block_id, block in draft.reusable.items() if block is None}
    passed_over = coming | gone
    if draft.incoming and passed_over >= (draft.held.keys() | draft.held_reusable.keys()):
        return []  # all texts come from outside
    found: dict[tuple[str, int], Any] = {}
    blocks = {*draft.blocks, *draft.reusable}
    pages = {*draft.bodies, *await including(draft, blocks), *(coming & draft.held.keys())}
    if draft.rebased:
        pages |= {held.page_id for held in draft.held.values() if held.line_id == draft.line.id}
    paths, entered = sorted(changed_paths(draft)), sorted(pages)
    while paths or entered:
        read = await draft.line.all(draft.cx, _TOUCHED, paths=paths[:AT_ONCE], pages=entered)
        found |= {(row.holder_id, row.position): row for row in read if row.holder_id not in passed_over}
        paths, entered = paths[AT_ONCE:], []
    return list(found.values())


def _moved(draft: Draft) -> set[str]:
    """Return the pages whose own links must follow since they are in another file,
    or on another main content.
    """
    return {
        page_id
        for page_id, held in draft.held.items()
        if (page := draft.pages.get(page_id))
        and page_id not in draft.verbatim
        and page.document_id
        and (page.source != held.source or (draft.rebased and held.line_id == draft.line.id))
    }


def _follows(draft: Draft, index: TargetIndex, row: LinkRow) -> bool:
    """Tell whether a link must be written otherwise, since what it led to is elsewhere."""
    ref = ref_of(row)
    if ref is None or row.target_path is None or row.holder_id in draft.verbatim:
        return False
    return index.is_there(ref) and index.targets.at(row.target_path) != ref


def _target(index: TargetIndex, row: LinkRow) -> TargetRef | None:
    return index.targets.at(row.target_path) if row.target_path is not None else None


def _resolved(row: LinkRow) -> ResolvedLink:
    return ResolvedLink(*(getattr(row, name) for name in ResolvedLink._fields))


async def _texts(draft: Draft, moved: set[str]) -> list[tuple[RewritableText, Scan]]:
    """Return the texts that are new, and those that are kept of these holders,
    with what their links led to.
    """
    new = {page_id: body for page_id, body in draft.bodies.items() if draft.pages.get(page_id)}
    new |= {block_id: body for block_id, body in draft.blocks.items() if draft.block(block_id)}
    meanings, documents = dict(draft.meanings), dict(draft.documents)
    stored = sorted(moved - new.keys())
    if stored:
        kept = await draft.line.all(draft.cx, _TEXTS, ids=stored)
        rows: defaultdict[str, list[Any]] = defaultdict(list)
        for row in await draft.line.all(draft.cx, _OF_HOLDERS, ids=stored):
            rows[row.holder_id].append(row)
        await draft.read(row.holder_id for row in kept if row.kind == "page")
        blocks = [row.holder_id for row in kept if row.kind != "page" and draft.block(row.holder_id) is None]
        if blocks:
            await draft.read_reusable(blocks)
        for row in kept:
            meanings.setdefault(row.holder_id, LinkMeanings([refs_of(rows[row.holder_id])]))
        new |= {row.holder_id: row.markdown for row in kept}
        documents |= {row.holder_id: row.id for row in kept}
    texts = []
    for holder_id, body in new.items():
        found = await _scanned(body)
        source, meant = _source(draft, holder_id), meanings.get(holder_id)
        is_text = documents.get(holder_id) in (None, document_id(body))
        texts.append((RewritableText(holder_id, source, body, found.links, meant, is_text), found))
    return texts


def _source(draft: Draft, holder_id: str) -> str:
    found = draft.pages.get(holder_id) or draft.block(holder_id)
    return (found.source or "") if found else ""


async def _scanned(body: str) -> Scan:
    return await workers.run(len(body) // SCANNED, scan, body)


async def _linked(
    draft: Draft, index: TargetIndex, texts: Sequence[tuple[RewritableText, Scan]]
) -> dict[str, LinkedText]:
    """Rewrite texts so that their links follow, and resolve them."""
    here = [text.source for text, _ in texts if text.source and not index.targets.find(text.source)]
    await index.look_up([*here, *await asked([text for text, _ in texts])])
    bodies = await rewritten(index, [text for text, _ in texts if _may_follow(draft, text)], draft.refs)
    linked: dict[str, LinkedText] = {}
    for text, found in texts:
        body = bodies.get(text.holder_id, text.body)
        if body != text.body:
            _rewrite(draft, text.holder_id, body)
            found = await _scanned(body)
        conditions = await read_conditions(body)
        size = len(body) // SCANNED + len(found.links) * LINK
        linked[text.holder_id] = await workers.run(
            size, _read, body, found, conditions, text.source, index.targets
        )
    return linked


def _read(
    body: str, found: Scan, conditions: Conditions | None, source: str, targets: LinkTargets
) -> LinkedText:
    links = resolved_links(body, found, conditions, source, targets)
    return LinkedText(body, anchors_of(found), conditions is not None, links, passages(found, conditions))


def _may_follow(draft: Draft, text: RewritableText) -> bool:
    """Tell whether a text may be rewritten: what is computed, or no text, is as it is."""
    page = draft.pages.get(text.holder_id)
    return text.is_text and text.holder_id not in draft.verbatim and not (page and page.computed)


def _rewrite(draft: Draft, holder_id: str, body: str) -> None:
    draft.documents.pop(holder_id, None)
    page = draft.pages.get(holder_id)
    if page is not None:
        draft.bodies[holder_id] = body
        page.git_oid = None
        return
    draft.blocks[holder_id] = body
    if holder_id not in draft.reusable:
        draft.reusable[holder_id] = ReusableRecord.of(draft.held_reusable[holder_id])


async def _retitled(draft: Draft, texts: Iterable[str]) -> dict[str, Sequence[Passage]]:
    """Return what pages are found by that have another title or description and the text they had,
    by their ids.
    """
    if draft.line.request is not None or draft.incoming is not None:
        return {}
    ids = [
        page_id
        for page_id, held in draft.held.items()
        if (page := draft.pages.get(page_id)) and page_id not in texts and _is_headed_otherwise(page, held)
    ]
    rows = await draft.line.all(draft.cx, _TEXTS, ids=ids) if ids else []
    found: dict[str, Sequence[Passage]] = {}
    for row in rows:
        conditions = await read_conditions(row.markdown)
        found[row.holder_id] = passages(await _scanned(row.markdown), conditions)
    return found


def _is_headed_otherwise(page: PageRecord, held: PageVersion) -> bool:
    return (page.title, page.description) != (held.title, held.description)


async def _laid(
    draft: Draft, texts: Iterable[str], changed: Sequence[tuple[Any, ResolvedLink]]
) -> dict[str, list[ResolvedLink]]:
    """Return all links of what a change request lays over the main content although its text stays.

    These are pages that it changes otherwise, and whatever has a link that leads elsewhere in it.
    """
    new = {(row.holder_id, row.position): link for row, link in changed}
    over = {row.holder_id for row, _ in changed}
    over |= {page.page_id for page in draft.changed if _is_below(draft.held.get(page.page_id), draft)}
    over |= {
        key for key, row in draft.reusable.items() if row and _is_below(draft.held_reusable.get(key), draft)
    }
    over -= {*texts, *(draft.incoming.holders if draft.incoming else ())}
    if not over:
        return {}
    laid: dict[str, list[ResolvedLink]] = {holder_id: [] for holder_id in over}
    for row in await draft.line.all(draft.cx, _OF_HOLDERS, ids=sorted(over)):
        laid[row.holder_id].append(new.get((row.holder_id, row.position)) or _resolved(row))
    return laid


def _is_below(held: PageVersion | ReusableVersion | None, draft: Draft) -> bool:
    """Tell whether something is the main content's and not the change request's own."""
    return held is not None and held.line_id != draft.line.id


def enters(link: ResolvedLink) -> bool:
    """Tell whether a link leads to a place in a page of its own space."""
    return link.target_kind == "anchor" and link.target_path is not None and link.target_id is not None


def checked(link: ResolvedLink, anchors: TextAnchors) -> ResolvedLink:
    """Return the link, broken if it enters a page where there is no such place."""
    if not enters(link):
        return link
    is_there = anchors.has(link.target_id or "", link.target_anchor or "")
    return link._replace(status="ok" if is_there else "broken")
