"""Expressions and conditions in content given their values: in documents, and in Markdown as it came.

Inline expressions become text; an `if` is replaced by its inside when its condition holds and is left out
when it does not, or cannot be read. With `deterministic_only`, what depends on the visitor or the time stays.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from app.content import evaluate_markdown as source
from app.content import expression_values, expressions
from app.content.dialect import nodes
from app.content.dialect.nodes import Node
from app.content.expressions import Expression
from app.kit.deadlines import check
from app.kit.errors import Invalid

UNSETTLED = frozenset({"visitor", "now", "today", "time", "date", "Date"})


def evaluate_document(document: Node, scope: dict[str, Any], *, deterministic_only: bool = False) -> Node:
    """A copy of the document with its expressions and conditions evaluated; keys stay as they are."""
    values = _Values(scope, deterministic_only)
    return {**document, "nodes": _evaluated(document["nodes"], values)}


def evaluate_markdown(markdown: str, scope: dict[str, Any], *, deterministic_only: bool = False) -> str:
    """The Markdown with its expressions and conditions evaluated, everything else to the byte as it was."""
    values = _Values(scope, deterministic_only)
    return source.replaced(markdown, values.shown, values.text)


class _Values:
    """What expressions come to in one scope; None means that they are left alone."""

    def __init__(self, scope: dict[str, Any], deterministic_only: bool) -> None:
        self.scope = scope
        self.deterministic_only = deterministic_only

    def shown(self, condition: str) -> bool | None:
        """Whether what stands under a condition is shown."""
        expression = _read(condition)
        if expression is not None and self._unsettled(expression):
            return None
        return expression is not None and expression.holds(self.scope)

    def text(self, source: str) -> str | None:
        """The text an inline expression comes to; nothing for one that cannot be read."""
        expression = _read(source)
        if expression is not None and self._unsettled(expression):
            return None
        return expression_values.text(expression.evaluate(self.scope)) if expression else ""

    def _unsettled(self, expression: Expression) -> bool:
        return self.deterministic_only and not UNSETTLED.isdisjoint(expression.names())


@lru_cache(maxsize=1000)
def _read(source: str) -> Expression | None:
    try:
        return expressions.parse(source)
    except Invalid:
        return None


def _evaluated(siblings: list[Node], values: _Values) -> list[Node]:
    made: list[Node] = []
    for node in siblings:
        check()
        match node.get("type"):
            case "if":
                made.extend(_condition(node, values))
            case "expression":
                made.append(_expression(node, values))
            case _:
                made.append(_inside(node, values))
    return made


def _condition(node: Node, values: _Values) -> list[Node]:
    shown = values.shown(str(node["data"].get("expression", "")))
    if shown is None:
        return [_inside(node, values)]
    return _evaluated(node["nodes"], values) if shown else []


def _expression(node: Node, values: _Values) -> Node:
    text = values.text(str(node["data"].get("expression", "")))
    return node if text is None else {**nodes.plain(text), "key": node.get("key", "")}


def _inside(node: Node, values: _Values) -> Node:
    return nodes.with_lists(node, lambda inside: _evaluated(inside, values))
