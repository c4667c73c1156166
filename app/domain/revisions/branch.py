"""Branches: the main branch of a space and those of its change requests, and how revisions are added to them.

A revision closes rows at its number and opens others. On the branch of a change request what is deleted
leaves a row that says so. Columns call a branch a line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import CompoundSelect, Integer, Select, select, union_all, update
from sqlmodel import SQLModel

from app.access.context import Context
from app.domain.content.views import (
    CHANGE_REQUESTS,
    NOW,
    REQUEST,
    SPACES,
    Reading,
    View,
    Where,
    find,
    reading,
)
from app.kit.database.interface import Transaction
from app.kit.database.sql import among, nested
from app.kit.database.statements import Statement, command, given, rows, table
from app.kit.errors import Conflict
from app.kit.ids import new_id
from app.models.change_events import ChangedKind
from app.models.change_requests import ChangeRequest
from app.models.files import FileVersion
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space


class NewRevision(NamedTuple):
    """The id and number of a revision that was made."""

    id: str
    number: int


@dataclass(slots=True, frozen=True)
class Branch:
    """The main branch of a space, or the branch of a change request."""

    space: Space
    request: ChangeRequest | None = None

    @property
    def id(self) -> str:
        """Return the id of the branch: that of the space or of the change request."""
        return self.request.id if self.request else self.space.id

    @property
    def number(self) -> int:
        """Return the number of the revision that is being made."""
        return (self.request.revision_number if self.request else self.space.revision_number) + 1

    @property
    def revision_id(self) -> str:
        """Return the id of the last revision."""
        return self.request.revision_id if self.request else self.space.revision_id

    @property
    def where(self) -> Where:
        """Return the content of the branch, as it is read."""
        return Where(self.space.id, self.request.id if self.request else None)

    async def all(self, cx: Context, using: Reading, **values: Any) -> list[Any]:
        """Return the rows that a statement of `on_branch` finds."""
        where = self.where
        return await cx.db.all(using[where.view], id=self.space.id, **where.values, **values)


INITIAL_NUMBER = 0  # the number of rows that a change request's branch had before its first revision


Build = Callable[[View], Select[Any]]


def on_branch(*builds: Build) -> Reading:
    """Build a statement about rows of a branch, for each kind of branch; several are united in one."""

    def built(view: View) -> Select[Any] | CompoundSelect[Any]:
        parts = [build(view).select_from(view.source()).where(SPACES.c.id == given("id")) for build in builds]
        return parts[0] if len(parts) == 1 else union_all(*parts)

    return {view: rows(partial(built, view)) for view in (NOW, REQUEST)}


@dataclass(slots=True, frozen=True)
class BranchContent:
    """Everything that a branch holds."""

    pages: Sequence[PageVersion]
    files: Sequence[FileVersion]
    reusable: Sequence[ReusableVersion]
    properties: LineProperties


def _rows_of(model: type[SQLModel]) -> Reading:
    t = table(model)
    return on_branch(lambda view: select(*t.c).where(view.valid(t)))


def _closing(model: type[SQLModel]) -> Statement[Any]:
    t = table(model)
    return command(
        lambda: (
            update(t)
            .values(valid_to=given("number", Integer()))
            .where(t.c.line_id == given("line"), t.c.valid_to.is_(None), among(t.c[KEYS[model]], "ids"))
        ),
        within=(t.name,),
    )


def with_request(view: View) -> list[Any]:
    """Return the column `request` that a statement of `writable` needs beside its own."""
    same = CHANGE_REQUESTS.alias()
    return (
        [nested(select(*same.c).where(same.c.id == CHANGE_REQUESTS.c.id), "request")]
        if view is REQUEST
        else []
    )


_TO_WRITE = reading(with_request)


async def writable(cx: Context, where: Where) -> Branch:
    """Return the branch of content that the caller may change; raises as `read_to_write`."""
    return (await read_to_write(cx, where, _TO_WRITE))[0]


async def read_to_write(cx: Context, where: Where, using: Reading, **values: Any) -> tuple[Branch, Any]:
    """Return the branch of content that the caller may change, and the row that `using` reads.

    Raises as `fetch`; Conflict where the space is locked, or the change request archived or merged.
    """
    row = await find(cx, where, using, can="edit", **values)
    if isinstance(cx.db, Transaction):  # what is fetched before only asks
        await cx.db.lock(row.id)
    if where.view is NOW:
        if row.edit_mode == "locked":
            raise Conflict("The space is locked. Unlock it, or edit in a change request.")
        return Branch(row), row
    request: ChangeRequest = row.request[0]
    if request.status in ("archived", "merged"):
        raise Conflict(f"The change request is {request.status}.")
    return Branch(row, request), row


KEYS: dict[type[SQLModel], str] = {
    PageVersion: "page_id",
    FileVersion: "file_id",
    ReusableVersion: "reusable_id",
    Link: "holder_id",
    LineProperties: "line_id",
}
_ROWS_OF = {model: _rows_of(model) for model in (PageVersion, FileVersion, ReusableVersion, LineProperties)}
_CLOSE = {model: _closing(model) for model in KEYS}


async def read_content(cx: Context, branch: Branch) -> BranchContent:
    """Read what a branch holds now, without bodies."""
    found = {model: await branch.all(cx, statement) for model, statement in _ROWS_OF.items()}
    return BranchContent(
        found[PageVersion], found[FileVersion], found[ReusableVersion], found[LineProperties][0]
    )


async def properties(cx: Context, branch: Branch) -> LineProperties:
    """Read the properties of a branch: variables, redirects and sources."""
    found: LineProperties = (await branch.all(cx, _ROWS_OF[LineProperties]))[0]
    return found


async def close(cx: Context, branch: Branch, model: type[SQLModel], ids: Sequence[str]) -> None:
    """Close the open rows that a branch has of these pages, files or blocks, at the revision being made."""
    if ids:
        await cx.tx.run(_CLOSE[model], line=branch.id, ids=ids, number=branch.number)


async def remove(cx: Context, branch: Branch, model: type[SQLModel], held: Sequence[Any]) -> None:
    """Delete these rows of pages, files or blocks; what hung on the pages must be closed besides."""
    key = KEYS[model]
    await close(cx, branch, model, [getattr(row, key) for row in held])
    if branch.request is not None:
        await cx.tx.add_many(model, [_tombstone(branch, row, key) for row in held])


def _tombstone(branch: Branch, row: Any, key: str) -> dict[str, Any]:
    values = {
        **row._asdict(),
        "line_id": branch.id,
        "valid_from": branch.number,
        "valid_to": None,
        "deleted": True,
    }
    if "path" in values:  # the path is free for another page, and so is the source
        values |= {"path": f"/{row.page_id}", "source": None}
    return values


async def advance(
    cx: Context,
    branch: Branch,
    *,
    type: str = "edits",
    parents: Sequence[str] = (),
    merged_from: str | None = None,
    git: dict[str, Any] | None = None,
    contributors: Sequence[str] = (),
) -> NewRevision:
    """Add a revision to a branch and make it the active one; returns its id and number.

    `parents` are revisions beside the one before, `contributors` who wrote what it brings beside the caller.
    """
    request = branch.request
    revision: dict[str, Any] = {
        "id": new_id(),
        "space_id": branch.space.id,
        "line_id": branch.id,
        "number": branch.number,
        "base_number": request.base_number if request else None,
        "parents": [branch.revision_id, *parents],
        "type": type,
        "author_id": cx.actor.user_id or None,
        "merged_from": merged_from,
        "git": git,
        "created_at": cx.now,
    }
    await cx.tx.add_inline(Revision, [revision])
    step = NewRevision(str(revision["id"]), branch.number)
    active = {"revision_id": step.id, "revision_number": step.number, "updated_at": cx.now}
    if request is None:
        await cx.tx.put(Space, active, id=branch.space.id)
        by = dict.fromkeys(filter(None, [*contributors, cx.actor.user_id]))
        updated = {"revisionId": step.id, "updatedBy": [*by]}
        cx.emit("space_content_updated", branch.space.organization_id, "space", branch.space.id, **updated)
    else:
        await cx.tx.put(ChangeRequest, active, id=request.id)
    changed = {"space_id": branch.space.id, "change_request_id": request.id if request else None}
    kind: ChangedKind = "change-request" if request else "space"
    cx.changed(kind, "content-updated", branch.space.organization_id, **changed)
    if type != "update":  # that brings what others wrote
        cx.agent_made("content", branch.space, branch.id, request.id if request else None, branch.number)
    return step
