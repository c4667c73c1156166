"""The part of a space that a public site shows to everybody, visitors of whom nothing is known.

They read its content as it is now: no page that is hidden or has a condition, nor anything below such a
page, and bodies with their conditions settled. Files and reusable contents are read where a page that they
read leads to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, false, or_, select

from app.access.context import Context
from app.access.fetch import reads_as_visitor
from app.access.rights import READ_PUBLISHED
from app.domain.content.views import NOW, SPACES, Where
from app.kit.database.columns import Key
from app.kit.database.sql import among, below
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.links import Link
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

PAGE_VERSIONS = table(PageVersion)


def right(where: Where) -> str:
    """Return the right that reading content needs: what is published is the content as it is now."""
    return READ_PUBLISHED if where.view is NOW else "view"


def is_visitor(cx: Context, space: object) -> bool:
    """Tell whether the caller reads a space only because it is public."""
    return reads_as_visitor(cx, Space, space)


def open_pages(pages: Iterable[Any]) -> list[Any]:
    """Return the pages of a tree, or of a part of one, that everybody sees."""
    pages = list(pages)
    inside: dict[str | None, list[Any]] = {}
    for page in pages:
        inside.setdefault(page.parent_id, []).append(page)
    there = {page.page_id for page in pages}
    waiting = [page for page in pages if page.parent_id not in there]
    found = []
    while waiting:
        page = waiting.pop()
        if _is_open(page):
            found.append(page)
            waiting += inside.get(page.page_id, ())
    return found


def _is_open(page: Any) -> bool:
    return not page.hidden and page.condition is None


def _is_closed(t: Any) -> ColumnElement[bool]:
    return or_(t.c.hidden, t.c.condition.is_not(None))


_CLOSED = rows(
    lambda: select(PAGE_VERSIONS.c.page_id).where(
        PAGE_VERSIONS.c.line_id == given("space", Key),
        PAGE_VERSIONS.c.valid_to.is_(None),
        among(PAGE_VERSIONS.c.path, "paths"),
        _is_closed(PAGE_VERSIONS),
    )
)


async def is_closed(cx: Context, space_id: str, path: str) -> bool:
    """Tell whether not everybody sees the page at a path: itself or one that it is in is closed."""
    parts = path.split("/")
    paths = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    return bool(await cx.db.all(_CLOSED, space=space_id, paths=paths))


async def refuse_closed(cx: Context, space: Any, page: Any) -> None:
    """Raise NotFound for a page that not everybody sees, as if there was none."""
    is_inside = "/" in (page.path or "")
    if not _is_open(page) or (is_inside and await is_closed(cx, space.id, page.path)):
        raise NotFound("There is no such page.")


def is_led_to(target: Any, *, settled: bool = False) -> ColumnElement[bool]:
    """Tell whether a page of the space that everybody sees leads to a file or a reusable content, itself or
    by a reusable content; `settled`, if no text on the way says different things to different visitors."""
    link = table(Link).alias("leading")
    leading = exists().where(_leads(link, settled=settled), link.c.target_id == target)
    return leading.correlate_except(link)


def _leads(link: Any, *, settled: bool = False) -> ColumnElement[bool]:
    """Return the links of the space that `is_led_to` is about."""
    via = table(Link).alias("including")
    included = exists().where(
        via.c.line_id == SPACES.c.id,
        via.c.valid_to.is_(None),
        via.c.target_id == link.c.holder_id,
        via.c.target_kind == "reusable-content",
        _stands_openly(via, settled=settled),
        *([_says_the_same(link)] if settled else []),
    )
    openly = or_(_stands_openly(link, settled=settled), included.correlate_except(via))
    return and_(link.c.line_id == SPACES.c.id, link.c.valid_to.is_(None), openly)


def _stands_openly(link: Any, *, settled: bool) -> ColumnElement[bool]:
    """Tell whether a link stands on a page that everybody sees."""
    page, above, text = (table(m).alias(name) for m, name in _ON_THE_WAY)
    closed = exists().where(
        above.c.line_id == page.c.line_id,
        above.c.valid_to.is_(None),
        _is_closed(above),
        or_(above.c.page_id == page.c.page_id, below(page.c.path, above.c.path)),
    )
    found = exists().where(
        page.c.line_id == link.c.line_id,
        page.c.valid_to.is_(None),
        page.c.page_id == link.c.holder_id,
        text.c.id == page.c.document_id,
        ~closed.correlate_except(above),
        *([text.c.conditional == false()] if settled else []),
    )
    return found.correlate_except(page, text)


_ON_THE_WAY = ((PageVersion, "holding_page"), (PageVersion, "closed_page"), (Document, "holding_text"))


def _says_the_same(link: Any) -> ColumnElement[bool]:
    """Tell whether the reusable content that a link stands in says the same to everybody."""
    block, text = table(ReusableVersion).alias("holding_block"), table(Document).alias("block_text")
    found = exists().where(
        block.c.line_id == link.c.line_id,
        block.c.valid_to.is_(None),
        block.c.reusable_id == link.c.holder_id,
        text.c.id == block.c.document_id,
        text.c.conditional == false(),
    )
    return found.correlate_except(block, text)


def _led_to() -> Select[Any]:
    link = table(Link).alias("leading")
    found = select(link.c.target_id).distinct().select_from(SPACES.join(link, _leads(link)))
    return found.where(SPACES.c.id == given("space", Key), among(link.c.target_id, "targets"))


_LED_TO = rows(_led_to)


async def led_to(cx: Context, space: Any, targets: Sequence[str]) -> set[str]:
    """Return those of these files and reusable contents to which a page leads that everybody sees."""
    if not targets:
        return set()
    found = await cx.db.all(_LED_TO, space=space.id, targets=list(targets))
    return {row.target_id for row in found}
