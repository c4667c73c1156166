"""Unknown fields of a body are refused with their paths; those of the public client are ignored aloud."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.rest import reading
from tests import make
from tests.cast import Cast
from tests.contract.shared_calls import SharedCalls

WITH_BODY = [row for row in OPERATIONS if row.body is not None]
TOLERANT = ("publishIntegration",)  # manifests: tests/integrations/test_manifest_warnings.py
IGNORED = "docyard-ignored-fields"


@pytest.mark.parametrize(
    "operation", [row for row in WITH_BODY if row.id not in TOLERANT], ids=lambda row: row.id
)
def test_a_field_that_no_body_has_is_refused(shared_calls: SharedCalls, operation: Operation) -> None:
    cast, call = shared_calls.of(operation)
    path = "/v1" + operation.path.format(**call.path).replace(":path", "")
    body = {**(call.body or {}), "bogusField": 1}
    answer = cast.ada.call(operation.method, path, json=body, params=call.query)
    assert answer.status_code == 400, answer.text
    assert {"path": "bogusField", "message": "There is no such field"} in answer.json()["error"]["details"]


def test_nothing_changes_where_a_field_is_unknown(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    path = f"/v1/spaces/{space['id']}"
    before = cast.ada.get(path).json()
    answer = cast.ada.patch(path, {"title": "Other", "colour": "red"})
    assert answer.json()["error"]["details"] == [{"path": "colour", "message": "There is no such field"}]
    assert cast.ada.get(path).json() == before
    field = 'updateSpace(input: {space: $id, title: "Other", colour: "red"}) { space { id } }'
    told = cast.ada.gql(f"mutation($id: ID!) {{ {field} }}", id=space["id"])
    assert "colour" in told["errors"][0]["message"]
    assert cast.ada.get(path).json() == before


def test_a_nested_field_is_named_by_its_path(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    position = {"position": {"before": {"type": "space", "space": space, "shelf": 1}}}
    answer = cast.ada.post(f"/v1/spaces/{space}/move", position)
    assert answer.status_code == 400
    assert [each["path"] for each in answer.json()["error"]["details"]] == ["position.before.shelf"]


def test_what_the_public_client_sends_is_ignored_and_named(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    key = {"Idempotency-Key": space}
    for _ in range(2):
        answer = cast.ada.patch(f"/v1/spaces/{space}", {"title": "Other", "mergeRules": []}, headers=key)
        assert (answer.status_code, answer.headers[IGNORED]) == (200, "mergeRules"), answer.text
    assert IGNORED not in cast.ada.patch(f"/v1/spaces/{space}", {"title": "Third"}).headers
    refused = cast.ada.patch(f"/v1/spaces/{space}", {"mergeRules": [], "mergeRule": []})
    assert [each["path"] for each in refused.json()["error"]["details"]] == ["mergeRule"]


def test_ignored_fields_are_of_bodies_that_have_others() -> None:
    known: dict[str, Any] = json.loads((Path(reading.__file__).parent / "client_fields.json").read_text())
    assert known.keys() <= {row.id for row in WITH_BODY}


def test_a_space_changes_its_language(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, language="de")["id"]
    path = f"/v1/spaces/{space}"
    assert cast.ada.patch(path, {"language": "fr"}).json()["language"] == "fr"
    changed = cast.ada.mutate("updateSpace", "space { language }", space=space, language="JA")
    assert changed == {"space": {"language": "JA"}}
    assert "language" not in cast.ada.patch(path, {"language": None}).json()
    assert cast.ada.patch(path, {"language": "xx-nowhere"}).status_code == 400
