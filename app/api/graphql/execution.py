"""Execution: what has no resolver of its own is read straight from the dicts of `present`.

A selection of such fields alone becomes a plain function from source to answer, without the path, the resolve
info and the questions whether to wait that the library has for each of its values. Whatever such a function
does not expect (null where none may be, a value of another type) it leaves undone: the library then does that
part again in its own way, and says what is wrong and where. Fields with resolvers and abstract types are the
library's from the start. What the schema says of itself is worked out in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from weakref import ref

from graphql.execution import Executor
from graphql.execution.collect_fields import GroupedFieldSet, collect_fields

from app.kit import workers
from app.kit.errors import Problem
from graphql import (
    GRAPHQL_MAX_INT,
    GraphQLEnumType,
    GraphQLError,
    GraphQLField,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLObjectType,
    GraphQLOutputType,
    TypeNameMetaFieldDef,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
    is_union_type,
)

FIELD = "docyard.field"
"""The extension of a field that holds what we declared it as."""

Finish = Callable[[Any], Any]
Plan = tuple[str, str, frozenset[type], Finish]  # name in the answer, key in the source, types that stay
Members = Sequence[
    tuple[tuple[str, str], str]
]  # the fields and values that tell the types of a union, by name
NOTHING: frozenset[type] = frozenset()
INTROSPECTION = frozenset({"__schema", "__type"})
TEXT: frozenset[type] = frozenset({str})
AS_THEY_ARE: dict[str, frozenset[type]] = {
    "String": TEXT,
    "ID": TEXT,
    "Boolean": frozenset({bool}),
    "DateTime": frozenset({str, datetime}),
}
VALUES = frozenset({str, int, float, bool, datetime, list, dict})


class NotPlain(Exception):
    """A value that only the library can judge."""


@dataclass(slots=True)
class Remembered:
    """The costs of one operation by the values of the variables that decide them."""

    names: tuple[str, ...] | None = None
    costs: dict[tuple[Any, ...], int] = field(default_factory=dict)


@dataclass(slots=True)
class Known:
    """What one execution of an operation leaves to the next: its fields as collected, and their functions.

    The keys hold the identities of lists of fields; the lists are kept beside the values, so that none of
    those identities is given to another list.
    """

    roots: GroupedFieldSet | None = None
    costs: Remembered = field(default_factory=Remembered)
    sub_fields: dict[Any, Any] = field(default_factory=dict)
    fields: dict[tuple[Any, int], tuple[Any, str, Finish | None]] = field(default_factory=dict)
    values: dict[tuple[Any, int], tuple[Any, Finish | None]] = field(default_factory=dict)
    executor: Callable[[], Direct | None] = field(default=lambda: None)
    """The one that executes it now, while it does."""


class Direct(Executor[Any]):
    """The library's executor with a short way for plain fields.

    `known` is what earlier executions of the operation left to this one. `check` raises where the time of the
    request is over.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.check: Callable[[], None] = _go_on
        self.recall(Known())

    def recall(self, known: Known) -> None:
        """Go on with what earlier executions knew; only where no variable decides which fields are asked."""
        self.known = known
        known.executor = ref(self)
        self._relevant_sub_fields = known.sub_fields

    def roots(self, root_type: GraphQLObjectType) -> GroupedFieldSet:
        """The root fields of the operation with its variables."""
        if self.known.roots is None:
            collected = collect_fields(
                self.schema,
                self.fragments,
                self.variable_values,
                root_type,
                self.operation,
                self.hide_suggestions,
            )
            self.known.roots = collected.grouped_field_set
        return self.known.roots

    def execute_collected_root_fields(
        self, root_type: Any, root_value: Any, _grouped_field_set: Any, *rest: Any
    ) -> Any:
        return super().execute_collected_root_fields(root_type, root_value, self.roots(root_type), *rest)

    def execute_field(
        self, parent_type: GraphQLObjectType, source: Any, details: Any, path: Any, context: Any
    ) -> Any:
        if path.prev is None and details[0].node.name.value in INTROSPECTION:
            return self._introspected(parent_type, source, details, path, context)
        _, key, finish = self._field(parent_type, details)
        if finish is not None and type(source) is dict:
            try:
                return finish(source.get(key))
            except NotPlain:
                pass  # the library meets it again and reports it
        return super().execute_field(parent_type, source, details, path, context)

    async def _introspected(
        self, parent_type: GraphQLObjectType, source: Any, details: Any, path: Any, context: Any
    ) -> Any:
        """Resolve a field of introspection, which may take half a second of computing."""
        tell = super().execute_field
        try:
            return await workers.run(workers.SMALL + 1, tell, parent_type, source, details, path, context)
        except Problem as problem:  # too much else is computed
            definition = self.schema.get_field(parent_type, details[0].node.name.value)
            assert definition is not None
            self.handle_field_error(problem, definition.type, details, path)

    def complete_value(
        self, return_type: GraphQLOutputType, details: Any, info: Any, path: Any, result: Any, context: Any
    ) -> Any:
        self.check()
        _, finish = self._value(return_type, details)
        if finish is not None:
            try:
                return finish(result)
            except NotPlain:
                pass  # as above
        return super().complete_value(return_type, details, info, path, result, context)

    def _field(self, parent: GraphQLObjectType, details: Any) -> tuple[Any, str, Finish | None]:
        """Where a field's value is found in a source, and the function that completes it."""
        found = self.known.fields.get((parent, id(details)))
        if found is None:
            found = self.known.fields[parent, id(details)] = (details, *self._plan(parent, details))
        return found

    def _value(self, kind: GraphQLOutputType, details: Any) -> tuple[Any, Finish | None]:
        """The function that completes a value of this type, however the value was found."""
        found = self.known.values.get((kind, id(details)))
        if found is None:
            found = self.known.values[kind, id(details)] = (details, self._finish(kind, details))
        return found

    def _plan(self, parent: GraphQLObjectType, details: Any) -> tuple[str, Finish | None]:
        definition = self.schema.get_field(parent, details[0].node.name.value)
        if definition is TypeNameMetaFieldDef:
            return "", lambda _value: parent.name
        if definition is None or not getattr(definition.resolve, "_is_default", False):
            return "", None
        ours = definition.extensions.get(FIELD)
        if ours is None:
            return "", None
        finish = self._finish(definition.type, details)
        return ours.key, finish if ours.finish is None or finish is None else _after(
            ours.finish, finish, _stays(definition)
        )

    def _finish(self, kind: GraphQLOutputType, details: Any) -> Finish | None:
        nullable = not is_non_null_type(kind)
        inner: Any = kind if nullable else kind.of_type  # type: ignore[union-attr]
        if is_list_type(inner):
            item = self._finish(inner.of_type, details)
            return item and _listed(item, nullable)
        if is_leaf_type(inner):
            return _leaf(inner, nullable)
        if is_object_type(inner) and inner.is_type_of is None:
            plans = self._plans(inner, details)
            return None if plans is None else _object(plans, nullable)
        members = getattr(inner.resolve_type, "members", None) if is_union_type(inner) else None
        return None if members is None else self._member(members, details, nullable)

    def _member(self, members: Members, details: Any, nullable: bool) -> Finish | None:
        """The function that completes a value of a union whose members one field tells apart.

        What it does with a member is worked out when the first value of that type comes: of all types, each
        with all below it, only those count that there are.
        """
        (key, _), _ = members[0]
        kinds = {value: self.schema.type_map[name] for (told_by, value), name in members if told_by == key}
        known = self.known

        def complete(value: Any) -> Finish:
            kind, executor = kinds.get(value), known.executor()
            if executor is None:
                raise NotPlain
            plans = executor._plans(kind, details) if is_object_type(kind) else None
            return _not_plain if plans is None else _object(plans, False)

        return None if len(kinds) < len(members) else _one_of(key, complete, nullable)

    def _plans(self, kind: GraphQLObjectType, details: Any) -> list[Plan] | None:
        """How the fields asked of an object are completed; None where one of them is the library's."""
        plans: list[Plan] = []
        for name, below in self.collect_subfields(kind, details).grouped_field_set.items():
            definition = self.schema.get_field(kind, below[0].node.name.value)
            _, key, finish = self._field(kind, below)
            if finish is None or definition is None:
                return None
            plans.append((name, key, _as_they_are(definition), finish))
        return plans


