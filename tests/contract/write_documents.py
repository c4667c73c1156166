"""Writes `graphql/`: the schema, one document per operation, the fragments that the documents share, and the
list of trusted documents; and for the server their texts, and the schema in the form that it runs on.

    python -m tests.contract.write_documents

A document asks for every field of its answer; pages in pages are asked for four levels deep. Variables of a
query are named like REST's path parameters and like the arguments of its field; a mutation has one, `$input`.
`complete` adds the fragments that a document needs, as the tools of frontends do. The documents
of the console in `graphql/console` are written by hand; they are checked, and trusted as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import RootModel

from app.api.catalog import OPERATIONS
from app.api.graphql.around import changed_by
from app.api.graphql.mutations import result_of
from app.api.graphql.nodes import FILE as PREPARED
from app.api.graphql.nodes import nodes, shape_of, type_name
from app.api.graphql.reading import Reading
from app.api.graphql.schema import prepared_text, sdl
from app.api.graphql.trusted import FILE
from app.api.graphql.unions import bare
from app.api.operation import Operation
from app.models.base import Shape
from app.models.revisions import HistoryEntryOut
from graphql import GraphQLArgument, GraphQLField, GraphQLObjectType, Undefined, parse, print_ast, validate
from tests.contract import frozen_migrations
from tests.contract.console_documents import HASHES, console_documents, console_hashes, hashes_module
from tests.contract.selections import BESIDE_SHAPES, CONTENT, CORE, REVISION, fields, of_shape, selection

GRAPHQL = Path(__file__).parents[2] / "graphql"
FOLDER = GRAPHQL / "operations"
FRAGMENTS = GRAPHQL / "fragments.graphql"
TRUSTED = GRAPHQL / "trusted.json"
SPREAD = re.compile(r"\.\.\.(\w+)Fields\b")


def way_to(row: Operation) -> list[tuple[str, str, Operation | None]]:
    """Return the fields on the way to the answer of a row that reads: type, field, and row of the field."""
    parent, _, field = row.field.partition(".")
    if parent == "Query":
        return [(parent, field, row)]
    node = nodes()[parent]
    above = [each for each in node.parameters if each in row.parameters]
    home = node.rows[tuple(above)] if above else None
    if home is None:  # the caller's own
        return [("Query", "me", None), (parent, field, row)]
    if home.method != "GET":  # one of a list
        finder = CORE.type_map[nodes()[_parent_of(home)].type]
        assert isinstance(finder, GraphQLObjectType)
        name = node.type[0].lower() + node.type[1:]
        return [*_way_of_type(_parent_of(home), home), (finder.name, name, home), (parent, field, row)]
    return [*way_to(home), (parent, field, row)]


def is_current(row: Operation) -> bool:
    """Tell whether a row reads all content of a place at once, which GraphQL shows on the place itself."""
    return row.field.endswith(".currentRevision")


def _parent_of(row: Operation) -> str:
    return next(node.type for node in nodes().values() if row.parameters[:-1] in node.rows)


def _way_of_type(name: str, row: Operation) -> list[tuple[str, str, Operation | None]]:
    return way_to(nodes()[name].rows[row.parameters[:-1]])


def field_at(type_: str, name: str) -> GraphQLField:
    """Return a field of the schema."""
    kind = CORE.type_map[type_]
    assert isinstance(kind, GraphQLObjectType)
    field: GraphQLField = kind.fields[name]
    return field


def document(row: Operation) -> str:
    """Return the document of an operation, without the fragments that it shares with others."""
    if row.writes:
        title = row.field[0].upper() + row.field[1:]
        answer = " ".join([_payload(row), "userErrors { code message path }"])
        text = f"mutation {row.id}($input: {title}Input!) {{ {row.field}(input: $input) {{ {answer} }} }}"
        return print_ast(parse(text)) + "\n"
    kinds: dict[str, str] = {}
    way, body = way_to(row), selection(row)
    if is_current(row):
        way.pop()
        body = f"{{ urls {{ app }} currentRevision {{ {REVISION} }} {CONTENT} }}"
    for type_, name, of_row in reversed(way):
        field = field_at(type_, name)
        given = _variables(field, of_row, row)
        kinds = {**{variable: _type(field.args[each]) for each, variable in given.items()}, **kinds}
        body = f"{{ {name}{_list(f'{each}: ${variable}' for each, variable in given.items())} {body} }}"
    used = body + " ".join(text for name, text in BESIDE_SHAPES.items() if f"...{name}Fields" in body)
    for name in ("computed", "evaluated"):
        if f"${name}" in used:
            kinds[name] = "Boolean"
    if "$asDocument" in body:
        kinds["asDocument"] = "Boolean! = false"
    head = f"query {row.id}{_list(f'${name}: {type_}' for name, type_ in kinds.items())}"
    return print_ast(parse(f"{head} {body}")) + "\n"


def _variables(field: GraphQLField, of_row: Operation | None, row: Operation) -> dict[str, str]:
    """Return the variables of the arguments of a field: all of the last one, and ids on the way."""
    resolve = field.resolve
    places = dict(resolve.arguments) if isinstance(resolve, Reading) else {}
    if not places and of_row is not None and "id" in field.args:
        places = {"id": of_row.parameters[-1]}
    found = {name: parameter for name, parameter in places.items() if parameter in row.parameters}
    if of_row is row:
        found |= {name: name for name in field.args if name not in places and name not in ("last", "before")}
    return found


def _payload(row: Operation) -> str:
    """Return what is asked of the payload of a mutation."""
    if row.method == "DELETE":
        return "deletedId" if changed_by(row) is not None else ""
    shape = shape_of(row)
    if shape is None:
        return ""
    called = result_of(row)
    if called:
        return f"{called} {of_shape(shape)}"
    payload = CORE.type_map[f"{row.field[0].upper()}{row.field[1:]}Payload"]
    assert isinstance(payload, GraphQLObjectType)
    return fields(shape, payload)


@cache
def complete(row: Operation) -> str:
    """Return the document of an operation with the fragments that it needs."""
    return with_fragments(document(row))


def with_fragments(text: str) -> str:
    """Return a document with the fragments that it needs."""
    known = fragments()
    needed: dict[str, str] = {}
    waiting = [text]
    while waiting:
        for name in sorted(set(SPREAD.findall(waiting.pop())) - needed.keys()):
            needed[name] = known[name]
            waiting.append(known[name])
    return "\n".join([text, *(needed[name] for name in sorted(needed))]).rstrip("\n")


def _list(items: Iterable[str]) -> str:
    listed = ", ".join(items)
    return f"({listed})" if listed else ""


def _type(given: GraphQLArgument) -> str:
    """Return the type of a variable; where the argument has a default, the variable may be left out."""
    return str(given.type) if given.default_value is Undefined else str(given.type).rstrip("!")


def shared() -> str:
    """Return the text of the file that has all fragments."""
    return "\n".join(text for _, text in sorted(fragments().items()))


@cache
def fragments() -> dict[str, str]:
    """Return the fragments of all types that the documents ask for, by the names of the types."""
    found: dict[str, str] = {}
    waiting = [document(row) for row in OPERATIONS]
    while waiting:
        for name in set(SPREAD.findall(waiting.pop())) - found.keys():
            text = BESIDE_SHAPES.get(name)
            text = text or f"fragment {name}Fields on {name} {{ {fields(_shapes()[name])} }}"
            found[name] = print_ast(parse(text)) + "\n"
            waiting.append(found[name])
    return found


@cache
def _shapes() -> dict[str, type[Shape]]:
    """Return all shapes by the names of their types."""
    found: dict[str, type[Shape]] = {}
    seen: set[type[Any]] = set()

    def visit(annotation: Any) -> None:
        kind = bare(annotation)
        if isinstance(kind, type) and issubclass(kind, Shape | RootModel) and kind not in seen:
            seen.add(kind)
            if issubclass(kind, Shape) and (kind is HistoryEntryOut or type_name(kind) not in found):
                found[type_name(kind)] = kind
            for info in kind.model_fields.values():
                visit(Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation)
        for each in get_args(kind):
            visit(each)

    for row in OPERATIONS:
        shape = shape_of(row)
        if shape is not None:
            visit(shape)
        if row.extra is not None:
            visit(row.extra)
    return found


def trusted() -> dict[str, Operation]:
    """Return the operations by the SHA-256 of their documents with all fragments."""
    return {sha256(complete(row).encode()).hexdigest(): row for row in OPERATIONS}


def trusted_list() -> str:
    """Return the list of trusted documents: operations by their hashes, sorted by operation."""
    names = sorted([*((row.id, key) for key, row in trusted().items()), *console_hashes().items()])
    return json.dumps({key: name for name, key in names}, indent=2) + "\n"


def trusted_texts() -> str:
    """Return the file from which the server takes the texts of trusted documents."""
    ours = [(row.id, key, complete(row)) for key, row in trusted().items()]
    console = [(name, key, console_documents()[name]) for name, key in console_hashes().items()]
    texts = sorted([*ours, *console])
    return json.dumps({key: text for _, key, text in texts}, indent=0, separators=(",", ":")) + "\n"


def write() -> None:
    """Write the schema, the documents of all operations, their fragments and the lists of trusted documents;
    remove the documents of no operation."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (GRAPHQL / "schema.graphql").write_text(sdl(), encoding="utf-8")
    PREPARED.write_text(prepared_text(), encoding="utf-8")
    FRAGMENTS.write_text(shared(), encoding="utf-8")
    TRUSTED.write_text(trusted_list(), encoding="utf-8")
    for name, text in console_documents().items():
        if wrong := validate(CORE, parse(text)):
            raise ValueError(f"{name}: {wrong[0]}")
    FILE.write_text(trusted_texts(), encoding="utf-8")
    HASHES.write_text(hashes_module(), encoding="utf-8")
    frozen_migrations.record()
    ids = {row.id for row in OPERATIONS}
    for left in FOLDER.glob("*.graphql"):
        if left.stem not in ids:
            left.unlink()
    for row in OPERATIONS:
        (FOLDER / f"{row.id}.graphql").write_text(document(row), encoding="utf-8")


if __name__ == "__main__":
    write()
