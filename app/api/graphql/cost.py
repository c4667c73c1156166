"""The cost of a query before it runs, computed from the schema's types and a table of weights.

The walk goes over the fields that the executor itself collects for the operation and its variables, so
fragments, aliases, directives, repeated fields and ways to write a number change nothing: what would be
executed is counted, once. A list has as many items as its argument `first` or `last` says, after coercion by
the schema, or else as many as the field's weight declares. Of an interface or a union the most expensive
possible type counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet

from app.api.graphql.connections import counts_only
from app.api.graphql.execution import Direct
from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    Undefined,
    UndefinedType,
    VariableNode,
    get_argument_values,
    get_named_type,
    is_abstract_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
    print_ast,
)

SIZES = ("first", "last")
MAX_VISITS = 20_000
MAX_REMEMBERED = 50


@dataclass(frozen=True, slots=True)
class Weight:
    """The cost of a field, without what is selected in it. A unit is about five microseconds of computing.

    `cost` is for resolving it once, `each` for every item of the list it leads to, and `items` the length of
    a list that no argument bounds; `per` names an argument that has an item for each of the list. `when` adds
    other weights where an argument has a value, as in `{("evaluated", "true"): Weight(1_000)}`. `counted` is
    for a list of which only the count is asked, where its parent knows that: without arguments, or with
    those of `known`.
    """

    cost: int = 1
    each: int = 0
    items: int | None = None
    when: Mapping[tuple[str, str], Weight] = field(default_factory=dict)
    counted: int | None = None
    known: tuple[Mapping[str, Any], ...] = ()
    per: str = ""


Weigh = Callable[[GraphQLObjectType, str, GraphQLField], Weight]
"""Tells the weight of a field of a type."""


class Costs:
    """Computes costs over one schema. `page` is the size of a list whose `first` is null or not known."""

    def __init__(self, schema: GraphQLSchema, weigh: Weigh, *, page: int) -> None:
        self.schema = schema
        self.page = page
        self._weigh = weigh
        self._weights: dict[tuple[str, str], Weight] = {}

    def of(self, executor: Direct) -> int:
        """Return the cost of an executor's operation with its variables.

        Raises GraphQLError where finding out is itself too much work.
        """
        remembered, coerced = executor.known.costs, executor.variable_values.coerced
        if remembered.names is not None:
            known = remembered.costs.get(_key(remembered.names, coerced))
            if known is not None:
                return known
        walk = _Walk(self, executor)
        cost = walk.total()
        if walk.is_complete and len(remembered.costs) < MAX_REMEMBERED:
            remembered.names = tuple(walk.variables)
            key = _key(remembered.names, coerced)
            if all(map(_is_brief, key)):
                remembered.costs[key] = cost
        return cost

    def weight(self, parent: GraphQLObjectType, name: str, definition: GraphQLField) -> Weight:
        """Return the weight of a field."""
        key = (parent.name, name)
        found = self._weights.get(key)
        if found is None:
            found = self._weights[key] = self._weigh(parent, name, definition)
        return found


class _Walk:
    """One walk over an operation; `variables` are those that decided how much something weighs.

    It is complete unless a field has arguments with which it cannot be executed.
    """

    def __init__(self, costs: Costs, executor: Direct) -> None:
        self.variables: dict[str, None] = {}
        self.is_complete = True
        self._costs, self._executor = costs, executor
        self._known: dict[tuple[GraphQLObjectType, int, int | None], int] = {}
        self._visits = 0

    def total(self) -> int:
        root = self._costs.schema.get_root_type(self._executor.operation.operation)
        return self._selection(self._executor.roots(root), root, None) if root else 0

    def _selection(self, fields: GroupedFieldSet, parent: GraphQLObjectType, size: int | None) -> int:
        return sum(self._field(parent, details, size) for details in fields.values())

    def _field(self, parent: GraphQLObjectType, details: FieldDetailsList, size: int | None) -> int:
        """Return a field and what is selected in it;
        `size` is how long the field above says that lists are.
        """
        self._visits += 1
        if self._visits > MAX_VISITS:
            raise GraphQLError("This query combines fragments on too many types.")
        name = details[0].node.name.value
        definition = self._costs.schema.get_field(parent, name)
        if definition is None:
            return 0
        weight = self._costs.weight(parent, name, definition)
        try:
            arguments = self._arguments(definition, weight, details)
        except GraphQLError:  # the executor says what is wrong
            self.is_complete = False
            return weight.cost
        own = self._size(definition, weight, arguments)
        only_count = own is not None and self._counts_only(definition, details)
        if only_count and weight.counted is not None and _is_known(definition, weight, details[0].node):
            return weight.counted
        weights = [weight, *(more for (argument, word), more in weight.when.items()
                             if _word(arguments.get(argument)) == word)]  # fmt: skip
        items, is_list = 1, False
        kind: GraphQLOutputType = definition.type
        while is_list_type(kind) or is_non_null_type(kind):
            if is_list_type(kind):
                known = weight.items if weight.items is not None else size or self._costs.page
                items *= own or known
                is_list = True
            kind = kind.of_type
        below = self._object(kind, details, None if is_list else own)
        listed = items if is_list else 0 if only_count else own or 1
        return sum(each.cost + each.each * listed for each in weights) + items * below

    def _counts_only(self, definition: GraphQLField, details: FieldDetailsList) -> bool:
        """Tell whether nothing but its count is asked of a list; the executor then reads no items."""
        kind = get_named_type(definition.type)
        if not is_object_type(kind) or "totalCount" not in kind.fields:
            return False
        return counts_only((each.node for each in details), self._executor.fragment_definitions)

    def _object(self, kind: GraphQLOutputType, details: FieldDetailsList, size: int | None) -> int:
        if is_object_type(kind):
            return self._of_type(kind, details, size)
        if is_abstract_type(kind):
            possible = self._costs.schema.get_possible_types(kind)
            return max((self._of_type(each, details, size) for each in possible), default=0)
        return 0

    def _of_type(self, kind: GraphQLObjectType, details: FieldDetailsList, size: int | None) -> int:
        key = (kind, id(details), size)  # the executor keeps the lists of fields that it has collected
        found = self._known.get(key)
        if found is None:
            fields = self._executor.collect_subfields(kind, details).grouped_field_set
            found = self._known[key] = self._selection(fields, kind, size)
        return found

    def _arguments(
        self, definition: GraphQLField, weight: Weight, details: FieldDetailsList
    ) -> dict[str, Any]:
        """Return the coerced values of the arguments that decide what a field weighs, if it has such."""
        named = {name for name, _ in weight.when}.union(SIZES, [weight.per])
        deciding = named.intersection(definition.args)
        if not deciding:
            return {}
        node, _, inner = details[0]
        for each in node.arguments or ():
            if each.name.value in deciding and isinstance(each.value, VariableNode):
                self.variables[each.value.name.value] = None
        values = get_argument_values(definition, node, self._executor.variable_values, inner)
        return {name: values.get(definition.args[name].out_name or name) for name in deciding}

    def _size(self, definition: GraphQLField, weight: Weight, arguments: Mapping[str, Any]) -> int | None:
        """Return how many items a field asks for; None where it has no argument to say so."""
        if weight.per:
            return max(len(arguments.get(weight.per) or ()), 1)
        if not any(name in definition.args for name in SIZES):
            return None
        asked = [value for name in SIZES if isinstance(value := arguments.get(name), int)]
        return max(*asked, 1) if asked else self._costs.page


def _is_known(definition: GraphQLField, weight: Weight, node: FieldNode) -> bool:
    """Tell whether the parent of a list knows its count, with the arguments that a document writes out."""
    if not node.arguments:
        return True
    if any("$" in print_ast(each) for each in node.arguments):
        return False
    return get_argument_values(definition, node) in weight.known


def _word(value: object) -> str | None:
    """Return an argument's value as a document would name it."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _key(names: tuple[str, ...], coerced: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the values of these variables, of lists their lengths;
    one that is absent is not one that is null.
    """
    values = (coerced.get(name, Undefined) for name in names)
    return tuple(len(value) if isinstance(value, list) else value for value in values)


def _is_brief(value: object) -> bool:
    """Return whether an argument's value is worth remembering."""
    return len(value) < 50 if isinstance(value, str) else isinstance(value, int | Enum | UndefinedType | None)
