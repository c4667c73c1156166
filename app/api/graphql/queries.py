"""Arguments of a field as the query and the body of its row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from app.api.graphql.shape_fields import named_fields
from app.api.graphql.state import Info
from app.api.operation import Operation
from app.kit.errors import Invalid
from app.models.base import Shape
from app.models.checks import checked
from app.models.queries import PageQuery
from graphql import NullValueNode, VariableNode

FILTER_NAMES = {"pageId": "page", "targetPage": "page"}
"""Conditions of lists that are not called as REST calls them: objects are called as they are."""
BESIDE = frozenset({"query"})
"""Parts of the query of a list that are arguments of their own and no filters."""
FORCED: Mapping[str, Any] = {"metadata": True, "extended": False, "compat": False}
"""Parts of queries that GraphQL has no use for, since who asks selects fields."""
HIDDEN = frozenset({*FORCED, "format", "evaluated", "page", "limit"})
ALL: Mapping[str, Mapping[str, Any]] = {
    "ChangeRequestQuery": {"status": ["draft", "open", "archived", "merged"]},
    "OrganizationChangeRequestQuery": {"status": ["draft", "open", "archived", "merged"]},
}
"""Filters of lists that REST sets where nobody else does, as they leave nothing out."""
KEPT = 500
"""Queries that are kept, since most that are asked are alike."""
APART = ("page", "limit", "filter", "orderBy")
DIRECTION, FIELDS = "order", ("orderBy", "sort")
BACKWARD = ("last", "before")
DEFAULT = 20
"""The number of items of a list that are returned by default."""
PLAIN = {"first": DEFAULT}
"""The arguments of a list of which nobody says anything."""


def asked_of(row: Operation, shape: type[Shape], given: Mapping[str, Any]) -> Shape:
    """Return the query of a row from the arguments of its field."""
    if all(value is None or type(value) is int for value in given.values()):
        return _asked_plainly(row.paged, shape, tuple(given.items()))
    return _asked(row.paged, shape, given)


@lru_cache(KEPT)
def _asked_plainly(paged: bool, shape: type[Shape], given: tuple[tuple[str, int | None], ...]) -> Shape:
    """Return a query that many ask: nobody changes it."""
    return _asked(paged, shape, dict(given))


def _asked(paged: bool, shape: type[Shape], given: Mapping[str, Any]) -> Shape:
    known = named_fields(shape)
    values: dict[str, Any] = {name: FORCED[name] for name in FORCED if name in known}
    values |= ALL.get(shape.__name__, {})
    filters = {_rest_name(known, name): value for name, value in (given.get("filter") or {}).items()}
    sent = {**filters, **ordered(known, given.get("orderBy"))}
    sent |= {name: value for name, value in given.items() if name in known and name not in APART}
    sent |= {name: value for name, value in given.items() if name == "page" and not paged}
    values |= {name: value for name, value in sent.items() if value is not None}
    if not issubclass(shape, PageQuery):
        if "limit" in known and given.get("first") is not None:
            values["limit"] = given["first"]
        try:
            return checked(shape, values, strict=False)
        except Invalid as invalid:
            raise renamed(invalid, {"limit": "first"}) from None
    backward = is_backward(given)
    size, token = ("last", "before") if backward else ("first", "after")
    values["limit"] = DEFAULT if given.get(size) is None else given[size]
    values["page"] = given.get(token)
    try:
        asked = checked(shape, values, strict=False)
    except Invalid as invalid:
        raise renamed(invalid, {**FILTER_NAMES, "limit": size, "page": token}) from None
    return asked.reversed() if backward else asked


def filter_name(name: str) -> str:
    """Return what GraphQL calls a condition of a list."""
    return FILTER_NAMES.get(name, name)


def _rest_name(known: Mapping[str, Any], name: str) -> str:
    """Return what a query calls the condition that GraphQL calls so."""
    return next((each for each, called in FILTER_NAMES.items() if called == name and each in known), name)


def is_backward(given: Mapping[str, Any]) -> bool:
    """Tell whether a page of a list is read backward; raises Invalid where both directions are asked for."""
    names = [name for name in BACKWARD if given.get(name) is not None]
    if names and (given.get("first") is not None or given.get("after") is not None):
        raise Invalid("Give `first` and `after`, or `last` and `before`.", path=names[0])
    return bool(names)


def without_default(given: dict[str, Any], info: Info) -> dict[str, Any]:
    """Return the arguments of a list; read backward, without a `first` that is only the default."""
    if given.get("first") != DEFAULT or all(given.get(name) is None for name in BACKWARD):
        return given
    return given if _is_given(info, "first") else {**given, "first": None}


def _is_given(info: Info, name: str) -> bool:
    """Tell whether a document gives an argument of a field a value, by a literal or by a variable."""
    arguments = info.field_nodes[0].arguments or ()
    value = next((each.value for each in arguments if each.name.value == name), None)
    if isinstance(value, VariableNode):
        return info.variable_values.coerced.get(value.name.value) is not None
    return value is not None and not isinstance(value, NullValueNode)


def renamed(invalid: Invalid, names: Mapping[str, str]) -> Invalid:
    """Return the same refusal in the words of GraphQL."""
    details = [{**each, "path": names.get(each["path"], each["path"])} for each in invalid.details]
    where, colon, rest = invalid.message.partition(": ")
    message = f"{names[where]}{colon}{rest}" if where in names else invalid.message
    for each in details:
        each["message"] = each["message"].replace("page token", "cursor")
    return Invalid(message.replace("page token", "cursor"), details=details)


def ordered(known: Mapping[str, Any], order: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what `orderBy` says, as the query of a list has it."""
    if not order:
        return {}
    field = next((name for name in FIELDS if name in known), None)
    found = {DIRECTION: order.get("direction")} if DIRECTION in known else {}
    return found if field is None else {**found, field: order.get("field")}


def body_of(shape: type[Shape], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are fields of a body."""
    known = named_fields(shape)
    return {name: value for name, value in given.items() if name in known}
