"""Documents that callers send: parsed, bounded and validated once, then kept; so is why one was refused.

The bounds hold before validation and execution, so that a hostile document costs little more than its parse
(threats, 47). What large documents cost in validation they cost apart from the event loop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from cachetools import LRUCache
from graphql.validation import ASTValidationRule
from graphql.validation.rules import overlapping_fields_can_be_merged
from graphql.validation.validate import ValidationAbortedError

from app.api.graphql.errors import render
from app.api.graphql.execution import MAX_ERRORS, Direct
from app.kit import counts, deadlines, workers
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    IntValueNode,
    SelectionSetNode,
    Visitor,
    parse,
    specified_rules,
    validate,
    visit,
)

MAX_CHARACTERS = 100_000
MAX_TOKENS = 6_000
MAX_FIELDS = 3_000
MAX_SAME_NAME = 20
MAX_ALIASES = 50
MAX_DIRECTIVES = 50
MAX_DEPTH = 16
MAX_DIGITS = 400
MAX_COMPARISONS = 20_000  # of fields of one name in validation; some 150 fragments with one field
KEPT = 500
KEPT_WEIGHT = 4_000_000  # of the documents kept; a large one needs a hundred times the memory of its text
KEPT_REFUSALS_WEIGHT = 1_000_000
FIELD = 50  # what a field that was read weighs, in characters
_LONG = re.compile(rf"[0-9]{{{MAX_DIGITS + 1}}}")

overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = MAX_COMPARISONS


class Unfit(Exception):
    """A document that cannot be run; `errors` as they are answered."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__(errors[0]["message"])
        self.errors = errors

    @property
    def weight(self) -> int:
        """Return the weight in memory, in characters."""
        return sum(len(str(error)) for error in self.errors)


@dataclass(slots=True)
class ParsedDocument:
    """A document that is fit to run, with what we know of it.

    It varies where directives let variables decide which fields are asked. `executors` are kept by operation
    and by whether they hide what a mistaken name may mean; those of requests are made like them.
    """

    node: DocumentNode
    introspects: bool
    varies: bool
    weight: int
    executors: dict[tuple[str | None, bool], Direct] = field(default_factory=dict)


class Weighed(Protocol):
    """Has a weight in memory, in characters."""

    @property
    def weight(self) -> int: ...


K = TypeVar("K", bound=Weighed)


class Kept(Generic[K]):
    """A memory by text of so many values, which together weigh so much; the least recently used make room."""

    def __init__(self, most: int, most_weight: int) -> None:
        least = most_weight // most  # bounds their number
        self._kept: LRUCache[str, tuple[K, int]] = LRUCache(
            most_weight, getsizeof=lambda kept: min(max(kept[1], least), most_weight)
        )

    def get(self, text: str) -> K | None:
        """Return what is kept of a text, None where nothing is."""
        found = self._kept.get(text)
        return found and found[0]

    def put(self, text: str, what: K) -> None:
        """Keep this of a text."""
        self._kept.setdefault(text, (what, len(text) + what.weight))


class Documents:
    """Reads documents, and keeps some by their text. What was refused is kept apart from what can be run.

    Errors suggest names of the schema to who mistook one, unless it `suggests` none. `valid` returns the
    documents that need no validation.
    """

    def __init__(
        self,
        schema: GraphQLSchema,
        *,
        suggests: bool = True,
        keeps: int = KEPT,
        valid: Callable[[], Container[str]] = frozenset,
    ) -> None:
        self._schema, self._suggests, self._valid = schema, suggests, valid
        self._documents: Kept[ParsedDocument] = Kept(keeps, KEPT_WEIGHT)
        self._refusals: Kept[Unfit] = Kept(keeps, KEPT_REFUSALS_WEIGHT)

    async def get(self, text: str) -> ParsedDocument:
        """Return the document; raises Unfit where it cannot be run."""
        found = self._documents.get(text)
        counts.cache_reads["graphql_documents", found is not None] += 1
        if found is not None:
            return found
        refused = self._refusals.get(text)
        if refused is not None:
            raise Unfit(refused.errors)
        try:
            read = await workers.run(len(text), self.read, text)
        except Unfit as unfit:
            if len(text) <= MAX_CHARACTERS:
                self._refusals.put(text, Unfit(unfit.errors))
            raise
        self._documents.put(text, read)
        return read

    def read(self, text: str) -> ParsedDocument:
        """Parse, bound and validate a document; raises Unfit."""
        try:
            return self._read(text)
        except GraphQLError as error:
            raise Unfit([render(error)]) from None

    def _read(self, text: str) -> ParsedDocument:
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
        hides = not self._suggests
        is_valid = text in self._valid()
        errors = [] if is_valid else validate(self._schema, node, _RULES, MAX_ERRORS, hide_suggestions=hides)
        if errors:
            if isinstance(errors[-1], ValidationAbortedError) and len(errors) <= MAX_ERRORS:
                errors[-1] = GraphQLError("This document repeats fields in too many fragments.")
            raise Unfit([render(error) for error in errors])
        weight = FIELD * count["fields"]
        return ParsedDocument(node, count["introspection"] > 0, count["directives"] > 0, weight)


class _InTime(ASTValidationRule):
    """Lets validation end where its time is over."""

    def enter_field(self, *_: Any) -> None:
        deadlines.check()


class _ShortNumbers(Visitor):
    """Refuses numbers that nobody means, and that Python does not read."""

    def enter_int_value(self, node: IntValueNode, *_: Any) -> None:
        if len(node.value) > MAX_DIGITS:
            raise GraphQLError(f"A number may have at most {MAX_DIGITS} digits.", node)


_RULES = (*specified_rules, _InTime)


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
