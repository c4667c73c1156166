"""The cost of a query: the same however it is spelled, and told before anything is executed."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.catalog import OPERATIONS
from app.api.graphql.documents import Documents, Unfit
from app.api.graphql.execution import Direct
from app.api.graphql.server import COSTS
from app.api.graphql.weights import LENGTHS, WEIGHTS
from graphql import (
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    OperationDefinitionNode,
    get_introspection_query,
    get_named_type,
    is_composite_type,
    is_enum_type,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
    is_required_input_field,
    parse,
    type_from_ast,
)
from tests.cast import Cast
from tests.contract.write_documents import complete
from tests.gql.query_spellings import CORE, Spelling, question
from tests.scale import scaled

LIMIT = 200_000
documents = Documents(CORE)


def cost(text: str, variables: dict[str, Any] | None = None) -> int:
    """Return the cost of a document."""
    executor = Direct.build(CORE, documents.read(text).node, None, None, variables)
    assert isinstance(executor, Direct), executor
    return COSTS.of(executor)


@settings(max_examples=scaled(25, full=400))
@given(seed=st.integers(0, 2**32))
def test_every_spelling_costs_the_same(seed: int) -> None:
    chance = random.Random(seed)
    asked = question(chance)
    plain = Spelling(chance, plain=True).document(asked)
    costs = []
    for spelling in [Spelling(chance) for _ in range(4)]:
        text = spelling.document(asked)
        try:
            costs.append((cost(text, spelling.variables), text))
        except Unfit as unfit:  # fragments in fragments can make it larger than a document may be
            if "at most" not in str(unfit):
                raise
    assert {each for each, _ in costs} <= {cost(plain)}, (plain, costs)


def test_most_questions_are_fit_to_run() -> None:
    chance, fit = random.Random(1), 0
    for _ in range(50):
        try:
            documents.read(Spelling(chance).document(question(chance)))
            fit += 1
        except Unfit:
            pass
    assert fit > 40


BY_VARIABLE = "query ($n: Int!) { me { organizations(first: $n) { nodes { id } } } }"
SPELLINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "plainly": ("{ me { organizations(first: 40) { nodes { id } } } }", {}),
    "in fragments": (
        "{ me { ... { organizations(first: 40) { ... on OrganizationConnection { nodes { id } } } } } }",
        {},
    ),
    "in named fragments": (
        """{ me { organizations(first: 40) { ...F } } }
        fragment F on OrganizationConnection { nodes { ...G } }
        fragment G on Organization { id }""",
        {},
    ),
    "through interfaces": (
        "{ me { organizations(first: 40) { nodes { ... on Node { id } ... on Node { ... { id } } } } } }",
        {},
    ),
    "by variable": (BY_VARIABLE, {"n": 40}),
    "as a float": (BY_VARIABLE, {"n": 40.0}),
    "by default": (BY_VARIABLE.replace("Int!", "Int! = 40"), {}),
    "by default of what may be null": (BY_VARIABLE.replace("Int!", "Int = 40"), {}),
    "under other names": ("{ w: me { x: organizations(first: 40) { y: nodes { z: id } } } }", {}),
    "twice": (
        """{ me {
          organizations(first: 40) { nodes { id } } ... { organizations(first: 40) { nodes { id } } }
        } }""",
        {},
    ),
    "with directives": (
        """query ($yes: Boolean!) {
          me {
            organizations(first: 40) @include(if: $yes) {
              nodes @skip(if: false) { id }
              edges @skip(if: $yes) { node { title } }
            }
          }
        }""",
        {"yes": True},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_an_answer_tells_what_its_query_cost(cast: Cast, name: str) -> None:
    text, variables = SPELLINGS[name]
    answer = cast.ada.gql(text, **variables)
    assert "errors" not in answer
    assert answer["extensions"]["cost"] == {"requested": cost(SPELLINGS["plainly"][0]), "limit": LIMIT}


def test_an_alias_costs_what_it_asks_for_again() -> None:
    both = "{ a: integrations(first: 7) { b: nodes { c: id } } integrations(first: 7) { nodes { id } } }"
    assert cost(both) == 2 * cost("{ integrations(first: 7) { nodes { id } } }")


def _aliased(count: int, field: str) -> str:
    return " ".join(f"a{n}: {field}" for n in range(count))


COUNT = "{ totalCount }"
FOUR = f"nodes {{ collections {COUNT} teams {COUNT} sites {COUNT} children {COUNT} }}"
ATTACKS: dict[str, tuple[str, dict[str, Any]]] = {
    "nodes in inline fragments": (
        """{ me { organizations(first: 1000) {
          ... { nodes { spaces(first: 1000) { ... { nodes { id } } } } }
        } } }""",
        {},
    ),
    "a float for a number": (
        """query ($n: Int!) {
          me { organizations(first: $n) { nodes { spaces(first: $n) { nodes { id } } } } }
        }""",
        {"n": 1000.0},
    ),
    "edges in named fragments": (
        """{ me { organizations(first: 1000) { edges { ...E } } } }
        fragment E on OrganizationEdge { node { spaces(first: 1000) { edges { node { id } } } } }""",
        {},
    ),
    "many counts of many organizations": (
        f"{{ me {{ {_aliased(45, f'organizations(first: 150) {{ ... {{ {FOUR} }} }}')} }} }}",
        {},
    ),
    "many documents": (
        f'{{ space(id: "x") {{ {_aliased(50, "page(id: 1) { document }")} }} }}',
        {},
    ),
    "documents of all pages": ('{ space(id: "x") { pageList(first: 100) { nodes { document } } } }', {}),
    "documents of a tree": ('{ space(id: "x") { pages { document pages { document } } } }', {}),
    "the last of a list": (
        "{ me { organizations(last: 1000) { nodes { spaces(first: 1, last: 1000) { nodes { id } } } } } }",
        {},
    ),
    "bodies of replies of comments": (
        """{ space(id: "x") { comments(first: 50) { nodes {
          replies(first: 50) { edges { node { body { ... { document } } } } } } } } }""",
        {},
    ),
    "nodes through their interface": (
        "query ($ids: [ID!]!) { nodes(ids: $ids) {"
        f" ... on Content {{ {_aliased(9, 'pages { title }')} }} }} }}",
        {"ids": [f"Space:{n}" for n in range(100)]},
    ),
    "a search of every space": (
        '{ organization(id: "x") { spaces(first: 100) { nodes { search(query: "a") { totalCount } } } } }',
        {},
    ),
    "a difference of every change": (
        """{ space(id: "x") { changeRequests(first: 200) {
          nodes { page(id: "p") { diff { hunks { lines { text } } } } } } } }""",
        {},
    ),
    "many merges": (
        f"mutation {{ {_aliased(20, 'mergeChangeRequest(input: {changeRequest: 2}) { __typename }')} }}",
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_what_costs_too_much_is_refused_with_both_numbers(cast: Cast, name: str) -> None:
    text, variables = ATTACKS[name]
    answer = cast.ria.post("/graphql", {"query": text, "variables": variables})
    assert answer.status_code == 200
    assert "data" not in answer.json()
    (error,) = answer.json()["errors"]
    told = error["extensions"].pop("cost")
    assert error["extensions"] == {"code": "TOO_COSTLY", "status": 400}
    assert told["limit"] == LIMIT < told["requested"]
    assert str(told["requested"]) in error["message"]
    assert str(told["limit"]) in error["message"]


def test_only_the_operation_that_is_asked_for_counts(cast: Cast) -> None:
    text = f"query Small {{ me {{ restId }} }} query Large {ATTACKS['nodes in inline fragments'][0]}"
    asked = {"query": text, "operationName": "Small"}
    assert cast.ada.post("/graphql", asked).json()["data"] == {"me": {"restId": cast.ada.id}}
    assert cast.ada.post("/graphql", {**asked, "operationName": "Large"}).json().keys() == {"errors"}


def test_no_number_makes_a_query_cheaper() -> None:
    least = cost(BY_VARIABLE, {"n": 1})
    assert [cost(BY_VARIABLE, {"n": n}) for n in (0, -1, -(2**31), 2)] == [least, least, least, least + 1]


def test_a_list_of_which_nobody_says_how_long_it_is_costs_what_it_reads() -> None:
    said = cost("{ me { organizations(first: 20) { nodes { id } } } }")
    assert cost("{ me { organizations { nodes { id } } } }") == said
    assert cost("{ me { organizations(first: null) { nodes { id } } } }") == said
    assert cost("query ($n: Int) { me { organizations(first: $n) { nodes { id } } } }") == said


def test_introspection_is_bounded_too() -> None:
    asked = get_introspection_query(input_value_deprecation=True, schema_description=True)
    assert LIMIT / 10 < cost(asked) < LIMIT / 2


ALL_CONTENT = {"currentRevision", "revision", "pages"}  # whole trees, four levels deep
LARGE_ITEMS = {"links", "backlinks", "integrations", "sectionGroups"}  # with whole objects in each


def test_the_documents_of_the_operations_stay_far_below_the_limit() -> None:
    for row in OPERATIONS:
        text = complete(row)
        operation = parse(text).definitions[0]
        assert isinstance(operation, OperationDefinitionNode)
        variables = {
            each.variable.name.value: _least(type_from_ast(CORE, each.type))
            for each in operation.variable_definitions or ()
            if each.default_value is None
        }
        field = row.field.rpartition(".")[2]
        most = 500 if field in LARGE_ITEMS else 1000
        small, large = ({name: size for name in ("first",) if name in variables} for size in (50, most))
        part = 2 if field in ALL_CONTENT else 5
        assert cost(text, {**variables, **small}) <= LIMIT / part, row.id
        assert cost(text, {**variables, **large}) <= LIMIT, row.id


def _least(kind: Any) -> Any:
    """The least that an argument of this type takes."""
    if not is_non_null_type(kind):
        return None
    kind = kind.of_type
    if is_list_type(kind):
        return []
    if is_input_object_type(kind):
        if kind.is_one_of:
            name, each = next(iter(kind.fields.items()))
            return {name: _least(GraphQLNonNull(each.type))}
        needed = [(name, each) for name, each in kind.fields.items() if is_required_input_field(each)]
        return {name: _least(each.type) for name, each in needed}
    if is_enum_type(kind):
        return next(iter(kind.values))
    return {"Int": 1, "Float": 1.0, "Boolean": True, "JSON": {}}.get(kind.name, "x")


def _fields() -> list[tuple[GraphQLObjectType, str, GraphQLField]]:
    kinds = [kind for kind in CORE.type_map.values() if is_object_type(kind)]
    return [(kind, name, each) for kind in kinds for name, each in kind.fields.items()]


def test_every_list_of_objects_has_a_known_length() -> None:
    sizes = {"first", "last"}
    sized = {get_named_type(each.type) for _, _, each in _fields() if sizes.intersection(each.args)}
    lists = [
        (kind, name, each)
        for kind, name, each in _fields()
        if not COSTS.weight(kind, name, each).per
        if is_list_type(getattr(each.type, "of_type", each.type)) or is_list_type(each.type)
        if is_composite_type(get_named_type(each.type)) and not sizes.intersection(each.args)
    ]
    unknown = {
        f"{kind.name}.{name}"
        for kind, name, each in lists
        if kind not in sized and COSTS.weight(kind, name, each).items is None
    }
    assert not unknown


def test_only_lists_have_a_length() -> None:
    lists = {f"{kind.name}.{name}" for kind, name, each in _fields() if "[" in str(each.type)}
    assert LENGTHS.keys() <= lists


def test_only_fields_and_arguments_that_exist_have_weights() -> None:
    arguments = {f"{kind.name}.{name}": set(each.args) for kind, name, each in _fields()}
    for name, weight in WEIGHTS.items():
        assert {argument for argument, _ in weight.when} <= arguments[name], name
