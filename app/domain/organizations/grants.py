"""Grants: roles on spaces and collections for people and teams, and how they end.

Everything is written over a kind of content (`GrantStatements`); a further kind is a further instance.
Only who
administrates an object grants roles on it, to members of its organization, guests included, and to its teams.
Whoever is granted something is marked (`member.granted`), so that only their requests look grants up.
"""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import (
    ColumnElement,
    Insert,
    Select,
    Update,
    delete,
    exists,
    false,
    insert,
    literal,
    select,
    update,
)
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import fetch, fetch_page
from app.access.object_kinds import KINDS
from app.access.rights import level
from app.domain.organizations import member_rows
from app.kit.database.columns import Instant, Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, nested
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Invalid, NotFound
from app.models.access import Grant
from app.models.collections import Collection
from app.models.grants import GrantsCreate, GrantUpdate
from app.models.organizations import Member
from app.models.queries import PageQuery
from app.models.sites import Site
from app.models.spaces import Space
from app.models.teams import Team
from app.models.users import User

GRANTS, MEMBERS, TEAMS, USERS = table(Grant), table(Member), table(Team), table(User)

_ON_OBJECT = GRANTS.c.object_id == given("object"), GRANTS.c.grantee_kind == given("kind")
_REPLACED = command(lambda: delete(GRANTS).where(*_ON_OBJECT, among(GRANTS.c.grantee_id, "grantees")))
_WITHDRAW = query(
    Grant,
    lambda: delete(GRANTS).where(*_ON_OBJECT, GRANTS.c.grantee_id == given("grantee")).returning(*GRANTS.c),
)
_WITHDRAW_ALL = command(
    lambda: delete(GRANTS).where(
        GRANTS.c.organization_id == given("organization"), GRANTS.c.grantee_id == given("grantee")
    )
)
_WITHDRAW_ON = command(lambda: delete(GRANTS).where(among(GRANTS.c.object_id, "objects")))
_source = GRANTS.alias("source")


def _given_again(kind: str, object_id: ColumnElement[Any], *conditions: ColumnElement[bool]) -> Insert:
    """Select the grants on the object `source` as grants on other objects."""
    values = {
        "object_id": object_id,
        "grantee_id": _source.c.grantee_id,
        "organization_id": _source.c.organization_id,
        "object_kind": literal(kind),
        "grantee_kind": _source.c.grantee_kind,
        "level": _source.c.level,
        "created_at": given("now", Instant()),
    }
    found = select(*values.values()).where(_source.c.object_id == given("source"), *conditions)
    return insert(GRANTS).from_select(list(values), found)


def _hand_down(model: type[SQLModel]) -> Insert:
    child = table(model)
    there = GRANTS.c.object_id == child.c.id, GRANTS.c.grantee_id == _source.c.grantee_id
    missing = ~exists().where(*there).correlate(child, _source)
    return _given_again(KINDS[model].name, child.c.id, child.c.parent_id == given("source"), missing)


def _raise(model: type[SQLModel]) -> Update:
    child = table(model)
    above = select(_source.c.level).where(
        _source.c.object_id == given("source"), _source.c.grantee_id == GRANTS.c.grantee_id
    )
    level_above = above.correlate(GRANTS).scalar_subquery()
    held = GRANTS.c.object_id.in_(select(child.c.id).where(child.c.parent_id == given("source")))
    return update(GRANTS).values(level=level_above).where(held, GRANTS.c.level < level_above)


_COPY = command(lambda: _given_again("space", given("target", Key)))
_RAISE = [command(lambda: _raise(Collection)), command(lambda: _raise(Space))]
_HAND_DOWN = [command(lambda: _hand_down(Collection)), command(lambda: _hand_down(Space))]
_MARK = command(
    lambda: (
        update(MEMBERS)
        .values(granted=True)
        .where(
            MEMBERS.c.organization_id == given("organization"),
            among(MEMBERS.c.user_id, "users"),
            MEMBERS.c.granted == false(),
        )
    )
)
_KNOWN = {
    "user": rows(
        lambda: select(MEMBERS.c.user_id.label("id")).where(
            MEMBERS.c.organization_id == given("organization"), among(MEMBERS.c.user_id, "ids")
        )
    ),
    "team": rows(
        lambda: select(TEAMS.c.id).where(
            TEAMS.c.organization_id == given("organization"), among(TEAMS.c.id, "ids")
        )
    ),
}


def _of_users() -> Select[Any]:
    return select(*USERS.c).where(USERS.c.id == GRANTS.c.grantee_id).correlate(GRANTS)


def _of_teams() -> Select[Any]:
    return select(*member_rows.team_columns()).where(TEAMS.c.id == GRANTS.c.grantee_id).correlate(GRANTS)


class GranteeRow(Protocol):
    """A level with the person or the team that it was granted to, in a list of one."""

    level: int
    grantee: Sequence[Any]


