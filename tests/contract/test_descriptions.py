"""Every type, field, argument and value of the GraphQL schema says what it is."""

from __future__ import annotations

from collections.abc import Iterator

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLScalarType,
    is_specified_scalar_type,
)
from tests.contract.selections import CORE


def undescribed() -> Iterator[str]:
    """The coordinates of all that has no description."""
    for name, kind in CORE.type_map.items():
        if name.startswith("__") or is_specified_scalar_type(kind):
            continue
        if not kind.description:
            yield name
        if isinstance(kind, GraphQLEnumType):
            yield from (f"{name}.{value}" for value, it in kind.values.items() if not it.description)
        elif isinstance(kind, GraphQLInputObjectType):
            yield from (f"{name}.{field}" for field, it in kind.fields.items() if not it.description)
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            for field, definition in kind.fields.items():
                if not definition.description:
                    yield f"{name}.{field}"
                for argument, it in definition.args.items():
                    if not it.description:
                        yield f"{name}.{field}({argument}:)"


def test_everything_is_described() -> None:
    assert sorted(undescribed()) == []


def test_scalars_say_what_specifies_them() -> None:
    ours = [
        kind
        for kind in CORE.type_map.values()
        if isinstance(kind, GraphQLScalarType) and not is_specified_scalar_type(kind)
    ]
    assert {kind.name for kind in ours} >= {
        "DateTime",
        "JSON",
        "HTML",
        "Markdown",
        "URL",
    } & CORE.type_map.keys()
    assert [kind.name for kind in ours if not kind.specified_by_url] == []
