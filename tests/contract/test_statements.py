"""What a read costs: at most two statements with the token's, however many rows there are (issue 2, Figures)."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from app.main import House, create_app
from app.rest import OPERATIONS
from app.rest.operation import Operation
from tests.cast import Cast
from tests.contract.faces import Call, address, in_query
from tests.contract.recipes import RECIPES, belong_elsewhere

MOST = 2
READS = [row for row in OPERATIONS if not row.writes and not row.public]
every_read = pytest.mark.parametrize("row", READS, ids=lambda row: row.id)


def statements(cast: Cast, row: Operation, *calls: Call) -> list[int]:
    """How many statements each of these calls runs, in an application of its own on the same database."""

    async def ask() -> list[int]:
        app = create_app(cast.house.settings)
        house: House = app.state.house
        await house.ready()
        ran: list[Any] = []
        run = house.db.all

        async def noting(statement: Any, **values: Any) -> Any:
            ran.append(statement)
            return await run(statement, **values)

        house.db.all = noting  # type: ignore[method-assign]
        counts = []
        headers = {"Authorization": f"Bearer {cast.ada.token}"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            for call in calls:
                ran.clear()
                answer = await client.get(address(row, call), params=in_query(call))
                assert answer.status_code == 200, answer.text
                counts.append(len(ran))
        await house.close()
        return counts

    return asyncio.run(ask())


@every_read
def test_a_read_costs_two_statements_whatever_there_is(cast: Cast, row: Operation) -> None:
    call = RECIPES[row.id](cast)
    before = statements(cast, row, call)
    for _ in range(3):
        RECIPES[row.id](cast)  # more of everything in the same organization
    after = statements(cast, row, call)
    assert before == after
    assert 1 <= before[0] <= MOST


@every_read
def test_a_read_costs_as_much_for_who_belongs_to_two_organizations(cast: Cast, row: Operation) -> None:
    call = RECIPES[row.id](cast)
    belong_elsewhere(cast)
    assert statements(cast, row, call)[0] <= MOST


@pytest.mark.parametrize("row", [row for row in READS if row.paged], ids=lambda row: row.id)
def test_every_page_of_a_list_costs_the_same(cast: Cast, row: Operation) -> None:
    first = RECIPES[row.id](cast)
    answer = cast.ada.get(address(row, first), params={**in_query(first), "limit": 1}).json()
    whole = Call(first.path, {**first.query, "limit": 1000})
    none = Call(first.path, {**first.query, "limit": 0})
    one = Call(first.path, {**first.query, "limit": 1})
    calls = [whole, none, one]
    if "next" in answer:
        calls.append(Call(first.path, {**one.query, "page": answer["next"]["page"]}))
    assert max(statements(cast, row, *calls)) <= MOST
