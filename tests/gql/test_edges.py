"""`edges` reads what `nodes` reads of a list: of each row the fields that are asked for, and nothing else."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from graphql.execution import Executor

from app.api.graphql.connections import page_source
from app.api.graphql.documents import Documents
from app.api.graphql.execution import Direct
from app.kit.database.paging import Page
from app.present.shape import ShownRows
from app.present.spaces import space
from graphql import ExecutionResult
from tests.gql.random_queries import SCHEMA

MANY = 30
ROWS = [SimpleNamespace(id=f"space{n}", title=f"Space {n}") for n in range(MANY)]
EXPECTED = [{"restId": row.id, "title": row.title} for row in ROWS]


def answered(kind: type[Executor[Any]], asked: str, rows: list[Any]) -> Any:
    """The data of a list whose rows have the columns of `ROWS` alone: they cannot be shown whole."""
    shown = ShownRows(None, space, rows, None)
    source = {"spaceConnection": page_source(shown, Page(rows, MANY, cursor=lambda n: f"after {n}"))}
    document = Documents(SCHEMA).read(f"{{ spaceConnection {{ {asked} }} }}")

    async def run() -> ExecutionResult:
        executor: Any = kind.build(SCHEMA, document.node, root_value=source)
        assert not isinstance(executor, list)
        result = executor.execute_operation()
        return result if isinstance(result, ExecutionResult) else await result

    found = asyncio.run(run())
    assert found.errors is None, found.errors
    assert found.data is not None
    return found.data["spaceConnection"]


def test_rows_are_read_by_the_fields_that_are_asked_for() -> None:
    assert answered(Direct, "nodes { restId title }", ROWS) == {"nodes": EXPECTED}
    found = answered(Direct, "edges { cursor kind: __typename node { restId title } again: cursor }", ROWS)
    assert found["edges"] == [
        {"cursor": f"after {n}", "kind": "SpaceEdge", "node": node, "again": f"after {n}"}
        for n, node in enumerate(EXPECTED)
    ]


@pytest.mark.parametrize(
    "asked", ["edges { node { restId title } }", "edges { cursor }", "edges { __typename }"]
)
def test_a_list_without_items_has_no_edges(asked: str) -> None:
    assert answered(Direct, asked, []) == {"edges": []}
