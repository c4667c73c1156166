"""Examples of bodies that no example shows, made from their schemas: small, and the same every time."""

from __future__ import annotations

from typing import Any

import orjson

from app.formats.openapi import documents
from app.formats.openapi.documents import Broken

MOST_DEPTH = 8
LARGEST_EXAMPLE = 50_000  # bytes
MOST_EXAMPLE_PARTS = 400
_BY_FORMAT = {
    "date": "2026-03-14",
    "date-time": "2026-03-14T09:26:53Z",
    "time": "09:26:53Z",
    "duration": "P1D",
    "email": "ada@example.org",
    "uuid": "7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "uri": "https://example.org",
    "url": "https://example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "aGVsbG8=",
    "binary": "…",
    "password": "secret",
}


def is_shown(example: Any) -> bool:
    """Return whether an example is small enough to be one."""
    return len(orjson.dumps(example, default=str)) <= LARGEST_EXAMPLE


def example_of(document: dict[str, Any], schema: Any) -> Any:
    """Return a value that the schema describes."""
    return _Making(document).value(schema, (), 0)


class _Making:
    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._left = MOST_EXAMPLE_PARTS

    def value(self, given: Any, above: tuple[str, ...], depth: int) -> Any:
        """Return a value; what is inside itself, or too deep, is nothing."""
        self._left -= 1
        if not isinstance(given, dict) or self._left <= 0 or depth > MOST_DEPTH:
            return None
        if "$ref" in given:
            if given["$ref"] in above:
                return None
            above = (*above, str(given["$ref"]))
            try:
                given = documents.follow(self._document, given)
            except Broken:
                return None
            if not isinstance(given, dict):
                return None
        for name in ("example", "const", "default"):
            if name in given:
                return given[name]
        for name in ("examples", "enum"):
            if isinstance(given.get(name), list) and given[name]:
                return given[name][0]
        if isinstance(given.get("allOf"), list):
            return self._all(given, above, depth)
        for name in ("oneOf", "anyOf"):
            choices = [each for each in given.get(name) or [] if each != {"type": "null"}]
            if choices:
                return self.value(choices[0], above, depth + 1)
        return self._of_type(given, above, depth)

    def _all(self, given: dict[str, Any], above: tuple[str, ...], depth: int) -> Any:
        rest = {name: value for name, value in given.items() if name != "allOf"}
        parts = [self.value(part, above, depth + 1) for part in given["allOf"]]
        parts += [self.value(rest, above, depth + 1)] if "properties" in rest else []
        objects = [part for part in parts if isinstance(part, dict)]
        if objects:
            return {name: value for part in objects for name, value in part.items()}
        return next((part for part in parts if part is not None), None)

    def _of_type(self, given: dict[str, Any], above: tuple[str, ...], depth: int) -> Any:
        kind = given.get("type")
        kind = next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind
        properties = given.get("properties")
        if kind == "object" or isinstance(properties, dict):
            found = {
                str(name): self.value(inner, above, depth + 1)
                for name, inner in (properties if isinstance(properties, dict) else {}).items()
                if self._left > 0 and not (isinstance(inner, dict) and inner.get("writeOnly"))
            }
            return {name: value for name, value in found.items() if value is not None}
        if kind == "array" or "items" in given:
            item = self.value(given.get("items"), above, depth + 1)
            return [] if item is None else [item]
        if kind == "boolean":
            return True
        if kind in ("integer", "number"):
            least = given.get("minimum")
            return least if isinstance(least, int | float) and not isinstance(least, bool) else 1
        return _BY_FORMAT.get(str(given.get("format")), "text") if kind == "string" else None
