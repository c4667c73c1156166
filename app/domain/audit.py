"""The audit log: one chain of events for each organization, written in the transaction of the change.

An event's hash is the SHA-256 of the hash before it, its number and the rest of it as JSON, so that nothing
of the chain can be altered, left out or put elsewhere without all that follows being wrong. The head
remembers the newest event, so that one cut off is missed too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Integer, Select, Text, cast, func, insert, literal, or_, select

from app.access.context import Actor, Context, Notes, Subject
from app.access.deeds import Deed
from app.access.fetch import permit_in
from app.kit.clock import wire_time
from app.kit.columns import Instant, Key
from app.kit.errors import NotFound
from app.kit.hashing import sha256_of
from app.kit.logs import request_id
from app.kit.nesting import nested
from app.kit.paging import Listing, Page
from app.kit.statements import command, given, query, rows, table
from app.models.audit import AuditEvent, AuditHead, AuditQuery
from app.models.organizations import Organization
from app.models.users import User

_e, _h, _o, _u = table(AuditEvent), table(AuditHead), table(Organization), table(User)
LONGEST_NUMBER = 15  # digits
AT_ONCE = 1000  # events that are checked at once
_HASHED = tuple(c.name for c in _e.c if c.name not in ("number", "hash"))
_CAPITAL = re.compile(r"(?=[A-Z])")
Progress = Callable[[int], None]


@dataclass(slots=True, frozen=True)
class Check:
    """How a chain stands: how many events are right, and the first that is not, or is missing."""

    events: int
    first_broken: int | None


def lane(organization_id: str) -> str:
    """Where those queue who add to an organization's log."""
    return f"audit {organization_id}"


async def append(cx: Context, actor: Actor, deed: Deed) -> None:
    """Add what this transaction did to the log of each organization that it concerned."""
    assert cx.notes is not None
    for organization_id in sorted(cx.notes.subjects):
        # Only now: until here, others of the organization need not wait.
        await cx.tx.queue(lane(organization_id))
        event = _event(cx, actor, deed, cx.notes, cx.notes.subjects[organization_id])
        text = _text(event)
        for statement in _APPEND[cx.db.dialect]:
            await cx.tx.jot(statement, **event, text=text)


def _event(cx: Context, actor: Actor, deed: Deed, notes: Notes, subject: Subject) -> dict[str, Any]:
    target_kind, target_id = _target(deed, notes, subject)
    who = "user" if actor.user_id else "operator" if deed.face == "command" else "system"
    return {
        "organization_id": subject.organization_id,
        "created_at": cx.now,
        "actor": who,
        "user_id": actor.user_id or None,
        "token_id": actor.token_id or None,
        "face": deed.face,
        "address": deed.address,
        "request_id": request_id.get() or None,
        "action": deed.action,
        "subject_kind": subject.kind,
        "subject_id": subject.id,
        "subject_title": subject.title,
        "target_kind": target_kind,
        "target_id": target_id,
    }


def _target(deed: Deed, notes: Notes, subject: Subject) -> tuple[str | None, str | None]:
    """What was made or changed, where that is not the subject: the answer tells, or else the path."""
    kind, id_ = notes.shown.get("object"), notes.shown.get("id")
    if not (kind and id_) and deed.path:
        name, named = deed.path[-1]
        kind = _kind(name)
        id_ = notes.ids.get(kind.replace("-", " "), named)
    return (None, None) if id_ in (None, subject.id) else (kind, id_)


@lru_cache(200)
def _kind(parameter: str) -> str:
    return _CAPITAL.sub("-", parameter.removesuffix("Id")).lower()


def _text(event: dict[str, Any]) -> str:
    """All of an event but its number and hash, as JSON with its names in order."""
    return orjson.dumps(
        {**event, "created_at": wire_time(event["created_at"])}, option=orjson.OPT_SORT_KEYS
    ).decode()


async def list_events(cx: Context, organization_id: str, query: AuditQuery) -> Page[Any]:
    """List the events of an organization's audit log, newest first."""
    permit_in(cx, organization_id, can="admin")
    asked = {name: getattr(query, name) for name in _FILTERS if getattr(query, name) is not None}
    listing = _listing(frozenset(asked))
    return await listing.page(cx.db, query.paging, cx.tokens, organization=organization_id, **asked)


async def get(cx: Context, organization_id: str, number: str) -> Any:
    """Get an event of an organization's audit log, by its number."""
    permit_in(cx, organization_id, can="admin")
    is_number = number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER
    found = await cx.db.first(_GET, organization=organization_id, number=int(number) if is_number else 0)
    if found is None:
        raise NotFound("There is no such event.")
    return found


