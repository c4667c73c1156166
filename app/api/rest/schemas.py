"""The schemas of the API's document, from the shapes in `models`.

Names are those of the shapes: answers without `Out` (SpaceOut is Space), bodies as they are (SpaceUpdate);
a shape that bodies share with answers has `Input` added for bodies. A field of an answer that has no value is
left out, so what may be absent is never null there (decisions, 5).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from app.models.base import Shape, for_callers

Schema = dict[str, Any]
PLACE = "#/components/schemas/"

ERROR: Schema = {
    "type": "object",
    "description": "Why a request was refused.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "integer", "description": "equals the HTTP status"},
                "message": {"type": "string", "description": "a sentence for people"},
                "details": {
                    "type": "array",
                    "description": "the fields that are wrong",
                    "items": {
                        "type": "object",
                        "required": ["path", "message"],
                        "properties": {"path": {"type": "string"}, "message": {"type": "string"}},
                    },
                },
            },
        }
    },
}


class Plain(GenerateJsonSchema):
    """JSON Schema that says only what was written: no made-up titles, no `default: null`."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> Schema:
        described: Schema = super().default_schema(schema)
        if described.get("default", "") is None:
            del described["default"]
        return described


def components(inputs: Iterable[type[Shape]], outputs: Iterable[type[BaseModel]]) -> dict[str, Schema]:
    """Return every shape that bodies and answers are made of, by name, with the one shape of errors."""
    answers = _named(outputs, "serialization", answer_name)
    for schema in answers.values():
        _leave_out_null(schema)
        if schema.get("additionalProperties") in (False, True) and "properties" in schema:
            del schema["additionalProperties"]  # later versions may answer more
    bodies = _named(inputs, "validation", lambda name: f"{name}Input" if name in answers else name)
    return dict(sorted({"Error": ERROR, **answers, **bodies}.items()))


def query_parameters(shape: type[Shape]) -> list[Schema]:
    """Return the query parameters that a shape stands for."""
    described = shape.model_json_schema(schema_generator=Plain)
    _leave_out_null(described)
    return [
        _parameter(name, dict(schema), name in described.get("required", ()))
        for name, schema in described.get("properties", {}).items()
    ]


def answer_name(name: str) -> str:
    """Return the name of an answer's shape in the document."""
    return name.removesuffix("Out")


def body_name(shape: type[Shape], known: Container[str]) -> str:
    """Return the name of a body's shape among the known schemas."""
    name = shape.__name__
    return f"{name}Input" if f"{name}Input" in known else name


def ref(name: str) -> Schema:
    """Return a reference to a named schema."""
    return {"$ref": PLACE + name}


def envelope(name: str, extra: Schema | None) -> Schema:
    """Return the schema of a page of a list, with what this list carries besides."""
    properties: Schema = {
        "count": {"type": "integer", "minimum": 0, "description": "matches over all pages"},
        "items": {"type": "array", "items": ref(name)},
        "next": {
            "type": "object",
            "description": "the way to the next page; absent on the last",
            "required": ["page"],
            "properties": {"page": {"type": "string", "description": "pass it back as `page`"}},
        },
    }
    more = extra or {}
    return {
        "type": "object",
        "required": ["count", "items", *more.get("required", ())],
        "properties": {**properties, **more.get("properties", {})},
    }


def used(root: Any, named: dict[str, Schema]) -> dict[str, Schema]:
    """Return the named schemas that something refers to, or that one of these does."""
    found: dict[str, Schema] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).removeprefix(PLACE)
            if name in named and name not in found:
                found[name] = named[name]
                waiting.append(named[name])
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return found


def _named(
    shapes: Iterable[type[BaseModel]],
    mode: Literal["validation", "serialization"],
    name: Callable[[str], str],
) -> dict[str, Schema]:
    asked = [(shape, mode) for shape in dict.fromkeys(shapes)]
    _, described = models_json_schema(asked, ref_template=PLACE + "{model}", schema_generator=Plain)
    named = {name(own): schema for own, schema in described.get("$defs", {}).items()}
    for schema in named.values():
        schema.pop("title", None)
        if "description" in schema:
            schema["description"] = for_callers(schema["description"])
        _say_choices(schema)
        _rename(schema, name)
    return named


def _say_choices(schema: Schema) -> None:
    """Repeat what a choice requires, since generators of clients read each choice by itself."""
    properties = schema.get("properties", {})
    for choice in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
        said = choice.get("properties", {})
        for name in choice.get("required", ()) if properties else ():
            said[name] = {**properties[name], **said.get(name, {})}
            choice["properties"] = said


def _rename(node: Any, name: Callable[[str], str]) -> None:
    if isinstance(node, list):
        for item in node:
            _rename(item, name)
    elif isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str) and value.startswith(PLACE):
                node[key] = PLACE + name(value.removeprefix(PLACE))
            else:
                _rename(value, name)


def _leave_out_null(schema: Schema) -> None:
    """Let fields that may be absent be absent rather than null."""
    for name, property_ in schema.get("properties", {}).items():
        if name not in schema.get("required", ()):
            kinds = [kind for kind in property_.get("anyOf", ()) if kind != {"type": "null"}]
            if len(kinds) == 1:
                del property_["anyOf"]
                schema["properties"][name] = {**kinds[0], **property_}
            elif kinds:
                property_["anyOf"] = kinds


def _parameter(name: str, schema: Schema, required: bool) -> Schema:
    described = {"description": text} if (text := schema.pop("description", "")) else {}
    return {"name": name, "in": "query", "required": required, **described, "schema": schema}
