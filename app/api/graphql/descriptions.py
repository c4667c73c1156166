"""Puts GraphQL's names into descriptions, which the models write for REST.

A description names values and fields between backticks. What REST calls `share-link` is SHARE_LINK in
GraphQL, and `update_variables` is `updateVariables`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from app.api.graphql.shape_fields import camel
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
)

Names = Mapping[str, str]
"""The names of the values of enumerations, by what REST calls them."""

_QUOTED = re.compile(r"`([^`\s]+)`")
_SNAKE = re.compile(r"[a-z]+(?:_[a-z]+)+")
_VALUE = re.compile(
    r"(?:\b(?:kind|type|level|role|preset|status|visibility)s?|`\w+` is) (?:`[^`]+`(?:,| and| or) )*\Z"
)
"""Matches the words before a value, which is one even if something else has its name."""
_OPEN = frozenset({"String", "ID", "JSON", "Variables"})
"""Types whose values GraphQL takes and gives as REST does."""


def rename_values(core: GraphQLSchema) -> None:
    """Let all descriptions of a schema name values and fields as the schema does."""
    renaming = _Renaming(core)
    for kind in core.type_map.values():
        if kind.name.startswith("__"):
            continue
        if isinstance(kind, GraphQLEnumType):
            own = _names_of([kind])
            for name, value in kind.values.items():
                others = {rest: called for rest, called in own.items() if called != name}
                value.description = renaming.text(value.description, others)
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            renaming.type(kind)


class _Renaming:
    def __init__(self, core: GraphQLSchema) -> None:
        enums = [kind for kind in core.type_map.values() if isinstance(kind, GraphQLEnumType)]
        self._unique = _names_of(enum for enum in enums if not enum.name.startswith("__"))
        self._names = set(core.type_map)
        self._alternatives: set[str] = set()
        for kind in core.type_map.values():
            if isinstance(kind, GraphQLInputObjectType):
                self._names.update(kind.fields)
                self._alternatives.update(kind.fields if kind.is_one_of else ())
            elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
                self._names.update(kind.fields, *(field.args for field in kind.fields.values()))

    def type(self, kind: GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType) -> None:
        """Rename in the descriptions of a type, its fields and their arguments."""
        values = _names_of(_enums(kind.fields.values()))
        kind.description = self.text(kind.description, values, set(kind.fields))
        for field in kind.fields.values():
            self._member(field, values, set(kind.fields))
            if isinstance(field, GraphQLField):
                given = _names_of(_enums(field.args.values()))
                for argument in field.args.values():
                    self._member(argument, given, set(field.args))

    def _member(
        self, it: GraphQLField | GraphQLInputField | GraphQLArgument, beside: Names, taken: set[str]
    ) -> None:
        kind = get_named_type(it.type)
        if isinstance(kind, GraphQLEnumType):
            it.description = self.text(it.description, {**beside, **_names_of([kind])})
        else:
            it.description = self.text(it.description, beside, taken, anywhere=kind.name not in _OPEN)

    def text(
        self, text: str | None, values: Names, taken: Iterable[str] = (), *, anywhere: bool = True
    ) -> str | None:
        """Return a description in GraphQL's names; fields that are `taken` stay as they are.

        `values` are those of the enumerations at hand. `anywhere` lets a word that is no name of the schema
        be the value of any other.
        """

        def name(found: re.Match[str]) -> str:
            word = found[1]
            is_value = _VALUE.search(found.string, 0, found.start()) is not None
            known = values.get(word, self._unique.get(word) if is_value else None)
            if known is not None and (is_value or word not in taken):
                return f"`{known}`"
            if word in self._names:
                return found[0]
            if _SNAKE.fullmatch(word) and camel(word) in self._alternatives:
                return f"`{camel(word)}`"
            return f"`{self._unique[word]}`" if anywhere and word in self._unique else found[0]

        return text and _QUOTED.sub(name, text)


def _enums(
    fields: Iterable[GraphQLField | GraphQLInputField | GraphQLArgument],
) -> Iterator[GraphQLEnumType]:
    kinds = (get_named_type(each.type) for each in fields)
    return (kind for kind in kinds if isinstance(kind, GraphQLEnumType))


def _names_of(enums: Iterable[GraphQLEnumType]) -> dict[str, str]:
    """Return the names of values by what REST calls them, where all of these enumerations agree."""
    found: dict[str, set[str]] = defaultdict(set)
    for enum in enums:
        for name, value in enum.values.items():
            found[str(getattr(value.value, "value", value.value))].add(name)
    return {value: names.pop() for value, names in found.items() if len(names) == 1}
