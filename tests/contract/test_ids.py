"""Arguments that name objects: each takes GraphQL's id and REST's, and refuses the id of another type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import strawberry
from strawberry.types.base import StrawberryList, StrawberryOptional

from app.api.catalog import OPERATIONS
from app.api.graphql.converts import rest_ids, under
from app.api.graphql.nodes import named_in, nodes
from app.api.graphql.reading import Reading
from app.api.graphql.schema import DECLARED
from app.api.graphql.writing import Writing
from app.api.operation import Operation
from app.api.writes import REVISION
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import SUCCESS, Call, variables, verdict_of, with_own_ids
from tests.contract.shared_calls import SharedCalls
from tests.contract.write_documents import complete
from tests.factories.changes import insert

Place = tuple[str | int, ...]

OF_NO_TYPE = {"documentId", "eventId", "secretName"}
"""Parameters that name what has no id of GraphQL's own: a document is its page's, an event is told of, and
a secret is only a name."""
OF_ANY_TYPE = {("filter", "target")}
"""Arguments that name objects of whatever type."""
BY_HAND = {"node", "several_nodes", "listed_object", "revision", "preview", "told"}
"""Functions that resolve what no single operation reads, and read their ids themselves."""

every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: row.id)


def arguments() -> Iterator[tuple[str, str, Any, Any]]:
    """Every argument and field of an input that takes ids: its type, its name, its conversion, its field."""
    for declared in DECLARED.types.values():
        for name, each in declared.fields.items():
            if declared.is_input:
                if _takes_ids(each):
                    yield declared.name, name, each.convert, None
                continue
            for argument, given in (each.arguments or {}).items():
                if _takes_ids(given):
                    yield f"{declared.name}.{name}", argument, given.convert, each.resolve


def _takes_ids(argument: Any) -> bool:
    kind = argument.type
    while isinstance(kind, StrawberryOptional | StrawberryList):
        kind = kind.of_type
    return kind is strawberry.ID


def test_every_argument_that_takes_ids_knows_of_which_type() -> None:
    mutations = DECLARED.types["Mutation"].fields
    by_input = {f"{name[0].upper()}{name[1:]}Input": each.resolve for name, each in mutations.items()}
    seen, by_hand = 0, set[str]()
    for where, name, convert, resolve in arguments():
        if name == REVISION:
            continue
        resolve = resolve or by_input.get(where)
        places = resolve.arguments if isinstance(resolve, Reading | Writing) else {}
        if name in places:
            assert isinstance(resolve, Reading | Writing)
            known = frozenset[str]().union(*(row.parameters for row in resolve.rows))
            assert named_in(known, places[name]) or places[name] in OF_NO_TYPE, (where, name)
        elif convert is not None:
            inner = convert.args[2] if convert.func is under else convert
            assert inner.func is rest_ids, (where, name)
        else:
            by_hand.add(str(getattr(getattr(resolve, "func", resolve), "__name__", resolve)))
        seen += 1
    assert seen > 400
    assert by_hand == BY_HAND


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_revision_that_is_expected_is_named_by_either_id(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for form in ("id", "restId"):
        shown = cast.ed.ask("query ($s: ID!) { space(id: $s) { currentRevision { id restId } } }", s=space)
        given = {"space": space, "expectedRevision": shown["space"]["currentRevision"][form]}
        change = {"insertPage": {"title": "Lamp", "document": {"markdown": "Lit."}}}
        cast.ed.mutate("changeContent", changes=[change], **given)
        assert cast.ed.refused("changeContent", changes=[change], **given) == "PRECONDITION_FAILED"
    wrong = {"space": space, "expectedRevision": f"Space:{space}", "changes": [change]}
    assert cast.ed.refused("changeContent", **wrong) == "BAD_REQUEST"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_page_of_a_preview_is_named_by_either_id(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = make.changes(cast.ed, space, insert("Lamp"))["changes"][0]["page"]["id"]
    asked = """query ($s: ID!, $p: ID!) { space(id: $s) { preview(markdown: "*Lit*", page: $p)
        page(id: $p) { id } } }"""
    plain = cast.ed.ask(asked, s=space, p=page)["space"]
    own = cast.ed.ask(asked, s=space, p=plain["page"]["id"])["space"]
    assert own == plain
    assert "Lit" in own["preview"]
    found = cast.ed.gql(asked, s=space, p=f"Space:{space}")
    assert [error["extensions"]["code"] for error in found["errors"]] == ["BAD_REQUEST"] * 2


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@every_operation
def test_ids_of_another_type_are_refused_and_those_of_rest_are_taken(
    shared_calls: SharedCalls, operation: Operation
) -> None:
    """That GraphQL's own ids are taken is a part of `test_faces`."""
    cast, call = shared_calls.to_run(operation)
    values = variables(operation, call)
    for place in places(values, with_own_ids(operation, call, values)):
        if place[-2:] in OF_ANY_TYPE:
            continue
        own = at(with_own_ids(operation, call, values), place)
        for wrong in others(own):
            told, verdict = ask(cast, call, operation, put(values, place, wrong))
            assert verdict == 400, (place, wrong, told)
            assert "This id is of the type" in str(told), (place, told)
    told, verdict = ask(cast, call, operation, values)
    assert verdict == SUCCESS, told


def ask(cast: Cast, call: Call, operation: Operation, values: dict[str, Any]) -> tuple[Any, str | int]:
    """Return what is answered to these variables, and what that says of the call."""
    person: Person = call.caller or cast.ada
    body = {"query": complete(operation), "variables": values, "operationName": operation.id}
    found = person.post("/graphql", body).json()
    return found, verdict_of(operation, found)


def others(own: str) -> Iterator[str]:
    """Ids of other types, those among them that REST names by the same parameter."""
    node = nodes()[own.partition(":")[0]]
    yield "Collection:x" if node.own == "spaceId" else "Space:x"
    for each in nodes().values():
        if each.own == node.own and len(each.parameters) > len(node.parameters):
            yield each.id_of(tuple("x" for _ in each.parameters))


def places(plain: Any, own: Any, at: Place = ()) -> Iterator[Place]:
    """Return where two values differ: where there is an id."""
    if isinstance(plain, dict):
        for name, each in plain.items():
            yield from places(each, own[name], (*at, name))
    elif isinstance(plain, list):
        for n, each in enumerate(plain):
            yield from places(each, own[n], (*at, n))
    elif plain != own:
        yield at


def at(value: Any, place: Place) -> Any:
    """Return what is at a place."""
    for each in place:
        value = value[each]
    return value


def put(value: Any, place: Place, what: Any) -> Any:
    """Return the same value with something else at a place."""
    if not place:
        return what
    first, *rest = place
    found = dict(value) if isinstance(value, dict) else list(value)
    found[first] = put(value[first], tuple(rest), what)  # type: ignore[index]
    return found
