"""Fields of a manifest that nothing here knows are kept, and told to whoever publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.kit.ids import new_id
from tests.cast import Cast
from tests.contract.test_errors import is_refused
from tests.factories.integrations import ACCOUNT, PublishedIntegration, manifest

CODE = {"codeblock": "lamp", "body": "text", "wide": True}
UNKNOWN: dict[str, Any] = {
    "colour": "red",
    "blocks": [{"id": "lamp", "title": "Lamp", "menu": {"place": "top"}, "markdown": CODE}],
    "contentSources": [
        {"id": "lamps", "title": "Lamps", "configuration": {"componentId": "a", "wide": True}, "kind": 1}
    ],
    "externalLinks": [{"url": "https://lamps.example.org/", "label": "Lamps", "rel": None}],
    "configurations": {
        "account": {
            "properties": {"key": {"type": "string", "secret": True}},
            "componentTitle": "Lamps",
        },
        "team": {"properties": {}},
    },
}
TOLD = {
    "colour": "red",
    "blocks.0.menu": {"place": "top"},
    "blocks.0.markdown.wide": True,
    "contentSources.0.kind": 1,
    "contentSources.0.configuration.wide": True,
    "externalLinks.0.rel": None,
    "configurations.team": {"properties": {}},
    "configurations.account.componentTitle": "Lamps",
    "configurations.account.properties.key.secret": True,
}
OWNED = """query ($name: ID!) { integration(name: $name) { warnings { path message value } } }"""


def test_they_are_kept_where_they_are_and_told_by_path(cast: Cast) -> None:
    made = PublishedIntegration(cast, visibility="public", **UNKNOWN)
    warnings = made.published["warnings"]
    assert {each["path"]: json.loads(each["value"]) for each in warnings} == TOLD
    assert {each["message"] for each in warnings} == {
        "Nothing here knows this field; it is kept without effect."
    }
    again = made.get()
    assert again["warnings"] == warnings
    assert again["blocks"][0]["menu"] == {"place": "top"}
    assert again["configurations"]["account"]["properties"]["key"]["secret"] is True
    assert cast.ada.ask(OWNED, name=made.name)["integration"]["warnings"] == warnings


def test_only_who_publishes_is_told(cast: Cast) -> None:
    made = PublishedIntegration(cast, visibility="public", **UNKNOWN)
    for person in (cast.cleo, cast.ria, cast.sol):
        assert "warnings" not in person.get(made.path).json()
        assert person.ask(OWNED, name=made.name)["integration"]["warnings"] is None
    listed = cast.ada.get("/v1/integrations", params={"owner": cast.organization}).json()["items"]
    assert [len(each["warnings"]) for each in listed if each["name"] == made.name] == [len(TOLD)]


def test_the_next_manifest_is_told_of_alone(cast: Cast) -> None:
    made = PublishedIntegration(cast, colour="red")
    assert "warnings" not in made.post("", manifest(cast), 200)
    assert "warnings" not in made.get()


def test_what_is_wrong_in_a_known_field_is_still_refused(cast: Cast) -> None:
    wrong = manifest(cast, colour="red", blocks=[{"id": "lamp", "titel": "Lamp"}])
    refused = is_refused(cast.ada.post(f"/v1/integrations/{new_id()}", wrong), 400)
    assert [each["path"] for each in refused["details"]] == ["blocks.0.title"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({f"field-{n}": n for n in range(101)}, "field-100"),
        ({"colour": "red", "long": "x" * 20_000}, "long"),
        ({"configurations": {"account": ACCOUNT, "team": ["x" * 10_000] * 2}}, "configurations.team"),
        ({"n" * 20_001: 1}, "n" * 20_001),
    ],
)
def test_there_is_an_end_to_what_is_kept(cast: Cast, fields: dict[str, Any], path: str) -> None:
    answer = cast.ada.post(f"/v1/integrations/{new_id()}", manifest(cast, **fields))
    assert is_refused(answer, 400)["details"][0]["path"] == path
    assert "at most 100 fields" in answer.json()["error"]["message"]
