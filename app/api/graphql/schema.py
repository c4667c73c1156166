"""The GraphQL schema: derived from the rows of the operations and the shapes of `models`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import strawberry
from strawberry.schema.config import StrawberryConfig

from app.api.catalog import OPERATIONS, REFERENCES
from app.api.graphql.content import add_content
from app.api.graphql.declarations import SCALARS, DateTime, Declarations, Field, optional
from app.api.graphql.descriptions import rename_values
from app.api.graphql.enums import ENUMERATIONS
from app.api.graphql.errors import CODES
from app.api.graphql.execution import FIELD
from app.api.graphql.fields import add_reads
from app.api.graphql.inputs import Inputs
from app.api.graphql.mutations import add_former_places, add_writes
from app.api.graphql.nodes import derive
from app.api.graphql.prepared import TypeResolver, named
from app.api.graphql.preparing import written
from app.api.graphql.rate_limit import rate_limit
from app.api.graphql.shapes import Shapes
from app.api.graphql.subscription_types import ENUMERATIONS as CHANGES
from app.api.graphql.subscription_types import add_subscriptions
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
    derive(OPERATIONS, REFERENCES)
    declarations = Declarations([*ENUMERATIONS, *CHANGES, Enumeration("ErrorCode", tuple(CODES), CODES)])
    shapes = Shapes(declarations)
    declarations.type("Query", "All queries.")
    inputs = Inputs(declarations)
    add_reads(declarations, shapes, inputs)
    add_writes(declarations, shapes, inputs)
    add_content(declarations, shapes, inputs)
    add_subscriptions(declarations)
    _add_rate_limit(declarations)
    add_former_places(declarations, (row for row in OPERATIONS if row.writes))
    return declarations


def _add_rate_limit(declarations: Declarations) -> None:
    """Declare the field of the queries that tells the rate limit of the caller."""
    declared = declarations.type("RateLimit", "The rate limit of the caller and the cost of this request.")
    declared.fields = {
        "limit": Field(int, "Requests that the caller may make per minute.", key="limit"),
        "remaining": Field(int, "Remaining requests.", key="remaining"),
        "resetAt": Field(
            DateTime, "When the full limit is available again if no more requests are made.", key="resetAt"
        ),
        "cost": Field(int, "Cost of this query.", key="cost"),
        "costLimit": Field(int, "Maximum cost of a query.", key="costLimit"),
    }
    about = "The rate limit of the caller. Null if there is none."
    declarations.type("Query").fields["rateLimit"] = Field(
        optional(declared.handle), about, resolve=rate_limit
    )


def _value(source: Any, name: str) -> Any:
    return source.get(name)


def _build(declarations: Declarations) -> strawberry.Schema:
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
            kind.resolve_type = TypeResolver(list(declarations.members[name].items()))
        elif isinstance(kind, GraphQLInterfaceType):
            kind.resolve_type = named
    _describe(made._schema)
    rename_values(made._schema)
    return made


def _describe(core: GraphQLSchema) -> None:
    """Describe enumerations by the fields that have them, and unions by their members, where no shape does.

    An enumeration is what its first field says: one that is answered, rather than one that is sent.
    """
    users: dict[str, list[str | None]] = defaultdict(list)
    kinds = core.type_map.values()
    answered = [kind for kind in kinds if isinstance(kind, GraphQLObjectType)]
    sent = [kind for kind in kinds if isinstance(kind, GraphQLInputObjectType)]
    arguments = [it for kind in answered for field in kind.fields.values() for it in field.args.values()]
    shown = [field for kind in answered for field in kind.fields.values()]
    given = [field for kind in sent for field in kind.fields.values()]
    for field in (*shown, *given, *arguments):
        users[get_named_type(field.type).name].append(field.description)
    for kind in kinds:
        if isinstance(kind, GraphQLEnumType) and not kind.description:
            kind.description = first_sentence(next(filter(None, users[kind.name])))
        elif isinstance(kind, GraphQLUnionType) and not kind.description:
            kind.description = f"One of {_listed([each.name for each in kind.types])}."


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    return text.partition("\n")[0].partition(". ")[0].rstrip(".") + "."


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


DECLARED = declared()
schema = _build(DECLARED)


def sdl() -> str:
    """Return the schema in GraphQL's schema definition language, as kept in `graphql/schema.graphql`."""
    return schema.as_str() + "\n"


def prepared_text() -> str:
    """Return the schema in the form that requests run on it, as kept in `prepared_schema.json`."""
    return written(schema._schema)


if __name__ == "__main__":
    print(sdl(), end="")
