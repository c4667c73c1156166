"""Keeps what later executions of an operation reuse: its fields as they were collected, and its costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet

from app.api.graphql.finishes import Finish
from app.api.graphql.plain_inputs import PlainArguments
from graphql import FieldNode, GraphQLField


@dataclass(slots=True)
class Remembered:
    """The costs of one operation by the values of the variables that decide them."""

    names: tuple[str, ...] | None = None
    costs: dict[tuple[Any, ...], int] = field(default_factory=dict)


@dataclass(slots=True)
class Planned:
    """A field of an operation: where its value is found in a source, and what completes it if that is plain.

    What has a resolver has `arguments`.
    """

    details: FieldDetailsList
    definition: GraphQLField | None
    key: str = ""
    finish: Finish | None = None
    nodes: list[FieldNode] = field(default_factory=list)
    arguments: PlainArguments | None = None


@dataclass(slots=True)
class Known:
    """Holds what the next execution of an operation reuses: its fields as collected, and their functions.

    The keys hold the identities of lists of fields; the lists are kept beside the values, so that none of
    those identities is given to another list.
    """

    roots: GroupedFieldSet | None = None
    costs: Remembered = field(default_factory=Remembered)
    sub_fields: dict[Any, Any] = field(default_factory=dict)
    fields: dict[tuple[Any, int], Planned] = field(default_factory=dict)
    values: dict[tuple[Any, int], tuple[Any, Finish | None]] = field(default_factory=dict)
    executor: Callable[[], Any] = field(default=lambda: None)
    """The one that executes it now, while it does."""
