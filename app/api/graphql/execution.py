"""Execution: what has no resolver of its own is read straight from the dicts of `present`.

A selection of such fields alone becomes a plain function from source to answer, without the path, the resolve
info and the questions whether to wait that the library has for each of its values. Whatever such a function
does not expect (null where none may be, a value of another type) it leaves undone: the library then does that
part again in its own way, and says what is wrong and where. Fields with resolvers and abstract types are the
library's from the start. What the schema says of itself is worked out in a thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any
from weakref import ref

from graphql.execution import Executor
from graphql.execution.collect_fields import GroupedFieldSet, collect_fields
from graphql.execution.executor import CollectedErrors, to_nodes
from graphql.pyutils import Path

from app.api.graphql.awaiting import all_of, is_awaitable
from app.api.graphql.execution_plans import Known, Planned
from app.api.graphql.finishes import (
    NOTHING,
    Finish,
    Members,
    NotPlain,
    ObjectFinish,
    Plan,
    after,
    leaf,
    listed,
    not_plain,
    one_of,
    stays,
)
from app.api.graphql.plain_inputs import PlainArguments, PlainVariables
from app.kit import workers
from app.kit.errors import Problem
from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    OperationType,
    TypeNameMetaFieldDef,
    Undefined,
    get_variable_values,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
    is_union_type,
)

FIELD = "docyard.field"
"""The extension of a field that holds what we declared it as."""

MAX_ERRORS = 5
"""Of a document or its variables, that are told."""

INTROSPECTION = frozenset({"__schema", "__type"})


class Direct(Executor[Any]):
    """The library's executor with a short way for plain fields.

    `known` is what earlier executions of the operation left to this one. `check` raises where the time of the
    request is over.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.is_awaitable = is_awaitable
        self.check: Callable[[], None] = _go_on
        self.recall(Known())

    def recall(self, known: Known) -> None:
        """Go on with what earlier executions knew; only where no variable decides which fields are asked."""
        self.known = known
        known.executor = ref(self)
        self._relevant_sub_fields = known.sub_fields

    def roots(self, root_type: GraphQLObjectType) -> GroupedFieldSet:
        """Return the root fields of the operation with its variables."""
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

    def again(self, root: Any, state: Any, given: dict[str, Any]) -> Direct | list[GraphQLError]:
        """Return an executor of the operation for another request, or what is wrong with its variables.

        The helpers of `info` stay those of the first, since our resolvers do not use them. An executor that
        holds its own methods is a reference cycle, and keeps its request in memory until it is collected.
        """
        values: Any = self.variables.take(given)
        if values is None:
            definitions = self.operation.variable_definitions or ()
            values = get_variable_values(self.schema, definitions, given, MAX_ERRORS, self.hide_suggestions)
            if isinstance(values, list):
                return values
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.root_value, made.context_value, made.variable_values = root, state, values
        made.collected_errors = CollectedErrors()
        made.pending_incremental_futures, made.background_futures = set(), set()
        return made

    @cached_property
    def variables(self) -> PlainVariables:
        """Return the variables of the operation."""
        return PlainVariables(self.schema, self.operation)

    def execute_operation(self, serially: bool | None = None) -> Any:
        kind = self.operation.operation
        root_type = self.schema.get_root_type(kind)
        assert root_type is not None
        one_by_one = kind is OperationType.MUTATION if serially is None else serially
        roots = self.roots(root_type)
        try:
            data: Any = self.execute_root_grouped_field_set(
                root_type, self.root_value, roots, one_by_one, None
            )
            if self.is_awaitable(data):
                return self._responded(data)
        except GraphQLError as error:
            self.collected_errors.add(error, None)
            return self.build_response(None)
        return self.build_response(data)

    async def _responded(self, data: Awaitable[dict[str, Any]]) -> Any:
        try:
            return self.build_response(await data)
        except GraphQLError as error:
            self.collected_errors.add(error, None)
            return self.build_response(None)

    def execute_fields(
        self, parent_type: GraphQLObjectType, source: Any, path: Any, fields: GroupedFieldSet, context: Any
    ) -> Any:
        if type(source) is not dict:
            return super().execute_fields(parent_type, source, path, fields, context)
        answer: dict[str, Any] = {}
        waiting: list[str] = []
        try:
            for name, details in fields.items():
                planned = self._field(parent_type, details)
                if planned.finish is not None:
                    try:
                        answer[name] = planned.finish(source.get(planned.key))
                        continue
                    except NotPlain:
                        pass  # the library meets it again and reports it
                found = self.execute_field(
                    parent_type, source, details, Path(path, name, parent_type.name), context
                )
                if found is not Undefined:
                    answer[name] = found
                    if is_awaitable(found):
                        waiting.append(name)
        except Exception:
            if waiting:
                self.settle_in_background([answer[name] for name in waiting])
            raise
        return all_of(answer, waiting) if waiting else answer

    def execute_field(
        self, parent_type: GraphQLObjectType, source: Any, details: Any, path: Any, context: Any
    ) -> Any:
        if path.prev is None and details[0].node.name.value in INTROSPECTION:
            return self._introspected(parent_type, source, details, path, context)
        planned = self._field(parent_type, details)
        if planned.finish is not None and type(source) is dict:
            try:
                return planned.finish(source.get(planned.key))
            except NotPlain:
                pass  # the library meets it again and reports it
        if planned.arguments is not None:
            arguments = planned.arguments.take(self.variable_values.coerced)
            if arguments is not None:
                return self._resolved(planned, parent_type, source, arguments, path, context)
        return super().execute_field(parent_type, source, details, path, context)

    def _resolved(
        self,
        planned: Planned,
        parent_type: GraphQLObjectType,
        source: Any,
        arguments: dict[str, Any],
        path: Path,
        context: Any,
    ) -> Any:
        """Resolve a field with these arguments; what is not there yet is awaited."""
        definition, details = planned.definition, planned.details
        assert definition is not None
        assert definition.resolve is not None
        info: Any = self.build_resolve_info(definition, planned.nodes, parent_type, path)
        try:
            result = definition.resolve(source, info, **arguments)
            if not self.is_awaitable(result):
                result = self.complete_value(definition.type, details, info, path, result, context)
                if not self.is_awaitable(result):
                    return result
                info = None
        except Exception as error:
            self.handle_field_error(error, definition.type, details, path)
            return None
        return self._awaited(definition.type, details, info, path, result, context)

    async def _awaited(
        self, kind: GraphQLOutputType, details: Any, info: Any, path: Path, result: Any, context: Any
    ) -> Any:
        """Return a value once it is there, completed unless there is no `info` to do that with."""
        try:
            found = await result
            if info is not None:
                found = self.complete_value(kind, details, info, path, found, context)
                if self.is_awaitable(found):
                    found = await found
        except Exception as error:
            self.handle_field_error(error, kind, details, path)
            return None
        return found

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

    def _field(self, parent: GraphQLObjectType, details: Any) -> Planned:
        """Return how a field is executed."""
        found = self.known.fields.get((parent, id(details)))
        if found is None:
            found = self.known.fields[parent, id(details)] = self._plan(parent, details)
        return found

    def _value(self, kind: GraphQLOutputType, details: Any) -> tuple[Any, Finish | None]:
        """Return the function that completes a value of this type, however the value was found."""
        found = self.known.values.get((kind, id(details)))
        if found is None:
            found = self.known.values[kind, id(details)] = (details, self._finish(kind, details))
        return found

    def _plan(self, parent: GraphQLObjectType, details: Any) -> Planned:
        node, _, variables = details[0]
        definition = self.schema.get_field(parent, node.name.value)
        if definition is TypeNameMetaFieldDef:
            return Planned(details, definition, "", lambda _value: parent.name)
        if definition is None or definition.resolve is None:
            return Planned(details, definition)
        if not getattr(definition.resolve, "_is_default", False):
            arguments = None if variables else PlainArguments(definition, node)
            return Planned(details, definition, nodes=to_nodes(details), arguments=arguments)
        ours = definition.extensions.get(FIELD)
        if ours is None:
            return Planned(details, definition)
        finish = self._finish(definition.type, details)
        if ours.finish is not None and finish is not None:
            finish = after(ours.finish, finish, stays(definition))
        return Planned(details, definition, ours.key, finish)

    def _finish(self, kind: GraphQLOutputType, details: Any) -> Finish | None:
        nullable = not is_non_null_type(kind)
        inner: Any = kind if nullable else kind.of_type  # type: ignore[union-attr]
        if is_list_type(inner):
            item = self._finish(inner.of_type, details)
            return item and listed(item, nullable)
        if is_leaf_type(inner):
            return leaf(inner, nullable)
        if is_object_type(inner) and inner.is_type_of is None:
            plans = self._plans(inner, details)
            return None if plans is None else ObjectFinish(plans, nullable)
        members = getattr(inner.resolve_type, "members", None) if is_union_type(inner) else None
        return None if members is None else self._member(members, details, nullable)

    def _member(self, members: Members, details: Any, nullable: bool) -> Finish | None:
        """Return the function that completes a value of a union whose members one field tells apart.

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
            return not_plain if plans is None else ObjectFinish(plans, False)

        return None if len(kinds) < len(members) else one_of(key, complete, nullable)

    def _plans(self, kind: GraphQLObjectType, details: Any) -> list[Plan] | None:
        """Return how the fields asked of an object are completed; None where one of them is the library's."""
        plans: list[Plan] = []
        for name, below in self.collect_subfields(kind, details).grouped_field_set.items():
            planned = self._field(kind, below)
            if planned.finish is None or planned.definition is None:
                return None
            plans.append((name, planned.key, _as_they_are(planned.definition), planned.finish))
        return plans


def _go_on() -> None:
    """Nothing limits the time."""


def _as_they_are(definition: GraphQLField) -> frozenset[type]:
    """Return the Python types whose values are answered as they are."""
    ours = definition.extensions.get(FIELD)
    return NOTHING if ours is not None and ours.finish is not None else stays(definition)
