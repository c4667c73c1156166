"""The API's document: valid, complete, and true to its own examples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import httpx
import pytest
from openapi_spec_validator import validate

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.rest.openapi import document
from tests.contract.shapes import BASE, DOCUMENT, validator
from tests.instance import Instance

every_operation = pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)


def described(row: Operation) -> dict[str, Any]:
    """An operation in the document."""
    found: dict[str, Any] = DOCUMENT["paths"][row.path.replace(":path}", "}")][row.method.lower()]
    return found


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """Return what a reference stands for."""
    if "$ref" not in node:
        return node
    found: Any = DOCUMENT
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return resolved(found)


def contents(row: Operation) -> Iterator[dict[str, Any]]:
    """Every body of an operation: its request's and its answers'."""
    holders = [described(row).get("requestBody", {}), *map(resolved, described(row)["responses"].values())]
    for holder in holders:
        yield from holder.get("content", {}).values()


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)
    assert DOCUMENT["openapi"].startswith("3.1")
    assert DOCUMENT["servers"] == [{"url": f"{BASE}/v1"}]


def test_every_operation_is_in_it_once() -> None:
    ids = [op["operationId"] for path in DOCUMENT["paths"].values() for op in path.values()]
    assert sorted(ids) == sorted(row.id for row in OPERATIONS)


@every_operation
def test_an_operation_is_described_in_full(row: Operation) -> None:
    found = described(row)
    assert found["tags"] in [[tag["name"]] for tag in DOCUMENT["tags"]]
    assert found["tags"][0]
    assert (found["summary"], found["description"]) == (row.summary, row.description)
    in_path = [p["name"] for p in found.get("parameters", ()) if p.get("in") == "path"]
    assert in_path == re.findall(r"{(\w+)}", row.path.replace(":path", ""))
    headers = {resolved(p)["name"] for p in found.get("parameters", ()) if resolved(p)["in"] == "header"}
    assert ("Idempotency-Key" in headers) is row.writes
    assert ("If-None-Match" in headers) is (row.method == "GET" and not row.paged)
    assert ("requestBody" in found) is (row.body is not None)
    assert ("content" in found["responses"][str(row.status)]) is (row.show is not None)
    assert ("401" in found["responses"]) is not row.public


@every_operation
def test_its_examples_fit_their_schemas(row: Operation) -> None:
    for content in contents(row):
        validator(content["schema"]).validate(content["example"])


def test_every_refusal_has_the_one_shape() -> None:
    for row in OPERATIONS:
        for status, answer in described(row)["responses"].items():
            if int(status) >= 400:
                content = resolved(answer)["content"]["application/json"]
                assert content["schema"] == {"$ref": "#/components/schemas/Error"}
                assert content["example"]["error"]["code"] == int(status)
                assert HTTPStatus(int(status)).phrase == resolved(answer)["description"]


def test_names_are_clean_and_nothing_is_left_over() -> None:
    for name in DOCUMENT["components"]["schemas"]:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)
        assert not name.endswith("Out")
    assert not [place for place, node in nodes(DOCUMENT["components"]["schemas"]) if is_left_over(node)]
    assert not re.search(r"\((specification|decisions)\b", json.dumps(DOCUMENT))
    used = {node["$ref"] for _, node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)}
    schemas = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert schemas <= used


def nodes(node: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a JSON value with its place."""
    if isinstance(node, dict):
        yield place, node
        for name, below in node.items():
            yield from nodes(below, f"{place}/{name}")
    elif isinstance(node, list):
        for number, below in enumerate(node):
            yield from nodes(below, f"{place}/{number}")


def is_left_over(node: dict[str, Any]) -> bool:
    return "default" in node and node["default"] is None


def test_it_is_served_to_anyone_and_kept_by_its_tag(instance: Instance) -> None:
    answer = instance.http.get("/v1/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == document(OPERATIONS, instance.base)
    again = instance.http.get("/v1/openapi.json", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_service_tells_which_one_it_is(instance: Instance) -> None:
    from app.kit.build import VERSION, build

    answer: httpx.Response = instance.http.get("/v1/")
    assert answer.json() == {"version": VERSION, "build": build()}


# What is open by nature: values of callers, of integrations and of formats that others define.
OPEN = {
    "AdaptiveSchemaUpdate.jsonSchema",
    "ComponentRenderEvent.action",
    "ComponentRenderEvent.props",
    "ComponentRenderEvent.state",
    "Computed.props",
    "ComputedInput.props",
    "ContentDocumentEvent.dependencies",
    "ContentDocumentEvent.props",
    "ContentRevisionEvent.dependencies",
    "ContentRevisionEvent.props",
    "DocumentBlock.data",
    "DocumentBlockInput.data",
    "DocumentInline.data",
    "DocumentInlineInput.data",
    "DocumentMark.data",
    "DocumentMarkInput.data",
    "Installation.configuration",
    "InstallationUpdate.configuration",
    "IntegrationSiteInstallation.configuration",
    "IntegrationSpaceInstallation.configuration",
    "IntegrationTask.task",
    "JSONDocument.data",
    "JSONDocumentInput.data",
    "OpenAPIContentFile.specification",
    "PlacementUpdate.configuration",
    "PreviousInstallation.configuration",
    "RenderOutput.element",
    "RenderOutput.props",
    "RenderOutput.returnValue",
    "RenderOutput.state",
    "RenderRequest.action",
    "RenderRequest.props",
    "RenderRequest.state",
    "SiteAdaptiveSchema.jsonSchema",
    "TaskEvent.task",
    "UserExport.records",
    "Visitor.unsignedClaims",
}


def test_an_object_whose_fields_are_known_says_them() -> None:
    schemas = document(OPERATIONS, "")["components"]["schemas"]
    found = {
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, described in schema.get("properties", {}).items()
        if any(map(_is_open, [described, *described.get("anyOf", ()), described.get("items", True)]))
    }
    assert sorted(found) == sorted(OPEN)


def _is_open(schema: Any) -> bool:
    """Tell whether a generated client would call such a value unknown."""
    if schema is True:
        return False
    told = schema.keys() - {"description", "default"}
    known = {"properties", "patternProperties", "oneOf", "anyOf", "$ref", "enum", "const"}
    is_object = schema.get("type") == "object" and schema.get("additionalProperties", True) is True
    return not told or (is_object and not told & known)
