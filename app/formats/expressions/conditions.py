"""Who is shown what: conditions over what is known of a visitor (decisions, Condition language).

A condition is an expression (see `expressions.expression`) over `visitor.claims`. It is checked against the
site's schema of claims when it is written, and decides when a page is read; a mistake hides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from app.formats.expressions.claims import Claims
from app.formats.expressions.expression import Expression, parse
from app.formats.expressions.syntax import Call, Chain, Choice, Items, Literal, Member, Name, Tree, Unary
from app.formats.expressions.values import UNDEFINED
from app.kit.errors import Invalid, Problem

__all__ = ["Claims", "check", "holds"]


def check(source: str, claims: Claims | None, *, path: str | None = None) -> None:
    """Refuse a condition that is no expression, asks for what is not there, or gives no boolean.

    Without `claims` nothing is known of them: what could be a boolean passes. Raises Invalid, naming `path`.
    """
    try:
        found = kinds_of(parse(source, path=path).tree, claims or OPEN)
    except ValueError as mistake:
        raise Invalid(f"The condition {mistake}", path=path) from None
    if wrong := found - BOOLEAN - {UNKNOWN}:
        named = " or ".join(sorted(wrong))
        raise Invalid(f"The condition must give true or false; this may give {named}.", path=path)


def holds(source: str, claims: dict[str, Any]) -> bool:
    """Whether a condition is true for a visitor with these claims; anything else than true is not."""
    try:
        return _parsed(source).evaluate({"visitor": {"claims": claims}}) is True
    except (Problem, RecursionError, ArithmeticError, ValueError, TypeError):
        return False


@lru_cache(maxsize=1024)
def _parsed(source: str) -> Expression:
    return parse(source)


Kinds = frozenset[str]
UNKNOWN: Final = "unknown"
BOOLEAN: Final[Kinds] = frozenset({"boolean"})
OPEN: Final = Claims("object")  # claims of which nothing is known: each of them may be anything
_ANYTHING: Final = Claims(UNKNOWN)
_EQUAL = ("===", "!==", "==", "!=")
_NOTHING = frozenset({"null", "undefined"})


def kinds_of(tree: Tree, claims: Claims) -> Kinds:
    """The kinds; raises ValueError, in words, for what cannot be meant."""
    match tree:
        case Literal(value):
            return frozenset({_kind(value)})
        case Name() | Member():
            return frozenset({_claim(tree, claims).kind})
        case Unary(operator, operand):
            kinds_of(operand, claims)
            return BOOLEAN if operator == "!" else frozenset({"number"})
        case Choice(condition, then, otherwise):
            kinds_of(condition, claims)
            return kinds_of(then, claims) | kinds_of(otherwise, claims)
        case Items(items):
            for item in items:
                kinds_of(item, claims)
            return frozenset({"array"})
        case Call(base, argument):
            if not kinds_of(base, claims) & {"array", "string", UNKNOWN}:
                raise ValueError("asks for `includes` of what is neither a list nor text.")
            kinds_of(argument, claims)
            return BOOLEAN
        case Chain(first, rest):
            return _of_chain(first, rest, claims)


def _of_chain(first: Tree, rest: tuple[tuple[str, Tree], ...], claims: Claims) -> Kinds:
    kinds, left = kinds_of(first, claims), first
    for operator, operand in rest:
        right = kinds_of(operand, claims)
        if operator in ("&&", "||"):
            kinds = kinds | right
        elif operator == "+":
            kinds = frozenset({"string", "number"})
        else:
            if operator in _EQUAL:
                _refuse_never_equal((left, kinds), (operand, right), claims)
            elif operator == "in" and not right & {"array", "object", UNKNOWN}:
                raise ValueError("looks with `in` into what is neither a list nor an object.")
            kinds = BOOLEAN
        left = operand
    return kinds


def _refuse_never_equal(left: tuple[Tree, Kinds], right: tuple[Tree, Kinds], claims: Claims) -> None:
    """What can never be equal is a slip of the pen; whether there is anything may always be asked."""
    both = left[1] | right[1]
    if UNKNOWN not in both and not left[1] & right[1] and not both & _NOTHING:
        raise ValueError(f"compares {_named(left[1])} with {_named(right[1])}.")
    for asked, said in ((left[0], right[0]), (right[0], left[0])):
        if not isinstance(asked, Member) or not isinstance(said, Literal):
            continue
        values = _claim(asked, claims).values
        if values and isinstance(said.value, str) and said.value not in values:
            raise ValueError(f"compares with {said.value!r}, which the claim never is.")


def _claim(tree: Tree, claims: Claims) -> Claims:
    """The claim that is asked for."""
    if isinstance(tree, Name):
        if tree.name != "visitor":
            raise ValueError(f"asks for `{tree.name}`; there is only `visitor.claims`.")
        return Claims("object", members={"claims": claims})
    if not isinstance(tree, Member):
        kinds_of(tree, claims)
        raise ValueError("asks for a part of something that is no claim.")
    here, place = _claim(tree.base, claims), "visitor"
    for key in tree.keys:
        if not isinstance(key, Literal):
            kinds_of(key, claims)
        here = _part(here, key.value if isinstance(key, Literal) else None, place)
        place = f"{place}.{key.value}" if isinstance(key, Literal) else f"{place}[…]"
    return here


def _part(claim: Claims, key: Any, place: str) -> Claims:
    """A part of a claim; without a `key` its name is worked out."""
    if claim is OPEN or claim is _ANYTHING:
        return _ANYTHING
    if claim.kind in ("array", "string") and key == "length":
        return Claims("number")
    if claim.kind == "array" and claim.items and (key is None or isinstance(key, float)):
        return claim.items
    if claim.kind == "object" and isinstance(key, str) and key in claim.members:
        return claim.members[key]
    named = "a claim by a name that is worked out" if key is None else f"`{place}.{key}`"
    if place == "visitor":
        raise ValueError(f"asks for {named}; there is only `visitor.claims`.")
    raise ValueError(f"asks for {named}, which the site's schema of claims does not have.")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"


def _named(kinds: Kinds) -> str:
    return " or ".join(sorted(kinds))
