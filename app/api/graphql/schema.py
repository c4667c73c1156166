"""The GraphQL schema: derived from the rows of the operations and the shapes of `models`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import strawberry
from graphql.type import definition
from strawberry.schema.config import StrawberryConfig

from app.api.catalog import OPERATIONS
from app.api.graphql.around import add_former_places
from app.api.graphql.content import add_content
from app.api.graphql.declarations import SCALARS, Declarations, Field
from app.api.graphql.enums import ENUMERATIONS
from app.api.graphql.errors import CODES
from app.api.graphql.execution import FIELD
from app.api.graphql.fields import add_reads
from app.api.graphql.inputs import Inputs
from app.api.graphql.mutations import add_writes
from app.api.graphql.rate_limit import add_rate_limit
from app.api.graphql.references import Referring, ReferringIfThere
from app.api.graphql.shapes import Shapes
from app.api.graphql.subscriptions import ENUMERATIONS as CHANGES
from app.api.graphql.subscriptions import add_subscriptions
from app.models.base import Enumeration
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
)


def declared() -> Declarations:
    """Return all types of the schema."""
    declarations = Declarations([*ENUMERATIONS, *CHANGES, Enumeration("ErrorCode", tuple(CODES), CODES)])
    shapes = Shapes(declarations, Referring, ReferringIfThere)
    declarations.type("Query", "Everything that can be read.")
    inputs = Inputs(declarations)
    add_reads(declarations, shapes, inputs)
    add_writes(declarations, shapes, inputs)
    add_content(declarations, shapes, inputs)
    add_subscriptions(declarations)
    add_rate_limit(declarations)
    add_former_places(declarations, (row for row in OPERATIONS if row.writes))
    return declarations


def _value(source: Any, name: str) -> Any:
    return source.get(name)


def _build() -> strawberry.Schema:
    declarations = declared()
    declarations.settle()
    types = declarations.types
    made = strawberry.Schema(
        types["Query"].handle,
        types["Mutation"].handle,
        types["Subscription"].handle,
        types=[each.handle for each in types.values() if each.interfaces],
        config=StrawberryConfig(default_resolver=_value, scalar_map=SCALARS),
    )
    for name, kind in made._schema.type_map.items():
        if isinstance(kind, GraphQLObjectType) and name in types:
            kind.is_type_of = None
            for field, it in types[name].fields.items():
                _attach(kind, field, it)
        elif isinstance(kind, GraphQLInputObjectType) and name in types:
            kind.is_one_of = types[name].is_one_of
        elif isinstance(kind, GraphQLUnionType):
            kind.resolve_type = _Member(declarations.members[name])
        elif isinstance(kind, GraphQLInterfaceType):
            kind.resolve_type = _named
    _describe(made._schema)
    return made


def _describe(core: GraphQLSchema) -> None:
    """Describe enumerations by the fields that use them, and unions by their members, where no shape does."""
    users: dict[str, dict[str, None]] = defaultdict(dict)
    for kind in core.type_map.values():
        if isinstance(kind, GraphQLObjectType | GraphQLInputObjectType):
            for name, field in kind.fields.items():
                users[get_named_type(field.type).name][name] = None
                for argument, it in getattr(field, "args", {}).items():
                    users[get_named_type(it.type).name][argument] = None
    for kind in core.type_map.values():
        if isinstance(kind, GraphQLEnumType) and not kind.description:
            fields = [f"`{name}`" for name in users[kind.name]]
            kind.description = f"Values of {_listed(fields[:MOST])}."
        elif isinstance(kind, GraphQLUnionType) and not kind.description:
            kind.description = f"One of {_listed([each.name for each in kind.types])}."


MOST = 4
"""Fields that describe an enumeration."""


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _attach(kind: GraphQLObjectType, name: str, it: Field) -> None:
    definition = kind.fields[name]
    definition.extensions = {**definition.extensions, FIELD: it}
    if it.resolve is not None:
        definition.resolve = it.resolve
    elif it.finish is not None:
        finish, key = it.finish, it.key
        definition.resolve = lambda source, _info: finish(source.get(key))
        definition.resolve._is_default = True


class _Member:
    """Tells the type of a value of a union by the fields that tell its members apart."""

    def __init__(self, members: dict[tuple[str, str], str]) -> None:
        self.members = list(members.items())

    def __call__(self, source: Any, _info: Any, _kind: Any) -> str | None:
        return next((name for (key, value), name in self.members if source.get(key) == value), None)


def _named(source: Any, _info: Any, _kind: Any) -> str:
    """Tell the type of a value of an interface."""
    return str(source["@type"])


schema = _build()


def _allowed(enum_type: GraphQLEnumType, unknown_value_str: str) -> str:
    """Tell the values of an enumeration to who sent another one."""
    return f" Allowed values: {', '.join(enum_type.values)}."


definition.did_you_mean_enum_value = _allowed  # where the library would suggest one of similar spelling


def sdl() -> str:
    """Return the schema in GraphQL's schema definition language, as kept in `graphql/schema.graphql`."""
    return schema.as_str() + "\n"


if __name__ == "__main__":
    print(sdl(), end="")
