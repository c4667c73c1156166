"""Rendering of schemas, field by field: parameters, nested properties of objects, and alternatives.

A named schema leads to its own page, where the reader has one of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import orjson

from app.formats.openapi.views import ParameterView, SchemaView
from app.site_reader.rendering.leaf_blocks import tabs
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, words
from app.site_reader.rendering.render_context import PageContext
from app.site_reader.texts import say

DEEPEST = 10
OPEN = 2  # levels that are open at once
MOST_CHOICES = 30
MOST_TABS = 6  # alternatives that stand beside each other
FACTS = (
    "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minItems", "maxItems", "minProperties", "maxProperties", "pattern", "uniqueItems",
)  # fmt: skip


class DescriptionWriter(Protocol):
    """The target of written fields."""

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
        example = _facts([(say("api.example"), each.example)]) if each.example not in (None, "") else NOTHING
        inside = _inside(writing, schema, 1)
        made.append(_item(writing, each.name, schema, said, flags, joined([example, inside])))
    return el("ul", {"class": "fields"}, *made)


def fields(writing: DescriptionWriter, view: SchemaView, *, is_page: bool = False) -> Html:
    """Render the inside of a schema whose description has been shown; its page has said its name."""
    facts = _of(view)
    inside = _inside(writing, view, 0)
    if inside and not facts and view.items is None and (is_page or not view.model):
        return inside
    return joined([el("p", {"class": "field"}, *_kind(writing, view)), facts, inside])


def written(value: Any) -> tuple[str, str]:
    """Return an example as it would be sent, and the language that highlights it."""
    if isinstance(value, str):
        return value, "xml" if value.lstrip().startswith("<") else "text"
    return orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode(), "json"


def _item(
    writing: DescriptionWriter, name: str, view: SchemaView, said: str, flags: dict[str, bool], inside: Html
) -> Html:
    signs = [
        el("span", {"class": flag}, text(say(f"api.{flag}").lower()))
        for flag, given in flags.items()
        if given
    ]
    head = joined([el("code", None, text(words(name))), *_kind(writing, view), *signs], Html(" "))
    return el("li", None, el("div", {"class": "field"}, head), writing.described(said), _of(view), inside)


def _kind(writing: DescriptionWriter, view: SchemaView) -> list[Html]:
    """Render what kind of value it is; the name of a schema leads to its page."""
    form = view.format or (view.items.format if view.items else "")
    shown = text(words(f"{view.type} · {form}" if form else view.type))
    href = writing.ctx.page.model_href(_model(view))
    kind = (
        el("a" if href else "span", {"class": "kind", "href": href or None}, shown) if view.type else NOTHING
    )
    access = say(f"api.{view.access.replace(' ', '-')}") if view.access else ""
    return [
        each for each in (kind, el("span", {"class": "kind"}, text(access)) if access else NOTHING) if each
    ]


def _model(view: SchemaView) -> str:
    """Return the named schema that a value has, or what a list or a map holds."""
    while not view.model and (inner := view.items or view.values) is not None:
        view = inner
    return view.model


def _of(view: SchemaView) -> Html:
    """Render the limits of a value, and those of what a list holds."""
    items = [_limits(view.items, each=True)] if view.items is not None else []
    return joined([_limits(view), *items])


def _limits(view: SchemaView, *, each: bool = False) -> Html:
    """Render the limits of a value, and the values that it may have."""
    of = text(f"{say('api.each')}: ") if each else NOTHING
    told = [_fact(name, value) for name, value in view.facts if name in FACTS and value is not False]
    if view.has_default:
        told.append(joined([text(f"{say('api.default')} "), el("code", None, text(_short(view.default)))]))
    limits = el("p", {"class": "limits"}, of, joined(told, Html(", "))) if told else NOTHING
    if not view.enum:
        return limits
    shown = [el("code", None, text(_short(value))) for value in view.enum[:MOST_CHOICES]]
    more = [text("…")] if len(view.enum) > MOST_CHOICES else []
    listed = joined([*shown, *more], Html(" "))
    return joined([limits, el("p", {"class": "limits"}, of, text(f"{say('api.values')} "), listed)])


def _fact(name: str, value: Any) -> Html:
    if name == "pattern":
        return joined([text(f"{say('fact.pattern')} "), el("code", None, text(_short(value)))])
    return text(say(f"fact.{name}", value=_short(value)))


def _facts(told: Sequence[tuple[str, Any]]) -> Html:
    shown = (joined([text(f"{name} "), el("code", None, text(_short(value)))]) for name, value in told)
    return el("p", {"class": "limits"}, *shown)


def _inside(writing: DescriptionWriter, view: SchemaView, depth: int) -> Html:
    """Render properties, items and alternatives; what is deep is there to be opened."""
    while view.items is not None and not view.properties:
        view = view.items
    parts = _parts(view)
    if not parts and not view.choices:
        return NOTHING
    if depth >= DEEPEST:
        return el("p", {"class": "limits"}, text("…"))
    made = []
    for name, each, required in parts:
        if not writing.ctx.take():
            break
        flags = {"required": required, "deprecated": each.deprecated}
        made.append(_item(writing, name, each, each.description, flags, _inside(writing, each, depth + 1)))
    if view.more:
        made.append(el("li", None, el("span", {"class": "kind"}, text(say("api.and-more")))))
    listed = joined(
        [
            el("ul", {"class": "fields"}, *made) if made else NOTHING,
            _alternatives(writing, view, depth, is_told=depth > 0 and not parts) if view.choices else NOTHING,
        ]
    )
    if depth == 0:
        return listed
    label = say("api.fields") if parts else _choice(view)
    held = el("div", {"class": "inside"}, listed)
    return el("details", {"open": depth < OPEN}, el("summary", None, text(label)), held)


def _alternatives(writing: DescriptionWriter, view: SchemaView, depth: int, *, is_told: bool) -> Html:
    """Render what a value may be instead, each by its title: few beside each other, many to be opened.

    `is_told`: what stands above says that these are alternatives.
    """
    told = [] if is_told else [text(_choice(view))]
    if view.discriminator:
        said = joined([text(f"{say('api.chosen-by')} "), el("code", None, text(words(view.discriminator)))])
        told.append(said)
    made = []
    for number, each in enumerate(view.choices, 1):
        if not writing.ctx.take():
            break
        title = each.title or each.type
        is_taken = any(title == (other.title or other.type) for other in view.choices if other is not each)
        named = text(words(f"{title} {number}" if is_taken else title, 60))
        made.append((named, _alternative(writing, view, each, depth)))
    about = el("p", {"class": "limits"}, joined(told, Html(" · "))) if told else NOTHING
    if len(made) <= MOST_TABS:
        return joined([about, tabs(writing.ctx.page, made, _choice(view))])
    opened = (
        el("details", None, el("summary", None, title), el("div", {"class": "inside"}, inside))
        for title, inside in made
    )
    return joined([about, *opened])


def _alternative(writing: DescriptionWriter, view: SchemaView, each: SchemaView, depth: int) -> Html:
    chosen = NOTHING
    if each.chosen:
        parts = (el("code", None, text(words(name))) for name in (view.discriminator, each.chosen))
        chosen = el("p", {"class": "limits"}, joined(parts, Html(": ")))
    kind = el("p", {"class": "field"}, *_kind(writing, each))
    inside = _inside(writing, each, depth + 1)
    return joined([chosen, writing.described(each.description), kind, _of(each), inside])


def _choice(view: SchemaView) -> str:
    return say("api.one-of" if view.choice == "one of" else "api.any-of")


def _parts(view: SchemaView) -> list[tuple[str, SchemaView, bool]]:
    found = [(each.name, each, each.required) for each in view.properties]
    if view.values is not None:
        found.append((say("api.other-key"), view.values, False))
    return found


def _short(value: Any) -> str:
    if isinstance(value, str):
        return words(value, 200) or '""'
    return words(orjson.dumps(value, default=str).decode(), 200)
