"""The documents of the console: written by hand in `graphql/console`, trusted as those of operations are."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

from graphql.language import FragmentSpreadNode, Node, Visitor

from graphql import FragmentDefinitionNode, OperationDefinitionNode, parse, print_ast, visit

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "graphql" / "console"
HASHES = ROOT / "app" / "console" / "static" / "api" / "documents.js"


@cache
def console_documents() -> dict[str, str]:
    """Return the documents by the names of their operations, each with the fragments that it needs.

    Raises ValueError where two operations or fragments have one name.
    """
    operations: dict[str, OperationDefinitionNode] = {}
    fragments: dict[str, FragmentDefinitionNode] = {}
    for path in sorted(FOLDER.glob("*.graphql")):
        for node in parse(path.read_text(encoding="utf-8")).definitions:
            known = operations if isinstance(node, OperationDefinitionNode) else fragments
            assert isinstance(node, OperationDefinitionNode | FragmentDefinitionNode)
            name = node.name.value if node.name else ""
            if not name or name in known:
                raise ValueError(f"{path.name}: the name {name!r} is missing or taken")
            known[name] = node  # type: ignore[assignment]
    return {name: _complete(node, fragments) for name, node in sorted(operations.items())}


def _complete(operation: OperationDefinitionNode, fragments: dict[str, FragmentDefinitionNode]) -> str:
    needed: dict[str, FragmentDefinitionNode] = {}
    waiting: list[Node] = [operation]
    while waiting:
        for name in _spread(waiting.pop()) - needed.keys():
            if name not in fragments:
                raise ValueError(f"{operation.name and operation.name.value}: no fragment {name}")
            needed[name] = fragments[name]
            waiting.append(fragments[name])
    return "\n\n".join(print_ast(node) for node in [operation, *(needed[name] for name in sorted(needed))])


def _spread(node: Node) -> set[str]:
    found: set[str] = set()

    class Spreads(Visitor):
        def enter_fragment_spread(self, spread: FragmentSpreadNode, *_: object) -> None:
            found.add(spread.name.value)

    visit(node, Spreads())
    return found


def console_hashes() -> dict[str, str]:
    """Return the SHA-256 of each document by the name of its operation."""
    return {name: sha256(text.encode()).hexdigest() for name, text in console_documents().items()}


def hashes_module() -> str:
    """Return the module by which the console finds the hashes."""
    lines = "".join(f"  {name}: {json.dumps(key)},\n" for name, key in console_hashes().items())
    told = (
        "// The documents of graphql/console by name; `python -m tests.contract.write_documents` writes this."
    )
    return f"{told}\n\n/** @type {{Record<string, string>}} */\nexport const HASHES = {{\n{lines}}};\n"
