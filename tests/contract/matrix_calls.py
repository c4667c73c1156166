"""The calls of the matrix: both faces asked, and every way to put somebody else's id into a request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.api.operation import Operation
from tests.contract.faces import SUCCESS, Call, address, in_query, variables, verdict_of
from tests.contract.matrix import Verdict
from tests.contract.second_process import Stage
from tests.contract.write_documents import complete

ID = re.compile(r"[0-9A-Za-z]{20}")
NOBODYS = "0" * 20


def by_rest(stage: Stage, token: str | None, operation: Operation, call: Call) -> Verdict:
    """Return the verdict of REST."""
    path = address(operation, call)
    answer = stage.send(token, operation.method, path, params=in_query(call), json=call.body)
    return SUCCESS if answer.status_code == operation.status else answer.status_code


def by_graphql(stage: Stage, token: str | None, operation: Operation, call: Call) -> Verdict:
    """Return the verdict of GraphQL."""
    answer = stage.send(token, "POST", "/graphql", json=request(operation, call)).json()
    return verdict_of(operation, answer)


def request(operation: Operation, call: Call) -> dict[str, Any]:
    """The body of a GraphQL request; telling the variables from the document takes longer than asking."""
    kept = _requests.get(id(call))
    if kept is None or kept[0] is not call:
        text = complete(operation)
        given = {"query": text, "variables": variables(operation, call), "operationName": operation.id}
        _requests.clear()
        kept = _requests[id(call)] = (call, given)
    return kept[1]


_requests: dict[int, tuple[Call, dict[str, Any]]] = {}


def mixed(call: Call, other: Call) -> Iterator[tuple[str, Call]]:
    """The call with one id at a time in its path replaced by another call's, where others stay its own."""
    own = {name for name, value in call.path.items() if value != other.path[name] and ID.fullmatch(value)}
    if len(own) > 1:
        for name in sorted(own):
            yield name, Call({**call.path, name: other.path[name]}, call.query, call.body)


def handed(call: Call, other: Call) -> Iterator[tuple[str, Call]]:
    """The call with one id at a time in its body replaced by that of another call."""
    for where, body in _swapped(call.body, other.body):
        yield f"body {where}", Call(call.path, call.query, body)


def filtered(call: Call, other: Call) -> Iterator[tuple[str, Call, Call]]:
    """The call with one id at a time in its query replaced by that of another call, and by nobody's."""
    nobodys = dict(_swapped(call.query, _nobodys(call.query)))
    for where, query in _swapped(call.query, other.query):
        yield f"query {where}", Call(call.path, query, call.body), Call(call.path, nobodys[where], call.body)


def _nobodys(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _nobodys(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_nobodys(inner) for inner in value]
    return NOBODYS if isinstance(value, str) and ID.fullmatch(value) else value


def _swapped(value: Any, other: Any) -> Iterator[tuple[str, Any]]:
    """The value with one of the ids in it replaced by the one at the same place of the other."""
    if isinstance(value, dict) and isinstance(other, dict):
        for name in value.keys() & other.keys():
            for where, inner in _swapped(value[name], other[name]):
                yield f"{name}.{where}".rstrip("."), {**value, name: inner}
    elif isinstance(value, list) and isinstance(other, list):
        for n, (left, right) in enumerate(zip(value, other, strict=False)):
            for where, inner in _swapped(left, right):
                yield f"{n}.{where}".rstrip("."), [*value[:n], inner, *value[n + 1 :]]
    elif isinstance(value, str) and isinstance(other, str) and _are_ids(value, other):
        yield "", other


def _are_ids(value: str, other: str) -> bool:
    return value != other and bool(ID.fullmatch(value) and ID.fullmatch(other))