async def verify(cx: Context, organization_id: str, progress: Progress = lambda _done: None) -> Check:
    """Go through an organization's chain from its beginning; asks nobody for a right."""
    number, hash_ = 0, ""
    while True:
        head = await cx.db.first(_HEAD, organization=organization_id)
        found = await cx.db.all(_CHAIN, organization=organization_id, after=number)
        for event in found:
            number += 1
            hash_ = _hash(hash_, number, event)
            if (event.number, event.hash) != (number, hash_):
                return Check(number - 1, number)
        progress(len(found))
        if not found:
            newest = (head.number, head.hash) if head else (0, "")
            return Check(number, None if newest == (number, hash_) else min(number, newest[0]) + 1)


async def logs(cx: Context) -> list[Any]:
    """Every organization with the number of its newest event; asks nobody for a right."""
    return await cx.db.all(_LOGS)


def _hash(before: str, number: int, event: Any) -> str:
    text = _text({name: getattr(event, name) for name in _HASHED})
    return sha256(f"{before} {number} {text}".encode()).hexdigest()


def _person() -> Any:
    return nested(select(*_u.c).where(_u.c.id == _e.c.user_id).correlate(_e), "person")


_FILTERS: dict[str, Callable[[], ColumnElement[bool]]] = {
    "actor": lambda: _e.c.user_id == given("actor", Key),
    "action": lambda: _e.c.action == given("action", Key),
    "target": lambda: or_(_e.c.subject_id == given("target", Key), _e.c.target_id == given("target", Key)),
    "since": lambda: _e.c.created_at >= given("since", Instant()),
    "until": lambda: _e.c.created_at < given("until", Instant()),
}


def _matching(names: Iterable[str]) -> Select[Any]:
    of_organization = _e.c.organization_id == given("organization", Key)
    return select(*_e.c, _person()).where(of_organization, *(_FILTERS[name]() for name in sorted(names)))


@cache
def _listing(names: frozenset[str]) -> Listing[Any]:
    """The list by these filters: a statement for each set, so that an index serves those that are given."""
    return Listing(
        f"audit events by {' '.join(sorted(names))}",
        AuditEvent,
        lambda: _matching(names),
        order=lambda: [_e.c.number],
        descending=True,
    )


def _append() -> Any:
    chain = select(given("organization_id", Key).label("organization_id")).subquery("chain")
    number = func.coalesce(_h.c.number, 0) + 1
    before = func.coalesce(_h.c.hash, "", type_=Text())
    hashed = before + literal(" ", Text()) + cast(number, Text) + literal(" ", Text()) + given("text", Text())
    told = [given(name, _e.c[name].type) for name in _HASHED if name != "organization_id"]
    names = [name for name in _HASHED if name != "organization_id"]
    found = select(chain.c.organization_id, *told, number, sha256_of(hashed)).select_from(
        chain.outerjoin(_h, _h.c.organization_id == chain.c.organization_id)
    )
    return insert(_e).from_select(["organization_id", *names, "number", "hash"], found)


def _move_head(dialect: str, newest: Any) -> Any:
    from sqlalchemy.dialects import postgresql, sqlite

    kind: Any = sqlite if dialect == "sqlite" else postgresql
    added = kind.insert(_h).from_select(["organization_id", "number", "hash"], newest)
    moved = {"number": added.excluded.number, "hash": added.excluded.hash}
    return added.on_conflict_do_update(index_elements=["organization_id"], set_=moved)


def _move_to_newest() -> Any:
    newest = select(_e.c.organization_id, _e.c.number, _e.c.hash).where(
        _e.c.organization_id == given("organization_id", Key)
    )
    return _move_head("sqlite", newest.order_by(_e.c.number.desc()).limit(1))


def _append_and_move() -> Any:
    event = _append().returning(_e.c.organization_id, _e.c.number, _e.c.hash).cte("event")
    return _move_head("postgresql", select(event.c.organization_id, event.c.number, event.c.hash))


def _one() -> Select[Any]:
    return _matching(()).where(_e.c.number == given("number"))


# One statement where an engine changes two tables in one.
_APPEND = {"sqlite": [command(_append), command(_move_to_newest)], "postgresql": [command(_append_and_move)]}
_GET = query(AuditEvent, _one)
_HEAD = query(AuditHead, lambda: select(*_h.c).where(_h.c.organization_id == given("organization", Key)))
_CHAIN = query(
    AuditEvent,
    lambda: (
        select(*_e.c)
        .where(_e.c.organization_id == given("organization", Key), _e.c.number > given("after", Integer()))
        .order_by(_e.c.number)
        .limit(AT_ONCE)
    ),
)
_LOGS = rows(
    lambda: (
        select(_o.c.id, _o.c.title, func.coalesce(_h.c.number, 0).label("number"))
        .outerjoin(_h, _h.c.organization_id == _o.c.id)
        .order_by(_o.c.id)
    )
)
