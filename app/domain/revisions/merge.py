"""Merging change requests, and updating them from the main content (specification, Change requests).

Only what the change request changed is looked at: the cost grows with that and not with the space. Merging
one that is out of date needs no update before.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from sqlalchemy import Integer, Select, or_, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import permit
from app.domain.change_requests import change_requests
from app.domain.change_requests.change_requests import ChangeRequestDetails
from app.domain.content import history
from app.domain.content.views import Where
from app.domain.revisions.branch import INITIAL_NUMBER, KEYS, Branch
from app.domain.revisions.commit import commit
from app.domain.revisions.drafts import Draft, NewBase
from app.domain.revisions.merge_pages import MergeInput, merge_content
from app.domain.revisions.merge_states import LinkStates, MergeConflict, MergeOutcome, MergeRows, States
from app.domain.revisions.three_way import ThreeWay
from app.domain.revisions.winners import Winners
from app.formats.text.three_way_merge import Side
from app.kit.database.sql import among
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import Conflict as Refused
from app.models.change_requests import ChangeRequest
from app.models.files import FileVersion
from app.models.merges import Merge
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion
from app.models.spaces import Space


def _own(model: type[SQLModel]) -> Statement[Any]:
    t = table(model)
    shown_or_begun_with = or_(t.c.valid_to.is_(None), t.c.valid_from == INITIAL_NUMBER)
    return query(model, lambda: select(*t.c).where(t.c.line_id == given("line"), shown_or_begun_with))


def _at(model: type[SQLModel]) -> Statement[Any]:
    t = table(model)
    number = given("number", Integer())

    def found() -> Select[Any]:
        valid = or_(t.c.valid_to.is_(None), t.c.valid_to > number)
        here = (t.c.line_id == given("line"), among(t.c[KEYS[model]], "ids"))
        return select(*t.c).where(*here, t.c.valid_from <= number, valid)

    return query(model, found)


_MODELS: tuple[type[SQLModel], ...] = (PageVersion, FileVersion, ReusableVersion, LineProperties)
_OWN = {model: _own(model) for model in _MODELS}
AT = {model: _at(model) for model in _MODELS}


async def merge(cx: Context, where: Where, body: Merge) -> MergeOutcome:
    """Merge a change request into the main content in one revision, or return the conflicts.

    With conflicts nothing is applied, unless `winners` and `onConflict` say who wins each of them.
    """
    asked = await _open(cx, where, can="merge")
    winners = await Winners.chosen(cx, body, _SIDES)
    draft = Draft(cx, Branch(asked.space))
    conflicts = await _join(cx, draft, asked, winners)
    applies = winners.settle(conflicts)
    if body.dry_run or not applies:
        return MergeOutcome(asked.space.revision_id, applies, conflicts)
    contributors = await history.list_editors(cx, asked.request)
    revision = await commit(draft, always=True, **_what(asked), contributors=contributors)
    assert revision is not None
    await _finish(cx, asked, revision.id)
    return MergeOutcome(revision.id, True, conflicts)


async def preview(cx: Context, where: Where) -> MergeOutcome:
    """Get the conflicts that prevent merging a change request into the main content.

    Nothing is changed. Raises Conflict where it is archived or merged.
    """
    asked = await change_requests.get(cx, where)
    _refuse_settled(asked)
    conflicts = await _join(cx, Draft(cx, Branch(asked.space)), asked, Winners())
    return MergeOutcome(asked.space.revision_id, not conflicts, conflicts)


async def merge_undisputed(cx: Context, where: Where, *, git: dict[str, Any]) -> MergeOutcome:
    """Merge what nobody disputes of a change request that came by a sync with the repository `git`.

    Where there are conflicts the main content keeps its side, and the change request stays open with its own.
    """
    asked = await _open(cx, where, can="merge")
    draft = Draft(cx, Branch(asked.space))
    conflicts = await _join(cx, draft, asked, Winners("theirs"))
    revision = await commit(draft, always=not conflicts, **_what(asked), git=git)
    revision_id = revision.id if revision else asked.space.revision_id
    if not conflicts:
        await _finish(cx, asked, revision_id)
    return MergeOutcome(revision_id, not conflicts, conflicts)


def _what(asked: ChangeRequestDetails) -> dict[str, Any]:
    return {"type": "merge", "merged_from": asked.request.id, "parents": [asked.request.revision_id]}


async def _finish(cx: Context, asked: ChangeRequestDetails, revision_id: str) -> None:
    await change_requests.set_status(cx, asked, "merged")
    done = {"status": "merged", "revision_merged": revision_id, "merged_by": cx.actor.user_id}
    await cx.tx.change(
        ChangeRequest, {**done, "merged_at": cx.now, "updated_at": cx.now}, id=asked.request.id
    )


async def update(cx: Context, where: Where) -> MergeOutcome:
    """Update a change request from the main content, in one revision.

    Where both changed the same, the change request keeps its side, and is told.
    """
    asked = await _open(cx, where, can="edit")
    space, request = asked.space, asked.request
    if not asked.outdated:
        return MergeOutcome(request.revision_id, True, [])
    base = {"base_number": space.revision_number, "base_revision_id": space.revision_id}
    merged = {**base, "revision_merged_ancestor": space.revision_id}
    draft = Draft(cx, Branch(space, await cx.tx.change(ChangeRequest, merged, id=request.id)), rebased=True)
    conflicts = await _join(cx, draft, asked, Winners("ours"))
    for page_id, main in draft.below.pages.items():
        held = draft.held.get(page_id)
        if held is not None and held.path != main.path:
            await draft.read_under(main.path)
    revision = await commit(draft, always=True, type="update", parents=[space.revision_id])
    assert revision is not None
    return MergeOutcome(revision.id, not conflicts, conflicts)


async def _open(cx: Context, where: Where, *, can: str) -> ChangeRequestDetails:
    asked = await change_requests.get(cx, where)
    permit(cx, Space, asked.space, can=can)
    await cx.tx.lock(asked.space.id)
    _refuse_settled(asked)
    return asked


def _refuse_settled(asked: ChangeRequestDetails) -> None:
    if asked.request.status in ("archived", "merged"):
        raise Refused(f"The change request is {asked.request.status}.")


async def _join(
    cx: Context, draft: Draft, asked: ChangeRequestDetails, winners: Winners
) -> list[MergeConflict]:
    """Join what the change request changed with what became of it on the main line."""
    request, space_id = asked.request, asked.space.id
    sides: dict[type[SQLModel], MergeRows] = {}
    own: dict[type[SQLModel], list[Any]] = {}
    for model in _MODELS:
        found = await cx.db.all(_OWN[model], line=request.id)
        own[model] = [row for row in found if row.valid_to is None]
        updated = request.revision_merged_ancestor is not None  # what it stands on now is the main line
        began = [row for row in found if row.valid_from == INITIAL_NUMBER and not updated]
        sides[model] = await _sides(cx, model, own[model], began, asked)
    pages, files, reusable = sides[PageVersion], sides[FileVersion], sides[ReusableVersion]
    if draft.line.request is None:
        draft.learn(pages.main.values())
    else:
        draft.learn(row for row in own[PageVersion] if not row.deleted)
        draft.below = NewBase(dict(pages.main), dict(files.main), dict(reusable.main))
    draft.editors = {key: _editor(pages.of(key)) for key in pages.keys}
    coming = MergeInput(pages, files, reusable)
    if own[LineProperties]:
        coming.properties = sides[LineProperties].of(space_id)
    numbers = States(request.base_number, asked.space.revision_number, request.base_number)
    return await merge_content(ThreeWay(draft, winners, LinkStates(cx, space_id, numbers)), coming)


def _editor(states: States[Any]) -> str | None:
    """Return who was the last to edit a page, on either line."""
    edited = [row for row in (states.ours, states.main) if row is not None]
    editor: str | None = max(edited, key=attrgetter("updated_at")).edited_by if edited else None
    return editor


async def _sides(
    cx: Context, model: type[SQLModel], own: Sequence[Any], began: Sequence[Any], asked: ChangeRequestDetails
) -> MergeRows:
    if not own and not began:
        return MergeRows({}, {}, {})
    space_id = asked.space.id

    def by_key(rows: Sequence[Any]) -> dict[str, Any]:
        return {space_id if model is LineProperties else getattr(row, KEYS[model]): row for row in rows}

    ids = list({**by_key(own), **by_key(began)})
    states = []
    for number in (asked.request.base_number, asked.space.revision_number):
        found = await cx.db.all(AT[model], line=space_id, ids=ids, number=number)
        states.append(by_key(found))
    base, main = states
    return MergeRows(_over(base, by_key(began)), main, _over(base, by_key(own)))


def _over(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return what a line shows whose rows lie over the main line's."""
    return {key: row for key, row in {**base, **own}.items() if not getattr(row, "deleted", False)}


_SIDES: dict[str, Side] = {"change-request": "ours", "main": "theirs"}
