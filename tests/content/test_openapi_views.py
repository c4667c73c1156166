"""Operations, schemas and code samples as a reader shows them, from every version of the format."""

from __future__ import annotations

import ast
import json
import shlex
from typing import Any

import pytest

from app.formats.openapi.examples import example_of
from app.formats.openapi.operation import operation_view
from app.formats.openapi.pages import pages_of
from app.formats.openapi.samples import samples
from app.formats.openapi.schemas import schema_views
from app.formats.openapi.views import OperationView, SchemaView
from tests.factories import openapi

OLD: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "Kennel", "version": "1"},
    "host": "api.example.org",
    "basePath": "/v1/",
    "schemes": ["https", "http"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "securityDefinitions": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    "security": [{"key": []}],
    "paths": {
        "/pets": {
            "post": {
                "parameters": [
                    {"name": "dry", "in": "query", "type": "boolean", "default": False},
                    {"name": "pet", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Pet"}},
                ],
                "responses": {
                    "200": {
                        "description": "Fine",
                        "schema": {"$ref": "#/definitions/Pet"},
                        "headers": {"X-Left": {"type": "integer", "description": "How many are left"}},
                    }
                },
            }
        },
        "/photo": {
            "post": {
                "consumes": ["multipart/form-data"],
                "parameters": [{"name": "file", "in": "formData", "type": "file", "required": True}],
                "responses": {"default": {"description": "Whatever"}},
            }
        },
    },
    "definitions": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}},
}


def view(document: dict[str, Any], path: str, method: str) -> OperationView:
    """The view of an operation that there is."""
    found = operation_view(document, path, method)
    assert found is not None
    return found


def test_an_operation_is_shown_with_everything() -> None:
    shown = view(openapi.document(), "/pets", "GET")
    assert (shown.summary, shown.operation_id, shown.tags) == ("List pets", "listPets", ["pets"])
    assert [server.url for server in shown.servers] == ["https://api.example.org/v1"]
    (limit,) = shown.parameters
    assert (limit.name, limit.place, limit.required, limit.schema.type) == (
        "limit",
        "query",
        False,
        "integer",
    )
    (response,) = shown.responses
    assert (response.status, response.description) == ("200", "The pets")
    (content,) = response.contents
    assert content.schema.type == "Pet"
    names = [(each.name, each.type, each.required) for each in content.schema.properties]
    assert names == [("id", "integer", False), ("name", "string", True), ("friends", "array of Pet", False)]
    assert content.schema.properties[0].access == "read only"
    friends = content.schema.properties[2].items
    assert friends is not None
    assert friends.recursive
    (made,) = content.examples
    assert made.made
    assert made.value == {"id": 1, "name": "Rex", "friends": []}


def test_parameters_of_the_path_are_the_operations_too() -> None:
    (parameter,) = view(openapi.document(), "/pets/{petId}", "get").parameters
    assert (parameter.name, parameter.place, parameter.required) == ("petId", "path", True)


def test_what_is_not_there_is_not_shown() -> None:
    assert operation_view(openapi.document(), "/pets", "delete") is None
    assert operation_view(openapi.document(), "/dogs", "get") is None


