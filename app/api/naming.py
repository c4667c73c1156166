"""What an operation is called, for who has only the function that does it, or only the request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from app.api.operation import Operation

if TYPE_CHECKING:
    from app.api.rest.routing import Families

LONG = 20  # characters, of what is no name of ours
Named = tuple[str, tuple[tuple[str, str], ...]]


def named(call: Callable[..., Any], arguments: Sequence[Any]) -> Named:
    """The operationId of the write that `call` does with these arguments, and the parts of its path."""
    rows = _writes()[unwrap(call)]
    row = next(row for row in rows if row.is_at(arguments))
    return row.id, row.path_of(arguments)


def scopes_of(call: Callable[..., Any]) -> frozenset[str]:
    """Return the scopes of all rows whose function this is."""
    return _all()[unwrap(call)]


@cache
def _all() -> dict[Callable[..., Any], frozenset[str]]:
    from app.api.catalog import OPERATIONS

    found: dict[Callable[..., Any], frozenset[str]] = defaultdict(frozenset)
    for row in OPERATIONS:
        found[row.call] |= {row.scope}
    return found


@cache
def _writes() -> dict[Callable[..., Any], list[Operation]]:
    from app.api.catalog import OPERATIONS  # with every face's rows, which only who writes needs

    found: dict[Callable[..., Any], list[Operation]] = defaultdict(list)
    for row in OPERATIONS:
        if row.writes:
            found[row.call].append(row)
    return found


def asked_for(scope: Scope, families: Families, routes: Sequence[BaseRoute]) -> str:
    """What a request asks for: an operation, or a template of its address, without names, ids and queries."""
    method, path = scope["method"], scope["path"]
    if path.startswith("/v1/"):
        found = families.find(path.removeprefix("/v1/"))
        operation = found[0].get(method) if found else None
        return operation.id if operation else f"{method} /v1/"
    for route in routes:
        if isinstance(route, Route) and route.matches(scope)[0] is Match.FULL:
            return f"{method} {route.path}"
    below = path.partition("/~/")[2].partition("/")[0]
    is_ours = below.isalpha() and len(below) < LONG
    return f"{method} a site's ~/{below}" if is_ours else f"{method} a site's page"
