"""One input, two faces: how the tests put the same call to REST and to GraphQL, and compare what comes back.

Nulls count as absent, GraphQL's names of enumerations as their values, a connection as the list envelope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from app.api.catalog import OPERATIONS
from app.api.graphql.fields import short
from app.api.graphql.inputs import input_name, taken_by
from app.api.graphql.list_inputs import INSIDE
from app.api.graphql.mutations import body_fields, free, result_of
from app.api.graphql.nodes import shape_of
from app.api.graphql.queries import FORCED, HIDDEN, filter_name
from app.api.graphql.schema import DECLARED
from app.api.graphql.shape_fields import camel
from app.api.operation import Operation
from app.kit.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    NotJson,
    PreconditionFailed,
    TooLarge,
    Unprocessable,
)
from app.models.base import Choices, Shape
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    get_named_type,
)
from tests.cast import Person
from tests.contract.global_ids import of_reading, of_writing
from tests.contract.selections import (
    CORE,
    answer_as_rest,
    as_rest,
    as_rest_of_payload,
    current_as_rest,
    plain,
)
from tests.contract.write_documents import complete, field_at, is_current, way_to

SUCCESS = "success"
ARGUMENTS = {"limit": "first", "page": "after"}
ORDER = {"order": "direction", "orderBy": "field", "sort": "field"}
STATUSES = {
    each.code: each.status
    for each in (Invalid, Forbidden, NotFound, Conflict, PreconditionFailed, TooLarge, NotJson, Unprocessable)
}
KIND = re.compile(r"[a-zA-Z]+([_-][a-zA-Z]+)*")  # what is told of an object that is one of several
ID = re.compile(r"\b[0-9A-Za-z]{20}\b")
SIGNATURE = re.compile(r"/(exports|files|pdf|uploads)/\d+\.[\w-]+")
SECRET = re.compile(
    r"(?<=shareKey=)[\w-]+|(?<=docyard-verification=)[\w-]+|(?<=code=)dcl_[\w-]+|^(?:dc[icy]_)?[\w-]{43}$"
)
TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z")


def _all_choices() -> dict[str, Choices]:
    """The inputs that have alternatives, by name."""
    found = {input_name(each): each.choices for each in _shapes(Shape) if each.choices is not None}
    bodies = {f"{row.field[0].upper()}{row.field[1:]}Input": row.body for row in OPERATIONS if row.body}
    return found | {name: each.choices for name, each in bodies.items() if each.choices is not None}


def _shapes(above: type[Shape]) -> Iterator[type[Shape]]:
    for each in above.__subclasses__():
        yield each
        yield from _shapes(each)


CHOICES = _all_choices()


@dataclass(slots=True)
class Call:
    """The input of an operation, as REST names it; values of the query are plain Python.

    `caller` is who alone can make the call, where that is not the administrator.
    """

    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    caller: Person | None = None


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


def by_graphql(person: Caller, operation: Operation, call: Call, *, own_ids: bool = False) -> Answer:
    """The call over GraphQL, with the document of the operation; objects are named by `own_ids` or REST's."""
    values = variables(operation, call)
    given = {
        "query": complete(operation),
        "variables": with_own_ids(operation, call, values) if own_ids else values,
        "operationName": operation.id,
    }
    response = person.call("POST", "/graphql", json=given)
    found = response.json()
    verdict = verdict_of(operation, found)
    if verdict != SUCCESS:
        return Answer(verdict, found)
    assert "errors" not in found, found
    data = found["data"]
    if operation.writes:
        return _written(operation, data[operation.field])
    way = way_to(operation)
    for _type, name, _row in way[:-1] if is_current(operation) else way:
        data = data[name]
    if is_current(operation):
        return Answer(SUCCESS, without_nulls(current_as_rest(data)))
    return Answer(SUCCESS, without_nulls(answer_as_rest(operation, data)))


def verdict_of(operation: Operation, found: dict[str, Any]) -> str | int:
    """Return what an answer of GraphQL says of a call: success, or the status of the refusal.

    What is refused below the field of the operation is another operation, which leaves the rest as it is.
    """
    depth = 1 if operation.writes else len(way_to(operation))
    for error in found.get("errors", ()):
        if len(error.get("path", ())) <= depth:
            status: int = error["extensions"]["status"]
            return status
    if operation.writes:
        refusals = found["data"][operation.field]["userErrors"]
        return STATUSES[refusals[0]["code"]] if refusals else SUCCESS
    return SUCCESS


def in_full(operation: Operation, call: Call) -> Call:
    """The call that asks REST for all that GraphQL shows, where fields are selected."""
    query = {
        name: FORCED[name] if name in FORCED and name != "compat" else value
        for name, value in call.query.items()
    }
    return Call(call.path, query, call.body)


def _written(operation: Operation, payload: dict[str, Any]) -> Answer:
    """Return what a payload says: the object, or what stood in the way."""
    shape = shape_of(operation)
    if shape is None:
        return Answer(SUCCESS, None)
    called = result_of(operation)
    shown = as_rest(shape, payload[called]) if called else as_rest_of_payload(operation, shape, payload)
    return Answer(SUCCESS, without_nulls(shown))


