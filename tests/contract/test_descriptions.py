"""Every type, field, argument and value of the GraphQL schema says what it is."""

from __future__ import annotations

import re
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

AS_IN_REST = {"String", "ID"}
"""Types whose values are written alike in REST and GraphQL."""
OF_OAUTH = {"client_id", "client_secret"}


def described() -> Iterator[tuple[str, str | None, str]]:
    """The coordinates of all that has a description, with the type of its values and the description."""
    for name, kind in CORE.type_map.items():
        if name.startswith("__") or is_specified_scalar_type(kind):
            continue
        yield name, None, kind.description or ""
        if isinstance(kind, GraphQLEnumType):
            yield from ((f"{name}.{value}", None, it.description or "") for value, it in kind.values.items())
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            for field, it in kind.fields.items():
                yield f"{name}.{field}", get_named_type(it.type).name, it.description or ""
                for argument, given in getattr(it, "args", {}).items():
                    place = f"{name}.{field}({argument}:)"
                    yield place, get_named_type(given.type).name, given.description or ""


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


def test_descriptions_use_the_names_of_the_schema() -> None:
    names, values = set(CORE.type_map), set[str]()
    for kind in CORE.type_map.values():
        if isinstance(kind, GraphQLEnumType):
            names.update(kind.values)
            values.update(str(getattr(each.value, "value", each.value)) for each in kind.values.values())
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            names.update(kind.fields)
            names.update(each for it in kind.fields.values() for each in getattr(it, "args", ()))
    foreign = {
        (place, word)
        for place, kind, about in described()
        for word in re.findall(r"`([^`\s]+)`", about)
        if word not in names and kind not in AS_IN_REST
        if word in values or re.fullmatch(r"[a-z]+(_[a-z]+)+", word) or "=" in word
    }
    assert {each for each in foreign if each[1] not in OF_OAUTH} == set()


def test_a_filter_leaves_nothing_out_by_default() -> None:
    filters = [kind for name, kind in CORE.type_map.items() if name.endswith("Filter")]
    told = [it.description for each in filters for it in getattr(each, "fields", {}).values()]
    assert [each for each in told if "left out" in each and not each.endswith("All if left out.")] == []


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
