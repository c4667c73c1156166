"""Revisions: numbered steps on a line. A space's main line carries the space's own id."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import Insert, case, insert, literal, select

from app.access.context import Context
from app.domain.search import search_inclusions, search_index
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
    await search_inclusions.copy(cx, source, target)


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
    """Links that name the space itself by its id: those of the copy lead to another space, the original."""
    names_it = t.c.target_space == given("from_line")
    return {
        "status": case((names_it, ELSEWHERE), else_=t.c.status),
        "target_path": case((names_it, None), else_=t.c.target_path),
    }


_COPY = [command(partial(_copy, table(model))) for model in KEPT_BY_VALIDITY]
