"""Documents that callers send: parsed, bounded and validated once, then kept.

The bounds hold before validation and execution, so that a hostile document costs its parse (threats, 47).
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any

from app.gql.execution import Known
from app.kit.paging import DEFAULT_LIMIT
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    IntValueNode,
    Node,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    VariableNode,
    Visitor,
    parse,
    validate,
    visit,
)

MAX_CHARACTERS = 100_000
MAX_TOKENS = 6_000
MAX_FIELDS = 1_500
MAX_SAME_NAME = 20
MAX_ALIASES = 50
MAX_DIRECTIVES = 50
MAX_DEPTH = 16
MAX_COST = 200_000
KEPT = 500
FIELD = 50  # what a field that was read weighs, in characters
MAX_WEIGHT = 4_000_000  # of the documents kept; a large one needs a hundred times the memory of its text
MAX_DIGITS = 400
_LONG = re.compile(rf"[0-9]{{{MAX_DIGITS + 1}}}")


@dataclass(slots=True)
class Document:
    """A document that is fit to run, with what we know of it.

    It varies where directives let variables decide which fields are asked; `known` is kept by operation.
    """

    node: DocumentNode
    mutates: bool
    introspects: bool
    varies: bool
    fragments: dict[str, FragmentDefinitionNode]
    weight: int
    known: dict[str | None, Known] = field(default_factory=dict)

    def refuse_costly(self, variables: dict[str, Any], operation: str | None) -> None:
        """Raise where the items asked for, times their fields, exceed the bound."""
        for definition in self.node.definitions:
            if isinstance(definition, OperationDefinitionNode) and operation in (None, _name(definition)):
                cost = _Cost(self.fragments, _with_defaults(definition, variables)).of(
                    definition.selection_set
                )
                if cost > MAX_COST:
                    raise GraphQLError(f"This query may cost {cost}; at most {MAX_COST} are allowed.")


class Documents:
    """A small memory of documents by their text."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._weight = 0

    def get(self, text: str) -> Document:
        """The document; raises GraphQLError (or ErrorList of several) where it is not fit to run."""
        found = self._kept.get(text)
        if found is None:
            found = self._kept[text] = self._read(text)
            self._weight += found.weight
            while len(self._kept) > KEPT or self._weight > MAX_WEIGHT:
                self._weight -= self._kept.popitem(last=False)[1].weight
        return found

    def _read(self, text: str) -> Document:
        if len(text) > MAX_CHARACTERS:
            raise GraphQLError(f"A document may have at most {MAX_CHARACTERS} characters.")
        try:
            node = parse(text, max_tokens=MAX_TOKENS)
        except RecursionError:
            raise GraphQLError("The document is nested too deeply.") from None
        if _LONG.search(text):
            visit(node, _ShortNumbers())
        fragments = {d.name.value: d for d in node.definitions if isinstance(d, FragmentDefinitionNode)}
        count = _bound(node, fragments)
        errors = validate(self._schema, node, max_errors=5)
        if errors:
            raise ErrorList(errors)
        mutates = any(
            isinstance(d, OperationDefinitionNode) and d.operation is OperationType.MUTATION
            for d in node.definitions
        )
        weight = len(text) + FIELD * count["fields"]
        return Document(node, mutates, count["introspection"] > 0, count["directives"] > 0, fragments, weight)


class ErrorList(Exception):
    """Several GraphQL errors of one document."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__(errors[0].message)
        self.errors = errors


class _ShortNumbers(Visitor):
    """Refuses numbers that nobody means, and that Python does not read."""

    def enter_int_value(self, node: IntValueNode, *_: Any) -> None:
        if len(node.value) > MAX_DIGITS:
            raise GraphQLError(f"A number may have at most {MAX_DIGITS} digits.", node)


def _bound(document: DocumentNode, fragments: dict[str, FragmentDefinitionNode]) -> Counter[str]:
    count: Counter[str] = Counter()
    for definition in document.definitions:
        selections = getattr(definition, "selection_set", None)
        if selections is not None:
            _measure(selections, fragments, count, 1, ())
    for name, most in (("fields", MAX_FIELDS), ("aliases", MAX_ALIASES), ("directives", MAX_DIRECTIVES)):
        if count[name] > most:
            raise GraphQLError(f"A document may have at most {most} {name}.")
    return count


def _measure(
    selections: SelectionSetNode,
    fragments: dict[str, FragmentDefinitionNode],
    count: Counter[str],
    depth: int,
    inside: tuple[str, ...],
) -> None:
    if max(depth, len(inside)) > MAX_DEPTH:
        raise GraphQLError(f"A query may be nested at most {MAX_DEPTH} deep.")
    names: Counter[str] = Counter()
    for node in selections.selections:
        count["directives"] += len(node.directives or ())
        count["fields"] += 1
        if count["fields"] > MAX_FIELDS:
            raise GraphQLError(f"A document may have at most {MAX_FIELDS} fields.")
        if isinstance(node, FieldNode):
            names[(node.alias or node.name).value] += 1
            count["aliases"] += node.alias is not None
            count["introspection"] += node.name.value in ("__schema", "__type")
        if isinstance(node, FragmentSpreadNode):
            name = node.name.value
            if name in fragments and name not in inside:
                _measure(fragments[name].selection_set, fragments, count, depth, (*inside, name))
        elif (below := getattr(node, "selection_set", None)) is not None:
            _measure(below, fragments, count, depth + isinstance(node, FieldNode), inside)
    if names and names.most_common(1)[0][1] > MAX_SAME_NAME:
        raise GraphQLError(f"A field may be named at most {MAX_SAME_NAME} times in one selection.")


def _with_defaults(definition: OperationDefinitionNode, variables: dict[str, Any]) -> dict[str, Any]:
    """The variables with the numbers that the document gives to those left out."""
    defaults = {
        each.variable.name.value: int(each.default_value.value)
        for each in definition.variable_definitions or ()
        if isinstance(each.default_value, IntValueNode)
    }
    return {**defaults, **variables}


class _Cost:
    """Fields times items: a list's `first` multiplies everything below it."""

    def __init__(self, fragments: dict[str, FragmentDefinitionNode], variables: dict[str, Any]) -> None:
        self._fragments = fragments
        self._variables = variables

    def of(self, selections: SelectionSetNode | None) -> int:
        if selections is None:
            return 0
        return sum(self._one(node) for node in selections.selections)

    def _one(self, node: Node) -> int:
        if isinstance(node, FragmentSpreadNode):
            return self.of(self._fragments[node.name.value].selection_set)
        below = self.of(getattr(node, "selection_set", None))
        return 1 + self._items(node) * below if isinstance(node, FieldNode) else below

    def _items(self, node: FieldNode) -> int:
        names = (
            {s.name.value for s in node.selection_set.selections if isinstance(s, FieldNode)}
            if (node.selection_set)
            else set()
        )
        if not names & {"nodes", "edges"}:
            return 1
        for argument in node.arguments or ():
            if argument.name.value == "first":
                value = argument.value
                if isinstance(value, IntValueNode):
                    return max(int(value.value), 1)
                if isinstance(value, VariableNode):
                    given = self._variables.get(value.name.value)
                    return max(given, 1) if isinstance(given, int) else DEFAULT_LIMIT
        return DEFAULT_LIMIT


def _name(definition: OperationDefinitionNode) -> str | None:
    return definition.name.value if definition.name else None
