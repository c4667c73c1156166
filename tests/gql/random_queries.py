"""Queries and sources made for the product's own GraphQL types; some sources are not as they should be."""

from __future__ import annotations

import random
from typing import Any

from app.api.graphql.connections import PAGE
from app.api.graphql.execution import FIELD
from app.api.graphql.finishes import Edges
from app.api.graphql.nodes import AT
from app.api.graphql.server import COSTS
from app.kit.database.paging import Page
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_abstract_type,
    is_composite_type,
    is_interface_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)

CORE = COSTS.schema
ROOTS = ("Query", "Mutation", "Subscription")
OBJECTS = [
    kind
    for name, kind in CORE.type_map.items()
    if is_object_type(kind) and name not in ROOTS and not name.startswith("__")
]
ABSTRACT = [kind for name, kind in CORE.type_map.items() if is_abstract_type(kind) and name[:2] != "__"]
LEAVES: dict[str, list[Any]] = {
    "String": ["", "Größe", "x" * 40],
    "ID": ["0kGJyHHGTqEItCJEsaIm"],
    "Int": [0, 7, -7, 2**31 - 1],
    "Float": [0.5, 3],
    "Boolean": [True, False],
    "DateTime": ["2026-11-21T10:52:39Z"],
    "JSON": [{"a": [1, None]}, [], "text", False],
    "Markdown": ["# Größe"],
    "HTML": ["<p>Größe</p>"],
    "URL": ["https://example.org/a"],
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
    for kind in (*OBJECTS, *ABSTRACT):
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
    if is_abstract_type(kind):
        return member_of(chance, kind, wrong, depth)
    return object_of(chance, kind, wrong, depth)


def member_of(chance: random.Random, kind: Any, wrong: float, depth: int) -> dict[str, Any]:
    """A value of an interface or a union, with what tells its type."""
    one: Any = chance.choice(CORE.get_possible_types(kind))
    told = {"@type": one.name}
    if isinstance(kind, GraphQLUnionType):
        members: Any = kind.resolve_type
        (key, value), name = chance.choice(members.members)
        one, told = CORE.type_map[name], {key: value}
    return {**object_of(chance, one, wrong, depth), **(told if chance.random() >= wrong else {})}


def object_of(chance: random.Random, kind: GraphQLObjectType, wrong: float, depth: int = 0) -> dict[str, Any]:
    """A dict as `present` gives them; what `edges` is made of comes along."""
    found = {
        key_of(field): source_of(chance, field.type, wrong, depth + 1)
        for field in kind.fields.values()
        if is_read(field) and chance.random() > wrong
    }
    if AT in found and chance.random() >= wrong:
        found[AT] = ("space", "", "object")
    if "edges" in kind.fields:
        items = found.get("nodes") or []
        found[PAGE] = Page(items, 0, cursor=lambda index: str(items[index]["id"]))
        if chance.random() >= wrong:
            found["edges"] = Edges(items, found[PAGE].cursor)
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


def _selection(chance: random.Random, kind: Any, directives: bool, depth: int) -> str:
    fields = [] if isinstance(kind, GraphQLUnionType) else _chosen(chance, kind, directives, depth)
    if is_abstract_type(kind):
        possible = SCHEMA.get_possible_types(kind)
        for one in chance.sample(possible, min(len(possible), chance.choice([0, 1, 1, 2]))):
            fields.append(f"... on {one.name} {_selection(chance, one, directives, depth)}")
    if not fields or chance.random() < 0.2:
        fields.append("__typename")
    if chance.random() < 0.2:
        condition = f"on {kind.name} " if chance.random() < 0.5 else ""
        fields.append(f"... {condition}{{ kind: __typename {fields[0]} }}")
    return f"{{ {' '.join(fields)} }}"


def _chosen(chance: random.Random, kind: Any, directives: bool, depth: int) -> list[str]:
    askable = _askable(kind, depth)
    names = chance.sample(askable, min(len(askable), chance.randrange(1, 6)))
    return [_field(chance, kind.fields[name], name, directives, depth) for name in names]


def _field(chance: random.Random, field: GraphQLField, name: str, directives: bool, depth: int) -> str:
    alias = f"{name}{depth}: " if chance.random() < 0.1 else ""
    condition = ""
    if directives and chance.random() < 0.3:
        condition = chance.choice([" @skip(if: $yes)", " @include(if: $no)", " @skip(if: $no)"])
    kind = get_named_type(field.type)
    below = _selection(chance, kind, directives, depth + 1) if is_composite_type(kind) else ""
    return f"{alias}{name}{condition} {below}"


def _askable(kind: Any, depth: int) -> list[str]:
    """The fields that can be asked of a type without a database; of an interface, those of all its types."""
    own = SCHEMA.get_possible_types(kind)[0].fields if is_interface_type(kind) else kind.fields
    deep = depth >= DEEPEST
    return [
        name
        for name in kind.fields
        if is_read(own[name]) and not (deep and is_composite_type(get_named_type(own[name].type)))
    ]


def is_read(field: GraphQLField) -> bool:
    """Tell whether a field is a look-up in its source."""
    return bool(getattr(field.resolve, "_is_default", False)) and not field.args


def key_of(field: GraphQLField) -> str:
    """Under which name the source has it."""
    key: str = field.extensions[FIELD].key
    return key
