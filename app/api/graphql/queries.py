"""What the arguments of a field come to as the query and the body of its row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.api.graphql.shapes import named_fields
from app.api.operation import Operation
from app.kit.errors import Invalid
from app.models.base import Shape
from app.models.checks import checked
from app.models.queries import PageQuery

FORCED: Mapping[str, Any] = {"metadata": True, "extended": False, "compat": False}
"""Parts of queries that GraphQL has no use for, since who asks selects fields."""
HIDDEN = frozenset({*FORCED, "format", "evaluated", "page", "limit"})
ALL: Mapping[str, Mapping[str, Any]] = {
    "ChangeRequestQuery": {"status": ["draft", "open", "archived", "merged"]},
    "OrganizationChangeRequestQuery": {"status": ["draft", "open", "archived", "merged"]},
}
"""Filters of lists that REST sets where nobody else does, as they leave nothing out."""
APART = ("page", "limit", "filter", "orderBy")
DIRECTION, FIELDS = "order", ("orderBy", "sort")
DEFAULT = 20
"""How many items of a list are answered where nobody says."""
PLAIN = {"first": DEFAULT}
"""The arguments of a list of which nobody says anything."""


def asked_of(row: Operation, shape: type[Shape], given: dict[str, Any]) -> Shape:
    """Return the query of a row from the arguments of its field."""
    known = named_fields(shape)
    values: dict[str, Any] = {name: FORCED[name] for name in FORCED if name in known}
    values |= ALL.get(shape.__name__, {})
    sent = {**(given.get("filter") or {}), **ordered(known, given.get("orderBy"))}
    sent |= {name: value for name, value in given.items() if name in known and name not in APART}
    sent |= {name: value for name, value in given.items() if name == "page" and not row.paged}
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
        raise renamed(invalid, {"limit": size, "page": token}) from None
    return asked.reversed() if backward else asked


def is_backward(given: Mapping[str, Any]) -> bool:
    """Tell whether a page of a list is read backward; the default of `first` does not say that it is not.

    Raises Invalid where both directions are asked for.
    """
    names = [name for name in ("last", "before") if given.get(name) is not None]
    if names and (given.get("first") not in (None, DEFAULT) or given.get("after") is not None):
        raise Invalid("Give `first` and `after`, or `last` and `before`.", path=names[0])
    return bool(names)


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
