"""A schema as a reader shows it: every reference followed as far as is shown, and never too far.

A schema inside itself is named and not shown again; where much is left out `more` says so.
"""

from __future__ import annotations

from typing import Any

from app.formats.openapi import documents
from app.formats.openapi.documents import Broken
from app.formats.openapi.examples import example_of, is_shown
from app.formats.openapi.pages import schemas
from app.formats.openapi.views import ExampleView, SchemaView
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
        view = each.schema({"$ref": _pointer(document, name)})
        if names is not None and len(wanted) == 1:
            value = example_of(document, {"$ref": _pointer(document, name)})
            view.example = ExampleView("", value, made=True) if is_shown(value) else None
        made.append(view)
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
            return SchemaView(known or "object", name=name, model=known, recursive=True)
        beside = {k: v for k, v in given.items() if k != "$ref"} if reference else {}
        value = {**as_dict(self.followed(given)), **beside} if isinstance(given, dict) else given
        if reference:
            above = (*above, str(reference))
        value = self._merged(value, above)
        only = _or_null(value)
        if only is not None and self.left > 0:
            return self._nullable(value, only, name, above)
        view = self._plain(value, name, known)
        if self.left <= 0 or len(above) > MOST_DEPTH * 4:
            view.more = True
            return view
        self._fill(view, value, above)
        view.type = _type(value, view, known)
        return view

    def _nullable(self, value: dict[str, Any], only: Any, name: str, above: tuple[str, ...]) -> SchemaView:
        """Return the one schema that a value has if it is not null, with what is said beside it."""
        view = self.schema(only, name, above)
        view.type = view.type if view.type.endswith(" or null") else f"{view.type} or null"
        view.title = as_text(value.get("title")) or view.title
        view.description = as_text(value.get("description")) or view.description
        view.deprecated = view.deprecated or value.get("deprecated") is True
        if "default" in value:
            view.default, view.has_default = value["default"], True
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
            model=known,
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
                _tell_apart(view, value.get("discriminator"))

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


def _or_null(value: dict[str, Any]) -> Any:
    """Return what a value is that may also be null; None where it is more than that."""
    for key in ("oneOf", "anyOf"):
        choices = as_list(value.get(key))
        others = [each for each in choices if each != {"type": "null"}]
        if len(choices) == 2 and len(others) == 1 and not {"properties", "type", "allOf"} & value.keys():
            return others[0]
    return None


def _tell_apart(view: SchemaView, given: Any) -> None:
    """Note which property tells the choices apart, and what it is in each."""
    view.discriminator = as_text(as_dict(given).get("propertyName"))
    if not view.discriminator:
        return
    mapping = as_dict(as_dict(given).get("mapping")).items()
    values = {_named(as_text(to)) or as_text(to): as_text(value) for value, to in mapping}
    for choice in view.choices:
        choice.chosen = values.get(choice.model, choice.model)


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
    words = [known if known and word == "object" else word for word in words]
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
