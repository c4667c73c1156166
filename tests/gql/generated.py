"""Queries and sources made for the product's own GraphQL types; some sources are not as they should be."""

from __future__ import annotations

import random
from typing import Any

from app.api.graphql.schema import schema
from app.kit.database.paging import Page
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)

CORE = schema._schema
ROOTS = ("Query", "Mutation", "Subscription")
OBJECTS = [
    kind
    for name, kind in CORE.type_map.items()
    if is_object_type(kind) and name not in ROOTS and not name.startswith("__")
]
LEAVES: dict[str, list[Any]] = {
    "String": ["", "Größe", "x" * 40],
    "ID": ["0kGJyHHGTqEItCJEsaIm"],
    "Int": [0, 7, -7, 2**31 - 1],
    "Float": [0.5, 3],
    "Boolean": [True, False],
    "DateTime": ["2026-11-21T10:52:39Z"],
    "JSON": [{"a": [1, None]}, [], "text", False],
}
WRONG: list[Any] = [
    None,
    2**40,
    float("inf"),
    "nothing",
    (),
    ("a", "b"),
    {"a": 1},
    [],
    b"x",
    ValueError("?"),
    1,
]
DEEPEST = 4


def resolved(name: str, shape: Any, *, late: bool) -> GraphQLField:
    """A field with a resolver of its own, which may have to be waited for."""

    async def later(source: dict[str, Any], _info: Any) -> Any:
        return source[name]

    def now(source: dict[str, Any], _info: Any) -> Any:
        return source[name]

    return GraphQLField(shape, resolve=later if late else now)


def _root_fields() -> dict[str, GraphQLField]:
    fields = {}
    for kind in OBJECTS:
        name = kind.name[0].lower() + kind.name[1:]
        fields[name] = resolved(name, kind, late=True)
        fields[f"{name}List"] = resolved(f"{name}List", GraphQLList(GraphQLNonNull(kind)), late=False)
        fields[f"{name}s_"] = resolved(f"{name}s_", GraphQLNonNull(GraphQLList(kind)), late=True)
    return fields


SCHEMA = GraphQLSchema(GraphQLObjectType("Query", _root_fields()), directives=CORE.directives)


def source_of(chance: random.Random, kind: Any, wrong: float, depth: int = 0) -> Any:
    """A value for a field of this type; with the chance `wrong` one that does not fit."""
    if chance.random() < wrong:
        return chance.choice(WRONG)
    required = is_non_null_type(kind)
    kind = kind.of_type if required else kind
    if not required and (depth > DEEPEST or chance.random() < 0.1):
        return None
    if is_list_type(kind):
        return [
            source_of(chance, kind.of_type, wrong, depth + 1)
            for _ in range(0 if depth > DEEPEST else chance.randrange(4))
        ]
    if isinstance(kind, GraphQLEnumType):
        return chance.choice([value.value for value in kind.values.values()])
    if is_leaf_type(kind):
        return chance.choice(LEAVES.get(kind.name, ["?"]))
    return object_of(chance, kind, wrong, depth)


def object_of(chance: random.Random, kind: GraphQLObjectType, wrong: float, depth: int = 0) -> dict[str, Any]:
    """A dict as `present` gives them; what `edges` is made of comes along."""
    found = {
        key_of(field): source_of(chance, field.type, wrong, depth + 1)
        for field in kind.fields.values()
        if is_read(field) and chance.random() > wrong
    }
    if "edges" in kind.fields:
        found["rows"] = Page([], 0)
    return found


def query(chance: random.Random) -> str:
    """A document over `SCHEMA`: aliases, fragments, `__typename`, and now and then a directive."""
    names = chance.sample(sorted(SCHEMA.query_type.fields), 3)  # type: ignore[union-attr]
    directives = chance.random() < 0.3
    fields = " ".join(_field(chance, SCHEMA.query_type.fields[name], name, directives, 0) for name in names)  # type: ignore[union-attr]
    head = "query ($yes: Boolean! = true, $no: Boolean = false) " if directives else ""
    kind = chance.choice([kind for kind in OBJECTS if _askable(kind, 0)])
    inside = _selection(chance, kind, directives, 1)
    use = f"{kind.name[0].lower()}{kind.name[1:]} {{ ...f ...f }}"
    uses = "f: __typename @skip(if: $no) g: __typename @include(if: $yes)" if directives else ""
    return f"{head}{{ {fields} {use} {uses} }} fragment f on {kind.name} {inside}"


def _selection(chance: random.Random, kind: GraphQLObjectType, directives: bool, depth: int) -> str:
    askable = _askable(kind, depth)
    names = chance.sample(askable, min(len(askable), chance.randrange(1, 6)))
    fields = [_field(chance, kind.fields[name], name, directives, depth) for name in names]
    if chance.random() < 0.2:
        fields.append("__typename")
    if chance.random() < 0.2:
        condition = f"on {kind.name} " if chance.random() < 0.5 else ""
        fields.append(f"... {condition}{{ kind: __typename {fields[0]} }}")
    return f"{{ {' '.join(fields)} }}"


def _field(chance: random.Random, field: GraphQLField, name: str, directives: bool, depth: int) -> str:
    alias = f"{name}{depth}: " if chance.random() < 0.1 else ""
    condition = ""
    if directives and chance.random() < 0.3:
        condition = chance.choice([" @skip(if: $yes)", " @include(if: $no)", " @skip(if: $no)"])
    kind = _innermost(field.type)
    below = _selection(chance, kind, directives, depth + 1) if is_object_type(kind) else ""
    return f"{alias}{name}{condition} {below}"


def _askable(kind: GraphQLObjectType, depth: int) -> list[str]:
    deep = depth >= DEEPEST
    names = [
        name
        for name, field in kind.fields.items()
        if (is_read(field) or name == "edges") and not (deep and is_object_type(_innermost(field.type)))
    ]
    return names or ["__typename"]


def is_read(field: GraphQLField) -> bool:
    """Whether a field is a look-up in its source."""
    kind = _innermost(field.type)
    known = is_leaf_type(kind) or is_object_type(kind)
    return known and bool(getattr(field.resolve, "_is_default", False)) and not field.args


def key_of(field: GraphQLField) -> str:
    """Under which name the source has it."""
    key: str = field.extensions["strawberry-definition"].python_name
    return key


def _innermost(kind: Any) -> Any:
    return _innermost(kind.of_type) if hasattr(kind, "of_type") else kind
