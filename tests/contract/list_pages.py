"""Pages of lists read in-process in both directions; REST has none backward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from app.api.operation import Operation
from app.api.versions import envelope
from app.kit.clock import to_json
from app.kit.database.paging import Page
from app.models.checks import checked
from app.models.queries import PageQuery
from tests.cast import Cast, Person
from tests.contract.faces import Call, address, in_query
from tests.contract.second_process import Stage
from tests.contract.statements import noting


@dataclass(slots=True)
class ReadPage:
    """A page, its body as REST sends it, and how many statements reading it took."""

    page: Page[Any]
    body: dict[str, Any]
    statements: int

    @property
    def items(self) -> list[Any]:
        """The items as they are sent."""
        found: list[Any] = self.body["items"]
        return found

    @property
    def cursors(self) -> list[str]:
        """The cursors of the items."""
        return [self.page.cursor(n) for n in range(len(self.items))]


class PagedList:
    """The list that a call asks for, as one person reads it."""

    def __init__(
        self, cast: Cast, stage: Stage, row: Operation, call: Call, person: Person | None = None
    ) -> None:
        self._stage, self._row, self._call = stage, row, call
        self._token = (person or cast.ada).token
        self._runtime = stage.product.runtime
        self._actor = stage.loop.run_until_complete(self._runtime.actor(f"Bearer {self._token}"))

    def page(self, limit: int, token: str | None = None, *, backward: bool = False) -> ReadPage:
        """The items after the token's, or those before it."""
        row, call = self._row, self._call
        assert row.query is not None
        asked = checked(row.query, {**call.query, "limit": limit, "page": token}, strict=False)
        assert isinstance(asked, PageQuery)
        arguments = row.arguments([call.path[name] for name in row.parameters])
        arguments.append(asked.reversed() if backward else asked)
        if row.body is not None:
            arguments.append(checked(row.body, call.body or {}, strict=True))
        cx = self._runtime.context(self._actor)
        with noting() as ran:
            page: Page[Any] = self._stage.loop.run_until_complete(row.call(cx, *arguments))
        return ReadPage(page, orjson.loads(to_json(envelope(cx, row, page))), len(ran))

    def over_rest(self, limit: int, token: str | None = None, also: Mapping[str, Any] = {}) -> dict[str, Any]:
        """The body of the same page forward, as REST answers it; `also` are further parameters."""
        query = {**self._call.query, "limit": limit, **({"page": token} if token else {}), **also}
        asked = Call(self._call.path, query, self._call.body)
        path, params = address(self._row, asked), in_query(asked)
        answer = self._stage.send(self._token, self._row.method, path, params=params, json=asked.body)
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body
