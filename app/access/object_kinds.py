"""The kinds of objects that rights are held on: how each is found, and what is asked of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Protocol

from sqlalchemy import select
from sqlmodel import SQLModel

from app.access.context import Membership
from app.access.rights import Level, ObjectState
from app.kit.database.statements import Statement, given, query, table
from app.models.collections import Collection
from app.models.organizations import Organization
from app.models.sites import Site
from app.models.spaces import Space


@dataclass(slots=True, frozen=True)
class ObjectKind:
    """The rules by which one kind of object is found and judged; `is_public` is what everybody reads."""

    name: str
    statement: Statement[Any]
    owner: Callable[[Any], str]
    level: Callable[[Membership, Any], Level]
    state: Callable[[Membership, Any], int]
    is_public: Callable[[Any], bool]


class CreatedRow(Protocol):
    """An object that keeps who created it."""

    created_by: str | None


class SpaceStateRow(CreatedRow, Protocol):
    """A space as far as its state goes."""

    deleted_at: datetime | None
    edit_mode: str


def created(membership: Membership, row: CreatedRow) -> int:
    """Return the state of an object that only differs by who the caller is: its creator, or a guest."""
    state = (
        ObjectState.CREATED
        if membership.user_id and row.created_by == membership.user_id
        else ObjectState.PLAIN
    )
    return state if membership.level else state | ObjectState.GUEST


def _state_of_space(membership: Membership, row: SpaceStateRow) -> int:
    state = created(membership, row)
    if row.deleted_at is not None:
        state |= ObjectState.DELETED
    return state | ObjectState.LOCKED if row.edit_mode == "locked" else state


def _plain(_membership: Membership, _row: object) -> int:
    return ObjectState.PLAIN


def _never(_row: object) -> bool:
    return False


def _is_public_space(row: Any) -> bool:
    return bool(row.is_public) and row.deleted_at is None


def _is_public_site(row: Any) -> bool:
    return bool(row.published) and row.visibility == "public"


def kind_of(
    name: str,
    model: type[SQLModel],
    owner: Callable[[Any], str],
    level: Callable[[Membership, Any], Level],
    state: Callable[[Membership, Any], int] = _plain,
    is_public: Callable[[Any], bool] = _never,
) -> ObjectKind:
    """Return a kind of object that is found by its id."""
    t = table(model)
    by_id: Statement[Any] = query(model, lambda: select(*t.c).where(t.c.id == given("id")))
    return ObjectKind(name, by_id, owner, level, state, is_public)


KINDS: dict[type[SQLModel], ObjectKind] = {
    Organization: kind_of(
        "organization", Organization, attrgetter("id"), lambda membership, _row: membership.level
    ),
    Collection: kind_of("collection", Collection, attrgetter("organization_id"), Membership.on, created),
    Space: kind_of(
        "space", Space, attrgetter("organization_id"), Membership.on, _state_of_space, _is_public_space
    ),
    Site: kind_of("site", Site, attrgetter("organization_id"), Membership.on, created, _is_public_site),
}
