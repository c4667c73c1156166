"""Who had a hand in a change request: counted when it happens, so that nobody need look through it."""

from __future__ import annotations

from sqlalchemy import Insert, select

from app.access.context import Context
from app.kit.database.statements import by_engine, command, given, insert_into, rows, table
from app.models.change_requests import ChangeRequest, Contribution

_c = table(Contribution)
_KEY = ["change_request_id", "user_id", "kind"]


def _count(engine: str) -> Insert:
    insert = insert_into(_c, engine)
    values = {name: given(name, _c.c[name].type) for name in [*_KEY, "updated_at"]}
    again = {"count": _c.c.count + 1, "updated_at": insert.excluded.updated_at}
    added: Insert = insert.values(**values, count=1).on_conflict_do_update(index_elements=_KEY, set_=again)
    return added


_COUNT = command(by_engine(_count))
_EDITORS = rows(
    lambda: (
        select(_c.c.user_id)
        .where(_c.c.change_request_id == given("id"), _c.c.kind == "edit")
        .order_by(_c.c.user_id)
    )
)


async def editors(cx: Context, request: ChangeRequest) -> list[str]:
    """The ids of those who edited a change request."""
    return [row.user_id for row in await cx.db.all(_EDITORS, id=request.id)]


async def edited(cx: Context, request: ChangeRequest) -> None:
    """The caller edited a change request."""
    await _count_one(cx, request.id, "edit")


async def commented(cx: Context, request_id: str) -> None:
    """The caller commented on a change request."""
    await _count_one(cx, request_id, "comment")


async def _count_one(cx: Context, request_id: str, kind: str) -> None:
    if cx.actor.user_id:
        values = {"change_request_id": request_id, "user_id": cx.actor.user_id, "kind": kind}
        await cx.tx.run(_COUNT, **values, updated_at=cx.now)
