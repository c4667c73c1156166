"""The expression language of conditions, `{% if %}` and inline expressions: JavaScript's small, safe part.

Literals, names, `a.b` and `a["b"]`, `!`, `-`, `+`, comparisons, `in`, `&&`, `||`, `?:`, arrays and
`.includes(x)`, with JavaScript's truth and equality. Names and members are looked up in plain dicts and lists
only, by their own keys; whatever is not there is `undefined`. There is nothing else to reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from app.formats.expressions import values
from app.formats.expressions.syntax import (
    Call,
    Chain,
    Conditional,
    Items,
    Literal,
    MemberAccess,
    Name,
    Tree,
    Unary,
    read,
)
from app.formats.expressions.values import UNDEFINED

__all__ = ["UNDEFINED", "Expression", "parse"]

MAX_SOURCE: Final = 1024
MAX_DEPTH: Final = 50


def parse(
    source: str, *, max_length: int = MAX_SOURCE, max_depth: int = MAX_DEPTH, path: str | None = None
) -> Expression:
    """Read an expression; Invalid, with the position in the message, if it is none or too long or deep."""
    return Expression(source, read(source, max_length, max_depth, path))


@dataclass(slots=True, frozen=True)
class Expression:
    """An expression ready to be evaluated any number of times."""

    source: str
    tree: Tree

    def evaluate(self, scope: dict[str, Any]) -> Any:
        """Return the value in a scope of plain values; never fails, what is not there is UNDEFINED."""
        return _evaluate(self.tree, scope)

    def holds(self, scope: dict[str, Any]) -> bool:
        """Return whether the value counts as true."""
        return values.truth(self.evaluate(scope))

    def names(self) -> set[str]:
        """Return the names the expression looks up in its scope."""
        found: set[str] = set()
        waiting: list[Tree] = [self.tree]
        while waiting:
            tree = waiting.pop()
            if isinstance(tree, Name):
                found.add(tree.name)
            waiting.extend(_parts(tree))
        return found


def _parts(tree: Tree) -> list[Tree]:
    match tree:
        case Unary(_, operand):
            return [operand]
        case Chain(first, rest):
            return [first, *(operand for _, operand in rest)]
        case Items(items):
            return list(items)
        case Conditional(condition, then, otherwise):
            return [condition, then, otherwise]
        case MemberAccess(base, keys):
            return [base, *keys]
        case Call(base, argument):
            return [base, argument]
    return []


def _evaluate(tree: Tree, scope: dict[str, Any]) -> Any:
    match tree:
        case Literal(value):
            return value
        case Name(name):
            return scope.get(name, UNDEFINED)
        case MemberAccess(base, keys):
            value = _evaluate(base, scope)
            for key in keys:
                value = values.member(value, _evaluate(key, scope))
            return value
        case Unary("!", operand):
            return not values.truth(_evaluate(operand, scope))
        case Unary(_, operand):
            return -values.number(_evaluate(operand, scope))
        case Conditional(condition, then, otherwise):
            return _evaluate(then if values.truth(_evaluate(condition, scope)) else otherwise, scope)
        case Items(items):
            return [_evaluate(item, scope) for item in items]
        case Call(base, argument):
            return values.includes(_evaluate(base, scope), _evaluate(argument, scope))
        case Chain(first, rest):
            value = _evaluate(first, scope)
            for operator, operand in rest:
                if operator not in ("&&", "||"):
                    value = values.OPERATORS[operator](value, _evaluate(operand, scope))
                elif values.truth(value) is (operator == "||"):
                    return value
                else:
                    value = _evaluate(operand, scope)
            return value
    return UNDEFINED