class GrantStatements:
    """The grants that one kind of content can have."""

    def __init__(self, model: type[SQLModel]) -> None:
        self.model: Any = model
        self.kind = KINDS[model].name
        t = table(model)

        def listing(grantee_kind: str, grantee: Any) -> Listing[Any]:
            return Listing(
                f"{grantee_kind}s with a role on a {self.kind}",
                Grant,
                lambda: select(GRANTS.c.grantee_id, GRANTS.c.level, nested(grantee(), "grantee")).where(
                    GRANTS.c.object_id == t.c.id, GRANTS.c.grantee_kind == grantee_kind
                ),
                order=lambda: [GRANTS.c.grantee_id],
                inside=model,
            )

        self.users, self.teams = listing("user", _of_users), listing("team", _of_teams)

    async def grant(self, cx: Context, object_id: str, new: GrantsCreate) -> None:
        """Grant people, teams or both a role on a space or a collection.

        Whoever was granted another role there before has this one then. Raises Invalid naming whom the
        organization does not know.
        """
        row = await fetch(cx, self.model, object_id, can="admin")
        await self._give(cx, row, "user", new.users, new.role)
        await self._give(cx, row, "team", new.teams, new.role)

    async def list_users(self, cx: Context, object_id: str, query: PageQuery) -> Page[Any]:
        """List the people who were granted a role on a space or a collection themselves."""
        return (await fetch_page(cx, self.model, object_id, self.users, query.paging, can="admin"))[1]

    async def list_teams(self, cx: Context, object_id: str, query: PageQuery) -> Page[Any]:
        """List the teams that were granted a role on a space or a collection."""
        sight = member_rows.sight(cx)
        found = await fetch_page(
            cx, self.model, object_id, self.teams, query.paging, can="admin", sight=sight
        )
        return found[1]

    async def change_user(self, cx: Context, object_id: str, user_id: str, change: GrantUpdate) -> None:
        """Change the role that a person was granted."""
        await self._change(cx, object_id, "user", user_id, change)

    async def change_team(self, cx: Context, object_id: str, team_id: str, change: GrantUpdate) -> None:
        """Change the role that a team was granted."""
        await self._change(cx, object_id, "team", team_id, change)

    async def withdraw_user(self, cx: Context, object_id: str, user_id: str) -> None:
        """Withdraw the role that a person was granted."""
        await self._withdraw(cx, object_id, "user", user_id)

    async def withdraw_team(self, cx: Context, object_id: str, team_id: str) -> None:
        """Withdraw the role that a team was granted."""
        await self._withdraw(cx, object_id, "team", team_id)

    async def _give(
        self,
        cx: Context,
        row: Space | Collection | Site,
        grantee_kind: str,
        grantees: Several[str],
        role: str,
    ) -> None:
        if not grantees:
            return
        organization = row.organization_id
        found = await cx.tx.all(_KNOWN[grantee_kind], organization=organization, ids=grantees)
        known = {grantee.id for grantee in found}
        for n, grantee in enumerate(grantees):
            if grantee not in known:
                whom = "member" if grantee_kind == "user" else "team"
                raise Invalid(f"The organization has no such {whom}.", path=f"{grantee_kind}s.{n}")
        if grantee_kind == "user":
            await mark(cx, organization, known)
        await cx.tx.run(_REPLACED, object=row.id, kind=grantee_kind, grantees=known)
        given_now = {
            "object_id": row.id,
            "organization_id": organization,
            "object_kind": self.kind,
            "grantee_kind": grantee_kind,
            "level": int(level(role)),
            "created_at": cx.now,
        }
        await cx.tx.add_many(Grant, [{**given_now, "grantee_id": grantee} for grantee in sorted(known)])

    async def _change(
        self, cx: Context, object_id: str, grantee_kind: str, grantee: str, change: GrantUpdate
    ) -> None:
        row = await fetch(cx, self.model, object_id, can="admin")
        if not await cx.tx.all(_WITHDRAW, object=row.id, kind=grantee_kind, grantee=grantee):
            raise NotFound("They have no grant here.")
        await self._give(cx, row, grantee_kind, [grantee], change.role)

    async def _withdraw(self, cx: Context, object_id: str, grantee_kind: str, grantee: str) -> None:
        row = await fetch(cx, self.model, object_id, can="admin")
        if not await cx.tx.all(_WITHDRAW, object=row.id, kind=grantee_kind, grantee=grantee):
            raise NotFound("They have no grant here.")


SPACES, COLLECTIONS = GrantStatements(Space), GrantStatements(Collection)


async def mark(cx: Context, organization_id: str, users: Several[str]) -> None:
    """Note that these members' grants have to be looked up from now on."""
    await cx.tx.run(_MARK, organization=organization_id, users=users)


async def copy(cx: Context, source: str, target: str) -> None:
    """Grant the same people and teams the same roles on the copy of a space."""
    await cx.tx.run(_COPY, source=source, target=target, now=cx.now)


async def hand_down(cx: Context, collection_id: str) -> None:
    """Grant on all that is directly in a collection what was granted on the collection.

    Who has a higher role there keeps it.
    """
    for statement in (*_RAISE, *_HAND_DOWN):
        await cx.tx.run(statement, source=collection_id, now=cx.now)


async def withdraw_all(cx: Context, organization_id: str, grantee_id: str) -> None:
    """End everything that a person or a team was granted in an organization."""
    await cx.tx.run(_WITHDRAW_ALL, organization=organization_id, grantee=grantee_id)


async def withdraw_on(cx: Context, *object_ids: str) -> None:
    """End every grant on objects that go, or go to another organization."""
    await cx.tx.run(_WITHDRAW_ON, objects=object_ids)
