"""Functions that complete plain values: what is answered of a value of a source, without the library.

Whatever such a function does not expect, it leaves to the library with `NotPlain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from app.present.shape import PARTS, ShownRows
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
NULL: frozenset[type] = frozenset({type(None)})
TEXT: frozenset[type] = frozenset({str})
AS_THEY_ARE: dict[str, frozenset[type]] = {
    "String": TEXT,
    "ID": TEXT,
    "URL": TEXT,
    "Boolean": frozenset({bool}),
    "DateTime": frozenset({str, datetime}),
}
CURSOR = "@cursor"
MANY = 20
"""Objects completed one by one before it is worth compiling what completes them."""
VALUES = frozenset({str, int, float, bool, datetime, list, dict})


class NotPlain(Exception):
    """A value that only the library can judge."""


def after(change: Finish, finish: Finish, stays: frozenset[type]) -> Finish:
    def changed(value: Any) -> Any:
        try:
            made = change(value)
        except Exception:
            raise NotPlain from None
        return made if type(made) in stays else finish(made)

    return changed


class Edges(Sequence[dict[str, Any]]):
    """The items of a connection with what makes their cursors, as the sources of its edges."""

    __slots__ = ("cursor", "nodes")

    def __init__(self, nodes: Sequence[dict[str, Any]], cursor: Callable[[int], str]) -> None:
        self.nodes, self.cursor = nodes, cursor

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return ({"node": node, CURSOR: make} for node, make in zip(self.nodes, self.cursors, strict=True))

    @property
    def cursors(self) -> Iterator[Callable[[], str]]:
        """Return what makes the cursor of each item."""
        return (partial(self.cursor, n) for n in range(len(self.nodes)))


def _each(inner: Finish, values: Sequence[Any]) -> list[Any]:
    """Return the values of a list, completed in the way that suits what they are."""
    if type(inner) is ObjectFinish:
        if type(values) is list:
            return inner.each(values)
        if type(values) is ShownRows and (found := inner.each_row(values)) is not None:
            return found
        if type(values) is Edges:
            return inner.each_edge(values)
    return [inner(value) for value in values]


def listed(inner: Finish, nullable: bool) -> Finish:
    def finish(value: Any) -> Any:
        if type(value) in (list, ShownRows, Edges):
            return _each(inner, value)
        if value is None and nullable:
            return None
        raise NotPlain

    return finish


class ObjectFinish:
    """Completes an object field by field; one that completes many compiles its fields to one expression."""

    __slots__ = ("_by_presenter", "_compiled", "_compiled_edges", "_count", "_nullable", "_plans")

    def __init__(self, plans: list[Plan], nullable: bool) -> None:
        self._plans, self._nullable = plans, nullable
        self._count = 0  # of the objects that were completed in lists
        self._compiled: Callable[[Callable[[str], Any]], dict[str, Any]] | None = None
        self._compiled_edges: Callable[[list[list[Any]]], list[Any]] | None = None
        self._by_presenter: dict[Any, Callable[[Any, Any], dict[str, Any]] | None] = {}

    def __call__(self, value: Any) -> Any:
        """Return the object as it is answered."""
        if value is None and self._nullable:
            return None
        if type(value) is not dict:
            raise NotPlain
        find, answer = value.get, {}
        for name, key, kinds, complete in self._plans:
            found = find(key)
            answer[name] = found if type(found) in kinds else complete(found)
        return answer

    def each(self, values: list[Any]) -> list[Any]:
        """Return the objects of a list."""
        if not self._is_worth(len(values)):
            return [self(value) for value in values]
        if self._compiled is None:
            sources = {key: f"find({key!r})" for _, key, _, _ in self._plans}
            self._compiled = self._expression("find", sources, {})
        complete, answers = self._compiled, []
        try:
            for value in values:
                if type(value) is dict:
                    answers.append(complete(value.get))
                elif value is None and self._nullable:
                    answers.append(None)
                else:
                    raise NotPlain
        except (AttributeError, KeyError, TypeError):
            raise NotPlain from None
        return answers

    def each_row(self, rows: ShownRows) -> list[Any] | None:
        """Return the objects of rows that were not shown yet, made of their columns without what nobody
        asks for; None where one of the fields is not made of a row alone."""
        if not self._is_worth(len(rows)):
            return None
        show = rows.show
        if show not in self._by_presenter:
            self._by_presenter[show] = self._of_rows(show)
        complete, cx = self._by_presenter[show], rows.cx
        try:
            return None if complete is None else [complete(cx, row) for row in rows.rows]
        except (AttributeError, KeyError, TypeError):
            return None

    def each_edge(self, edges: Edges) -> list[Any]:
        """Return edges, whose items are completed as those of a list are."""
        if type(edges.nodes) not in (list, ShownRows):
            raise NotPlain
        columns: list[list[Any]] = []
        for _, key, _, complete in self._plans:
            if key == "node":
                columns.append(_each(complete, edges.nodes))
            elif key == CURSOR:
                columns.append([complete(make) for make in edges.cursors])
            else:
                columns.append([complete(None)] * len(edges))
        if self._compiled_edges is None:
            self._compiled_edges = self._edges_expression()
        return self._compiled_edges(columns)

    def _edges_expression(self) -> Callable[[list[list[Any]]], list[Any]]:
        """Return the function that makes edges of their values, field by field."""
        entries = ", ".join(f"{name!r}: value_{n}" for n, (name, *_) in enumerate(self._plans))
        values = ", ".join(f"value_{n}" for n in range(len(self._plans)))
        text = f"lambda columns: [{{{entries}}} for {values}, in zip(*columns, strict=True)]"
        made: Callable[[list[list[Any]]], list[Any]] = eval(compile(text, "<selected edges>", "eval"))
        return made

    def _is_worth(self, count: int) -> bool:
        self._count += count
        return self._count > MANY

    def _of_rows(self, show: Any) -> Callable[[Any, Any], dict[str, Any]] | None:
        parts = PARTS.get(show)
        if parts is None or not all(key in parts.expressions for _, key, _, _ in self._plans):
            return None
        return self._expression("cx, row", parts.expressions, parts.known)

    def _expression(self, given: str, sources: Mapping[str, str], known: Mapping[str, Any]) -> Any:
        """Return the function of all fields: one dict display, where what needs no change calls nothing.

        Its text is made of names that a document may have, of names of columns, and of nothing else.
        """
        values, entries = dict(known), []
        for n, (name, key, kinds, complete) in enumerate(self._plans):
            source, values[f"complete_{n}"] = sources[key], complete
            if kinds:
                values[f"kinds_{n}"] = kinds
                made = f"found if type(found := {source}) in kinds_{n} else complete_{n}(found)"
            elif type(complete) is EnumNames:
                made = f"complete_{n}[{source}]"
            else:
                made = f"complete_{n}({source})"
            entries.append(f"{name!r}: {made}")
        return eval(compile(f"lambda {given}: {{{', '.join(entries)}}}", "<selected fields>", "eval"), values)


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
        names = EnumNames((value.value, name) for name, value in kind.values.items())
        if nullable:
            names[None] = None
        return names
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


class EnumNames(dict[Any, Any]):
    """Completes the values of an enumeration by their names; raises KeyError or TypeError for others."""

    def __call__(self, value: Any) -> Any:
        """Return the name of a value."""
        try:
            return self[value]
        except (KeyError, TypeError):  # no such value, or one that cannot be a key
            raise NotPlain from None


def _whole(finish: Finish) -> Finish:
    def whole(value: Any) -> Any:
        return value if type(value) is int and 0 <= value <= GRAPHQL_MAX_INT else finish(value)

    return whole


def stays(definition: GraphQLField) -> frozenset[type]:
    """Return the Python types whose finished values are answered as they are."""
    kind = definition.type
    inner = kind.of_type if is_non_null_type(kind) else kind
    kinds = AS_THEY_ARE.get(inner.name, NOTHING) if is_leaf_type(inner) else NOTHING
    return kinds if is_non_null_type(kind) or not kinds else kinds | NULL
