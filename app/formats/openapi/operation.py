"""An operation as a reader shows it, whichever version of the format its document is in.

`operation_view(document, path, method)` is all there is to know; `document` is a checked bundle. Swagger 2.0
is told in the words of OpenAPI 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from app.formats.openapi.examples import example_of, is_shown
from app.formats.openapi.pages import OperationPage, operations
from app.formats.openapi.schemas import Schemas, as_dict, as_list, as_text
from app.formats.openapi.views import (
    BodyView,
    ContentView,
    ExampleView,
    OperationView,
    ParameterView,
    ResponseView,
    SecurityView,
    ServerVariableView,
    ServerView,
)

MOST_EXAMPLES = 20
MOST_SERVERS, MOST_VARIABLES, MOST_CHOICES = 20, 10, 50
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"


def find(document: dict[str, Any], path: str, method: str, kind: str = "operation") -> OperationPage | None:
    """Return the operation (or webhook) of a path and a method, in any case."""
    wanted = method.lower()
    for operation in operations(document):
        if operation.kind == kind and operation.path == path and operation.method == wanted:
            return operation
    return None


def operation_view(
    document: dict[str, Any], path: str, method: str, kind: str = "operation", source: str = ""
) -> OperationView | None:
    """Return an operation as a reader shows it; None where the document has none such.

    Relative addresses of servers are below `source`, where the document was read from.
    """
    found = find(document, path, method, kind)
    return _Viewing(document, source).operation(found) if found else None


def operation_views(document: dict[str, Any]) -> Iterator[OperationView]:
    """Yield every operation of a document as a reader shows it."""
    viewing = _Viewing(document)
    for found in operations(document):
        yield viewing.operation(found)


def is_relative(url: str) -> bool:
    """Return whether an address is below that of the document that has it."""
    return not url or url.startswith(("/", ".")) or ("//" not in url and not url.startswith("{"))


class _Viewing:
    """One view being made."""

    def __init__(self, document: dict[str, Any], source: str = "") -> None:
        self._document = document
        self._source = source
        self._old = "swagger" in document
        self._schemas = Schemas(document)

    def operation(self, operation: OperationPage) -> OperationView:
        """Return the whole of an operation."""
        value = operation.value
        given = list(self._given(operation))
        return OperationView(
            kind=operation.kind,
            path=operation.path,
            method=operation.method,
            operation_id=as_text(value.get("operationId")),
            summary=as_text(value.get("summary")),
            description=as_text(value.get("description")),
            deprecated=value.get("deprecated") is True,
            tags=[as_text(tag) for tag in as_list(value.get("tags"))],
            servers=self._servers(value),
            security=self._security(value),
            parameters=[self._parameter(p) for p in given if p.get("in") not in ("body", "formData")],
            body=self._body(value, given),
            responses=[
                self._response(as_text(status), response, value)
                for status, response in as_dict(value.get("responses")).items()
                if not as_text(status).startswith("x-")
            ],
            callbacks=[name for name in as_dict(value.get("callbacks")) if not name.startswith("x-")],
        )

    def _given(self, operation: OperationPage) -> Iterator[dict[str, Any]]:
        """Yield the parameters; the operation's own stand before its path's of the same name."""
        seen: set[tuple[str, str]] = set()
        for each in [*as_list(operation.value.get("parameters")), *operation.shared]:
            parameter = as_dict(self._schemas.followed(each))
            key = (as_text(parameter.get("name")), as_text(parameter.get("in")))
            if "name" in parameter and key not in seen:
                seen.add(key)
                yield parameter

    def _servers(self, value: dict[str, Any]) -> list[ServerView]:
        if self._old:
            host, base = self._document.get("host"), as_text(self._document.get("basePath")).rstrip("/")
            schemes = as_list(self._document.get("schemes")) or ["https"]
            if not host:
                return [ServerView(self._whole(base))]
            return [ServerView(f"{scheme}://{host}{base}") for scheme in schemes]
        servers = as_list(value.get("servers")) or as_list(self._document.get("servers"))
        return [self._server(server) for server in servers[:MOST_SERVERS] if isinstance(server, dict)]

    def _server(self, server: dict[str, Any]) -> ServerView:
        template = url = self._whole(as_text(server.get("url")).rstrip("/"))
        variables = []
        for name, given in islice(as_dict(server.get("variables")).items(), MOST_VARIABLES):
            variable, default = as_dict(given), as_text(as_dict(given).get("default"))
            url = url.replace(f"{{{name}}}", default)
            enum = [as_text(each) for each in as_list(variable.get("enum"))[:MOST_CHOICES]]
            if f"{{{name}}}" in template:
                said = as_text(variable.get("description"))
                variables.append(ServerVariableView(as_text(name), default, enum, said))
        return ServerView(url.rstrip("/"), as_text(server.get("description")), template, variables)

    def _whole(self, url: str) -> str:
        """Return the address of a server, which may be relative to that of the document."""
        if not self._source or not is_relative(url):
            return url
        try:
            return urljoin(self._source, url).rstrip("/")
        except ValueError:
            return url

    def _security(self, value: dict[str, Any]) -> list[list[SecurityView]]:
        asked = value.get("security", self._document.get("security"))
        known = self._document.get("securityDefinitions") if self._old else None
        known = known or as_dict(self._document.get("components")).get("securitySchemes")
        return [
            [self._scheme(name, as_dict(known).get(name), scopes) for name, scopes in as_dict(each).items()]
            for each in as_list(asked)
        ]

    def _scheme(self, name: str, given: Any, scopes: Any) -> SecurityView:
        scheme = as_dict(self._schemas.followed(given))
        kind, way = as_text(scheme.get("type")), as_text(scheme.get("scheme")).lower()
        if kind == "basic":
            kind, way = "http", "basic"
        return SecurityView(
            name,
            kind,
            way,
            as_text(scheme.get("in")),
            as_text(scheme.get("name")),
            as_text(scheme.get("description")),
            [as_text(scope) for scope in as_list(scopes)],
        )

    def _parameter(self, given: dict[str, Any], name: str = "", place: str = "") -> ParameterView:
        schema = given.get("schema")
        if schema is None:
            contents = as_dict(given.get("content"))
            schema = as_dict(next(iter(contents.values()), None)).get("schema") if contents else given
        place = place or as_text(given.get("in"))
        return ParameterView(
            name or as_text(given.get("name")),
            place,
            as_text(given.get("description")),
            given.get("required") is True or place == "path",
            given.get("deprecated") is True,
            self._schemas.schema({} if schema is given and not self._old else _without_place(schema)),
            self._parameter_example(given, schema),
            self._explodes(given, place),
        )

    def _explodes(self, given: dict[str, Any], place: str) -> bool:
        if self._old:
            return given.get("collectionFormat") == "multi"
        return given.get("explode", place in ("query", "cookie")) is True

    def _parameter_example(self, given: dict[str, Any], schema: Any) -> Any:
        if "example" in given:
            return given["example"]
        for example in as_dict(given.get("examples")).values():
            return as_dict(self._schemas.followed(example)).get("value")
        return as_dict(self._schemas.followed(schema)).get("example")

    def _body(self, value: dict[str, Any], given: list[dict[str, Any]]) -> BodyView | None:
        if not self._old:
            body = as_dict(self._schemas.followed(value.get("requestBody")))
            if not body:
                return None
            contents = self._contents(body.get("content"))
            return BodyView(as_text(body.get("description")), body.get("required") is True, contents)
        kinds = as_list(value.get("consumes")) or as_list(self._document.get("consumes"))
        for parameter in given:
            if parameter.get("in") == "body":
                schema = parameter.get("schema")
                contents = [self._content(as_text(kind), {"schema": schema}) for kind in kinds or [_JSON]]
                return BodyView(
                    as_text(parameter.get("description")), parameter.get("required") is True, contents
                )
        form = [parameter for parameter in given if parameter.get("in") == "formData"]
        if not form:
            return None
        needed = [as_text(each.get("name")) for each in form if each.get("required") is True]
        fields = {as_text(each.get("name")): _without_place(each) for each in form}
        schema = {"type": "object", "properties": fields, "required": needed}
        contents = [self._content(as_text(kind), {"schema": schema}) for kind in kinds or [_FORM]]
        return BodyView("", bool(needed), contents)

    def _response(self, status: str, given: Any, value: dict[str, Any]) -> ResponseView:
        response = as_dict(self._schemas.followed(given))
        headers = [
            self._parameter(as_dict(self._schemas.followed(header)), name=as_text(name), place="header")
            for name, header in as_dict(response.get("headers")).items()
        ]
        if self._old:
            kinds = as_list(value.get("produces")) or as_list(self._document.get("produces")) or [_JSON]
            examples = as_dict(response.get("examples"))
            schema = response.get("schema")
            contents = [
                self._content(as_text(kind), {"schema": schema, **_example(examples, as_text(kind))})
                for kind in kinds
                if schema is not None
            ]
        else:
            contents = self._contents(response.get("content"))
        return ResponseView(status, as_text(response.get("description")), headers, contents)

    def _contents(self, given: Any) -> list[ContentView]:
        return [
            self._content(as_text(kind), as_dict(self._schemas.followed(each)))
            for kind, each in as_dict(given).items()
        ]

    def _content(self, kind: str, given: dict[str, Any]) -> ContentView:
        schema = given.get("schema", given.get("itemSchema"))
        examples = [
            ExampleView(as_text(name), value, as_text(example.get("summary")))
            for name, each in islice(as_dict(given.get("examples")).items(), MOST_EXAMPLES)
            if "externalValue" not in (example := as_dict(self._schemas.followed(each)))
            and is_shown(value := example.get("value", example.get("dataValue")))
        ]
        if "example" in given and is_shown(given["example"]):
            examples.insert(0, ExampleView("", given["example"]))
        if not examples and schema is not None and is_shown(made := example_of(self._document, schema)):
            examples = [ExampleView("", made, made=True)]
        return ContentView(kind, self._schemas.schema(schema), examples)


_OF_PARAMETERS = frozenset({"name", "in", "required", "allowEmptyValue", "collectionFormat"})


def _without_place(given: Any) -> Any:
    """Return a parameter of Swagger 2.0 as the schema that it is at the same time."""
    if isinstance(given, dict) and "in" in given and "name" in given:
        return {name: value for name, value in given.items() if name not in _OF_PARAMETERS}
    return given


def _example(examples: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"example": examples[kind]} if kind in examples else {}
