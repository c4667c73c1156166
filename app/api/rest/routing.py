"""Which operation an address means: trees of segments, so that the last route costs what the first does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from app.api.operations import rows_of

if TYPE_CHECKING:
    from app.api.operation import Operation

    Found = tuple[dict[str, Operation], list[str]]


class _RouteNode:
    """A place in a tree: what may follow, and what is here (of a route, or of a family's prefix)."""

    __slots__ = ("any", "literals", "methods", "module", "tail")

    def __init__(self) -> None:
        self.literals: dict[str, _RouteNode] = {}
        self.any: _RouteNode | None = None
        self.tail: _RouteNode | None = None
        self.methods: dict[str, Operation] = {}
        self.module: str | None = None

    def below(self, pattern: str) -> _RouteNode:
        """Return the place of a pattern, made where there is none."""
        node = self
        for segment in segments_of(pattern):
            if not segment.startswith("{"):
                node = node.literals.setdefault(segment, _RouteNode())
            elif segment.endswith(":path}"):
                node.tail = node = node.tail or _RouteNode()
            else:
                node.any = node = node.any or _RouteNode()
        return node


class Routes:
    """Finds operations by path. Literal segments win over `{name}`; `{name:path}` takes all that is left."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = _RouteNode()
        for operation in operations:
            methods = self._root.below(operation.path).methods
            assert operation.method not in methods, f"{operation.method} {operation.path} twice"
            methods[operation.method] = operation

    def find(self, path: str) -> Found | None:
        """Return the operations at a path by method, and the path's parameters in order;
        None where nothing is.
        """
        return self.at(segments_of(path))

    def at(self, segments: list[str]) -> Found | None:
        """Return the same for a path in segments."""
        return _find(self._root, segments, 0, [])


class Families:
    """Finds operations by path in the modules that hold them, each loaded when it is first needed.

    `families` names the module of every prefix (see `app.api.operations`): the longest decides, so all the
    operations of a path are in one module, and no other is asked.
    """

    def __init__(self, families: Mapping[str, str]) -> None:
        self._modules = frozenset(families.values())
        self._root = _RouteNode()
        for prefix, module in families.items():
            self._root.below(prefix).module = module

    def find(self, path: str) -> Found | None:
        """Find an operation as `Routes.find` does."""
        segments = segments_of(path)
        module = self._module(segments)
        return None if module is None else _routes(module).at(segments)

    def load(self) -> None:
        """Load all of them now: in a process that stays, no caller should wait for it."""
        for module in self._modules:
            _routes(module)

    def _module(self, segments: list[str]) -> str | None:
        node, module = self._root, None
        for segment in segments:
            below = node.literals.get(segment) or node.any
            if below is None:
                break
            node, module = below, below.module or module
        return module


def segments_of(path: str) -> list[str]:
    """Split a path at its slashes; a slash at the end makes a last, empty segment."""
    return path.removeprefix("/").split("/")


@cache
def _routes(module: str) -> Routes:
    return Routes(rows_of(module))


def _find(node: _RouteNode, segments: list[str], position: int, parameters: list[str]) -> Found | None:
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
