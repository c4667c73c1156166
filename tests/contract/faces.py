"""One input, two faces: how the tests put the same call to REST and to GraphQL, and compare what comes back.

Nulls count as absent, GraphQL's names of enumerations as their values, a connection as the list envelope.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from app.api.operation import Operation
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLString,
    GraphQLUnionType,
    OperationDefinitionNode,
    get_nullable_type,
    parse,
    type_from_ast,
)
from tests.contract.write_documents import CORE, complete, fields_of

SUCCESS = "success"
# REST wraps the tree, GraphQL has it as a field of its own
PAGES = {"listPages", "listPagesInChangeRequest", "listPagesInRevisionById"}
ID = re.compile(r"\b[0-9A-Za-z]{20}\b")
SIGNATURE = re.compile(r"/(files|pdf|uploads)/\d+\.[\w-]+")
SECRET = re.compile(r"(?<=shareKey=)[\w-]+|(?<=docyard-verification=)[\w-]+|^(?:dci_)?[\w-]{43}$")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z")


@dataclass(slots=True)
class Call:
    """The input of an operation, as REST names it; values of the query are plain Python."""

    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None


class Caller(Protocol):
    """Somebody who makes calls, as `Person` does."""

    def call(self, method: str, path: str, **options: Any) -> httpx.Response: ...


@dataclass(slots=True)
class Answer:
    """What a face said: success or the status of the refusal, and the data."""

    verdict: str | int
    data: Any
    response: httpx.Response | None = None  # of a success over REST


def by_rest(person: Caller, operation: Operation, call: Call) -> Answer:
    """The call over REST."""
    response = person.call(operation.method, address(operation, call), params=in_query(call), **in_body(call))
    if response.status_code >= 400:
        return Answer(response.status_code, response.json())
    assert response.status_code == operation.status, response.text
    return Answer(SUCCESS, without_nulls(response.json()) if response.content else None, response)


def address(operation: Operation, call: Call) -> str:
    """The path of an operation with its parameters filled in."""
    path = operation.path.replace(":path}", "}")
    for name, value in call.path.items():
        path = path.replace(f"{{{name}}}", value)
    return f"/v1{path}"


def in_query(call: Call) -> dict[str, Any]:
    """The query as it is spelled in an address."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in call.query.items()
    }


def in_body(call: Call) -> dict[str, Any]:
    """The body as the client takes it."""
    return {} if call.body is None else {"json": call.body}


def by_graphql(person: Caller, operation: Operation, call: Call) -> Answer:
    """The call over GraphQL, with the document of the operation."""
    text = complete(operation)
    given = {"query": text, "variables": variables(text, call), "operationName": operation.id}
    response = person.call("POST", "/graphql", json=given)
    found = response.json()
    if "errors" in found:
        return Answer(found["errors"][0]["extensions"]["status"], found)
    data, way = found["data"], fields_of(operation)
    for name, _field in way:
        data = data[name]
    if operation.show is None:
        assert data is True
        return Answer(SUCCESS, None)
    shown = as_rest(way[-1][1].type, data)
    return Answer(SUCCESS, without_nulls({"pages": shown} if operation.id in PAGES else shown))


def variables(document: str, call: Call) -> dict[str, Any]:
    """The variables of a document, from the same input."""
    values = {**call.path, **call.query, **({} if call.body is None else {"body": call.body})}
    (operation,) = (d for d in parse(document).definitions if isinstance(d, OperationDefinitionNode))
    kinds: dict[str, Any] = {
        d.variable.name.value: type_from_ast(CORE, d.type) for d in operation.variable_definitions or ()
    }
    if "body" in kinds:
        values.setdefault("body", {})
        if isinstance(get_nullable_type(kinds["body"]), GraphQLList):  # all that there is in REST's body
            (values["body"],) = values["body"].values()
    return {name: as_variable(kinds[name], value) for name, value in values.items() if name in kinds}


def as_variable(kind: GraphQLInputType, value: Any) -> Any:
    """A value of REST as GraphQL takes it: enumerations by name."""
    if isinstance(kind, GraphQLNonNull):
        return as_variable(kind.of_type, value)
    if isinstance(kind, GraphQLList) and isinstance(value, list):
        return [as_variable(kind.of_type, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        return {_plain(member.value): name for name, member in kind.values.items()}.get(value, value)
    if kind is GraphQLString and isinstance(value, bool):
        return str(value).lower()
    if isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
        fields = kind.fields
        return {k: as_variable(fields[k].type, v) if k in fields else v for k, v in value.items()}
    return value


def as_rest(kind: GraphQLOutputType, value: Any) -> Any:
    """A value of GraphQL as REST shows it."""
    if value is None:
        return None
    if isinstance(kind, GraphQLNonNull):
        return as_rest(kind.of_type, value)
    if isinstance(kind, GraphQLList):
        return [as_rest(kind.of_type, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        return _plain(kind.values[value].value)
    if isinstance(kind, GraphQLUnionType):
        (kind,) = (member for member in kind.types if member.name.lower() == value["object"])
    if not isinstance(kind, GraphQLObjectType):
        return value
    fields = {name: as_rest(kind.fields[name].type, item) for name, item in value.items()}
    return _envelope(fields) if kind.name.endswith("Connection") else fields


def _envelope(fields: dict[str, Any]) -> dict[str, Any]:
    page, items, count = fields.pop("pageInfo"), fields.pop("nodes"), fields.pop("totalCount")
    following = {"next": {"page": page["endCursor"]}} if page["hasNextPage"] else {}
    return {"count": count, "items": items, **fields, **following}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value


def without_nulls(value: Any) -> Any:
    """The same data where null means absent."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def without_chance(value: Any) -> Any:
    """The same data without new ids, times and signatures, which differ between two runs of one write."""
    if isinstance(value, dict):
        return {name: without_chance(item) for name, item in value.items()}
    if isinstance(value, list):
        return [without_chance(item) for item in value]
    if isinstance(value, str):
        value = SECRET.sub("<secret>", value)
        value = SIGNATURE.sub(r"/\1/<signature>", TIME.sub("<time>", ID.sub("<id>", value)))
    return value
