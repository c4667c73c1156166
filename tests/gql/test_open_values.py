"""Values whose kind only callers know: lists of names with typed values, the same as REST's maps."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from tests import make
from tests.cast import Cast
from tests.contract.faces import as_variable
from tests.contract.selections import CORE, OF_ANY_KIND
from tests.factories.integrations import ACCOUNT, PublishedIntegration, manifest

SHOWN = f"integrationInstallation {{ configuration {{ name value {{ {OF_ANY_KIND} }} }} }}"
VALUES: dict[str, Any] = {
    "key": "abc",
    "size": 4,
    "tone": "loud",
    "share": 0.5,
    "on": True,
    "none": None,
    "list": [1, {"a": None}],
    "deep": {"b": [False]},
}
SENT: list[dict[str, Any]] = [
    {"name": "key", "value": {"text": "abc"}},
    {"name": "size", "value": {"number": 4}},
    {"name": "tone", "value": {"text": "loud"}},
    {"name": "share", "value": {"number": 0.5}},
    {"name": "on", "value": {"boolean": True}},
    {"name": "none", "value": None},
    {"name": "list", "value": {"json": [1, {"a": None}]}},
    {"name": "deep", "value": {"json": {"b": [False]}}},
]


def test_a_configuration_is_the_same_on_both_faces(cast: Cast) -> None:
    lamps = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    where = {"integration": lamps.name, "installation": lamps.install()}
    changed = cast.ada.mutate("updateInstallation", SHOWN, **where, configuration=SENT)
    found = changed["integrationInstallation"]["configuration"]
    empty = dict.fromkeys(OF_ANY_KIND.split())
    expected = [{**each, "value": {**empty, **(each["value"] or {})}} for each in SENT]
    assert sorted(found, key=itemgetter("name")) == sorted(expected, key=itemgetter("name"))
    rest = lamps.get(f"/installations/{where['installation']}")["configuration"]
    assert rest == VALUES
    assert [type(rest[name]) for name in ("size", "share")] == [int, float]
    wanted: Any = CORE.type_map["UpdateInstallationInput"]
    assert as_variable(wanted.fields["configuration"].type, VALUES) == SENT


def test_a_name_is_given_once_and_a_value_in_one_field(cast: Cast) -> None:
    lamps = PublishedIntegration(cast, configurations={"account": ACCOUNT})
    where = {"integration": lamps.name, "installation": lamps.install()}
    twice = cast.ada.tried("updateInstallation", **where, configuration=[SENT[0], SENT[0]])
    assert twice["userErrors"][0]["path"] == ["configuration", "1", "name"]
    assert "“key” is given twice" in twice["userErrors"][0]["message"]
    wrong = cast.ada.tried(
        "updateInstallation", **where, configuration=[{"name": "size", "value": {"text": "4"}}]
    )
    assert wrong["userErrors"][0]["path"] == ["configuration", "size"]
    asked = """mutation ($input: UpdateInstallationInput!) { updateInstallation(input: $input) {
        userErrors { code } } }"""
    both = [{"name": "size", "value": {"number": 4, "text": "4"}}]
    answer = cast.ada.gql(asked, input={**where, "configuration": both})
    assert "exactly one" in answer["errors"][0]["message"].lower(), answer
    assert lamps.get(f"/installations/{where['installation']}")["configuration"] == {
        "size": 3,
        "tone": "soft",
    }


def test_defaults_and_policies_are_typed(cast: Cast) -> None:
    lamps = PublishedIntegration(cast)
    properties = [
        {"name": "size", "value": {"type": "NUMBER", "default": {"number": 3}}},
        {"name": "on", "value": {"type": "BOOLEAN", "default": {"boolean": False}}},
    ]
    policy = [
        {"name": "img-src", "value": "https://lamps.example.org"},
        {"name": "default-src", "value": "'none'"},
    ]
    sent = {**manifest(cast), "scopes": ["SPACE_CONTENT_READ"], "integration": lamps.name}
    shown = """integration { contentSecurityPolicy configurations { account { properties {
        name value { default { text number boolean } } } } } }"""
    made = cast.ada.mutate(
        "publishIntegration",
        shown,
        **sent,
        configurations={"account": {"properties": properties}},
        contentSecurityPolicy={"entries": policy},
    )["integration"]
    assert made["contentSecurityPolicy"] == "img-src https://lamps.example.org; default-src 'none'"
    by_name = {each["name"]: each for each in made["configurations"]["account"]["properties"]}
    size, on = by_name["size"], by_name["on"]
    assert size["value"]["default"] == {"text": None, "number": 3, "boolean": None}
    assert on["value"]["default"] == {"text": None, "number": None, "boolean": False}
    again = lamps.get()["configurations"]["account"]["properties"]["size"]["default"]
    assert (again, type(again)) == (3, int)


def test_properties_of_a_block_are_named(cast: Cast) -> None:
    space = make.filled_space(cast)
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/readme").json()["id"]
    props = {"watt": 60, "on": True, "tones": ["soft"]}
    data = {"integration": "lamps", "block": "lamp", "props": props}
    node = {"object": "block", "type": "integration", "data": data, "nodes": [], "isVoid": True}
    document = {"object": "document", "data": {}, "nodes": [node]}
    change = {"operation": "update_page", "page": page, "document": {"document": document}}
    make.changes(cast.ada, space, change)
    asked = f"""query ($id: ID!) {{ space(id: $id) {{ page(path: "readme") {{ blocks {{
        ... on IntegrationBlock {{ block props {{ name value {{ {OF_ANY_KIND} }} }} }} }} }} }} }}"""
    (block,) = cast.ria.ask(asked, id=space)["space"]["page"]["blocks"]
    shown = {
        each["name"]: {kind: it for kind, it in each["value"].items() if it is not None}
        for each in block["props"]
    }
    assert (block["block"], shown) == (
        "lamp",
        {"watt": {"number": 60}, "on": {"boolean": True}, "tones": {"json": ["soft"]}},
    )
