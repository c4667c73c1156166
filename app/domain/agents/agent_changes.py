"""The log of changes by agents, written in the transaction of the change with its token and run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select, true

from app.access.audit_actions import AgentNote
from app.access.context import Context
from app.access.fetch import may_in, permit_in
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, table
from app.models.agents import AgentChange, AgentChangesQuery
from app.models.users import User

AGENT_CHANGES, USERS = table(AgentChange), table(User)


async def append(cx: Context, notes: Sequence[AgentNote]) -> None:
    """Keep what an agent changes in this transaction."""
    actor = cx.actor
    who = {"token_id": actor.holder, "run": actor.run or "", "user_id": actor.user_id}
    made = {"created_at": cx.now, "undone_at": None}
    await cx.tx.add_many(
        AgentChange,
        [
            {
                **who,
                **made,
                "organization_id": note.organization_id,
                "kind": note.kind,
                "space_id": note.space_id,
                "change_request_id": note.change_request_id,
                "object_id": note.object_id,
                "number": note.number,
            }
            for note in notes
        ],
    )


def whose(cx: Context, organization_id: str) -> str:
    """Return the person whose agents the caller may look after; empty for all, who administrates."""
    permit_in(cx, organization_id)
    return "" if may_in(cx, organization_id, can="admin") else cx.actor.user_id


def of_person() -> ColumnElement[bool]:
    """Return the changes of the agents of one person; of all where the value `user` is empty."""
    user = given("user", Key)
    return or_(user == "", AGENT_CHANGES.c.user_id == user)


async def list_changes(cx: Context, organization_id: str, query: AgentChangesQuery) -> Page[Any]:
    """List what agents changed in an organization, the latest first.

    Administrators see what all agents changed, others what their own did.
    """
    user = whose(cx, organization_id)
    values: dict[str, Any] = {"organization": organization_id, "user": user}
    values |= {"token": query.token} if query.token else {}
    values |= {"run": query.run} if query.run else {}
    listing = _listing("token" in values, "run" in values)
    return await listing.page(cx.db, query.paging, cx.tokens, **values)


def _rows(*, of_token: bool, of_run: bool) -> Select[Any]:
    person = nested(
        select(*USERS.c).where(USERS.c.id == AGENT_CHANGES.c.user_id).correlate(AGENT_CHANGES), "person"
    )
    return select(*AGENT_CHANGES.c, person).where(
        AGENT_CHANGES.c.organization_id == given("organization", Key),
        of_person(),
        AGENT_CHANGES.c.token_id == given("token", Key) if of_token else true(),
        AGENT_CHANGES.c.run == given("run") if of_run else true(),
    )


@cache
def _listing(of_token: bool, of_run: bool) -> Listing[Any]:
    return Listing(
        f"agent changes{' of a token' if of_token else ''}{' of a run' if of_run else ''}",
        AgentChange,
        lambda: _rows(of_token=of_token, of_run=of_run),
        order=lambda: [AGENT_CHANGES.c.id],
        descending=True,
    )
