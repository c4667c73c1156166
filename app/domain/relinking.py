"""Links of bodies that did not change: some lead somewhere now, and some do not any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Integer, or_, select, update

from app.access.context import Context
from app.content.scan import Link as Found
from app.domain.preparing import Resolved, Targets, resolved
from app.kit.statements import among, command, given, rows, table
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.spaces import Space

_l = table(Link)
_OPEN = select(*_l.c).where(
    _l.c.line_id == given("line"), _l.c.valid_to.is_(None), _l.c.valid_from < given("number", Integer())
)
_BROKEN = rows(lambda: _OPEN.where(_l.c.status == "broken"))
_LEADING = rows(
    lambda: _OPEN.where(
        or_(
            among(_l.c.target_page, "pages"),
            among(_l.c.target_file, "files"),
            among(_l.c.target_reusable, "reusable"),
        )
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


async def settle(
    cx: Context,
    space: Space,
    number: int,
    held: Sequence[PageVersion],
    targets: Targets,
    gone: Mapping[str, Sequence[str]],
) -> tuple[bool, list[Any]]:
    """Resolve again what was broken or led to something gone; tells whether anything changed, and which of
    these links lead nowhere now.

    `held` are the pages as they were before revision `number`; `gone` has the ids of `pages`, `files` and
    `reusable` contents, and is empty where nothing went.
    """
    found = await cx.db.all(_BROKEN, line=space.id, number=number)
    if any(gone.values()):
        found += await cx.db.all(_LEADING, line=space.id, number=number, **gone)
    sources = {page.page_id: page.source for page in held}
    again = [(link, _again(link, sources.get(link.page_id), number, targets)) for link in found]
    changed = [row for _, row in again if row is not None]
    if changed:
        await cx.tx.run_many(_CLOSE, [{**row, "number": number} for row in changed])
        await cx.tx.add_many(Link, changed)
    return bool(changed), [link for link, row in again if (row or link._asdict())["status"] == "broken"]


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
