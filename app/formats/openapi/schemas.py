"""A schema as a reader shows it: every reference followed as far as is shown, and never too far.

A schema inside itself is named and not shown again; where much is left out `more` says so.

`example_of` makes a value from a schema, for bodies that no example shows: small, and the same every time.
"""

from __future__ import annotations

from typing import Any

from app.formats.openapi import documents
from app.formats.openapi.documents import Broken
from app.formats.openapi.pages import schemas
from app.formats.openapi.views import SchemaView
from app.kit.deadlines import check

MOST_DEPTH = 8
MOST_PARTS = 1_500
MOST_OF_ALL = 15_000  # parts of all schemas that are shown together
MOST_ENUM = 100
MOST_TEXT = 100_000  # characters
_FACTS = (
    "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
)  # fmt: skip


def schema_views(document: dict[str, Any], names: list[str] | None = None) -> list[SchemaView]:
    """Return named schemas as a reader shows them: those asked for that exist, or all."""
    known = schemas(document)
    wanted = [name for name in (known if names is None else names) if name in known]
    shown = frozenset(_pointer(document, name) for name in wanted)
    made, left = [], MOST_OF_ALL
    for name in wanted:
        each = Schemas(document, shown, min(MOST_PARTS, left))
        made.append(each.schema({"$ref": _pointer(document, name)}))
        left -= min(MOST_PARTS, left) - max(each.left, 0)
    return made


def _pointer(document: dict[str, Any], name: str) -> str:
    escaped = name.replace("~", "~0").replace("/", "~1").replace("%", "%25")
    return f"#/definitions/{escaped}" if "definitions" in document else f"#/components/schemas/{escaped}"


class Schemas:
    """The schemas of one view being made; `left` are the parts that it may still have.

    Those that are shown `beside` are only named where they are inside of another.
    """

    def __init__(
        self, document: dict[str, Any], beside: frozenset[str] = frozenset(), left: int = MOST_PARTS
    ) -> None:
        self.document = document
        self.beside = beside
        self.left = left

    def schema(self, given: Any, name: str = "", above: tuple[str, ...] = ()) -> SchemaView:
        """Return a schema, inside those that are named."""
        check()
        self.left -= 1
        reference = given.get("$ref") if isinstance(given, dict) else None
        known = _named(reference) if isinstance(reference, str) else ""
        if reference in above or (above and reference in self.beside):
            return SchemaView(known or "object", name=name, recursive=True)
        beside = {k: v for k, v in given.items() if k != "$ref"} if reference else {}
        value = {**as_dict(self.followed(given)), **beside} if isinstance(given, dict) else given
        if reference:
            above = (*above, str(reference))
        value = self._merged(value, above)
        view = self._plain(value, name, known)
        if self.left <= 0 or len(above) > MOST_DEPTH * 4:
            view.more = True
            return view
        self._fill(view, value, above)
        view.type = _type(value, view, known)
        return view

    def _plain(self, value: dict[str, Any], name: str, known: str) -> SchemaView:
        """Return what a schema says of itself."""
        enum = [value["const"]] if "const" in value else as_list(value.get("enum"))
        access = "read only" if value.get("readOnly") is True else ""
        return SchemaView(
            type=known or as_text(value.get("type")),
            name=name,
            title=as_text(value.get("title")),
            description=as_text(value.get("description")),
            format=as_text(value.get("format")),
            deprecated=value.get("deprecated") is True,
            access="write only" if value.get("writeOnly") is True else access,  # type: ignore[arg-type]
            default=value.get("default"),
            has_default="default" in value,
            enum=enum[:MOST_ENUM],
            facts=[(fact, value[fact]) for fact in _FACTS if fact in value],
            more=len(enum) > MOST_ENUM,
        )

    def _fill(self, view: SchemaView, value: dict[str, Any], above: tuple[str, ...]) -> None:
        """Fill in the parts of a schema."""
        needed = {as_text(each) for each in as_list(value.get("required"))}
        for key, inner in as_dict(value.get("properties")).items():
            if self.left <= 0:
                view.more = True
                break
            inside = self.schema(inner, as_text(key), above)
            inside.required = key in needed
            view.properties.append(inside)
        if isinstance(value.get("items"), dict):
            view.items = self.schema(value["items"], "", above)
        if isinstance(value.get("additionalProperties"), dict) and value["additionalProperties"]:
            view.values = self.schema(value["additionalProperties"], "", above)
        for key, words in (("oneOf", "one of"), ("anyOf", "any of")):
            choices = [each for each in as_list(value.get(key)) if each != {"type": "null"}]
            if choices and not view.choices:
                view.choice = words
                view.choices = [self.schema(each, "", above) for each in choices[: max(0, self.left)]]
                view.more = view.more or len(view.choices) < len(choices)

    def _merged(self, value: Any, above: tuple[str, ...], depth: int = 0) -> dict[str, Any]:
        """Return a schema with all that it is besides (`allOf`) in it."""
        if not isinstance(value, dict):
            return {}
        parts = as_list(value.get("allOf"))
        if not parts or depth > MOST_DEPTH:
            return value
        merged: dict[str, Any] = {}
        for part in [*parts, {k: v for k, v in value.items() if k != "allOf"}]:
            check()
            self.left -= 1
            if self.left <= 0 or (isinstance(part, dict) and part.get("$ref") in above):
                continue
            inner = self._merged(self.followed(part), above, depth + 1)
            properties = {**as_dict(merged.get("properties")), **as_dict(inner.get("properties"))}
            needed = [*as_list(merged.get("required")), *as_list(inner.get("required"))]
            merged = {**merged, **inner}
            if properties:
                merged["properties"] = properties
            if needed:
                merged["required"] = needed
        return merged

    def followed(self, value: Any) -> Any:
        """Return what a value is when its references are followed; nothing where they lead nowhere."""
        try:
            return documents.follow(self.document, value)
        except Broken:
            return {}


def _named(reference: str) -> str:
    """Return what a reference to a named schema calls it."""
    name = reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    return name if "/schemas/" in reference or "/definitions/" in reference else ""


def _type(value: dict[str, Any], view: SchemaView, known: str) -> str:
    """Return a schema's type in words."""
    said = value.get("type")
    kinds = [as_text(kind) for kind in said] if isinstance(said, list) else [as_text(said)] if said else []
    if value.get("nullable") is True or {"type": "null"} in [
        *as_list(value.get("oneOf")),
        *as_list(value.get("anyOf")),
    ]:
        kinds = [*kinds, "null"] if kinds else kinds
    if not kinds:
        kinds = ["object"] if view.properties or view.values else ["array"] if view.items else []
    if not kinds:
        kinds = [known or view.choice or "any"]
    words = [f"array of {view.items.type}" if kind == "array" and view.items else kind for kind in kinds]
    if known and words == ["object"]:
        return known
    return " or ".join(dict.fromkeys(words))


def as_dict(value: Any) -> dict[str, Any]:
    """Return the value, if it is an object."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return the value, if it is a list."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return the value as a text, as long as anybody reads."""
    return "" if value is None else str(value)[:MOST_TEXT]


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
