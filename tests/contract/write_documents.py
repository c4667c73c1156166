"""Writes `graphql/`: the schema, one document per operation, and the fragments that the documents share.

    python -m tests.contract.write_documents

The variables of a document are named like REST's path and query parameters, and `$body` is its body, so that
one set of inputs serves both faces. A document asks for every field of its answer; what contains itself
(pages in pages) is asked for four levels deep. `complete` adds the fragments that a document needs, as the
tools of frontends do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
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

GRAPHQL = Path(__file__).parents[2] / "graphql"
FOLDER = GRAPHQL / "operations"
FRAGMENTS = GRAPHQL / "fragments.graphql"
FEW = 3  # fields that are written where they are asked for
LEVELS = 4
SPREAD = re.compile(r"\.\.\.(\w+Fields)\b")
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
    """Return the document of an operation, without the fragments that it shares with others."""
    way = fields_of(operation)
    kinds: dict[str, str] = {}
    body = selection(way[-1][1].type)
    for field_name, field in reversed(way):
        found = {name: _variable(operation, field_name, name, given) for name, given in field.args.items()}
        names = {name: variable for name, variable in found.items() if variable}
        kinds = {**{variable: _type(field.args[name]) for name, variable in names.items()}, **kinds}
        body = f"{{ {field_name}{_list(f'{name}: ${variable}' for name, variable in names.items())} {body} }}"
    kind = "mutation" if operation.writes else "query"
    head = f"{kind} {operation.id}{_list(f'${name}: {type_}' for name, type_ in kinds.items())}"
    return print_ast(parse(f"{head} {body}")) + "\n"


@cache
def complete(operation: Operation) -> str:
    """Return the document of an operation with the fragments that it needs."""
    known, text = fragments(), document(operation)
    needed: dict[str, str] = {}
    waiting = [text]
    while waiting:
        for name in sorted(set(SPREAD.findall(waiting.pop())) - needed.keys()):
            needed[name] = known[name]
            waiting.append(known[name])
    return "\n".join([text, *(needed[name] for name in sorted(needed))])


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


def shared() -> str:
    """Return the text of the file that has all fragments."""
    return "\n".join(text for _, text in sorted(fragments().items()))


@cache
def fragments() -> dict[str, str]:
    """Return the fragments of all types that the documents ask for, by name."""
    found: dict[str, str] = {}
    waiting = [fields_of(operation)[-1][1].type for operation in OPERATIONS]
    while waiting:
        named = get_named_type(waiting.pop())
        if isinstance(named, GraphQLUnionType):
            waiting += named.types
        elif isinstance(named, GraphQLObjectType) and f"{named.name}Fields" not in found:
            text = f"fragment {named.name}Fields on {named.name} {{ {_fields(named)} }}"
            found[f"{named.name}Fields"] = print_ast(parse(text)) + "\n"
            waiting += [field.type for _, field in _plain_fields(named)]
    spread = {name for text in [*found.values(), *map(document, OPERATIONS)] for name in SPREAD.findall(text)}
    return {name: text for name, text in found.items() if name in spread}


def selection(kind: GraphQLOutputType, level: int = 1) -> str:
    """Return what is asked of a value of this type: nothing of a leaf, a fragment of what has many fields."""
    named = get_named_type(kind)
    if is_leaf_type(named):
        return ""
    if isinstance(named, GraphQLUnionType):
        parts = " ".join(f"... on {member.name} {selection(member)}" for member in named.types)
        return f"{{ {parts} }}"
    assert isinstance(named, GraphQLObjectType)
    inside = [name for name, field in _plain_fields(named) if get_named_type(field.type) is named]
    if not inside and (named.name.endswith("Connection") or len(_plain_fields(named)) <= FEW):
        return f"{{ {_fields(named)} }}"
    deeper = [f"{name} {selection(kind, level + 1)}" for name in inside if level < LEVELS]
    return f"{{ ...{named.name}Fields {' '.join(deeper)} }}"


def _fields(kind: GraphQLObjectType) -> str:
    skipped = {"edges"} if kind.name.endswith("Connection") else set()
    return " ".join(
        f"{name} {selection(field.type)}"
        for name, field in _plain_fields(kind)
        if name not in skipped and get_named_type(field.type) is not kind
    )


def _plain_fields(kind: GraphQLObjectType) -> list[tuple[str, GraphQLField]]:
    """The fields of a shape; those with arguments are questions of their own."""
    return [(name, field) for name, field in kind.fields.items() if not field.args]


def write() -> None:
    """Write the schema, the documents of all operations and their fragments; remove those of no operation."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (GRAPHQL / "schema.graphql").write_text(sdl(), encoding="utf-8")
    FRAGMENTS.write_text(shared(), encoding="utf-8")
    ids = {operation.id for operation in OPERATIONS}
    for left in FOLDER.glob("*.graphql"):
        if left.stem not in ids:
            left.unlink()
    for operation in OPERATIONS:
        (FOLDER / f"{operation.id}.graphql").write_text(document(operation), encoding="utf-8")


if __name__ == "__main__":
    write()
