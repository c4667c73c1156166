"""What a read costs: at most two statements with the token's, however many rows there are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import httpx
import pytest

from app.kit.statements import Compiled
from app.main import House, create_app
from app.rest.every import OPERATIONS
from app.rest.operation import Operation
from tests.cast import Cast
from tests.contract.faces import Call, address, in_body, in_query
from tests.contract.recipes import RECIPES, belong_elsewhere

MOST = 2
# What is rendered leaves a record of the event and what the script said, in a transaction of its own.
RECORDED = {"renderIntegrationUIWithGet", "renderIntegrationUIWithPost"}
READS = [row for row in OPERATIONS if not (row.writes or row.public or row.id in RECORDED)]
every_read = pytest.mark.parametrize("row", READS, ids=lambda row: row.id)


def statements(cast: Cast, row: Operation, *calls: Call) -> list[int]:
    """How many statements each of these calls runs, in an application of its own on the same database."""
    return asyncio.run(_statements(cast, row, calls))


async def _statements(cast: Cast, row: Operation, calls: Sequence[Call]) -> list[int]:
    app = create_app(cast.house.settings)
    house: House = app.state.house
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", headers=headers)
    counts = []
    try:
        await house.ready()
        for call in calls:
            with counting() as ran:
                answer = await client.request(
                    row.method, address(row, call), params=in_query(call), **in_body(call)
                )
            assert answer.status_code == 200, answer.text
            counts.append(len(ran))
    finally:
        await client.aclose()
        await house.close()
    return counts


@contextmanager
def counting() -> Iterator[list[str]]:
    """Notes every statement that this thread gives to a driver: each needs its arguments once."""
    ran: list[str] = []
    here, arguments = get_ident(), Compiled.arguments

    def noting(compiled: Compiled, values: dict[str, Any]) -> Sequence[Any]:
        if get_ident() == here:  # the running product has a thread of its own
            ran.append(compiled.text)
        return arguments(compiled, values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiled, "arguments", noting)
        yield ran


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
    asked = {"params": {**in_query(first), "limit": 1}, **in_body(first)}
    answer = cast.ada.call(row.method, address(row, first), **asked).json()
    whole = Call(first.path, {**first.query, "limit": 1000}, first.body)
    none = Call(first.path, {**first.query, "limit": 0}, first.body)
    one = Call(first.path, {**first.query, "limit": 1}, first.body)
    calls = [whole, none, one]
    if "next" in answer:
        calls.append(Call(first.path, {**one.query, "page": answer["next"]["page"]}, first.body))
    assert max(statements(cast, row, *calls)) <= MOST
