"""Which operation an address means: a tree of segments, so that the last route costs what the first does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.rest.operation import Operation


@dataclass(slots=True)
class _Node:
    literals: dict[str, _Node] = field(default_factory=dict)
    any: _Node | None = None
    tail: _Node | None = None
    methods: dict[str, Operation] = field(default_factory=dict)


class Routes:
    """Finds operations by path. Literal segments win over `{name}`; `{name:path}` takes all that is left."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = _Node()
        for operation in operations:
            self._add(operation)

    def _add(self, operation: Operation) -> None:
        node = self._root
        for segment in operation.path.strip("/").split("/"):
            if not segment.startswith("{"):
                node = node.literals.setdefault(segment, _Node())
            elif segment.endswith(":path}"):
                node.tail = node.tail or _Node()
                node = node.tail
            else:
                node.any = node.any or _Node()
                node = node.any
        assert operation.method not in node.methods, f"{operation.method} {operation.path} twice"
        node.methods[operation.method] = operation

    def find(self, path: str) -> tuple[dict[str, Operation], list[str]] | None:
        """The operations at a path by method, and the path's parameters in order; None where nothing is."""
        return _find(self._root, path.removeprefix("/").split("/"), 0, [])


def _find(
    node: _Node, segments: list[str], position: int, parameters: list[str]
) -> tuple[dict[str, Operation], list[str]] | None:
    if position == len(segments):
        return (node.methods, parameters) if node.methods else None
    segment = segments[position]
    child = node.literals.get(segment)
    if child is not None and (found := _find(child, segments, position + 1, parameters)):
        return found
    if (
        node.any is not None
        and segment
        and (found := _find(node.any, segments, position + 1, [*parameters, segment]))
    ):
        return found
    if node.tail is not None:
        return node.tail.methods, [*parameters, "/".join(segments[position:])]
    return None