def test_the_old_format_is_told_in_the_new_ones_words() -> None:
    shown = view(OLD, "/pets", "post")
    assert [server.url for server in shown.servers] == [
        "https://api.example.org/v1",
        "http://api.example.org/v1",
    ]
    assert [(p.name, p.schema.type, p.schema.default) for p in shown.parameters] == [
        ("dry", "boolean", False)
    ]
    assert shown.body is not None
    assert shown.body.required
    assert [(c.media_type, c.schema.type) for c in shown.body.contents] == [("application/json", "Pet")]
    (response,) = shown.responses
    assert [(h.name, h.schema.type) for h in response.headers] == [("X-Left", "integer")]
    assert response.contents[0].schema.properties[0].name == "name"
    ((key,),) = shown.security
    assert (key.type, key.place, key.parameter) == ("apiKey", "header", "X-Key")
    photo = view(OLD, "/photo", "post").body
    assert photo is not None
    assert photo.contents[0].media_type == "multipart/form-data"
    assert [(p.name, p.required) for p in photo.contents[0].schema.properties] == [("file", True)]


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "string", "nullable": True}, "string or null"),
        ({"type": ["integer", "null"]}, "integer or null"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "array of array of string",
        ),
        ({"properties": {"a": {}}}, "object"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "one of"),
        ({}, "any"),
        (True, "any"),
        ({"$ref": "#/components/schemas/Pet"}, "Pet"),
        ({"$ref": "#/nowhere"}, "any"),
    ],
)
def test_types_are_told_in_words(schema: Any, shown: str) -> None:
    document = openapi.document()
    document["components"]["schemas"] = {"A": schema, "Pet": {"type": "object"}}
    (found, _) = schema_views(document)
    assert found.type in (shown, "A")
    document["paths"]["/pets"]["get"]["parameters"] = [{"name": "a", "in": "query", "schema": schema}]
    (parameter,) = view(document, "/pets", "get").parameters
    assert parameter.schema.type == shown


def test_all_of_it_is_one_object() -> None:
    document = openapi.document()
    document["components"]["schemas"] = {
        "Dog": {
            "allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"barks": {"type": "boolean"}}}],
            "required": ["barks"],
        },
        "Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
    }
    (dog,) = schema_views(document, ["Dog", "Nothing"])
    assert [(p.name, p.required) for p in dog.properties] == [("name", True), ("barks", True)]


def test_a_million_parts_are_cut() -> None:
    schemas: dict[str, Any] = {
        f"S{n}": {"properties": {f"p{m}": {"$ref": f"#/components/schemas/S{n + 1}"} for m in range(5)}}
        for n in range(40)
    }
    document = openapi.document(components={"schemas": {**schemas, "S40": {"type": "string"}}})
    (first,) = schema_views(document, ["S0"])
    assert 0 < _parts(first) < 10_000
    assert example_of(document, {"$ref": "#/components/schemas/S0"})


def _parts(shown: SchemaView) -> int:
    inner = [*shown.properties, *shown.choices, *filter(None, [shown.items, shown.values])]
    return 1 + sum(map(_parts, inner))


def test_samples_are_code() -> None:
    document = openapi.document()
    hostile = 'it\'s "quoted" $(rm -rf /) `id` \\ </script>'
    body = {"application/json": {"example": {"name": hostile, "ok": True, "none": None, "list": [1.5]}}}
    document["paths"]["/pets"]["post"]["requestBody"] = {"content": body}
    curl, python, javascript = samples(view(document, "/pets", "post"))
    words = shlex.split(curl.code.replace("\\\n", " "))
    assert words[:4] == ["curl", "-X", "POST", "https://api.example.org/v1/pets"]
    assert json.loads(words[words.index("-d") + 1])["name"] == hostile
    assert "Authorization: Bearer YOUR_TOKEN" in words
    (call,) = [n for n in ast.walk(ast.parse(python.code)) if isinstance(n, ast.keyword) and n.arg == "json"]
    assert ast.literal_eval(call.value) == {"name": hostile, "ok": True, "none": None, "list": [1.5]}
    assert "JSON.stringify({" in javascript.code
    assert [sample.syntax for sample in (curl, python, javascript)] == ["bash", "python", "javascript"]


def test_a_sample_fills_in_what_the_address_needs() -> None:
    document = openapi.document()
    curl, *_ = samples(view(document, "/pets/{petId}", "get"))
    assert curl.code == "curl -X GET 'https://api.example.org/v1/pets/PETID'"
    document["paths"]["/pets/{petId}"]["parameters"][0]["example"] = "a b/c"
    curl, *_ = samples(view(document, "/pets/{petId}", "get"), "https://test.example.org/")
    assert curl.code == "curl -X GET 'https://test.example.org/pets/a%20b%2Fc'"


