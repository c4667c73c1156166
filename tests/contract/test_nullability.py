"""One refused field blanks no screen: an error stays on its field, whoever asks (threat: refused fields)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.api.catalog import OPERATIONS
from app.api.graphql.execution import FIELD
from app.api.operation import Operation
from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLUnionType,
    OperationDefinitionNode,
    SelectionSetNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    get_named_type,
    is_leaf_type,
    is_list_type,
    is_required_argument,
    parse,
    print_ast,
    visit,
)
from tests import make
from tests.cast import Cast
from tests.contract.faces import variables
from tests.contract.objects import Kind, kinds
from tests.contract.recipes import RECIPES
from tests.contract.selections import CORE, PAGES
from tests.contract.shared_calls import SharedCalls
from tests.contract.write_documents import complete

KINDS = list(kinds())
READS = [row for row in OPERATIONS if not row.writes]
WRITES = [row for row in OPERATIONS if row.writes]
ROOTS = (CORE.query_type, CORE.mutation_type)
IN_PAGES = """query ($space: ID!, $request: ID!, $ids: [ID!]!) {
  rateLimit { cost }
  node(id: $space) { id }
  nodes(ids: $ids) { id ... on Space { etag } }
  space(id: $space) {
    preview(markdown: "A *word*.")
    page(path: "readme") { blocks { ... on Paragraph { runs { ...Runs } } } }
    changeRequest(id: $request) { preview(markdown: "A *word*.") }
  }
}
fragment Runs on Run {
  ... on LinkRun { target {
    space { id } page { id } file { id } reusableContent { id }
  } }
  ... on MentionRun { user { id } }
}"""
"""What only a page with links and people leads to, and what takes a text or ids."""
TOLD = "who is told of a change is looked up for each change (tests/gql/test_subscriptions.py)"
NOT_ASKED = {
    **dict.fromkeys(
        (
            *("Subscription.spaceChanged", "Subscription.changeRequestChanged"),
            *("Subscription.commentChanged", "Subscription.jobChanged"),
            *("SpaceChange.space", "ChangeRequestChange.space", "ChangeRequestChange.changeRequest"),
            *("CommentChange.space", "CommentChange.changeRequest", "CommentChange.comment"),
            *(
                "CommentChange.commentReply",
                "JobChange.organization",
                "JobChange.space",
                "JobChange.importRun",
            ),
        ),
        TOLD,
    ),
}
"""Resolved fields that no document here asks for, and why."""
OURS: dict[str, list[str]] = {}
WHOLE = {"edges", "nodes"}  # of what was read already: the items of a list


def resolved() -> Iterator[tuple[str, str, GraphQLField]]:
    """All fields that are resolved by more than a look at their source, outside of the root of mutations."""
    for name, kind in CORE.type_map.items():
        if isinstance(kind, GraphQLObjectType) and name != "Mutation" and not name.startswith("__"):
            for field, definition in kind.fields.items():
                ours = (definition.extensions or {}).get(FIELD)
                if ours is not None and ours.resolve is not None:
                    yield name, field, definition


for _kind, _name, _field in resolved():
    if not is_leaf_type(get_named_type(_field.type)) and not any(
        map(is_required_argument, _field.args.values())
    ):
        OURS.setdefault(_kind, []).append(_name)


def needs(kind: str, name: str) -> bool:
    """Tell whether a field needs an argument."""
    shape = CORE.type_map[kind]
    assert isinstance(shape, GraphQLObjectType)
    return any(is_required_argument(argument) for argument in shape.fields[name].args.values())


def everything(kind: GraphQLObjectType, deep: int = 3) -> str:
    """A selection of all fields of a type that need no argument."""
    found = ["__typename"]
    for name, field in kind.fields.items():
        if needs(kind.name, name):
            continue
        inner = get_named_type(field.type)
        if is_leaf_type(inner):
            found.append(name)
        elif isinstance(inner, GraphQLUnionType):
            found.append(f"{name} {_of_members(inner)}")
        elif not isinstance(inner, GraphQLObjectType) or deep == 1:
            found.append(f"{name} {{ __typename }}")
        else:
            found.append(f"{name} {_below(inner, deep, is_list_type(field.type))}")
    return f"{{ {' '.join(found)} }}"


def _of_members(kind: GraphQLUnionType) -> str:
    """A selection of what can be refused of each type of a union."""
    asked = {
        each.name: " ".join(f"{name} {{ __typename }}" for name in OURS.get(each.name, ()))
        for each in kind.types
    }
    return (
        f"{{ __typename {' '.join(f'... on {name} {{ {text} }}' for name, text in asked.items() if text)} }}"
    )


def _below(kind: GraphQLObjectType, deep: int, is_list: bool) -> str:
    if kind.name.endswith("Connection"):
        return "{ totalCount nodes { __typename } edges { cursor } }"
    if "id" in kind.fields or is_list:
        return "{ __typename id }" if "id" in kind.fields else everything(kind, 1)
    return everything(kind, deep - 1)


class Widening(Visitor):
    """Adds to each selection of what is no node all fields that can be refused and need no argument."""

    def __init__(self, info: TypeInfo) -> None:
        super().__init__()
        self.info = info

    def leave_selection_set(self, node: SelectionSetNode, *_: Any) -> Any:
        kind = self.info.get_parent_type()
        if not isinstance(kind, GraphQLObjectType) or "id" in kind.fields or kind in ROOTS:
            return None
        there = {each.name.value for each in node.selections if isinstance(each, FieldNode)}
        more = [name for name in OURS.get(kind.name, ()) if name not in there]
        if not more:
            return None
        added = parse("{" + " ".join(f"{name} {{ __typename }}" for name in more) + "}").definitions[0]
        assert isinstance(added, OperationDefinitionNode)
        return SelectionSetNode(selections=(*node.selections, *added.selection_set.selections))


def widened(operation: Operation) -> str:
    """The document of an operation with the objects that its answer names; trees would cost too much."""
    if complete(operation).count(f"{PAGES} {{") > 2:
        return complete(operation)
    info = TypeInfo(CORE)
    text = complete(operation).replace("first: 1000", "first: 5")
    return print_ast(visit(parse(text), TypeInfoVisitor(info, Widening(info))))


def propagated(answer: dict[str, Any]) -> list[Any]:
    """The errors that made more null than their own fields."""
    return [error for error in answer.get("errors", ()) if not _stayed(answer.get("data"), error.get("path"))]


def _stayed(data: Any, path: list[Any] | None) -> bool:
    for step in path or ():
        if data is None:
            return False
        data = data[step]
    return bool(path) and data is None


def test_every_field_that_can_be_refused_may_be_null() -> None:
    strict = {
        f"{kind}.{name}"
        for kind, name, field in resolved()
        if isinstance(field.type, GraphQLNonNull) and not (kind.endswith("Connection") and name in WHOLE)
    }
    assert strict == {"Query.nodes"}  # whose items may be null


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.node.type}-{kind.row.id}")
def test_all_fields_of_an_object_as_whoever_may_see_little(cast: Cast, kind: Kind) -> None:
    path = kind.made(cast)
    shape = CORE.type_map[kind.node.type]
    assert isinstance(shape, GraphQLObjectType)
    query, given = kind.asked(path, everything(shape))
    assert propagated(cast.ada.gql(query, **given)) == []
    for person in (cast.ria, cast.gus, cast.sol):
        answer = person.gql(query, **given)
        assert "data" in answer, answer
        assert propagated(answer) == []
        assert {error["extensions"]["status"] for error in answer.get("errors", ())} <= {400, 403, 404, 409}


@pytest.mark.parametrize("operation", READS, ids=lambda row: row.id)
def test_each_operation_as_whoever_may_see_little(shared_calls: SharedCalls, operation: Operation) -> None:
    cast, call = shared_calls.of(operation)
    asked = {"query": widened(operation), "variables": variables(operation, call)}
    for person in (cast.ria, cast.gus, cast.sol):
        answer = person.post("/graphql", asked).json()
        assert "data" in answer, answer
        assert propagated(answer) == []


@pytest.mark.parametrize("operation", WRITES, ids=lambda row: row.id)
def test_each_payload_as_whoever_may_see_little(cast: Cast, operation: Operation) -> None:
    call = RECIPES[operation.id](cast)
    asked = {"query": widened(operation), "variables": variables(operation, call)}
    for person in (cast.sol, cast.gus, cast.ria, call.caller or cast.ada):
        answer = person.post("/graphql", asked).json()
        assert answer.get("data"), answer
        assert propagated(answer) == []
        assert answer["data"][operation.field] is not None


def test_what_a_page_leads_to_as_whoever_may_see_little(cast: Cast) -> None:
    hidden = make.filled_space(cast)
    other = cast.ada.get(f"/v1/spaces/{hidden}/content/pages").json()["pages"][0]["id"]
    text = f"[a](/spaces/{hidden}/pages/{other}) [b](/spaces/{hidden}) and [Ed](mention://{cast.ed.id}).\n"
    space = make.filled_space(cast, make.repository({"README.md": text}))
    request = make.change_request(cast.ada, space)["id"]
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    granted = {"role": "read", "users": [cast.gus.id]}
    assert cast.ada.post(f"/v1/spaces/{space}/permissions", granted).status_code == 204
    ids = [f"Space:{hidden}", f"Organization:{cast.organization}", f"User:{cast.ada.id}"]
    given = {"space": f"Space:{space}", "request": request, "ids": ids}
    into, _, whole, _, person, _ = cast.ada.ask(IN_PAGES, **given)["space"]["page"]["blocks"][0]["runs"]
    assert into["target"]["page"]["id"].startswith(f"Page:{hidden}:")
    assert whole["target"]["space"] == {"id": f"Space:{hidden}"}
    assert person["user"] == {"id": f"User:{cast.ed.id}"}
    for person in (cast.ria, cast.gus, cast.sol):
        answer = person.gql(IN_PAGES, **given)
        assert "data" in answer, answer
        assert propagated(answer) == []
        assert answer["data"]["nodes"][0] is None


def test_all_fields_that_can_be_refused_are_asked_for() -> None:
    asked: set[tuple[str, str]] = set()

    class Noting(Visitor):
        def __init__(self, info: TypeInfo) -> None:
            super().__init__()
            self.info = info

        def enter_field(self, node: Any, *_: Any) -> None:
            parent = self.info.get_parent_type()
            if parent is not None:
                asked.add((parent.name, node.name.value))

    texts = [IN_PAGES, *(widened(row) for row in (*READS, *WRITES))]
    for kind in KINDS:
        shape = CORE.type_map[kind.node.type]
        assert isinstance(shape, GraphQLObjectType)
        texts.append(kind.asked(dict.fromkeys(kind.node.parameters, "x"), everything(shape))[0])
    for text in texts:
        info = TypeInfo(CORE)
        visit(parse(text), TypeInfoVisitor(info, Noting(info)))
    known = {f"{kind}.{name}" for kind, name, _ in resolved()}
    assert known - {f"{kind}.{name}" for kind, name in asked} == NOT_ASKED.keys()


def test_a_reader_loses_the_audit_log_of_their_organizations_alone(cast: Cast) -> None:
    make.space(cast.ada, cast.organization)
    asked = "{ me { organizations { nodes { title spaces { totalCount } auditEvents { totalCount } } } } }"
    answer = cast.ria.gql(asked)
    (organization,) = answer["data"]["me"]["organizations"]["nodes"]
    assert organization == {"title": "Analytical Engines", "spaces": {"totalCount": 1}, "auditEvents": None}
    (error,) = answer["errors"]
    assert error["path"] == ["me", "organizations", "nodes", 0, "auditEvents"]
    assert error["extensions"]["code"] == "FORBIDDEN"
    assert cast.ada.ask(asked)["me"]["organizations"]["nodes"][0]["auditEvents"]["totalCount"] > 0
