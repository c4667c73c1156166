"""Reading expressions: source to tokens to a tree, within a length and a depth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn, Union

from app.formats.expressions.values import UNDEFINED
from app.kit.errors import Invalid


@dataclass(slots=True, frozen=True)
class Literal:
    """A value written down."""

    value: Any


@dataclass(slots=True, frozen=True)
class Name:
    """A name looked up in the scope."""

    name: str


@dataclass(slots=True, frozen=True)
class Unary:
    """`!x` or `-x`."""

    operator: str
    operand: Tree


@dataclass(slots=True, frozen=True)
class Chain:
    """Operands joined by operators of one precedence, from left to right; long chains are not deep."""

    first: Tree
    rest: tuple[tuple[str, Tree], ...]


@dataclass(slots=True, frozen=True)
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Tree
    then: Tree
    otherwise: Tree


@dataclass(slots=True, frozen=True)
class Items:
    """`[a, b]`."""

    items: tuple[Tree, ...]


@dataclass(slots=True, frozen=True)
class MemberAccess:
    """`base.a["b"]`: a base and the keys followed from it."""

    base: Tree
    keys: tuple[Tree, ...]


@dataclass(slots=True, frozen=True)
class Call:
    """`base.includes(argument)`."""

    base: Tree
    argument: Tree


Tree = Union[Literal, Name, Unary, Chain, Conditional, Items, MemberAccess, Call]  # noqa: UP007 (names above)

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<sign>===|!==|==|!=|<=|>=|&&|\|\||\?\.|[<>!()\[\].,?:+-])
    )""",
    re.VERBOSE,
)
_LEVELS = (("||",), ("&&",), ("===", "!==", "==", "!="), ("<", "<=", ">", ">=", "in"), ("+",))
_WORDS = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


@dataclass(slots=True, frozen=True)
class _ExpressionToken:
    kind: str
    text: str
    position: int


def read(source: str, max_length: int, max_depth: int, path: str | None) -> Tree:
    """Return the tree of an expression, or Invalid."""
    if len(source) > max_length:
        raise Invalid(f"The expression is longer than {max_length} characters.", path=path)
    return _ExpressionReader(_tokens(source, path), max_depth, path).whole()


def _tokens(source: str, path: str | None) -> list[_ExpressionToken]:
    tokens: list[_ExpressionToken] = []
    position, end = 0, len(source.rstrip())
    while position < end:
        match = _TOKEN.match(source, position)
        if match is None or match.lastgroup is None:
            at = position + len(source[position:]) - len(source[position:].lstrip())
            raise Invalid(f"The expression has an unexpected {source[at]!r} at position {at}.", path=path)
        kind = match.lastgroup
        tokens.append(_ExpressionToken(kind, match[kind], match.start(kind)))
        position = match.end()
    tokens.append(_ExpressionToken("end", "", end))
    return tokens


class _ExpressionReader:
    def __init__(self, tokens: list[_ExpressionToken], max_depth: int, path: str | None) -> None:
        self.tokens = tokens
        self.index = 0
        self.depth = 0
        self.max_depth = max_depth
        self.path = path

    def whole(self) -> Tree:
        tree = self._choice()
        if self._next.kind != "end":
            self._refuse()
        return tree

    @property
    def _next(self) -> _ExpressionToken:
        return self.tokens[self.index]

    def _take(self, *signs: str) -> str | None:
        """Return the next token's text if it is one of these signs or words."""
        token = self._next
        if token.kind in ("sign", "name") and token.text in signs:
            self.index += 1
            return token.text
        return None

    def _need(self, sign: str) -> None:
        if self._take(sign) is None:
            self._refuse()

    def _refuse(self) -> NoReturn:
        token = self._next
        found = f"an unexpected {token.text!r}" if token.text else "an unexpected end"
        raise Invalid(f"The expression has {found} at position {token.position}.", path=self.path)

    def _deeper(self, by: int) -> None:
        self.depth += by
        if self.depth > self.max_depth:
            place = f"at position {self._next.position}"
            raise Invalid(f"The expression is nested deeper than {self.max_depth} {place}.", path=self.path)

    def _choice(self) -> Tree:
        self._deeper(1)
        tree = self._joined(0)
        if self._take("?"):
            then = self._choice()
            self._need(":")
            tree = Conditional(tree, then, self._choice())
        self._deeper(-1)
        return tree

    def _joined(self, level: int) -> Tree:
        """Return the operands of one level of precedence, each of the levels above it."""
        if level == len(_LEVELS):
            return self._unary()
        first = self._joined(level + 1)
        rest: list[tuple[str, Tree]] = []
        while operator := self._take(*_LEVELS[level]):
            rest.append((operator, self._joined(level + 1)))
        return Chain(first, tuple(rest)) if rest else first

    def _unary(self) -> Tree:
        operator = self._take("!", "-")
        if operator is None:
            return self._postfix()
        self._deeper(1)
        tree = Unary(operator, self._unary())
        self._deeper(-1)
        return tree

    def _postfix(self) -> Tree:
        base, keys = self._primary(), list[Tree]()
        while sign := self._take(".", "?.", "["):
            if sign == "[":
                keys.append(self._choice())
                self._need("]")
                continue
            name = self._name()
            if not self._take("("):
                keys.append(Literal(name))
                continue
            if name != "includes":
                self.index -= 2  # the refusal is about the name
                self._refuse()
            base, keys = Call(_member(base, keys), self._choice()), []
            self._need(")")
        return _member(base, keys)

    def _name(self) -> str:
        token = self._next
        if token.kind != "name":
            self._refuse()
        self.index += 1
        return token.text

    def _primary(self) -> Tree:
        token = self._next
        if self._take("("):
            tree = self._choice()
            self._need(")")
            return tree
        if self._take("["):
            return self._items()
        if token.kind in ("end", "sign") or token.text == "in":
            self._refuse()
        self.index += 1
        if token.kind == "number":
            return Literal(float(token.text))
        if token.kind == "text":
            return Literal(_unescaped(token.text[1:-1]))
        return Literal(_WORDS[token.text]) if token.text in _WORDS else Name(token.text)

    def _items(self) -> Tree:
        items: list[Tree] = []
        while not self._take("]"):
            items.append(self._choice())
            if not self._take(","):
                self._need("]")
                break
        return Items(tuple(items))


def _member(base: Tree, keys: list[Tree]) -> Tree:
    return MemberAccess(base, tuple(keys)) if keys else base


def _unescaped(inside: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if len(code) > 1 else _CONTROLS.get(code, code)

    return _ESCAPE.sub(character, inside)