def test_a_sample_gives_a_list_one_item() -> None:
    document = openapi.document()
    items = {"type": "array", "items": {"type": "string", "enum": ["cat", "dog"]}}
    asked = {"name": "kind", "in": "query", "required": True, "schema": items}
    document["paths"]["/pets"]["get"]["parameters"] = [asked]
    assert "kind=cat'" in samples(view(document, "/pets", "get"))[0].code
    asked["example"] = ["dog", "cat"]
    assert "kind=dog'" in samples(view(document, "/pets", "get"))[0].code


def _sending(kind: str, content: dict[str, Any]) -> list[str]:
    """The samples for a body of a media type."""
    document = openapi.document()
    document["paths"]["/pets"]["post"]["requestBody"] = {"content": {kind: content}}
    return [sample.code for sample in samples(view(document, "/pets", "post"))]


def test_a_sample_sends_a_form_in_parts() -> None:
    photo, name = {"type": "string", "format": "binary"}, {"type": "string", "example": "@it's"}
    schema = {"type": "object", "properties": {"photo": photo, "name": name, "age": {"type": "integer"}}}
    curl, python, javascript = _sending("multipart/form-data", {"schema": schema})
    words = shlex.split(curl.replace("\\\n", " "))
    parts = ["-F", "photo=@FILE", "--form-string", "name=@it's", "-F", "age=1"]
    assert words[-len(parts) :] == parts
    (sent,) = [n for n in ast.walk(ast.parse(python)) if isinstance(n, ast.keyword) and n.arg == "files"]
    expected = '{"photo": open("FILE", "rb"), "name": (None, "@it\'s"), "age": (None, "1")}'
    assert ast.unparse(sent.value) == ast.unparse(ast.parse(expected).body[0])
    assert 'form.append("photo", file);\nform.append("name", "@it\'s");' in javascript
    assert "body: form," in javascript
    for code in (curl, python, javascript):  # who sends it says what is between the parts
        assert "Content-Type" not in code


def test_a_sample_sends_text_as_it_is_and_files_as_files() -> None:
    curl, python, javascript = _sending("application/xml", {"example": '<pet name="Rex"/>'})
    assert curl.endswith("""-d '<pet name="Rex"/>'""")
    assert "Content-Type: application/xml" in curl
    assert '"<pet name=\\"Rex\\"/>"' in python
    curl, *_ = _sending("text/plain", {"example": "@/etc/hostname"})  # curl takes no file for it
    assert curl.endswith("--data-raw '@/etc/hostname'")
    binary = {"schema": {"type": "string", "format": "binary"}}
    curl, python, javascript = _sending("application/octet-stream", binary)
    assert curl.endswith("--data-binary @FILE")
    assert 'data=open("FILE", "rb"),' in python
    assert "body: file," in javascript


def test_pages_have_addresses_of_their_own() -> None:
    document = openapi.document()
    document["paths"]["/cats"] = {
        method: {"summary": "Cats", "responses": {}} for method in ("get", "put", "query")
    }
    document["webhooks"] = {"born": {"post": {"summary": "A pet is born", "responses": {}}}}
    pages = pages_of(document)
    places = [(page.parent, page.slug) for page in pages]
    assert len(places) == len(set(places))
    assert len({page.key for page in pages}) == len(pages)
    (hook,) = [page for page in pages if page.title == "A pet is born"]
    assert '{% openapi-webhook spec="\0spec\0" name="born" method="post" %}' in hook.body
    assert hook.props["method"] == "hook"


def test_what_nobody_reads_is_left_out() -> None:
    document = openapi.document()
    get = document["paths"]["/pets"]["get"]
    get["parameters"] = [{"name": f"p{n}", "in": "query", "description": "x" * 5_000} for n in range(5_000)]
    get["responses"]["200"]["content"]["application/json"]["example"] = "x" * 1_000_000
    (page,) = [page for page in pages_of(document) if page.title == "List pets"]
    assert len(page.body) < 300_000
    (content,) = view(document, "/pets", "get").responses[0].contents
    assert [example.made for example in content.examples] == [True]
