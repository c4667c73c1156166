"""Screens and changes of the console, as cases of a normalized cache.

A screen is one of the console's queries whose required variables are known. The mutation of a case asks the
objects of its payload for everything that the screens show of objects of their types, as the guide tells
frontends to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from graphql.language import REMOVE, Node, Visitor, visit

from app.api.catalog import OPERATIONS
from app.api.graphql.nodes import payload_name, title
from app.api.operation import Operation
from graphql import (
    ArgumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    InlineFragmentNode,
    NameNode,
    NonNullTypeNode,
    ObjectFieldNode,
    OperationDefinitionNode,
    OperationType,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    parse,
    print_ast,
)
from tests.contract.console_documents import console_documents
from tests.contract.selections import CORE

DEEPEST = 12
"""How deep a screen is shown, since it is deeper still in the payload of a mutation."""

NAMES = {"change": "changeRequest", "run": "importRun"}
"""Variables of the console that the input of a mutation names differently."""

PLACES = {"space": "space", "collection": "collection", "organization": "site"}
"""What the variable `$place` is, by the root field of the query."""

TYPENAME = FieldNode(name=NameNode(value="__typename"))
Shown = dict[str, list[FieldNode]]


@dataclass(frozen=True)
class Screen:
    """A query of the console: its root fields, the types of its required variables, and the fields that it
    shows of each type of object. What it shows of the caller is under `me`."""

    name: str
    root: SelectionSetNode
    variables: Mapping[str, str]
    shown: Shown


def changes() -> list[Operation]:
    """Return the operations of the mutations that the console sends."""
    fields = {
        field.name.value
        for operation, _document in _operations(OperationType.MUTATION)
        for field in operation.selection_set.selections
        if isinstance(field, FieldNode)
    }
    return [row for row in OPERATIONS if row.writes and row.field in fields]


@cache
def screens() -> list[Screen]:
    """Return the queries of the console."""
    return [_screen(operation, document) for operation, document in _operations(OperationType.QUERY)]


def _operations(kind: OperationType) -> Iterator[tuple[OperationDefinitionNode, str]]:
    for document in console_documents().values():
        first = parse(document).definitions[0]
        assert isinstance(first, OperationDefinitionNode)
        if first.operation is kind:
            yield first, document


def query(shown: Sequence[Screen]) -> str:
    """Return one query that shows what all these screens show."""
    selected = _shown_of(None, tuple(screen.name for screen in shown))
    return f"query {_declared(shown, selected)} {{ {selected} }}"


def mutation(row: Operation, shown: Sequence[Screen]) -> str:
    """Return the mutation of an operation that asks its payload for all that screens show of such objects."""
    payload = CORE.type_map[payload_name(row.field)]
    assert isinstance(payload, GraphQLObjectType)
    parts = ["__typename userErrors { __typename code message path }"]
    parts += ["deletedId"] if "deletedId" in payload.fields else []
    for name, field in payload.fields.items():
        kind = get_named_type(field.type)
        if isinstance(kind, GraphQLObjectType) and "id" in kind.fields:
            of_kind = "me" if name == "me" else kind.name
            asked = _shown_of(of_kind, tuple(screen.name for screen in shown))
            parts.append(f"{name} {{ __typename id {asked} }}")
    selected = f"{row.field}(input: $input) {{ {' '.join(parts)} }}"
    return f"mutation {_declared(shown, selected, input=f'{title(row.field)}Input!')} {{ {selected} }}"


@cache
def _shown_of(kind: str | None, names: tuple[str, ...]) -> str:
    """Return as one selection what these screens show, or what they show of objects of a type."""
    shown = [screen for screen in screens() if screen.name in names]
    if kind is None:
        return _merged(field for screen in shown for field in screen.root.selections)
    return _merged(each for screen in shown for each in screen.shown.get(kind, ()))


def _declared(shown: Iterable[Screen], selected: str, **more: str) -> str:
    """Return the declarations of the variables of screens that a selection uses."""
    types = {name: kind for screen in shown for name, kind in screen.variables.items()} | more
    used = {name: types[name] for name in sorted(set(re.findall(r"\$(\w+)", selected)))}
    declared = ", ".join(f"${name}: {kind}" for name, kind in used.items())
    return f"({declared})" if declared else ""


def _screen(operation: OperationDefinitionNode, document: str) -> Screen:
    root = operation.selection_set.selections[0]
    assert isinstance(root, FieldNode)
    required = {
        each.variable.name.value: print_ast(each.type)
        for each in operation.variable_definitions or ()
        if isinstance(each.type, NonNullTypeNode)
    }
    names = {name: PLACES[root.name.value] if name == "place" else NAMES.get(name, name) for name in required}
    selected = _cut(_inlined(document, names), DEEPEST)
    shown: Shown = {}
    assert operation.name is not None
    assert CORE.query_type is not None
    _collect(CORE.query_type, selected, shown, "Query")
    variables = {names[name]: kind for name, kind in required.items()}
    return Screen(operation.name.value, selected, variables, shown)


def _inlined(document: str, names: Mapping[str, str]) -> SelectionSetNode:
    """Return what a document selects, with fragments in place and without optional variables; `names` has the
    new names of the others."""
    operation, *others = parse(document).definitions
    fragments = {each.name.value: each for each in others if isinstance(each, FragmentDefinitionNode)}

    class Inlining(Visitor):
        def leave_selection_set(self, node: SelectionSetNode, *_: object) -> Node:
            return SelectionSetNode(selections=(TYPENAME, *node.selections))

        def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> Node:
            fragment = fragments[node.name.value]
            selected = visit(fragment.selection_set, Inlining())
            return InlineFragmentNode(type_condition=fragment.type_condition, selection_set=selected)

        def leave_variable(self, node: VariableNode, *_: object) -> Node:
            return VariableNode(name=NameNode(value=names[node.name.value]))

        def enter_argument(self, node: ArgumentNode, *_: object) -> Any:
            return self._without_optional(node)

        def enter_object_field(self, node: ObjectFieldNode, *_: object) -> Any:
            return self._without_optional(node)

        def _without_optional(self, node: ArgumentNode | ObjectFieldNode) -> Any:
            is_optional = isinstance(node.value, VariableNode) and node.value.name.value not in names
            return REMOVE if is_optional else None

    assert isinstance(operation, OperationDefinitionNode)
    found: SelectionSetNode = visit(operation.selection_set, Inlining())
    return found


def _cut(selected: SelectionSetNode, deep: int) -> SelectionSetNode:
    """Return a selection without what is deeper in it."""
    kept: list[SelectionNode] = []
    for each in selected.selections:
        if not isinstance(each, FieldNode | InlineFragmentNode) or each.selection_set is None:
            kept.append(each)
        elif deep > 1:
            inner = _cut(each.selection_set, deep - isinstance(each, FieldNode))
            kept.append(replace(each, selection_set=inner))
    return SelectionSetNode(selections=tuple(kept))


def _collect(kind: Any, selected: SelectionSetNode, shown: Shown, of_kind: str) -> None:
    """Collect the fields that a selection shows of each type of object."""
    known = shown.setdefault(of_kind, [])
    for each in selected.selections:
        if isinstance(each, InlineFragmentNode):
            condition = each.type_condition
            inner = kind if condition is None else CORE.type_map[condition.name.value]
            _collect(inner, each.selection_set, shown, of_kind if inner is kind else inner.name)
        elif isinstance(each, FieldNode) and each != TYPENAME:
            known.append(each)
            if each.selection_set is not None:
                found = get_named_type(kind.fields[each.name.value].type)
                is_me = kind is CORE.query_type and each.name.value == "me"
                _collect(found, each.selection_set, shown, "me" if is_me else found.name)


def _merged(selections: Iterable[SelectionNode]) -> str:
    """Return selections as one, in which only fields that are asked with several arguments have aliases."""
    below: dict[tuple[str, str, str], list[SelectionNode]] = {}
    for condition, field in (found for each in selections for found in _fields(each)):
        arguments = ", ".join(sorted(print_ast(each) for each in field.arguments or ()))
        known = below.setdefault((condition, field.name.value, arguments), [])
        known += field.selection_set.selections if field.selection_set else ()
    aliases: dict[str, dict[str, str]] = {}
    for _condition, name, arguments in below:
        of_field = aliases.setdefault(name, {})
        of_field.setdefault(arguments, f"{name}{len(of_field)}: " if of_field else "")
    parts: dict[str, list[str]] = {"": []}
    for (condition, name, arguments), inner in below.items():
        text = f"{aliases[name][arguments]}{name}{f'({arguments})' if arguments else ''}"
        parts.setdefault(condition, []).append(f"{text} {{ {_merged(inner)} }}" if inner else text)
    own = parts.pop("")
    return " ".join([*own, *(f"... on {kind} {{ {' '.join(texts)} }}" for kind, texts in parts.items())])


def _fields(selection: SelectionNode, condition: str = "") -> Iterator[tuple[str, FieldNode]]:
    """Return the fields of a selection, each with the type that it is asked of; empty for any type."""
    if isinstance(selection, FieldNode):
        yield condition, selection
    if isinstance(selection, InlineFragmentNode):
        kind = selection.type_condition
        for each in selection.selection_set.selections:
            yield from _fields(each, kind.name.value if kind else condition)
