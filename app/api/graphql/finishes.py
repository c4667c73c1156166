"""Functions that complete plain values: what is answered of a value of a source, without the library.

Whatever such a function does not expect, it leaves to the library with `NotPlain`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from graphql import (
    GRAPHQL_MAX_INT,
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLInt,
    GraphQLLeafType,
    is_leaf_type,
    is_non_null_type,
)

Finish = Callable[[Any], Any]
Plan = tuple[str, str, frozenset[type], Finish]  # name in the answer, key in the source, types that stay
Members = Sequence[
    tuple[tuple[str, str], str]
]  # the fields and values that tell the types of a union, by name
NOTHING: frozenset[type] = frozenset()
TEXT: frozenset[type] = frozenset({str})
AS_THEY_ARE: dict[str, frozenset[type]] = {
    "String": TEXT,
    "ID": TEXT,
    "URL": TEXT,
    "Boolean": frozenset({bool}),
    "DateTime": frozenset({str, datetime}),
}
VALUES = frozenset({str, int, float, bool, datetime, list, dict})


class NotPlain(Exception):
    """A value that only the library can judge."""


def after(change: Finish, finish: Finish, stays: frozenset[type]) -> Finish:
    def changed(value: Any) -> Any:
        try:
            made = change(value)
        except (AttributeError, TypeError):
            raise NotPlain from None
        return made if type(made) in stays else finish(made)

    return changed


def listed(inner: Finish, nullable: bool) -> Finish:
    def finish(value: Any) -> Any:
        if value is None and nullable:
            return None
        if type(value) is not list:
            raise NotPlain
        return [inner(item) for item in value]

    return finish


def object_of(plans: list[Plan], nullable: bool) -> Finish:
    def finish(value: Any) -> Any:
        if value is None and nullable:
            return None
        if type(value) is not dict:
            raise NotPlain
        find, answer = value.get, {}
        for name, key, kinds, complete in plans:
            found = find(key)
            answer[name] = found if type(found) in kinds else complete(found)
        return answer

    return finish


def one_of(key: str, plan: Callable[[Any], Finish], nullable: bool) -> Finish:
    finishes: dict[Any, Finish] = {}

    def finish(value: Any) -> Any:
        if value is None and nullable:
            return None
        try:
            told = value[key]
            complete = finishes.get(told)
        except (KeyError, TypeError):  # no object, or one that does not say its type
            raise NotPlain from None
        if complete is None:
            complete = finishes[told] = plan(told)
        return complete(value)

    return finish


def not_plain(_value: Any) -> Any:
    raise NotPlain


def leaf(kind: GraphQLLeafType, nullable: bool) -> Finish:
    if isinstance(kind, GraphQLEnumType):
        return _named({value.value: name for name, value in kind.values.items()}, nullable)
    coerce = kind.coerce_output_value

    def finish(value: Any) -> Any:
        if value is None and nullable:
            return None
        if type(value) not in VALUES:
            raise NotPlain
        try:
            coerced = coerce(value)
        except (GraphQLError, AttributeError, TypeError, ValueError):
            raise NotPlain from None
        if coerced is None:
            raise NotPlain
        return coerced

    return _whole(finish) if kind is GraphQLInt else finish


def _named(names: dict[Any, str], nullable: bool) -> Finish:
    def finish(value: Any) -> Any:
        if value is None and nullable:
            return None
        try:
            return names[value]
        except (KeyError, TypeError):  # no such value, or one that cannot be a key
            raise NotPlain from None

    return finish


def _whole(finish: Finish) -> Finish:
    def whole(value: Any) -> Any:
        return value if type(value) is int and 0 <= value <= GRAPHQL_MAX_INT else finish(value)

    return whole


def stays(definition: GraphQLField) -> frozenset[type]:
    """Return the Python types whose finished values are answered as they are."""
    kind = definition.type
    inner = kind.of_type if is_non_null_type(kind) else kind
    return AS_THEY_ARE.get(inner.name, NOTHING) if is_leaf_type(inner) else NOTHING
