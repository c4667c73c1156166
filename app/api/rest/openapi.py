"""The API's document (OpenAPI 3.1), generated from the same rows that answer requests.

Nothing here is loaded at start-up: the first request for the document builds it, and it is kept.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from app.api.operation import Operation
from app.api.rest import schemas
from app.api.rest.examples import error, example
from app.api.rest.schemas import Schema
from app.kit import workers
from app.kit.build import VERSION
from app.kit.http.headers import etag, matches
from app.models.base import Shape
from app.present.shape import SHAPES

TITLE = "Docyard"
DESCRIPTION = """\
Manage documentation: organizations, collections of spaces, spaces and their content.

Every call carries `Authorization: Bearer <token>`. Lists come in pages: pass `next.page` back as `page`.
Errors have one shape. Single objects carry an `ETag`: sent back as `If-None-Match` it saves reading it again,
as `If-Match` it keeps a write from undoing somebody else's. A write repeated with the same `Idempotency-Key`
happens once.
"""
SECURITY = "token"
ID_PATTERN = "^[a-zA-Z0-9_-]+$"
PATTERNS: dict[str, Schema] = {
    "pagePath": {"type": "string", "minLength": 1, "description": "path of the page; may contain slashes"},
    "hostname": {"type": "string", "pattern": r"^[^/\s]+$", "description": "name of a host of a site's own"},
    "emailDomain": {"type": "string", "pattern": r"^[^@/\s]+$", "description": "what follows the @"},
}
PRECONDITION = frozenset({"transferSpace", "transferCollection", "getSpacePDF", "getChangeRequestPDF"})
TEXT: Schema = {"type": "string"}
HEADERS: dict[str, tuple[str, str, Schema]] = {
    "IfNoneMatch": (
        "If-None-Match",
        "An `ETag` you hold: while it fits, the answer is 304 without a body.",
        TEXT,
    ),
    "IfMatch": (
        "If-Match",
        "The `ETag` you read: where it no longer fits, nothing changes (412).",
        TEXT,
    ),
    "IdempotencyKey": (
        "Idempotency-Key",
        "A key of your choice: a write sent again with it and the same token happens once.",
        {**TEXT, "minLength": 1, "maxLength": 255},
    ),
}
ETAG: Schema = {"description": "Changes whenever the object does.", "schema": TEXT}

_kept: dict[str, tuple[bytes, str]] = {}


async def answer(request: Request, operations: list[Operation], base_url: str) -> Response:
    """Return the document as a response; 304 to a caller who has it."""
    if base_url not in _kept:
        _kept[base_url] = await workers.prepare(_written, operations, base_url)
    content, tag = _kept[base_url]
    headers = {"etag": tag, "cache-control": "no-cache"}
    if matches(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    return Response(content, 200, headers, media_type="application/json")


def _written(operations: list[Operation], base_url: str) -> tuple[bytes, str]:
    content = orjson.dumps(document(operations, base_url))
    return content, etag(content)


def document(operations: list[Operation], base_url: str) -> dict[str, Any]:
    """Return the whole document of these operations."""
    return _OpenAPIBuilder(operations).build(base_url)


class _OpenAPIBuilder:
    """The operations with the schemas they refer to."""

    def __init__(self, operations: list[Operation]) -> None:
        self._operations = operations
        shown = [op for op in operations if op.show is not None]
        self._answers = [SHAPES[op.show] for op in shown if op.show is not None]
        extras = [op.extra for op in operations if op.extra is not None]
        bodies = [op.body for op in operations if op.body is not None]
        self._schemas = schemas.components(bodies, [*self._answers, *extras])
        for op in shown:
            if op.paged:
                self._schemas[self._answer_name(op)] = self._envelope(op)
        for extra in extras:  # its fields are in the envelopes now
            self._schemas.pop(schemas.answer_name(extra.__name__), None)
        self._reads = {op.path: op for op in operations if op.method == "GET" and not op.paged}

    def build(self, base_url: str) -> dict[str, Any]:
        paths: dict[str, Schema] = {}
        for op in self._operations:
            paths.setdefault(op.path.replace(":path}", "}"), {})[op.method.lower()] = self._operation(op)
        responses = {_phrase(status): _refusal(status) for status in ERRORS}
        families = dict.fromkeys(op.family for op in self._operations)
        return {
            "openapi": "3.1.0",
            "info": {
                "title": TITLE,
                "version": VERSION,
                "description": DESCRIPTION,
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": f"{base_url}/v1"}],
            "security": [{SECURITY: []}],
            "tags": [{"name": family} for family in families],
            "paths": paths,
            "components": {
                "securitySchemes": {SECURITY: {"type": "http", "scheme": "bearer"}},
                "parameters": {key: _header(*words) for key, words in HEADERS.items()},
                "headers": {"ETag": ETAG},
                "responses": responses,
                "schemas": dict(sorted(schemas.used([paths, responses], self._schemas).items())),
            },
        }

    def _operation(self, op: Operation) -> Schema:
        described: Schema = {
            "operationId": op.id,
            "tags": [op.family],
            "summary": op.summary,
            "description": op.description,
        }
        if op.deprecated:
            described["deprecated"] = True
        if op.public:
            described["security"] = []
        elif op.is_published:
            described["security"] = [{SECURITY: []}, {}]
        if parameters := self._parameters(op):
            described["parameters"] = parameters
        if op.body is not None:
            described["requestBody"] = self._body(op.body)
        described["responses"] = {str(op.status): self._success(op)}
        if self._conditional(op):
            described["responses"]["304"] = {"description": "You have it already."}
        for status in self._refusals(op):
            described["responses"][str(status)] = {"$ref": f"#/components/responses/{_phrase(status)}"}
        return described

    def _parameters(self, op: Operation) -> list[Schema]:
        found = [_path_parameter(name) for name in op.parameters]
        if op.query is not None:
            found += schemas.query_parameters(op.query)
        headers = ["IfNoneMatch"] if self._conditional(op) else []
        if op.writes:
            headers = [*(["IfMatch"] if op.path in self._reads else []), "IdempotencyKey"]
        return found + [{"$ref": f"#/components/parameters/{name}"} for name in headers]

    def _body(self, body: type[Shape]) -> Schema:
        name = schemas.body_name(body, self._schemas)
        required = bool({"required", "oneOf"} & self._schemas[name].keys())
        return {"required": required, "content": self._content(name)}

    def _success(self, op: Operation) -> Schema:
        described: Schema = {"description": HTTPStatus(op.status).phrase}
        if op.show is None:
            return described
        if self._conditional(op):
            described["headers"] = {"ETag": {"$ref": "#/components/headers/ETag"}}
        return {**described, "content": self._content(self._answer_name(op))}

    def _content(self, name: str) -> Schema:
        schema = schemas.ref(name)
        return {"application/json": {"schema": schema, "example": example(schema, self._schemas)}}

    def _answer_name(self, op: Operation) -> str:
        assert op.show is not None
        item = schemas.answer_name(SHAPES[op.show].__name__)
        return f"{item}List" if op.paged else item

    def _envelope(self, op: Operation) -> Schema:
        assert op.show is not None
        extra = None if op.extra is None else self._schemas[schemas.answer_name(op.extra.__name__)]
        return schemas.envelope(schemas.answer_name(SHAPES[op.show].__name__), extra)

    def _conditional(self, op: Operation) -> bool:
        return op.method == "GET" and not op.paged

    def _refusals(self, op: Operation) -> list[int]:
        happens = {
            400: op.writes or op.query is not None or op.body is not None,
            401: not op.public,
            403: op.writes or op.asks or bool(op.parameters),
            404: op.asks or bool(op.parameters),
            409: op.writes,
            412: op.id in PRECONDITION or (op.writes and op.path in self._reads),
            413: op.writes or op.body is not None,
            415: op.body is not None,
            422: op.writes,
            429: not op.public,
            503: op.writes,
        }
        return [status for status in ERRORS if happens[status]]


ERRORS = (400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503)


def _path_parameter(name: str) -> Schema:
    schema = dict(PATTERNS.get(name, {"type": "string", "pattern": ID_PATTERN}))
    described = {"description": text} if (text := schema.pop("description", "")) else {}
    return {"name": name, "in": "path", "required": True, **described, "schema": schema}


def _header(name: str, description: str, schema: Schema) -> Schema:
    return {"name": name, "in": "header", "description": description, "schema": schema}


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase.replace(" ", "").replace("-", "")


def _refusal(status: int) -> Schema:
    described: Schema = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": schemas.ref("Error"), "example": error(status)}},
    }
    if status in (429, 503):
        described["headers"] = {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}}
    return described
