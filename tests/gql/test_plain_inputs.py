"""Variables and arguments that are taken as they are come to what the library makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from graphql.execution import Executor

from app.api.graphql.execution import MAX_ERRORS, Direct
from graphql import GraphQLSchema, build_schema, parse

SCHEMA: GraphQLSchema = build_schema("""
    enum Order { UP DOWN }
    input Filter { title: String!, order: Order }
    type Query {
      list(
        id: ID!, first: Int = 20, after: String, is: Boolean! = false,
        order: Order, orders: [Order!], filter: Filter
      ): String
    }
""")
assert SCHEMA.query_type is not None
SCHEMA.query_type.fields["list"].resolve = lambda _source, _info, **given: repr(sorted(given.items()))

DOCUMENTS = {
    "plain": "query q($id: ID!, $n: Int, $t: String, $b: Boolean!)"
    " { list(id: $id, first: $n, after: $t, is: $b) }",
    "defaults": 'query q($id: ID = "a", $n: Int! = 3) { list(id: $id, first: $n) }',
    "objects": "query q($id: ID!, $f: Filter, $o: [Order!]) { list(id: $id, filter: $f, orders: $o) }",
    "literals": "query q($id: ID!, $t: String!) { list(id: $id, first: 7, after: null, order: DOWN,"
    " orders: [UP], filter: {title: $t}) }",
    "none": '{ list(id: "a", first: null) }',
}
GIVEN: list[dict[str, Any]] = [
    {},
    {"id": "a"},
    {"id": "a", "b": True, "n": 5, "t": "x"},
    {"id": "a", "b": False, "n": None, "t": None},
    {"id": 7, "b": True, "n": 5.0},
    {"id": None, "b": None, "n": True},
    {"id": "a", "b": True, "n": 2**31},
    {"id": "a", "b": True, "n": -(2**31) - 1, "t": 1},
    {"id": ["a"], "b": "true", "n": "5"},
    {"id": "a", "f": {"title": "x", "order": "UP"}, "o": ["UP", "DOWN"], "t": "y"},
    {"id": "a", "f": {"order": "LEFT"}, "o": "UP", "t": "y"},
    {"id": "a", "f": None, "o": None, "unknown": 1},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_what_is_plain_is_what_the_library_makes_of_it(document: str, given: dict[str, Any]) -> None:
    node = parse(document)
    enough = {"id": "a", "b": True, "n": 1, "t": "x"}
    first = Direct.build(SCHEMA, node, raw_variable_values=enough)
    assert isinstance(first, Direct)
    library = Executor.build(SCHEMA, node, raw_variable_values=given, max_coercion_errors=MAX_ERRORS)
    for _ in range(2):
        made = first.again(None, None, given)
        if isinstance(library, list):
            assert isinstance(made, list)
            assert [str(error) for error in made] == [str(error) for error in library]
        else:
            assert isinstance(made, Direct)
            assert made.variable_values.coerced == library.variable_values.coerced
            assert made.variable_values.sources.keys() == library.variable_values.sources.keys()
            assert made.execute_operation() == library.execute_operation()


def test_an_executor_knows_nothing_of_the_request_before() -> None:
    first = Direct.build(SCHEMA, parse(DOCUMENTS["plain"]), raw_variable_values={"id": "a", "b": True})
    assert isinstance(first, Direct)
    given: list[dict[str, Any]] = [{"id": "a", "b": True, "n": 3}, {"id": "b", "b": False}]
    several = [first.again(None, state, values) for state, values in zip("xy", given, strict=True)]
    x, y = (each for each in several if isinstance(each, Direct))
    assert (x.context_value, y.context_value) == ("x", "y")
    assert "('first', 3)" in x.execute_operation().data["list"]
    assert "('first', 20)" in y.execute_operation().data["list"]
    assert x.collected_errors is not y.collected_errors
