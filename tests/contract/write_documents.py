"""Writes `graphql/`: the schema, and one document per operation, as a client of that face would keep it.

    python -m tests.contract.write_documents

The variables of a document are named like REST's path and query parameters, and `$body` is its body, so that
one set of inputs serves both faces. A document asks for every field of its answer; what contains itself
(pages in pages) is asked for four levels deep.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.api.catalog import OPERATIONS
from app.api.graphql.schema import schema, sdl
from app.api.operation import Operation
from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLUnionType,
    Undefined,
    get_named_type,
    is_leaf_type,
    is_required_argument,
    parse,
    print_ast,
)

FOLDER = Path(__file__).parents[2] / "graphql" / "operations"
LEVELS = 4
CORE = schema._schema

ARGUMENTS = {"first": "limit", "after": "page", "path": "pagePath"}
ONLY_IN_REST = {"compat"}  # chooses between two answers; GraphQL has one


def fields_of(operation: Operation) -> list[tuple[str, GraphQLField]]:
    """The fields on the way to the answer of an operation, with their names."""
    kind: Any = CORE.mutation_type if operation.writes else CORE.query_type
    way = []
    for name in operation.field.split("."):
        way.append((name, kind.fields[name]))
        kind = get_named_type(kind.fields[name].type)
    return way


def document(operation: Operation) -> str:
    """The document of an operation."""
    way = fields_of(operation)
    kinds: dict[str, str] = {}
    writer = _Selections()
    body = writer.of(way[-1][1].type)
    for field_name, field in reversed(way):
        found = {name: _variable(operation, field_name, name, given) for name, given in field.args.items()}
        names = {name: variable for name, variable in found.items() if variable}
        kinds = {**{variable: _type(field.args[name]) for name, variable in names.items()}, **kinds}
        body = f"{{ {field_name}{_list(f'{name}: ${variable}' for name, variable in names.items())} {body} }}"
    kind = "mutation" if operation.writes else "query"
    head = f"{kind} {operation.id}{_list(f'${name}: {type_}' for name, type_ in kinds.items())}"
    return print_ast(parse("\n".join([f"{head} {body}", *writer.fragments.values()]))) + "\n"


def inputs(operation: Operation) -> list[str]:
    """What REST calls the inputs of an operation, besides its body."""
    in_query = operation.query.model_fields.items() if operation.query else ()
    names = [*operation.parameters, *(shape.alias or name for name, shape in in_query)]
    return [name for name in names if name not in ONLY_IN_REST]


def _variable(operation: Operation, field: str, argument: str, given: GraphQLArgument) -> str | None:
    """What a client calls an argument: as REST calls it; None for an optional one that REST has not."""
    if isinstance(get_named_type(given.type), GraphQLInputObjectType):
        return "body"
    known = inputs(operation)
    last = operation.parameters[-1] if operation.writes and is_required_argument(given) else ""
    for name in (ARGUMENTS.get(argument), f"{field if argument == 'id' else argument}Id", argument, last):
        if name in known:
            return name
    assert not is_required_argument(given), f"{operation.id}: REST has nothing for {argument!r} of {field!r}"
    return None


def _list(items: Iterable[str]) -> str:
    listed = ", ".join(items)
    return f"({listed})" if listed else ""


def _type(given: GraphQLArgument) -> str:
    """The variable's type; where the argument has a default, the variable may be left out."""
    return str(given.type) if given.default_value is Undefined else str(given.type).rstrip("!")


class _Selections:
    """Writes selections; the fields of a type that contains itself become a fragment."""

    def __init__(self) -> None:
        self.fragments: dict[str, str] = {}

    def of(self, kind: GraphQLOutputType, level: int = 1) -> str:
        named = get_named_type(kind)
        if is_leaf_type(named):
            return ""
        if isinstance(named, GraphQLUnionType):
            parts = " ".join(f"... on {member.name} {self.of(member)}" for member in named.types)
            return f"{{ {parts} }}"
        assert isinstance(named, GraphQLObjectType)
        inside = [name for name, field in _plain_fields(named) if get_named_type(field.type) is named]
        if not inside:
            return f"{{ {self._fields(named)} }}"
        self.fragments.setdefault(named.name, "")
        if not self.fragments[named.name]:
            self.fragments[named.name] = (
                f"fragment {named.name}Fields on {named.name} {{ {self._fields(named)} }}"
            )
        deeper = [f"{name} {self.of(kind, level + 1)}" for name in inside if level < LEVELS]
        return f"{{ ...{named.name}Fields {' '.join(deeper)} }}"

    def _fields(self, kind: GraphQLObjectType) -> str:
        skipped = {"edges"} if kind.name.endswith("Connection") else set()
        return " ".join(
            f"{name} {self.of(field.type)}"
            for name, field in _plain_fields(kind)
            if name not in skipped and get_named_type(field.type) is not kind
        )


def _plain_fields(kind: GraphQLObjectType) -> list[tuple[str, GraphQLField]]:
    """The fields of a shape; those with arguments are questions of their own."""
    return [(name, field) for name, field in kind.fields.items() if not field.args]


def write() -> None:
    """Write the schema and the documents of all operations, and remove those of none."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER.parent / "schema.graphql").write_text(sdl(), encoding="utf-8")
    ids = {operation.id for operation in OPERATIONS}
    for left in FOLDER.glob("*.graphql"):
        if left.stem not in ids:
            left.unlink()
    for operation in OPERATIONS:
        (FOLDER / f"{operation.id}.graphql").write_text(document(operation), encoding="utf-8")


if __name__ == "__main__":
    write()
