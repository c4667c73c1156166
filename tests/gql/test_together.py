"""Fields of list items are batched: one statement for all items, each of which gets its own result."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from sqlalchemy import BigInteger, func, literal, select, union_all

from app.api.graphql.execution import Direct
from app.api.graphql.state import RequestState
from app.kit.database.batching import MAX_BATCH, BatchingReader
from app.kit.database.engines import open_database
from app.kit.database.paging import Page
from app.kit.database.statements import given, rows
from app.kit.errors import Unavailable
from app.main import Services, create_app
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections

COLLECTIONS = """query ($id: ID!) { organization(id: $id) { collections(first: 10) { nodes { title
    spaces(first: 2) { totalCount pageInfo { endCursor } nodes { title
        currentRevision { id } pages { title } files { totalCount nodes { name } }
        search(query: "lamp") { totalCount nodes { path } } } } } } } }"""
OF_ONE = """query ($id: ID!, $after: String) { collection(id: $id) { spaces(first: 2, after: $after) {
    nodes { title } } } }"""
_number = given("number", BigInteger())
NUMBERS = rows(
    lambda: union_all(
        select(literal(1).label("place"), func.abs(_number).label("size")),
        select(literal(2).label("place"), _number.label("size")).where(_number > 5),
    )
)


def counted(person: Person, query: str, **variables: Any) -> tuple[Any, int]:
    """Return the answer to a query, and how many statements it ran in an application of its own."""
    return asyncio.run(_counted(person, query, variables))


async def _counted(person: Person, query: str, variables: dict[str, Any]) -> tuple[Any, int]:
    app = create_app(person.instance.settings)
    instance: Services = app.state.services
    headers = {"Authorization": f"Bearer {person.token}"}
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", headers=headers)
    try:
        await instance.ready()
        with counting(instance) as ran:
            answer = await client.post("/graphql", json={"query": query, "variables": variables})
        assert "errors" not in answer.json(), answer.text
        return answer.json()["data"], len(ran)
    finally:
        await client.aclose()
        await instance.close()


@contextmanager
def counting(instance: Services) -> Iterator[list[Any]]:
    """Notes every statement of this instance's database besides reads by keys."""
    ran: list[Any] = []

    def noting(read: Any) -> Any:
        def noted(statement: Any, **values: Any) -> Any:
            ran.append(statement)
            return read(statement, **values)

        return noted

    with pytest.MonkeyPatch.context() as patch:
        for name in ("all", "read_inline") if instance.db.dialect == "sqlite" else ("all",):
            patch.setattr(instance.db, name, noting(getattr(instance.db, name)))
        yield ran


def furnished(cast: Cast, count: int) -> None:
    """Collections with spaces, the last of them with content."""
    for number in range(count):
        folder = collections.collection(cast.ada, cast.organization, title=f"Shelf {number}")["id"]
        make.filled_space(cast, parent=folder, title=f"Filled {number}")
        for title in "AB":
            make.space(cast.ada, cast.organization, parent=folder, title=f"{title}{number}")


def test_a_statement_serves_all_items_of_a_list(cast: Cast) -> None:
    furnished(cast, 1)
    _, few = counted(cast.ria, COLLECTIONS, id=cast.organization)
    furnished(cast, 3)
    told, many = counted(cast.ria, COLLECTIONS, id=cast.organization)
    assert many == few
    shelves = told["organization"]["collections"]["nodes"]
    assert [shelf["spaces"]["totalCount"] for shelf in shelves] == [3] * 4
    for shelf in shelves:
        filled, bare = shelf["spaces"]["nodes"]
        assert (filled["title"][:-1], bare["title"][0]) == ("Filled ", "A")
        assert (len(filled["pages"]), filled["files"]["totalCount"], bare["pages"]) == (3, 1, [])
        assert filled["search"]["totalCount"] > bare["search"]["totalCount"] == 0


def test_what_a_query_needed_is_given_back_without_the_garbage_collector(cast: Cast) -> None:
    furnished(cast, 2)
    counted(cast.ria, COLLECTIONS, id=cast.organization)
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        counted(cast.ria, COLLECTIONS, id=cast.organization)
        gc.collect()
        left = [each for each in gc.garbage if isinstance(each, Direct | RequestState | Page)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert left == []


def test_a_cursor_from_a_nested_list_goes_on_alone(cast: Cast) -> None:
    furnished(cast, 2)
    shelves = cast.ria.ask(COLLECTIONS, id=cast.organization)["organization"]["collections"]["nodes"]
    listed = cast.ria.get(f"/v1/orgs/{cast.organization}/collections").json()["items"]
    for shelf, collection in zip(shelves, listed, strict=True):
        after = shelf["spaces"]["pageInfo"]["endCursor"]
        rest = cast.ria.ask(OF_ONE, id=collection["id"], after=after)["collection"]["spaces"]["nodes"]
        assert rest == [{"title": f"B{shelf['title'][-1]}"}]


def on_the_database(cast: Cast, call: Callable[[BatchingReader], Awaitable[list[Any]]]) -> list[Any]:
    """Return what `call` makes of a reader together on a database of its own."""

    async def run() -> list[Any]:
        db = open_database(cast.instance.settings.database)
        try:
            return await call(BatchingReader(db))
        finally:
            await db.close()

    return asyncio.run(run())


@pytest.mark.parametrize("askers", [1, 2, MAX_BATCH, 2 * MAX_BATCH + 1])
def test_everybody_has_their_own_rows_in_order(cast: Cast, askers: int) -> None:
    async def ask(reader: BatchingReader) -> list[list[Any]]:
        return await asyncio.gather(*(reader.all(NUMBERS, number=n) for n in range(askers)))

    for n, found in enumerate(on_the_database(cast, ask)):
        assert [tuple(row) for row in found] == [(1, n), (2, n)][: 2 if n > 5 else 1]


def test_who_asks_what_fails_fails_alone(cast: Cast) -> None:
    async def ask(reader: BatchingReader) -> list[Any]:
        askings = (reader.all(NUMBERS, number=n) for n in (3, -(2**63), 4))
        found: list[Any] = await asyncio.gather(*askings, return_exceptions=True)
        return found

    three, failed, four = on_the_database(cast, ask)
    assert ([row.size for row in three], [row.size for row in four]) == ([3], [4])
    assert isinstance(failed, Exception)
    assert not isinstance(failed, Unavailable | asyncio.CancelledError)


@pytest.mark.parametrize("leaver", [0, 1])
def test_who_goes_away_leaves_the_others_theirs(cast: Cast, leaver: int) -> None:
    async def ask(reader: BatchingReader) -> list[Any]:
        tasks = [asyncio.create_task(reader.all(NUMBERS, number=n)) for n in range(3)]
        await asyncio.sleep(0)
        tasks[leaver].cancel()
        found: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
        return found

    found = on_the_database(cast, ask)
    assert isinstance(found.pop(leaver), asyncio.CancelledError)
    assert [rows[0].size for rows in found] == [n for n in range(3) if n != leaver]
