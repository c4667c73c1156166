"""Keyset paging (specification, Conventions 3; decisions, Protocol): pages that cost the same at any depth.

A token carries an item's keys and the list's count, signed together with the list's name, its filters and
the caller: it opens nothing, and a changed or foreign one is refused. It is not bound to what the caller
may see (`sight`): where that has changed since, the next page shows what they may see now, counted anew.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import product
from typing import Any, Generic, NamedTuple, TypeVar

import orjson
from sqlalchemy import CTE, FromClause, Integer, Select, func, select, tuple_
from sqlalchemy.sql.elements import ColumnElement, Label
from sqlmodel import SQLModel

from app.kit.database.columns import Instant
from app.kit.database.concerned_tables import read_tables
from app.kit.database.interface import Reader
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import Invalid
from app.kit.signing import Signer

T = TypeVar("T")
U = TypeVar("U")
Values = Mapping[str, Any]
DEFAULT_LIMIT = 50
MAX_LIMIT = 1000
KEPT = 1000
"""Texts of filters that are kept, since most lists are asked for again, and counts of a list."""


@dataclass(slots=True, frozen=True)
class Paging:
    """The part of a list that the caller asked for: how many items, and which.

    `page` is the token of an item: the page starts after that item or, with `backward`, ends before it.
    Without a token these are the first items or, with `backward`, the last ones. Their order is the list's.
    """

    limit: int = DEFAULT_LIMIT
    page: str | None = None
    backward: bool = False


@dataclass(slots=True)
class Page(Generic[T]):
    """One page of a list: its items and the number of matches over all pages.

    `following` makes the token of the next page, `cursor(n)` that of the n-th item. `extra` is what a list
    says beside its items. `has_previous` and `has_next` tell whether there are items on either side. On the
    side of the token that was asked for nothing is read: the token's item is there, or was when the token
    was written.
    """

    items: list[T]
    count: int
    following: Callable[[], str] | None = field(default=None, repr=False)
    cursor: Callable[[int], str] = field(default=lambda _n: "", repr=False)
    extra: dict[str, Any] = field(default_factory=dict)
    has_previous: bool = False
    has_next: bool = False

    @property
    def next(self) -> str | None:
        """Return the token of the next page; None where there is none."""
        return None if self.following is None else self.following()

    def map(self, change: Callable[[T], U]) -> Page[U]:
        """Return the same page with every item changed."""
        return self.of([change(item) for item in self.items])

    def of(self, items: list[U]) -> Page[U]:
        """Return the same page with other items, one for each."""
        sides = self.has_previous, self.has_next
        return Page(items, self.count, self.following, self.cursor, self.extra, *sides)


@dataclass(slots=True, frozen=True)
class PageTokens:
    """Makes and reads page tokens for one caller."""

    signer: Signer
    caller: str

    def write(self, scope: str, count: int, sight: str, keys: Sequence[Any]) -> str:
        """Return an opaque, URL-safe token."""
        plain = [key.isoformat() if isinstance(key, datetime) else key for key in keys]
        body = base64.urlsafe_b64encode(orjson.dumps([count, sight, *plain])).decode().rstrip("=")
        return f"{body}.{self.signer.sign('page', f'{self.caller} {scope} {body}')}"

    def read(self, scope: str, sight: str, token: str) -> tuple[int | None, list[Any]]:
        """Return the count and keys of a token of this list; no count where the caller saw other rows then.

        Raises Invalid for any other text.
        """
        body, _, signature = token.partition(".")
        if not self.signer.good("page", f"{self.caller} {scope} {body}", signature):
            raise Invalid("This page token does not belong to this list.", path="page")
        count, seen, *keys = orjson.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return (count if seen == sight else None), keys


class Variant(NamedTuple):
    """One of the statements of a list: `after` the keys of an item, `backward`, `counting` all matches."""

    after: bool
    backward: bool
    counting: bool


class Listing(Generic[T]):
    """A list in keyset order. `rows` is the filtered statement; `order` its key, the last column unique.

    With `inside`, the list belongs to one row of that table (found by the value `inside`): the row comes
    along in the same statement, with the columns of `beside`, so that the reader can be judged by it.
    `source` is what the row is read from where that is more than its table, and `counted` a column of it
    that knows how many items there are, so that nobody counts them. `completed` takes the rows of one page
    and adds what is too dear to be worked out for the others; `around` takes the statement of a page and
    gives columns of the row beside it that are about its items together. One that `searches` texts is never
    brief.

    The values of a page are its filters, and apart from them its `sight`: what the caller may see.
    """

    def __init__(
        self,
        name: str,
        shape: type[T],
        rows: Callable[[], Select[Any]],
        order: Callable[[], Sequence[ColumnElement[Any]]],
        *,
        descending: bool = False,
        inside: type[SQLModel] | None = None,
        source: Callable[[], FromClause] | None = None,
        beside: Callable[[], Sequence[Label[Any]]] = list,
        counted: Callable[[], ColumnElement[int]] | None = None,
        completed: Callable[[CTE], Select[Any]] | None = None,
        around: Callable[[Select[Any]], Sequence[Label[Any]]] | None = None,
        searches: bool = False,
    ) -> None:
        self.name = name
        self._rows, self._order, self._descending = rows, order, descending
        self._inside, self._source, self._beside, self._known = inside, source, beside, counted
        self._completed, self._around, self._searches = completed, around, searches
        self._names: list[str] | None = None
        self._counts: frozenset[str] | None = None
        variants = (Variant(*chosen) for chosen in product((False, True), repeat=3))
        self.statements: dict[Variant, Statement[Any]] = {
            variant: query(shape, partial(self._statement, variant)) for variant in variants
        }
        self.counting: Statement[Any] | None = None  # for itself; inside a row it is counted with that row
        if inside is None:
            self.counting = query(shape, lambda: self._counted(self._rows()))

    async def page(
        self, db: Reader, paging: Paging, tokens: PageTokens, *, sight: Values | None = None, **filters: Any
    ) -> Page[T]:
        """Read one page, in one statement, which counts only where no count is remembered."""
        memory = await self._memory(db)
        asked = self._asked(paging, tokens, sight or {}, filters, memory)
        rows = await self._read(db, asked) if paging.limit or asked.keys else []
        count = asked.count
        if count is None:
            counted = rows
            if self.counting is not None and not rows and (asked.keys or not paging.limit):
                counted = await db.all(self.counting, **filters, **(sight or {}))
            count = memory[asked.counted] = counted[0].count_ if counted else 0
        return self._made(asked, rows, count)

    async def page_inside(
        self, db: Reader, paging: Paging, tokens: PageTokens, *, sight: Values | None = None, **filters: Any
    ) -> tuple[Any, Page[T]] | None:
        """Read the row that the list belongs to and one page of the list; None where there is no such row."""
        memory = await self._memory(db)
        asked = self._asked(paging, tokens, sight or {}, filters, memory)
        owners = await self._read(db, asked)
        if not owners:
            return None
        owner = owners[0]
        count = asked.count
        if count is None:
            count = memory[asked.counted] = owner.count_
        return owner, self._made(asked, owner.rows_, count)

    async def _memory(self, db: Reader) -> dict[str, int]:
        """Return the counts that are known, valid until a commit that may change one of them."""
        if self._counts is None:
            self._counts = self.counted_tables()
        memory: dict[str, int] = await (db.memory_of(self._counts) if self._counts else db.memory())
        if len(memory) >= KEPT:
            memory.clear()
        return memory

    def counted_tables(self) -> frozenset[str]:
        """Return the tables that the count depends on; none where only some of them are known, as of a full
        text."""
        if self._searches:
            return frozenset()
        if self._inside is None:
            return read_tables(self._rows())
        owner = table(self._inside) if self._source is None else self._source()
        return read_tables(self._rows() if self._known is None else self._known(), owner)

    async def _read(self, db: Reader, asked: _PageRequest) -> list[Any]:
        return await (db.all if self._searches else db.read_inline)(asked.statement, **asked.values)

    def _asked(
        self, paging: Paging, tokens: PageTokens, sight: Values, filters: Values, memory: dict[str, int]
    ) -> _PageRequest:
        scope, seen = f"{self.name} {_text(filters)}", _text(sight) if sight else ""
        counted = f"{scope} {seen}"
        seen = _digest(seen) if seen else ""
        count, keys = tokens.read(scope, seen, paging.page) if paging.page else (None, [])
        if (
            paging.backward and paging.page and not keys
        ):  # of a page without items, from the start of the list
            raise Invalid("This page token names no item, so there is no page before it.", path="page")
        count = memory.get(counted) if count is None else count
        after = {f"after_{n}": self._key(n, key) for n, key in enumerate(keys)}
        statement = self.statements[Variant(bool(keys), paging.backward, count is None)]
        wanted = {"limit_": paging.limit + 1, **after, **filters, **sight}
        return _PageRequest(statement, wanted, scope, seen, counted, keys, count, paging, tokens)

    def _made(self, asked: _PageRequest, rows: Sequence[Any], count: int) -> Page[T]:
        limit, backward = asked.paging.limit, asked.paging.backward
        kept = list(rows[:limit])
        if backward:
            kept.reverse()

        def cursor(index: int) -> str:
            keys = [getattr(kept[index], name) for name in self._keys()]
            return asked.tokens.write(asked.scope, count, asked.seen, keys)

        started = bool(asked.keys)
        goes_on = len(rows) > limit if limit or started else count > 0
        has_previous, has_next = (goes_on, started) if backward else (started, goes_on)
        following = partial(cursor, -1) if kept and has_next else None
        if not limit and count and not backward:
            following = partial(asked.tokens.write, asked.scope, count, asked.seen, asked.keys)
        return Page(kept, count, following, cursor, has_previous=has_previous, has_next=has_next)

    def _key(self, position: int, value: Any) -> Any:
        column = self._order()[position]
        return datetime.fromisoformat(value) if isinstance(column.type, Instant) else value

    def _statement(self, variant: Variant) -> Select[Any]:
        page, counting = self._page(variant), variant.counting
        if self._known is None:
            count = self._counted(self._rows()).scalar_subquery().label("count_")
        else:
            count = self._known().label("count_")
        if self._inside is None:
            return page.add_columns(count) if counting else page
        t = table(self._inside)
        around = self._around(page) if self._around else ()
        owner = select(*t.c, nested(page, "rows_"), *self._beside(), *around).where(t.c.id == given("inside"))
        if self._source is not None:
            owner = owner.select_from(self._source())
        return owner.add_columns(count) if counting else owner

    def _page(self, variant: Variant) -> Select[Any]:
        order, descending = list(self._order()), self._descending != variant.backward
        page = self._rows()
        for name, key in zip(self._keys(), order, strict=True):
            if name.startswith("key_"):
                page = page.add_columns(key.label(name))
        if variant.after:
            here = tuple_(*order)
            there = tuple_(*(given(f"after_{n}", key.type) for n, key in enumerate(order)))
            page = page.where(here < there if descending else here > there)
        page = page.order_by(*_directed(order, descending)).limit(given("limit_", Integer()))
        if self._completed is None:
            return page
        if self._inside is not None:  # a CTE stands apart: it would find the rows of every owner
            froms = self._rows().get_final_froms()
            assert table(self._inside) not in froms, f"{self.name}: name the owner by the value `inside`"
        found = page.cte("found")
        keys = [found.c[name] for name in self._keys()]
        return self._completed(found).order_by(*_directed(keys, descending))

    def _keys(self) -> list[str]:
        """Return what the keys are called in a row: the name of a column that is shown anyway,
        or one of our own.
        """
        if self._names is None:
            shown = list(self._rows().selected_columns)
            self._names = [
                key.name if any(key is column for column in shown) else f"key_{n}_"
                for n, key in enumerate(self._order())
            ]
        return self._names

    @staticmethod
    def _counted(found: Select[Any]) -> Select[Any]:
        return found.with_only_columns(func.count().label("count_")).order_by(None)


@dataclass(slots=True, frozen=True)
class _PageRequest:
    """A page as it was asked for, ready to run.

    `scope` is what its token is bound to, `seen` a digest of the caller's sight, and `counted` the name that
    the count is remembered by.
    """

    statement: Statement[Any]
    values: dict[str, Any]
    scope: str
    seen: str
    counted: str
    keys: list[Any]
    count: int | None
    paging: Paging
    tokens: PageTokens


def _directed(keys: Sequence[ColumnElement[Any]], descending: bool) -> list[ColumnElement[Any]]:
    return [key.desc() if descending else key.asc() for key in keys]


def _text(values: Values) -> str:
    try:
        return _text_of(tuple(values.items()), tuple(map(type, values.values())))
    except TypeError:  # there are lists
        return _written(values.items())


@lru_cache(KEPT)
def _text_of(values: tuple[tuple[str, Any], ...], _types: tuple[type, ...]) -> str:
    """Return the text of values that can be kept; those of other types may be equal, as 1 is to True."""
    return _written(values)


def _written(values: Iterable[tuple[str, Any]]) -> str:
    return orjson.dumps(sorted(values), default=str).decode()


@lru_cache(KEPT)
def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
