"""Every type, field, argument and value of the GraphQL schema says what it is."""

from __future__ import annotations

from collections.abc import Iterator

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLScalarType,
    get_named_type,
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


def test_enumerations_say_what_they_are_of() -> None:
    kinds = [kind for kind in CORE.type_map.values() if isinstance(kind, GraphQLEnumType)]
    told = {kind.name: kind.description for kind in kinds}
    dull = ("Values of", "The value")
    assert [name for name, about in told.items() if not about or about.startswith(dull)] == []


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


OPEN = {
    "AnyValue.json": "lists and objects in what callers name and define",
    "IntegrationEvent.payload": "what an integration is told: tasks and components define theirs",
    "OpenAPIContentFile.specification": "a document of the OpenAPI standard",
    "RenderOutput.element": "a tree of elements, which the script of an integration makes",
    "RenderOutput.props": "what the script gives back to itself",
    "RenderOutput.returnValue": "what the script answers",
    "RenderOutput.state": "what the script gives back to itself",
    "SiteAdaptiveSchema.jsonSchema": "a document of the JSON Schema standard",
}
"""The fields that are JSON, and what makes them open."""
OPEN_INPUTS = {
    "AnyValueInput.json": "lists and objects in what callers name and define",
    "Query.renderIntegration(action:)": "what the script of an integration defines",
    "Query.renderIntegration(props:)": "what the script defines",
    "Query.renderIntegration(state:)": "what the script defines",
    "QueueIntegrationTaskInput.task": "what the integration defines",
    "UpdateSiteAdaptiveSchemaInput.jsonSchema": "a document of the JSON Schema standard",
    "VisitorInput.unsignedClaims": "what visitors claim, as the site defines it",
}


def test_only_what_is_open_is_json() -> None:
    found: dict[str, set[str]] = {"fields": set(), "inputs": set()}
    for name, kind in CORE.type_map.items():
        if isinstance(kind, GraphQLObjectType | GraphQLInputObjectType):
            for field, it in kind.fields.items():
                if get_named_type(it.type).name == "JSON":
                    where = "fields" if isinstance(kind, GraphQLObjectType) else "inputs"
                    found[where].add(f"{name}.{field}")
                for argument, given in getattr(it, "args", {}).items():
                    if get_named_type(given.type).name == "JSON":
                        found["inputs"].add(f"{name}.{field}({argument}:)")
    assert found == {"fields": set(OPEN), "inputs": set(OPEN_INPUTS)}
    assert len(OPEN) <= 8
