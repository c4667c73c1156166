"""Conditions of what a visitor is shown: what a site may know of its visitors, and conditions over that.

Claims are a JSON Schema (draft-07) of a small form, read into a tree. A condition is an expression (see
`expressions.expression`) over the claims of one visitor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from app.formats.expressions.expression import Expression, parse
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
)
from app.formats.expressions.values import UNDEFINED
from app.kit.errors import Invalid, Problem

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
UNSIGNED: Final = "unsigned"
MAX_CLAIMS: Final = 500
MAX_DEPTH: Final = 8
MAX_TEXT: Final = 1000
SCALARS: Final = ("boolean", "string", "number")
_WORDS = frozenset({"type", "description", "enum", "items", "properties", "additionalProperties", "title"})
_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


@dataclass(slots=True, frozen=True)
class Claims:
    """A claim: what kind of value it has, which values it may have, what its items or members are."""

    kind: str
    description: str = ""
    values: tuple[str, ...] = ()
    items: Claims | None = None
    members: dict[str, Claims] = field(default_factory=dict)


def empty() -> dict[str, Any]:
    """Return the schema of a site that knows nothing of its visitors."""
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    unsigned = {"description": "What visitors may say of themselves.", **nothing}
    return {"$schema": DRAFT, **nothing, "properties": {UNSIGNED: unsigned}}


def read_claims(schema: Any, path: str = "jsonSchema") -> Claims:
    """Return the claims of a schema; raises Invalid naming the place that is not of the form."""
    if not isinstance(schema, dict):
        raise Invalid("The schema must be an object.", path=path)
    for name, value in (("$schema", schema.get("$schema", DRAFT)), ("$id", schema.get("$id", ""))):
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise Invalid("This must be text.", path=f"{path}.{name}")
    if schema.get("$schema", DRAFT).rstrip("#") != DRAFT.rstrip("#"):
        raise Invalid(f"The schema must be of draft-07: {DRAFT}", path=f"{path}.$schema")
    inner = {name: value for name, value in schema.items() if name not in ("$schema", "$id")}
    found = _SchemaReader().object(inner, path, 0)
    unsigned = found.members.get(UNSIGNED)
    if unsigned is not None and unsigned.kind != "object":
        raise Invalid("Unsigned claims must be an object.", path=f"{path}.properties.{UNSIGNED}")
    return found


def templates(claims: Claims, place: str = "visitor.claims") -> Iterator[tuple[str, str]]:
    """Yield useful conditions for these claims, each with its description."""
    for name, claim in claims.members.items():
        here = f"{place}.{name}" if _NAME.fullmatch(name) else f"{place}[{_quoted(name)}]"
        if claim.kind == "boolean":
            yield claim.description, here
        elif claim.kind == "object":
            yield from templates(claim, here)
        elif claim.values:
            for value in claim.values:
                yield f"{claim.description} ({value})", f"{here} == {_quoted(value)}"
        else:
            yield claim.description, f"{here} != undefined"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class _SchemaReader:
    def __init__(self) -> None:
        self.count = 0

    def claim(self, found: Any, path: str, depth: int) -> Claims:
        if not isinstance(found, dict):
            raise Invalid("A claim must be an object.", path=path)
        self.count += 1
        if self.count > MAX_CLAIMS or depth > MAX_DEPTH:
            raise Invalid(f"The schema has more than {MAX_CLAIMS} claims, or {MAX_DEPTH} levels.", path=path)
        for word in found:
            if word not in _WORDS:
                raise Invalid(f"A claim has no {word!r}.", path=path)
        description = found.get("description")
        if not isinstance(description, str) or not 0 < len(description) <= MAX_TEXT:
            raise Invalid("A claim needs a description.", path=f"{path}.description")
        kind = found.get("type")
        if kind == "object":
            return self.object(found, path, depth)
        if kind == "array":
            return Claims("array", description, items=self._items(found.get("items"), path))
        if not isinstance(kind, str) or kind not in SCALARS:
            raise Invalid("A claim is of type boolean, string, number, array or object.", path=f"{path}.type")
        return Claims(kind, description, values=self._values(found, kind, path))

    def object(self, found: dict[str, Any], path: str, depth: int) -> Claims:
        if found.get("type") != "object":
            raise Invalid("This must be of type object.", path=f"{path}.type")
        if found.get("additionalProperties") is not False:
            raise Invalid("This must be false.", path=f"{path}.additionalProperties")
        for word in found:
            if word not in _WORDS:
                raise Invalid(f"An object of claims has no {word!r}.", path=path)
        members = found.get("properties", {})
        if not isinstance(members, dict):
            raise Invalid("This must be an object.", path=f"{path}.properties")
        read = {
            name: self._member(name, value, f"{path}.properties", depth) for name, value in members.items()
        }
        return Claims("object", found.get("description") or "", members=read)

    def _member(self, name: str, value: Any, path: str, depth: int) -> Claims:
        if not 0 < len(name) <= 100:
            raise Invalid("The name of a claim must have 1 to 100 characters.", path=path)
        place = f"{path}.{name}"
        if depth == 0 and name == UNSIGNED and isinstance(value, dict):
            value = {"description": "What visitors may say of themselves.", **value}
        return self.claim(value, place, depth + 1)

    def _items(self, found: Any, path: str) -> Claims:
        kind = found.get("type") if isinstance(found, dict) else None
        if not isinstance(kind, str) or kind not in SCALARS:
            raise Invalid("Items are of type boolean, string or number.", path=f"{path}.items")
        return Claims(kind, values=self._values(found, kind, f"{path}.items"))

    def _values(self, found: dict[str, Any], kind: str, path: str) -> tuple[str, ...]:
        values = found.get("enum")
        if values is None:
            return ()
        good = isinstance(values, list) and 0 < len(values) <= MAX_CLAIMS
        if kind != "string" or not good or not all(isinstance(v, str) and len(v) <= 200 for v in values):
            raise Invalid("`enum` is a list of texts, for claims of type string.", path=f"{path}.enum")
        self.count += len(values)
        return tuple(dict.fromkeys(values))


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
    """Return whether a condition is true for a visitor with these claims; anything else than true is not."""
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
    """Return the kinds; raises ValueError, in words, for what cannot be meant."""
    match tree:
        case Literal(value):
            return frozenset({_kind(value)})
        case Name() | MemberAccess():
            return frozenset({_claim(tree, claims).kind})
        case Unary(operator, operand):
            kinds_of(operand, claims)
            return BOOLEAN if operator == "!" else frozenset({"number"})
        case Conditional(condition, then, otherwise):
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
    """Refuse to compare what can never be equal; comparing with null is always allowed."""
    both = left[1] | right[1]
    if UNKNOWN not in both and not left[1] & right[1] and not both & _NOTHING:
        raise ValueError(f"compares {_named(left[1])} with {_named(right[1])}.")
    for asked, said in ((left[0], right[0]), (right[0], left[0])):
        if not isinstance(asked, MemberAccess) or not isinstance(said, Literal):
            continue
        values = _claim(asked, claims).values
        if values and isinstance(said.value, str) and said.value not in values:
            raise ValueError(f"compares with {said.value!r}, which the claim never is.")


def _claim(tree: Tree, claims: Claims) -> Claims:
    """Return the claim that is asked for."""
    if isinstance(tree, Name):
        if tree.name != "visitor":
            raise ValueError(f"asks for `{tree.name}`; there is only `visitor.claims`.")
        return Claims("object", members={"claims": claims})
    if not isinstance(tree, MemberAccess):
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
    """Return a part of a claim; without a `key` its name is worked out."""
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
