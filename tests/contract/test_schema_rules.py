"""Rules for the whole GraphQL schema: names, lists, inputs and payloads of mutations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphql import (
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    Undefined,
    get_named_type,
    is_specified_scalar_type,
)
from tests.contract.selections import CORE

NO_OBJECTS = {
    "CustomizationEntry.siteSpaceId": "the name of an entry; the site lists its spaces",
    "JobChange.jobId": "jobs of several kinds; `importRun` is the one that can be read",
}
"""Fields that name what no field beside them shows."""
NOT_OURS = {
    "ChangeRequest.agentTaskId", "ContentSourceConfiguration.componentId",
    "IntegrationConfiguration.componentId", "IntegrationInstallation.externalIds",
    "IntegrationSiteInstallation.externalIds", "IntegrationSpaceInstallation.externalIds",
    "OIDCProvider.clientId",
}  # fmt: skip
"""Texts that are ids which others have given."""
OPEN_OUT = {
    "AnyValue.json", "IntegrationEvent.payload", "OpenAPIContentFile.specification", "RenderOutput.element",
    "RenderOutput.props", "RenderOutput.returnValue", "RenderOutput.state", "SiteAdaptiveSchema.jsonSchema",
}  # fmt: skip
"""Fields whose values the contract leaves open."""
OF_ROOTS = {"organization", "site"}
TYPED = {"DateTime", "JSON", "HTML", "Markdown", "URL", "Document", "Variables"}
PAGED = {"first": ("Int", 20), "after": ("String", Undefined), "last": ("Int", Undefined),
         "before": ("String", Undefined)}  # fmt: skip


def fields() -> Iterator[tuple[str, str, GraphQLField]]:
    """All fields of types and interfaces."""
    for name, kind in CORE.type_map.items():
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and not name.startswith("__"):
            for field, it in kind.fields.items():
                yield name, field, it


def siblings(kind: str) -> set[str]:
    """The names of the fields of a type."""
    found = CORE.type_map[kind]
    assert isinstance(found, GraphQLObjectType | GraphQLInterfaceType)
    return set(found.fields)


def test_fields_and_arguments_are_named_in_one_style() -> None:
    named = [(kind, name) for kind, name, _ in fields()]
    named += [(f"{kind}.{name}", argument) for kind, name, field in fields() for argument in field.args]
    for kind in CORE.type_map.values():
        if isinstance(kind, GraphQLInputObjectType):
            named += [(kind.name, name) for name in kind.fields]
    assert [each for each in named if "_" in each[1].lstrip("_")] == []
    assert [each for each in named if re.match("[a-z][A-Z]{2}", each[1])] == []  # as in oIDCProvider


def test_what_has_an_id_has_that_of_rest_too() -> None:
    for name, kind in CORE.type_map.items():
        if isinstance(kind, GraphQLObjectType) and "Node" in {each.name for each in kind.interfaces}:
            assert {"id", "restId"} <= set(kind.fields), name


def test_what_names_an_object_has_the_object_beside_it() -> None:
    alone = set()
    for kind, name, field in fields():
        if get_named_type(field.type).name not in ("ID", "String") or name in ("id", "restId", "deletedId"):
            continue
        base = re.sub(r"Ids?$", "", name)
        if base != name and not {base, f"{base}s", f"{base}es"} & siblings(kind):
            alone.add(f"{kind}.{name}")
    assert alone == NO_OBJECTS.keys() | NOT_OURS


def test_values_are_open_where_the_contract_is() -> None:
    found = {f"{kind}.{name}" for kind, name, it in fields() if get_named_type(it.type).name == "JSON"}
    assert found == OPEN_OUT
    assert len(found) <= 8


def test_our_scalars_say_what_specifies_them() -> None:
    scalars = [each for each in CORE.type_map.values() if isinstance(each, GraphQLScalarType)]
    ours = {each.name: each.specified_by_url for each in scalars if not is_specified_scalar_type(each)}
    assert ours.keys() == TYPED
    assert all((url or "").startswith("https://") for url in ours.values()), ours


def test_a_mutation_takes_one_input_and_always_gives_a_payload() -> None:
    assert CORE.mutation_type is not None
    for name, it in CORE.mutation_type.fields.items():
        assert list(it.args) == ["input"], name
        taken = it.args["input"].type
        title = name[0].upper() + name[1:]
        assert isinstance(taken, GraphQLNonNull), name
        assert isinstance(taken.of_type, GraphQLInputObjectType), name
        assert taken.of_type.name == f"{title}Input"
        assert str(it.type) == f"{title}Payload!"
        payload = get_named_type(it.type)
        assert isinstance(payload, GraphQLObjectType)
        assert str(payload.fields["userErrors"].type) == "[UserError!]!", name


def test_every_list_that_is_paged_is_paged_alike() -> None:
    lists = [(kind, name, it) for kind, name, it in fields()
             if get_named_type(it.type).name.endswith("Connection")]  # fmt: skip
    assert len(lists) > 80
    for kind, name, it in lists:
        shown = get_named_type(it.type)
        assert isinstance(shown, GraphQLObjectType)
        assert {"edges", "nodes", "totalCount", "pageInfo"} <= set(shown.fields), shown.name
        given = {each: (str(a.type), a.default_value) for each, a in it.args.items() if each in PAGED}
        assert given == PAGED, f"{kind}.{name}"
        assert not isinstance(it.type, GraphQLNonNull), f"{kind}.{name}"
    info = CORE.type_map["PageInfo"]
    assert isinstance(info, GraphQLObjectType)
    assert set(info.fields) == {"hasNextPage", "hasPreviousPage", "startCursor", "endCursor"}


def test_inputs_of_lists_are_named_after_their_items() -> None:
    kinds: dict[str, dict[str, list[str]]] = {}
    for kind, _name, it in fields():
        item = get_named_type(it.type).name.removesuffix("Connection")
        for argument, ending in (("filter", "Filter"), ("orderBy", "OrderBy")):
            if argument in it.args:
                owners = kinds.setdefault(f"{item}{ending}", {})
                owners.setdefault(get_named_type(it.args[argument].type).name, []).append(kind)
    for plain, named in kinds.items():
        assert plain in named, f"{named} and no {plain}"
        for other in named.keys() - {plain}:
            assert [f"{kind}{plain}" for kind in named[other]] == [other]
            assert set(input_of(other).fields) != set(input_of(plain).fields), other
    inputs = {name for name in CORE.type_map if name.endswith(("Filter", "OrderBy"))}
    assert inputs == {name for named in kinds.values() for name in named}


def test_conditions_and_orders_are_named_alike() -> None:
    for name, kind in CORE.type_map.items():
        if name.endswith("Filter"):
            ids = {each for each in input_of(name).fields if each.endswith("Id")}
            assert ids <= {"externalId"}, name
        elif name.endswith("OrderBy"):
            assert set(input_of(name).fields) <= {"field", "direction"}
            asked = {each: get_named_type(it.type).name for each, it in input_of(name).fields.items()}
            field = f"{name.removesuffix('By')}Field"
            assert asked.items() <= {"field": field, "direction": "OrderDirection"}.items(), kind


def input_of(name: str) -> GraphQLInputObjectType:
    """The input with a name."""
    found = CORE.type_map[name]
    assert isinstance(found, GraphQLInputObjectType)
    return found


def test_lists_have_natural_names_and_live_on_their_parents() -> None:
    assert {name for _, name, _ in fields() if name.endswith("List")} == {"pageList"}
    assert CORE.query_type is not None
    assert [name for name, it in CORE.query_type.fields.items() if OF_ROOTS & set(it.args)] == []


def test_content_is_read_alike_wherever_it_is() -> None:
    content = CORE.type_map["Content"]
    assert isinstance(content, GraphQLInterfaceType)
    assert {each.name for each in CORE.get_possible_types(content)} == {"Space", "ChangeRequest", "Revision"}
    wanted = {"pages", "pageList", "page", "files", "reusableContents", "links"}
    assert wanted <= set(content.fields)
    assert set(content.fields["page"].args) == {"id", "path"}
    assert {
        "markdown",
        "html",
        "document",
        "blocks",
        "comments",
        "backlinks",
        "revisions",
        "diff",
    } <= siblings("Page")
    assert {"markdown", "html", "document"} <= siblings("Body")