def _after(change: Finish, finish: Finish, stays: frozenset[type]) -> Finish:
    def changed(value: Any) -> Any:
        try:
            made = change(value)
        except (AttributeError, TypeError):
            raise NotPlain from None
        return made if type(made) in stays else finish(made)

    return changed


def _go_on() -> None:
    """Nothing limits the time."""


def _listed(inner: Finish, nullable: bool) -> Finish:
    def finish(value: Any) -> Any:
        if value is None and nullable:
            return None
        if type(value) is not list:
            raise NotPlain
        return [inner(item) for item in value]

    return finish


def _object(plans: list[Plan], nullable: bool) -> Finish:
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


def _one_of(key: str, plan: Callable[[Any], Finish], nullable: bool) -> Finish:
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


def _not_plain(_value: Any) -> Any:
    raise NotPlain


def _leaf(kind: GraphQLLeafType, nullable: bool) -> Finish:
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


def _as_they_are(definition: GraphQLField) -> frozenset[type]:
    """The Python types whose values are answered as they are."""
    ours = definition.extensions.get(FIELD)
    return NOTHING if ours is not None and ours.finish is not None else _stays(definition)


def _stays(definition: GraphQLField) -> frozenset[type]:
    """The Python types whose finished values are answered as they are."""
    kind = definition.type
    inner = kind.of_type if is_non_null_type(kind) else kind
    return AS_THEY_ARE.get(inner.name, NOTHING) if is_leaf_type(inner) else NOTHING
