"""The shape that a success is declared to have: nothing missing, nothing more, no null for absent."""

from __future__ import annotations

import httpx
import orjson
from jsonschema_rs import Draft202012Validator, Registry
from pydantic import BaseModel

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.rest.openapi import document
from app.present.shape import SHAPES

BASE = "https://docs.example.org"
DOCUMENT = document(OPERATIONS, BASE)  # the same that is served (test_openapi)
_HERE, _THERE = b'"$ref":"#/', b'"$ref":"urn:document#/'
_REGISTRY = Registry([("urn:document", DOCUMENT)])


def validator(schema: object) -> Draft202012Validator:
    """Return what checks values by a schema of the document, which has been read once for all of them."""
    return Draft202012Validator(orjson.loads(orjson.dumps(schema).replace(_HERE, _THERE)), registry=_REGISTRY)


def has_its_shape(row: Operation, answer: httpx.Response) -> None:
    """Raise unless a success of this operation fits its schema in the document and its declared shape."""
    if row.show is None:
        return
    assert answer.headers["content-type"] == "application/json"
    responses = DOCUMENT["paths"][row.path.replace(":path}", "}")][row.method.lower()]["responses"]
    schema = responses[str(row.status)]["content"]["application/json"]["schema"]
    found = answer.json()
    validator(schema).validate(found)
    shape = SHAPES[row.show]
    if not row.paged:
        fits(shape, found)
        return
    assert found.keys() <= {"count", "items", "next", *_extra(row)}
    assert found["items"], "a list that is empty proves nothing"
    for item in found["items"]:
        fits(shape, item)


def fits(shape: type[BaseModel], value: object) -> None:
    """Raise unless the value is of this shape and has no field besides, however deep."""
    content = orjson.dumps(value)
    shape.model_validate_json(content, strict=True, extra="forbid", by_alias=True, by_name=False)


def _extra(row: Operation) -> set[str]:
    fields = row.extra.model_fields.items() if row.extra else ()
    return {field.alias or name for name, field in fields}
