"""What a site may know of its visitors: a JSON Schema (draft-07) of a small form, read into a tree of claims.

Claims are booleans, text (which may be one of a list), numbers, lists of those, or objects of named claims.
Every claim has a description. `unsigned` holds what visitors may say of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from app.kit.errors import Invalid

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
    """The schema of a site that knows nothing of its visitors."""
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    unsigned = {"description": "What visitors may say of themselves.", **nothing}
    return {"$schema": DRAFT, **nothing, "properties": {UNSIGNED: unsigned}}


def read(schema: Any, path: str = "jsonSchema") -> Claims:
    """The claims of a schema; raises Invalid naming the place that is not of the form."""
    if not isinstance(schema, dict):
        raise Invalid("The schema must be an object.", path=path)
    for name, value in (("$schema", schema.get("$schema", DRAFT)), ("$id", schema.get("$id", ""))):
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise Invalid("This must be text.", path=f"{path}.{name}")
    if schema.get("$schema", DRAFT).rstrip("#") != DRAFT.rstrip("#"):
        raise Invalid(f"The schema must be of draft-07: {DRAFT}", path=f"{path}.$schema")
    inner = {name: value for name, value in schema.items() if name not in ("$schema", "$id")}
    found = _Reader().object(inner, path, 0)
    unsigned = found.members.get(UNSIGNED)
    if unsigned is not None and unsigned.kind != "object":
        raise Invalid("What is unsigned must be an object of claims.", path=f"{path}.properties.{UNSIGNED}")
    return found


def templates(claims: Claims, place: str = "visitor.claims") -> Iterator[tuple[str, str]]:
    """Conditions that suggest themselves, each with its description."""
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


class _Reader:
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
            raise Invalid("The name of a claim has 1 to 100 characters.", path=path)
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
