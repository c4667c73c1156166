"""Rendering of schemas, field by field: parameters, and nested properties of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import orjson

from app.formats.openapi.views import ParameterView, SchemaView
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, words
from app.site_reader.rendering.render_context import PageContext

DEEPEST = 10
OPEN = 2  # levels that are open at once
MOST_CHOICES = 30
_FACTS = {
    "minLength": "at least {} characters", "maxLength": "at most {} characters", "pattern": "pattern {}",
    "minimum": "at least {}", "maximum": "at most {}", "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}", "multipleOf": "a multiple of {}", "minItems": "at least {} items",
    "maxItems": "at most {} items", "minProperties": "at least {} keys", "maxProperties": "at most {} keys",
}  # fmt: skip


class DescriptionWriter(Protocol):
    """Where fields are written."""

    ctx: PageContext

    def described(self, given: str) -> Html:
        """Render a description."""


def parameters(writing: DescriptionWriter, given: Sequence[ParameterView]) -> Html:
    """Render parameters, or headers of a response."""
    made = []
    for each in given:
        if not writing.ctx.take():
            break
        schema = each.schema
        flags = {"required": each.required, "deprecated": each.deprecated or schema.deprecated}
        said = each.description or schema.description
        example = _facts([("Example", each.example)]) if each.example not in (None, "") else NOTHING
        inside = _inside(writing, schema, 1)
        made.append(_item(writing, each.name, schema, said, flags, joined([example, inside])))
    return el("ul", {"class": "fields"}, *made)


def fields(writing: DescriptionWriter, view: SchemaView, depth: int = 0) -> Html:
    """Render the inside of a schema whose description has been shown."""
    facts = _of(view)
    inside = _inside(writing, view, depth)
    if inside and not facts and view.items is None:
        return inside
    return joined([el("p", {"class": "field"}, *_kind(view)), facts, inside])


def written(value: Any) -> tuple[str, str]:
    """Return an example as it would be sent, and the language that highlights it."""
    if isinstance(value, str):
        return value, "xml" if value.lstrip().startswith("<") else "text"
    return orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode(), "json"


def _item(
    writing: DescriptionWriter, name: str, view: SchemaView, said: str, flags: dict[str, bool], inside: Html
) -> Html:
    signs = [el("span", {"class": flag}, text(flag)) for flag, given in flags.items() if given]
    head = joined([el("code", None, text(words(name))), *_kind(view), *signs], Html(" "))
    return el("li", None, el("div", {"class": "field"}, head), writing.described(said), _of(view), inside)


def _kind(view: SchemaView) -> list[Html]:
    form = view.format or (view.items.format if view.items else "")
    kind = f"{view.type} · {form}" if form else view.type
    said = [kind, view.access]
    return [el("span", {"class": "kind"}, text(words(each))) for each in said if each]


def _of(view: SchemaView) -> Html:
    """Render the limits of a value, and those of what a list holds."""
    items = [_limits(view.items, "Each item: ")] if view.items is not None else []
    return joined([_limits(view), *items])


def _limits(view: SchemaView, of: str = "") -> Html:
    told = [text(_FACTS[name].format(_short(value))) for name, value in view.facts if name in _FACTS]
    if view.has_default:
        told.append(joined([text("default "), el("code", None, text(_short(view.default)))]))
    limits = el("p", {"class": "limits"}, text(of), joined(told, Html(", "))) if told else NOTHING
    if not view.enum:
        return limits
    shown = [el("code", None, text(_short(value))) for value in view.enum[:MOST_CHOICES]]
    more = [text("…")] if len(view.enum) > MOST_CHOICES else []
    return joined(
        [
            limits,
            el(
                "p",
                {"class": "limits"},
                text(f"{of}one of " if of else "One of "),
                joined([*shown, *more], Html(" ")),
            ),
        ]
    )


def _facts(told: Sequence[tuple[str, Any]]) -> Html:
    shown = (joined([text(f"{name} "), el("code", None, text(_short(value)))]) for name, value in told)
    return el("p", {"class": "limits"}, *shown)


def _inside(writing: DescriptionWriter, view: SchemaView, depth: int) -> Html:
    """Render properties, items and alternatives; what is deep is there to be opened."""
    found = _parts(view)
    if not found:
        return NOTHING
    if depth >= DEEPEST:
        return el("p", {"class": "limits"}, text("…"))
    made = []
    for name, each, required in found:
        if not writing.ctx.take():
            break
        flags = {"required": required, "deprecated": each.deprecated}
        made.append(_item(writing, name, each, each.description, flags, _inside(writing, each, depth + 1)))
    if view.more:
        made.append(el("li", None, el("span", {"class": "kind"}, text("and more"))))
    listed = el("ul", {"class": "fields"}, *made)
    if depth == 0:
        return listed
    label = text(words(view.choice).capitalize() if view.choices and not view.properties else "Fields")
    return el("details", {"open": depth < OPEN}, el("summary", None, label), listed)


def _parts(view: SchemaView) -> list[tuple[str, SchemaView, bool]]:
    found = [(each.name, each, each.required) for each in view.properties]
    if view.items is not None and _parts(view.items):
        found += _parts(view.items) if not found else [("items", view.items, False)]
    if view.values is not None:
        found.append(("any other key", view.values, False))
    for place, each in enumerate(view.choices, 1):
        found.append((each.title or each.name or f"{view.choice} {place}", each, False))
    return found


def _short(value: Any) -> str:
    if isinstance(value, str):
        return words(value, 200) or '""'
    return words(orjson.dumps(value, default=str).decode(), 200)
