"""Links of bodies that did not change: some lead somewhere now, and some do not any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Integer, literal, or_, select, update

from app.access.context import Context
from app.content.scan import Link as Found
from app.domain.writing import line
from app.domain.writing.line import Line, on_line
from app.domain.writing.preparing import Resolved, Targets, resolved
from app.kit.predicates import among
from app.kit.statements import command, given, rows, table
from app.models.links import Link
from app.models.pages import PageVersion

_l, _p = table(Link), table(PageVersion)
_BROKEN = on_line(lambda view: select(*_l.c).where(view.valid(_l), _l.c.status == literal("broken")))
_LEADING = on_line(
    lambda view: select(*_l.c).where(
        view.valid(_l),
        or_(
            among(_l.c.target_page, "pages"),
            among(_l.c.target_file, "files"),
            among(_l.c.target_reusable, "reusable"),
        ),
    )
)
_OF_PAGES = on_line(lambda view: select(*_l.c).where(view.valid(_l), among(_l.c.page_id, "pages")))
_OWN_PAGES = rows(
    lambda: select(_p.c.page_id).where(
        _p.c.line_id == given("line"), _p.c.valid_to.is_(None), among(_p.c.page_id, "pages")
    )
)
_CLOSE = command(
    lambda: (
        update(_l)
        .values(valid_to=given("number", Integer()))
        .where(
            _l.c.line_id == given("line_id"),
            _l.c.page_id == given("page_id"),
            _l.c.position == given("position", Integer()),
            _l.c.valid_to.is_(None),
        )
    )
)


async def kept_by(cx: Context, on: Line, carried: Sequence[str]) -> list[Any]:
    """The links of pages that are carried along on a change request's line, where they go with their page."""
    return await on.all(cx, _OF_PAGES, pages=carried) if on.request and carried else []


async def settle(
    cx: Context,
    on: Line,
    held: Sequence[PageVersion],
    targets: Targets,
    gone: Mapping[str, Sequence[str]],
    kept: Sequence[Any] = (),
) -> tuple[bool, list[Any]]:
    """Resolve again what was broken or led to something gone; tells whether anything changed, and which of
    these links lead nowhere now.

    `held` are the pages as they were before this revision; `gone` has the ids of `pages`, `files` and
    `reusable` contents, and is empty where nothing went; `kept` are the links of `kept_by`.
    """
    await cx.tx.add_many(Link, [_here(on, link) for link in kept])
    found = await on.all(cx, _BROKEN)
    if any(gone.values()):
        found += await on.all(cx, _LEADING, **gone)
    sources = {page.page_id: page.source for page in held}
    again = [(link, _again(link, sources.get(link.page_id), on.number, targets)) for link in found]
    changed = [row for _, row in again if row is not None]
    if changed and on.request is None:
        await cx.tx.run_many(_CLOSE, [{**row, "number": on.number} for row in changed])
        await cx.tx.add_many(Link, changed)
    elif changed:
        await _lay_over(cx, on, held, changed)
    return bool(changed), [link for link, row in again if (row or link._asdict())["status"] == "broken"]


async def _lay_over(
    cx: Context, on: Line, held: Sequence[PageVersion], changed: Sequence[dict[str, Any]]
) -> None:
    """Put the pages of changed links on a change request's line, with all their links."""
    pages = sorted({row["page_id"] for row in changed})
    new = {(row["page_id"], row["position"]): row for row in changed}
    links = await on.all(cx, _OF_PAGES, pages=pages)
    rows = [_here(on, link) | new.get((link.page_id, link.position), {}) for link in links]
    await line.close(cx, on, Link, pages)
    missing = [page for page in held if page.page_id in set(pages) and page.line_id != on.id]
    written = {row.page_id for row in await cx.db.all(_OWN_PAGES, line=on.id, pages=pages)}
    await cx.tx.add_many(PageVersion, [_here(on, p) for p in missing if p.page_id not in written])
    await cx.tx.add_many(Link, [{**row, "line_id": on.id, "valid_from": on.number} for row in rows])


def _here(on: Line, row: Any) -> dict[str, Any]:
    return {**row._asdict(), "line_id": on.id, "valid_from": on.number, "valid_to": None}


def _again(link: Any, source: str | None, number: int, targets: Targets) -> dict[str, Any] | None:
    if source is None:
        return None
    kind = {"dependsOn": "image"}.get(link.relation, "link")
    new: Resolved = resolved(Found(link.href, 0, 0, link.line, kind), source, targets)  # type: ignore[arg-type]
    row = {
        **link._asdict(),
        "valid_from": number,
        "status": new.status,
        "target_kind": new.target_kind,
        "target_page": new.target_page,
        "target_file": new.target_file,
        "target_reusable": new.target_reusable,
        "target_anchor": new.target_anchor,
    }
    same = all(getattr(link, name) == value for name, value in row.items() if name != "valid_from")
    return None if same else row
