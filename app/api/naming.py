"""The names of operations, for those who have only the function that does one, or only the request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from app.api.operation import Operation
from app.domain.site_addresses import addresses
from app.kit.logs import ASKED

if TYPE_CHECKING:
    from app.api.rest.routing import Families

Named = tuple[str, tuple[tuple[str, str], ...]]


def named(call: Callable[..., Any], arguments: Sequence[Any]) -> Named:
    """Return the operationId of the write that `call` does with these arguments, and its path's parts."""
    row = next(row for row in _rows_by_call()[unwrap(call)] if row.writes and row.is_at(arguments))
    return row.id, row.path_of(arguments)


@cache
def _rows_by_call() -> dict[Callable[..., Any], list[Operation]]:
    from app.api.catalog import OPERATIONS  # all of them, which a REST read does not need

    found: dict[Callable[..., Any], list[Operation]] = defaultdict(list)
    for row in OPERATIONS:
        found[row.call].append(row)
    return found


def asked_for(scope: Scope, families: Families, routes: Sequence[BaseRoute]) -> str:
    """Return what a request asks for: an operation, or a template of its address, without ids and queries."""
    if known := scope.get(ASKED):
        return str(known)
    method, path = scope["method"], scope["path"]
    if path.startswith("/v1/"):
        found = families.find(path.removeprefix("/v1/"))
        operation = found[0].get(method) if found else None
        return operation.id if operation else f"{method} /v1/"
    for route in routes:
        if isinstance(route, Route) and route.matches(scope)[0] is Match.FULL:
            return f"{method} {route.path}"
    return addresses.template(method, path)
