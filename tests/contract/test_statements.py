"""What a read costs: at most two statements with the token's, however many rows there are."""

from __future__ import annotations

import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from tests.cast import Cast
from tests.contract.faces import Call, address, in_body, in_query
from tests.contract.recipes import RECIPES, belong_elsewhere
from tests.contract.stage import Stage
from tests.contract.statements import counts

MOST = 2
# What is rendered leaves a record of the event and what the script said, in a transaction of its own.
RECORDED = {"renderIntegrationUIWithGet", "renderIntegrationUIWithPost"}
READS = [row for row in OPERATIONS if not (row.writes or row.public or row.id in RECORDED)]
every_read = pytest.mark.parametrize("row", READS, ids=lambda row: row.id)


@every_read
def test_a_read_costs_two_statements_whatever_there_is(cast: Cast, stage: Stage, row: Operation) -> None:
    call = RECIPES[row.id](cast)
    before = counts(cast, stage, row, call)
    for _ in range(3):
        RECIPES[row.id](cast)  # more of everything in the same organization
    after = counts(cast, stage, row, call)
    assert before == after
    assert 1 <= before[0] <= MOST


@every_read
def test_a_read_costs_as_much_for_who_belongs_to_two_organizations(
    cast: Cast, stage: Stage, row: Operation
) -> None:
    call = RECIPES[row.id](cast)
    belong_elsewhere(cast)
    assert counts(cast, stage, row, call)[0] <= MOST


@pytest.mark.parametrize("row", [row for row in READS if row.paged], ids=lambda row: row.id)
def test_every_page_of_a_list_costs_the_same(cast: Cast, stage: Stage, row: Operation) -> None:
    first = RECIPES[row.id](cast)
    asked = {"params": {**in_query(first), "limit": 1}, **in_body(first)}
    answer = cast.ada.call(row.method, address(row, first), **asked).json()
    whole = Call(first.path, {**first.query, "limit": 1000}, first.body)
    none = Call(first.path, {**first.query, "limit": 0}, first.body)
    one = Call(first.path, {**first.query, "limit": 1}, first.body)
    calls = [whole, none, one]
    if "next" in answer:
        calls.append(Call(first.path, {**one.query, "page": answer["next"]["page"]}, first.body))
    assert max(counts(cast, stage, row, *calls)) <= MOST
