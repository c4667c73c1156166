"""Writing on a line: rows close at a revision's number and others open at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, select, update
from sqlmodel import SQLModel

from app.access.context import Context
from app.kit.ids import new_id
from app.kit.statements import Statement, among, command, given, query, table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space


@dataclass(slots=True, frozen=True)
class Held:
    """Everything that is open on a line."""

    pages: Sequence[PageVersion]
    files: Sequence[FileVersion]
    reusable: Sequence[ReusableVersion]
    properties: LineProperties


def _open(model: type[Any]) -> Statement[Any]:
    t = table(model)
    return query(model, lambda: select(*t.c).where(t.c.line_id == given("line"), t.c.valid_to.is_(None)))


def _closing(model: type[SQLModel], key: str) -> Statement[Any]:
    t = table(model)
    return command(
        lambda: (
            update(t)
            .values(valid_to=given("number", Integer()))
            .where(t.c.line_id == given("line"), t.c.valid_to.is_(None), among(t.c[key], "ids"))
        )
    )


_OPEN = {model: _open(model) for model in (PageVersion, FileVersion, ReusableVersion, LineProperties)}
_KEYS: dict[type[SQLModel], str] = {
    PageVersion: "page_id",
    FileVersion: "file_id",
    ReusableVersion: "reusable_id",
    Link: "page_id",
    LineProperties: "line_id",
}
_CLOSE = {model: _closing(model, key) for model, key in _KEYS.items()}


async def held(cx: Context, space: Space) -> Held:
    """What the space's main line holds now, without bodies."""
    found = {model: await cx.db.all(statement, line=space.id) for model, statement in _OPEN.items()}
    return Held(found[PageVersion], found[FileVersion], found[ReusableVersion], found[LineProperties][0])


async def close(cx: Context, model: type[SQLModel], line_id: str, ids: Sequence[str], number: int) -> None:
    """Close the open rows of these pages, files or blocks at a revision's number."""
    if ids:
        await cx.tx.run(_CLOSE[model], line=line_id, ids=ids, number=number)


async def advance(
    cx: Context, space: Space, *, type: str = "edits", git: dict[str, Any] | None = None
) -> Revision:
    """The next revision of a space's main line, made active."""
    revision = await cx.tx.add(
        Revision,
        id=new_id(),
        space_id=space.id,
        line_id=space.id,
        number=space.revision_number + 1,
        parents=[space.revision_id],
        type=type,
        author_id=cx.actor.user_id or None,
        merged_from=None,
        git=git,
        created_at=cx.now,
    )
    await cx.tx.change(
        Space,
        {"revision_id": revision.id, "revision_number": revision.number, "updated_at": cx.now},
        id=space.id,
    )
    return revision