def variables(operation: Operation, call: Call) -> dict[str, Any]:
    """The variables of the document of an operation, from the same input."""
    if operation.writes:
        title = f"{operation.field[0].upper()}{operation.field[1:]}Input"
        taken = {name for row in OPERATIONS if row.field == operation.field for name in body_fields(row)}
        places = {free(short(name), taken): value for name, value in call.path.items()}
        return {"input": as_variable(CORE.type_map[title], {**places, **(call.body or {})})}
    _type, name, _row = way_to(operation)[-1]
    arguments = field_at(_type, name).args
    values: dict[str, Any] = dict(call.path)
    beside = {**call.query, **(call.body or {})}
    for given, value in beside.items():
        given = ARGUMENTS.get(given, given) if operation.paged or given == "limit" else given
        if given in ORDER and "orderBy" in arguments:
            values.setdefault("orderBy", {})[ORDER[given]] = value
        elif given in arguments:
            values[given] = as_variable(arguments[given].type, value)
        elif given in ("evaluated", "computed"):
            values[given] = value in (True, "true", "deterministic-only")
        elif given == "format":
            values["asDocument"] = value == "document"
        elif given not in {*HIDDEN, *INSIDE} and "filter" in arguments:
            values.setdefault("filter", {})[filter_name(given)] = value
    for given in ("filter", "orderBy"):
        if given in values:
            values[given] = as_variable(arguments[given].type, values[given])
    return values


def with_own_ids(operation: Operation, call: Call, values: dict[str, Any]) -> dict[str, Any]:
    """Return the same variables with the ids that GraphQL has."""
    if operation.writes:
        return {"input": of_writing(operation, call.path, values["input"])}
    _type, name, _row = way_to(operation)[-1]
    return of_reading(DECLARED.types[_type].fields[name].arguments, call.path, values)  # type: ignore[no-any-return]


def as_variable(kind: Any, value: Any) -> Any:
    """A value of REST as GraphQL takes it: enumerations by name, maps as entries, kinds by field."""
    if isinstance(kind, GraphQLNonNull):
        return as_variable(kind.of_type, value)
    if isinstance(kind, GraphQLList):
        if isinstance(value, dict):
            return [_entry(kind.of_type, name, each) for name, each in value.items()]
        return [as_variable(kind.of_type, item) for item in value] if isinstance(value, list) else value
    if isinstance(kind, GraphQLEnumType):
        return {plain(member.value): name for name, member in kind.values.items()}.get(value, value)
    if isinstance(kind, GraphQLInputObjectType):
        return _object(kind, value)
    return value


def _entry(kind: Any, name: str, value: Any) -> Any:
    fields = get_named_type(kind).fields
    (key,) = (each for each in fields if each != "value")
    return {key: name, "value": as_variable(fields["value"].type, value)}


def _object(kind: GraphQLInputObjectType, value: Any) -> Any:
    """An input; of one that takes one of several kinds, the field of the kind that a value is."""
    fields = kind.fields
    if kind.name in ("AnyValueInput", "PlainValueInput"):
        names = {str: "text", bool: "boolean", int: "number", float: "number"}
        return None if value is None else {names.get(type(value), "json"): value}
    if kind.name in CHOICES and isinstance(value, dict):
        return _chosen(kind, CHOICES[kind.name], value)
    if isinstance(value, dict):
        for told in ("kind", "type", "operation"):
            said = str(value.get(told))
            if kind.is_one_of and KIND.fullmatch(said) and (field := camel(said)) in fields:
                rest = {name: each for name, each in value.items() if name != told}
                return {field: as_variable(fields[field].type, rest)}
        if "entries" in fields and kind.is_one_of:
            return {"entries": as_variable(fields["entries"].type, value)}
        if kind.is_one_of and not value.keys() <= fields.keys():
            field = next(
                name
                for name in fields
                if isinstance(get_named_type(fields[name].type), GraphQLInputObjectType)
            )
            return {field: as_variable(fields[field].type, value)}
        named = {camel(name) if camel(name) in fields else name: each for name, each in value.items()}
        return {
            name: as_variable(fields[name].type, each) if name in fields else each
            for name, each in named.items()
            if name in fields or name not in ("type", "kind")
        }
    if isinstance(value, list) and "existing" in fields:
        return {"existing": value}
    if isinstance(value, str) and kind.is_one_of:
        field = next(name for name in ("text", "preset") if name in fields)
        return {field: as_variable(fields[field].type, value)}
    if isinstance(value, bool) and "visible" in fields:
        return {"visible": value}
    return value


def _chosen(kind: GraphQLInputObjectType, choices: Choices, value: dict[str, Any]) -> Any:
    """An input whose alternatives are fields of REST: the field of the one that is given."""
    fitting = (
        (name, choice)
        for name, choice in choices.by_name.items()
        if choice.told.items() <= value.items() and (choice.told or choice.field in value)
    )
    name, choice = next(fitting, ("", None))
    if choice is None:
        return {"markdown": ""} if kind.name == "BodyInput" else value
    taken = taken_by(choices) if choices.within else value.keys()
    fields = get_named_type(kind.fields[choices.within].type).fields if choices.within else kind.fields
    given = {each: it for each, it in value.items() if each in taken and each not in choice.told}
    inner: Any = given if choice.beside else next(iter(given.values()), None)
    chosen = {name: as_variable(fields[name].type, inner)}
    if not choices.within:
        return chosen
    rest = {each: as_variable(kind.fields[each].type, it) for each, it in value.items() if each not in taken}
    return {**rest, choices.within: chosen}


def without_nulls(value: Any) -> Any:
    """Return the same data where null means absent."""
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
