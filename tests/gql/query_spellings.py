"""Equivalent spellings of queries over the schema."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.api.graphql.server import COSTS
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLSchema,
    get_named_type,
    is_composite_type,
    is_input_object_type,
    is_interface_type,
    is_list_type,
    is_object_type,
    is_required_argument,
)

CORE: GraphQLSchema = COSTS.schema
DEEPEST = 4


@dataclass
class Field:
    """A field that is asked for: its arguments, how long its list is to be, and what is selected in it."""

    name: str
    first: int | None = None
    arguments: Sequence[str] = ()
    kind: str = ""
    below: list[Field] = field(default_factory=list)


@dataclass
class Spelling:
    """One way to write a question: its text and variables, written by chance."""

    chance: random.Random
    plain: bool = False
    variables: dict[str, Any] = field(default_factory=dict)
    _declared: list[str] = field(default_factory=list)
    _fragments: list[str] = field(default_factory=list)

    def document(self, fields: Sequence[Field]) -> str:
        """The whole document."""
        inside = self._selection("Query", fields)
        declared = f"({', '.join(self._declared)})" if self._declared else ""
        return " ".join([f"query {declared} {inside}", *self._fragments])

    def _selection(self, kind: str, fields: Sequence[Field]) -> str:
        written = [self._field(each) for each in fields]
        if self.plain:
            return f"{{ {' '.join(written)} }}"
        begin = self.chance.randrange(len(written) + 1)
        grouped, others = written[:begin], written[begin:]
        if grouped:
            others.append(self._fragment(kind, " ".join(grouped)))
        if self.chance.random() < 0.2:
            others.append(self._fragment(kind, self.chance.choice(written)))  # asked for again
        self.chance.shuffle(others)
        return f"{{ {' '.join(others)} }}"

    def _fragment(self, kind: str, inside: str) -> str:
        way = self.chance.randrange(5)
        if way == 0:
            self._fragments.append(f"fragment F{len(self._fragments)} on {kind} {{ {inside} }}")
            return f"...F{len(self._fragments) - 1}"
        always = self.chance.choice(["@include(if: true)", "@skip(if: false)"])
        condition = ["", f"on {kind}", always][way % 3]
        return inside if way == 1 else f"... {condition} {{ {inside} }}"

    def _field(self, asked: Field) -> str:
        arguments = [*asked.arguments, *([f"first: {self._size(asked.first)}"] if asked.first else [])]
        given = f"({', '.join(arguments)})" if arguments else ""
        head = f"{asked.name}{given}"
        if not asked.below:
            return head
        if self.plain or len(asked.below) < 2 or self.chance.random() < 0.7:
            return f"{head} {self._selection(asked.kind, asked.below)}"
        middle = self.chance.randrange(1, len(asked.below))
        parts = [self._selection(asked.kind, part) for part in (asked.below[:middle], asked.below[middle:])]
        return " ".join(f"{head} {part}" for part in parts)  # both are merged

    def _size(self, first: int) -> str:
        """The same number: written, by variable, as a float in the JSON, or as the default of a variable."""
        name = f"n{first}"
        way = 0 if self.plain else self.chance.randrange(4)
        if way == 0:
            return str(first)
        if name not in {each.partition(":")[0].lstrip("$") for each in self._declared}:
            self._declared.append(f"${name}: Int! = {first}" if way == 3 else f"${name}: Int!")
            if way != 3:
                self.variables[name] = float(first) if way == 2 else first
        return f"${name}"


def question(chance: random.Random) -> list[Field]:
    """Some fields of the root and what is below them."""
    assert CORE.query_type is not None
    return _fields(chance, CORE.query_type, 0, 3)


def _fields(chance: random.Random, kind: Any, depth: int, most: int) -> list[Field]:
    able = [name for name, each in kind.fields.items() if _is_able(each, depth)]
    names = chance.sample(able, min(len(able), chance.randrange(1, most + 1)))
    lists = [name for name in ("nodes", "edges", "node") if name in kind.fields]
    return [_asked(chance, name, kind.fields[name], depth) for name in {*names, *lists}] or [
        Field("__typename")
    ]


def _asked(chance: random.Random, name: str, definition: GraphQLField, depth: int) -> Field:
    kind = get_named_type(definition.type)
    arguments = [
        f"{key}: {_literal(each.type)}"
        for key, each in definition.args.items()
        if is_required_argument(each) and key != "first"
    ]
    if "evaluated" in definition.args and chance.random() < 0.5:
        arguments.append("evaluated: true")
    first = chance.choice([1, 3, 20]) if "first" in definition.args else None
    below = _below(chance, kind, depth + 1) if is_composite_type(kind) else []
    return Field(name, first, arguments, kind.name, below)


def _below(chance: random.Random, kind: Any, depth: int) -> list[Field]:
    """Select in an object; of an interface its fields, of both it and a union those of one type."""
    if is_object_type(kind):
        return _fields(chance, kind, depth, 4)
    one = chance.choice(CORE.get_possible_types(kind))
    inside = Field(f"... on {one.name}", kind=one.name, below=_fields(chance, one, depth, 4))
    shared = _fields(chance, kind, depth, 2) if is_interface_type(kind) else [Field("__typename")]
    return [inside, *(each for each in shared if each.name not in {below.name for below in inside.below})]


def _is_able(definition: GraphQLField, depth: int) -> bool:
    needed = [each.type for each in definition.args.values() if is_required_argument(each)]
    if any(is_input_object_type(get_named_type(kind)) or is_list_type(kind) for kind in needed):
        return False
    return depth < DEEPEST or not is_composite_type(get_named_type(definition.type))


def _literal(kind: Any) -> str:
    named = get_named_type(kind)
    if isinstance(named, GraphQLEnumType):
        return str(next(iter(named.values)))
    return {"Int": "1", "Boolean": "true", "Float": "1.5"}.get(named.name, '"x"')
