"""The page or block that a comment is about, and whether it still exists.

A comment stores the id of the page text that it was written on. While the page has that text, nothing is
compared. A newer text is read once for the marks of its blocks, which are cached: if the block still exists,
perhaps at another position, the comment stays with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from cachetools import LRUCache
from sqlalchemy import Label, Select, and_, exists, not_, select

from app.access.context import Context
from app.domain.comments.threads import COMMENTS
from app.domain.content.views import PLACES, View
from app.formats.markdown import anchors
from app.formats.markdown.anchors import Fingerprints
from app.kit import workers
from app.kit.database.columns import Key
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, shown, table
from app.kit.errors import Invalid, OverBudget
from app.models.pages import Document, PageVersion

LARGEST = 200_000  # characters of a text whose blocks are looked at
BUDGET = 2_000_000  # characters that are looked at for one answer
SECONDS = 2.0  # of computing for one text
KEPT = 256
PAGE_VERSIONS, DOCUMENTS = table(PageVersion), table(Document)
_then = PAGE_VERSIONS.alias("then")
_SHOWN = ("page_id", "title", "emoji", "icon", "path", "created_at", "updated_at", "document_id")
_BESIDES = {column.name for column in PAGE_VERSIONS.c} - set(_SHOWN)
_TEXTS = rows(
    lambda: (
        select(DOCUMENTS.c.id, DOCUMENTS.c.markdown)
        .where(among(DOCUMENTS.c.id, "ids"))
        .order_by(DOCUMENTS.c.id)
    )
)


class CommentTargetRow(NamedTuple):
    """The page of a comment, as it is or else as it was, and the place of the block."""

    page: Any = None
    node: str | None = None
    outdated: bool = False


def page_columns(view: View, page: Select[Any]) -> list[Label[Any]]:
    """Return the `pages` of a page of comments as they are in their place, each once, and, of comments whose
    page is gone, as it `was` when the comment was written.
    """
    keys = (COMMENTS.c.page_id, COMMENTS.c.page_line, COMMENTS.c.page_from)
    about = page.with_only_columns(COMMENTS.c.id, *keys).correlate(*PLACES).subquery()
    now = select(*shown(PageVersion, besides=_BESIDES)).where(
        view.valid(PAGE_VERSIONS, keyed=True), PAGE_VERSIONS.c.page_id.in_(select(about.c.page_id))
    )
    still = PAGE_VERSIONS.alias("still")
    is_there = exists().where(view.valid(still, keyed=True), still.c.page_id == about.c.page_id)
    was = (
        select(about.c.id.label("comment_id"), *(_then.c[name] for name in _SHOWN))
        .join(
            _then,
            and_(
                _then.c.line_id == about.c.page_line,
                _then.c.page_id == about.c.page_id,
                _then.c.valid_from == about.c.page_from,
            ),
        )
        .where(not_(is_there.correlate_except(still)))
    )
    columns = {"pages": now, "was": was}
    return [nested(each.correlate(*PLACES), name) for name, each in columns.items()]


def wanted_page(view: View) -> Label[Any]:
    """Return the page that is to be commented on (`page`), with its text where a block is (`node`)."""
    text = and_(DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id, given("node", Key) != "")
    found = select(
        PAGE_VERSIONS.c.page_id,
        PAGE_VERSIONS.c.line_id,
        PAGE_VERSIONS.c.valid_from,
        PAGE_VERSIONS.c.document_id,
        DOCUMENTS.c.markdown,
    )
    of_id = (view.valid(PAGE_VERSIONS, keyed=True), PAGE_VERSIONS.c.page_id == given("page", Key))
    return nested(found.outerjoin(DOCUMENTS, text).where(*of_id), "page")


async def chosen(pages: Sequence[Any], page_id: str, node: str) -> dict[str, Any]:
    """Return the columns of a comment on a page, or on a block of it; without a page they are empty.

    Raises Invalid for a block of no page, NotFound for a page or block that is not there.
    """
    names = ("page_id", "page_line", "page_from", "document_id", "node", "node_mark", "preview")
    if node and not page_id:
        raise Invalid("`node` needs `page`.", path="node")
    if not page_id:
        return dict.fromkeys(names)
    if not pages:
        raise Invalid("There is no such page.", path="page")
    page = pages[0]
    on_page = (page.page_id, page.line_id, page.valid_from, page.document_id)
    if not node:
        return dict(zip(names, (*on_page, None, None, None), strict=True))
    if page.markdown is None:
        raise Invalid("There is no such node on the page.", path="node")
    if len(page.markdown) > LARGEST:
        raise Invalid("This page is too large for comments on its nodes; comment on the page.", path="node")
    found = await workers.run(len(page.markdown), _block, page.markdown, node)
    if found is None:
        raise Invalid("There is no such node on the page.", path="node")
    return dict(zip(names, (*on_page, node, *found), strict=True))


def _block(markdown: str, key: str) -> tuple[str, str] | None:
    """Return the mark of a block and its first words."""
    from app.formats.markdown.parser import to_document

    document = to_document(markdown)
    block = anchors.block_of_key(document, key)
    if block is None:
        return None
    return anchors.fingerprint_of(anchors.fingerprints(document), key), anchors.preview(block)


async def targets(cx: Context, space: Any, comments: Sequence[Any]) -> list[CommentTargetRow]:
    """Return what each of these comments is about now; `space` has the columns of their pages."""
    pages = {page.page_id: page for page in space.pages}
    was = {page.comment_id: page for page in space.was}
    changed = {
        page.document_id
        for comment in comments
        if comment.node is not None and (page := _changed(comment, pages)) is not None
    }
    known = await _marks(cx, changed - {None}) if changed else {}
    doubtful = {
        comment.document_id
        for comment in comments
        if comment.node is not None and len(_places(comment, pages, known)) > 1
    }
    known |= await _marks(cx, doubtful - known.keys()) if doubtful else {}
    return [_target(comment, pages, was, known) for comment in comments]


def _changed(comment: Any, pages: Mapping[str, Any]) -> Any:
    """Return the page of a comment, if it has another text now."""
    page = pages.get(comment.page_id)
    return None if page is None or page.document_id == comment.document_id else page


def _places(comment: Any, pages: Mapping[str, Any], known: Mapping[str, Fingerprints]) -> Sequence[str]:
    """Return where the page has blocks like that of a comment now, if it has changed since."""
    page = _changed(comment, pages)
    if page is None:
        return ()
    return known.get(page.document_id or "", {}).get(comment.node_mark or "", ())


def _target(
    comment: Any, pages: Mapping[str, Any], was: Mapping[str, Any], known: Mapping[str, Fingerprints]
) -> CommentTargetRow:
    if comment.page_id is None:
        return CommentTargetRow()
    page = pages.get(comment.page_id)
    if page is None:
        return CommentTargetRow(was[comment.id], comment.node, outdated=True)
    if page.document_id == comment.document_id:
        return CommentTargetRow(page, comment.node)
    keys = _places(comment, pages, known)
    if not keys:
        return CommentTargetRow(page, comment.node, outdated=True)
    before = known.get(comment.document_id or "", {}).get(comment.node_mark or "", ())
    return CommentTargetRow(page, anchors.nearest(keys, comment.node, before))


# Marks of texts by the id of the text, which is a hash of it: they hold for ever.
_known: LRUCache[str, Fingerprints] = LRUCache(KEPT)


async def _marks(cx: Context, ids: Iterable[str]) -> dict[str, Fingerprints]:
    """Return the marks of these texts; of those that nobody asked for lately,
    as many as one answer may cost.
    """
    found = {each: _known[each] for each in ids if each in _known}
    missing = sorted(set(ids) - set(found))
    if missing:
        texts = await cx.db.all(_TEXTS, ids=missing)
        found |= await _read(texts)
    _known.update(found)
    return found


async def _read(texts: Sequence[Any]) -> dict[str, Fingerprints]:
    """Return the marks of these texts, as far as their budgets go:
    what takes too long is as good as changed.
    """
    left, found = BUDGET, {}
    for text in texts:
        size = len(text.markdown)
        if size > min(LARGEST, left):
            continue
        left -= size
        with suppress(OverBudget):
            found[text.id] = await workers.run(size, _marks_of, text.markdown, seconds=SECONDS)
    return found


def _marks_of(markdown: str) -> Fingerprints:
    from app.formats.markdown.parser import to_document

    return anchors.fingerprints(to_document(markdown))
