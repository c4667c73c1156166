"""The engine of costs over any schema and table: abstract types, lists, arguments, and what it remembers."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.graphql.cost import Costs, Weight
from app.api.graphql.documents import Documents
from app.api.graphql.execution import Direct
from graphql import GraphQLError, GraphQLSchema, build_schema

SCHEMA = build_schema(
    """
    interface Node { id: ID! }
    type Query {
      node(id: ID): Node
      nodes(first: Int = 20, last: Int): [Node!]!
      named(ids: [ID!]): [Node]!
      search(first: Int): SearchConnection!
      lookup(first: Int = 20, for: ID): SearchConnection
      grid: [[Part]]
    }
    type Small implements Node { id: ID! }
    type Large implements Node { id: ID!  parts(first: Int): [Part!]!  text(as: Form = PLAIN): String }
    type Part { name: String  rich(really: Boolean = false): String }
    enum Form { PLAIN  RICH }
    union Found = Small | Large | Part
    type SearchConnection { edges: [SearchEdge!]!  nodes: [Found!]!  totalCount: Int!  page: Int! }
    type SearchEdge { node: Found! }
    """
)
TABLE = {
    "Large.text": Weight(10, when={("as", "RICH"): Weight(100)}),
    "Part.rich": Weight(when={("really", "true"): Weight(7)}),
    "Query.grid": Weight(items=3),
    "SearchConnection.edges": Weight(each=3),
    "Query.named": Weight(0, each=2, per="ids"),
    "Query.search": Weight(1, each=5),
    "Query.lookup": Weight(9, each=5, counted=2),
}
COSTS = Costs(SCHEMA, lambda kind, name, _field: TABLE.get(f"{kind.name}.{name}", Weight()), page=50)


def executor(text: str, variables: dict[str, Any] | None = None, schema: GraphQLSchema = SCHEMA) -> Direct:
    """Return the executor of a document."""
    found = Direct.build(schema, Documents(schema).read(text).node, None, None, variables)
    assert isinstance(found, Direct), found
    return found


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("{ node { id } }", 2),
        ("{ node { id ... on Large { parts(first: 5) { name } } } }", 1 + 1 + 1 + 5),
        ("{ node { ... on Small { id } ... on Large { text } } }", 1 + 10),
        ("{ node { ... on Large { ...L } } } fragment L on Large { text(as: RICH) }", 1 + 110),
        ("{ nodes { id } }", 1 + 20),
        ("{ nodes(first: null) { id } }", 1 + 50),
        ("{ nodes(first: 3, last: 9) { id } }", 1 + 9),
        ("{ nodes(first: 3) { ... on Small { id } } }", 1 + 3),
        ("{ nodes { id @skip(if: true) ... @include(if: false) { id } __typename } }", 1 + 20),
        ("{ search(first: 4) { edges { node { ... on Part { name } } } } }", 21 + (1 + 4 * 3) + 4 * (1 + 1)),
        ("{ search { nodes { __typename ... on Small { id } } } }", 251 + 1 + 50 * 2),
        ("{ search { totalCount page } }", 251 + 2),
        ("{ search(first: 4) { totalCount } }", 1 + 1),
        (
            "{ search { totalCount } search { ... { ...C } } } fragment C on SearchConnection { totalCount }",
            2,
        ),
        ("{ search { totalCount } search { ... { ...C } } } fragment C on SearchConnection { page }", 253),
        ("{ lookup { totalCount } }", 2),
        ('{ lookup(for: "x") { totalCount } }', 9 + 1),
        ("{ lookup(first: 20) { totalCount } }", 9 + 1),
        ("{ lookup { totalCount page } }", 9 + 20 * 5 + 2),
        ("{ named { id } }", 2 + 1),
        ('{ named(ids: "x") { id } }', 2 + 1),
        ('{ named(ids: ["x", "y"]) { id } }', 2 * 3),
        ('query ($i: [ID!] = ["x", "y", "z"]) { named(ids: $i) { id } }', 3 * 3),
        ("{ grid { name } }", 1 + 9),
        ("{ grid { rich(really: true) } }", 1 + 9 * 8),
        ("query ($f: Form = RICH) { node { ... on Large { text(as: $f) } } }", 1 + 110),
        ("query ($f: Form) { node { ... on Large { text(as: $f) } } }", 1 + 10),
    ],
)
def test_what_a_query_costs(text: str, cost: int) -> None:
    assert COSTS.of(executor(text)) == cost


def test_what_is_remembered_depends_on_the_variables() -> None:
    text = """query ($n: Int, $f: Form, $i: ID) {
      nodes(first: $n) { id ... on Large { text(as: $f) } }
      node(id: $i) { id }
    }"""
    known = executor(text).known
    asked: list[tuple[dict[str, Any], int, int]] = [
        ({}, 20, 11),
        ({"n": 5}, 5, 11),
        ({"n": 5, "i": "x"}, 5, 11),
        ({"n": None}, 50, 11),
        ({"n": 5}, 5, 11),
        ({"n": 5, "f": "RICH"}, 5, 111),
    ]
    for variables, items, each in asked:
        again = executor(text, variables)
        again.recall(known)
        assert COSTS.of(again) == 1 + items * each + 2, variables
    assert len(known.costs.costs) == 4


def test_a_field_that_cannot_be_executed_costs_itself() -> None:
    """A variable may be null although its argument may not: then the executor refuses the field."""
    schema = build_schema("type Query { list(first: Int! = 3): [Query]  id: ID }")
    costs = Costs(schema, lambda *_: Weight(), page=50)
    text = "query ($n: Int = 5) { list(first: $n) { id } }"
    known = executor(text, schema=schema).known
    for number, cost in [(None, 1), (5, 6), (7, 8), (None, 1), (7, 8)]:
        again = executor(text, {"n": number}, schema)
        again.recall(known)
        assert costs.of(again) == cost


def test_types_that_multiply_are_bounded() -> None:
    """At each level every type has fields of its own, so that there are 4 to the power of 12 combinations."""
    kinds = [f"T{n}" for n in range(4)]
    types = " ".join(f"type {kind} implements I {{ i: I  n: Int }}" for kind in kinds)
    schema = build_schema(f"type Query {{ i: I }} interface I {{ i: I  n: Int }} {types}")
    text = "n"
    for _ in range(12):
        text = f"i {{ {text} }} " + " ".join(f"... on {kind} {{ i {{ n }} }}" for kind in kinds)
    with pytest.raises(GraphQLError, match="too many types"):
        Costs(schema, lambda *_: Weight(), page=50).of(executor(f"{{ i {{ {text} }} }}", schema=schema))
