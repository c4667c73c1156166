"""Keyset paging (specification, Conventions 3; decisions, Protocol): pages that cost the same at any depth.

A token carries the last row's keys and the list's count, signed together with the list's name, its filters
and the caller: it opens nothing, and a changed or foreign one is refused.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

import orjson
from sqlalchemy import Integer, Select, func, select, tuple_
from sqlalchemy.sql.elements import ColumnElement

from app.kit.columns import Instant
from app.kit.db import Reader
from app.kit.errors import Invalid
from app.kit.signing import Signer
from app.kit.statements import Statement, given, query

T = TypeVar("T")
DEFAULT_LIMIT = 50
MAX_LIMIT = 1000


@dataclass(slots=True, frozen=True)
class Paging:
    """What the caller asked for: how many, and from where on."""

    limit: int = DEFAULT_LIMIT
    page: str | None = None


@dataclass(slots=True)
class Page(Generic[T]):
    """One page of a list: its rows, the number of matches over all pages, and the way on."""

    items: list[T]
    count: int
    next: str | None = None
    cursor: Callable[[T], str] = field(default=lambda _row: "", repr=False)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Tokens:
    """Makes and reads page tokens for one caller."""

    signer: Signer
    caller: str

    def write(self, scope: str, count: int, keys: Sequence[Any]) -> str:
        """An opaque, URL-safe token."""
        plain = [key.isoformat() if isinstance(key, datetime) else key for key in keys]
        body = base64.urlsafe_b64encode(orjson.dumps([count, *plain])).decode().rstrip("=")
        return f"{body}.{self.signer.sign('page', f'{self.caller} {scope} {body}')}"

    def read(self, scope: str, token: str) -> tuple[int, list[Any]]:
        """The count and keys of a token of this list; raises Invalid for any other text."""
        body, _, signature = token.partition(".")
        if not self.signer.good("page", f"{self.caller} {scope} {body}", signature):
            raise Invalid("This page token does not belong to this list.", path="page")
        count, *keys = orjson.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return count, keys


class Listing(Generic[T]):
    """A list in keyset order. `rows` is the filtered statement; `order` its key, the last column unique."""

    def __init__(
        self,
        name: str,
        shape: type[T],
        rows: Callable[[], Select[Any]],
        order: Callable[[], Sequence[ColumnElement[Any]]],
        *,
        descending: bool = False,
    ) -> None:
        self.name = name
        self._rows, self._order, self._descending = rows, order, descending
        self._first: Statement[Any] = query(shape, lambda: self._page(after=False))
        self._after: Statement[Any] = query(shape, lambda: self._page(after=True))
        self._count: Statement[Any] = query(shape, lambda: self._counted(rows()))

    async def page(self, db: Reader, paging: Paging, tokens: Tokens, **values: Any) -> Page[T]:
        """One page; at most one statement, two where the first page asks for nothing or finds nothing."""
        scope = f"{self.name} {orjson.dumps(sorted(values.items()), default=str).decode()}"
        count, keys = tokens.read(scope, paging.page) if paging.page else (None, [])
        if keys:
            after = {f"after_{n}": self._key(n, key) for n, key in enumerate(keys)}
            rows = await db.all(self._after, limit_=paging.limit + 1, **after, **values)
        else:
            rows = await db.all(self._first, limit_=paging.limit + 1, **values) if paging.limit else []
        if count is None:
            count = rows[0].count_ if rows else (await db.all(self._count, **values))[0].count_
        kept = rows[: paging.limit]

        def cursor(row: Any) -> str:
            return tokens.write(scope, count, [getattr(row, f"key_{n}_") for n in range(self._width())])

        following = cursor(kept[-1]) if len(rows) > len(kept) > 0 else None
        if not paging.limit and count:
            following = tokens.write(scope, count, keys)
        return Page(kept, count, following, cursor)

    def _width(self) -> int:
        return len(self._order())

    def _key(self, position: int, value: Any) -> Any:
        column = self._order()[position]
        return datetime.fromisoformat(value) if isinstance(column.type, Instant) else value

    def _page(self, *, after: bool) -> Select[Any]:
        order = list(self._order())
        found = self._rows()
        page = found.add_columns(*(key.label(f"key_{n}_") for n, key in enumerate(order)))
        if after:
            here = tuple_(*order)
            there = tuple_(*(given(f"after_{n}", key.type) for n, key in enumerate(order)))
            page = page.where(here < there if self._descending else here > there)
        else:
            page = page.add_columns(self._counted(found).scalar_subquery().label("count_"))
        ordered = [key.desc() if self._descending else key.asc() for key in order]
        return page.order_by(*ordered).limit(given("limit_", Integer()))

    @staticmethod
    def _counted(found: Select[Any]) -> Select[Any]:
        return select(func.count().label("count_")).select_from(found.order_by(None).subquery())
