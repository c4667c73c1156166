"""The rows of the REST face are the agreed operations: no more, no fewer, none otherwise."""

from __future__ import annotations

import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.present.shape import SHAPES
from tests.contract.operation_list import Agreed, agreed, as_agreed


@pytest.mark.parametrize("line", agreed(), ids=lambda line: line.operation)
def test_an_agreed_operation_is_a_row(line: Agreed) -> None:
    rows = {row.id: as_agreed(row) for row in OPERATIONS}
    assert rows.get(line.operation) == line


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)
def test_a_row_is_an_agreed_operation(row: Operation) -> None:
    assert row.id in {line.operation for line in agreed()}


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)
def test_a_row_says_what_it_does_and_what_it_answers(row: Operation) -> None:
    assert row.call.__doc__, f"{row.call.__qualname__} has no docstring"
    assert row.description.endswith(".")
    assert 0 < len(row.summary) <= 50
    assert not row.summary.endswith(".")
    assert row.show is None or row.show in SHAPES, f"{row.show} does not declare its shape"
    assert (row.show is None) == (row.status in (204, 205))


def test_no_operation_is_listed_twice() -> None:
    ids = [row.id for row in OPERATIONS]
    places = [(row.method, row.path) for row in OPERATIONS]
    assert len(set(ids)) == len(ids)
    assert len({row.summary for row in OPERATIONS}) == len(OPERATIONS)
    assert len(set(places)) == len(places)
