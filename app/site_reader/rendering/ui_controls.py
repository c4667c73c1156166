"""Controls that are pressed and filled in where an integration shows something: a form that needs no script.

A field is a state, its kind before its name: `t.` a text, `b.` yes or no, `v.` a value as JSON, `s.` several
of those. A button that does something is the field `~do`; its value is the action, sealed as all is that the
integration said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering.images import icon
from app.site_reader.rendering.markup import (
    NOTHING,
    Html,
    el,
    is_elsewhere,
    joined,
    text,
    void,
    words,
)
from app.site_reader.rendering.render_context import FramePlaces, PageContext

Element = Mapping[str, Any]
DO, SHOWN, FRAMED = "~do", "~shown", "~framed"
STYLES = {"primary": "button primary", "danger": "button danger"}
KINDS = {"text": "text", "password": "password", "email": "email"}
ICONS = {
    "maximize": "expand", "link-external": "external-link", "delete": "trash", "check-circle": "circle-check",
    "warning": "triangle-exclamation", "eye-off": "eye-slash",
}  # fmt: skip


@dataclass(slots=True, frozen=True)
class ElementContext:
    """An output being written: its states, where its Markdown and code stand, and what writes its insides."""

    state: Mapping[str, Any]
    ctx: PageContext
    seal: Callable[[Any], str]
    shown: Callable[[Sequence[Any]], Html]
    frames: FramePlaces

    def value(self, given: Any) -> Any:
        """Return a value as it is now; `{"$state": name}` is what that state is."""
        if isinstance(given, dict) and "$state" in given:
            return self.state.get(given["$state"])
        return given

    def words(self, given: Any, most: int = 300) -> str:
        """Return a value as a line of text."""
        value = self.value(given)
        return "" if value is None else words(str(value), most)

    def one_of(self, given: Any, known: Mapping[str, str], otherwise: str = "") -> str:
        """Return what a name stands for as it is now, if it is one of some."""
        value = self.value(given)
        return known.get(value, otherwise) if isinstance(value, str) else otherwise

    def of(self, element: Element, empty: Any = None) -> Any:
        """Return what the state of a control is, or what it begins as."""
        return self.state.get(element["state"], self.value(element.get("initialValue", empty)))


def glyph(given: Any, ui: ElementContext, size: int = 16) -> Html:
    """Render an icon by its name; a picture in its place is shown where there is room."""
    name = ui.value(given)
    return icon(ICONS.get(name, name), size) if isinstance(name, str) else NOTHING


def button(element: Element, ui: ElementContext) -> Html:
    """Render a button; one that opens an address is a link."""
    style = ui.one_of(element.get("style"), STYLES, "button")
    label = ui.words(element.get("label"), 100)
    marks = [glyph(element.get(name), ui) for name in ("icon", "trailingIcon")]
    inside = joined([marks[0], text(label), marks[1]], Html(" "))
    about = ui.words(element.get("tooltip")) or (None if label else ui.words(element.get("icon")))
    return pressed(element["onPress"], inside, ui, style=style, about=about, element=element)


def pressed(
    action: Element,
    inside: Html,
    ui: ElementContext,
    *,
    style: str,
    about: str | None = None,
    element: Element | None = None,
) -> Html:
    """Render something to press: a link, what opens to show an element, or a button of the form."""
    named = {"class": style, "title": about, "aria-label": about}
    if "action" not in action:
        return el(
            "details",
            {"class": "more"},
            el("summary", named, inside),
            el("div", None, ui.shown([action])),
        )
    if action["action"] == "@ui.url.open":
        href = followed(str(ui.value(action["url"])))
        rel = "noopener noreferrer" if href and is_elsewhere(href) else None
        return el("a", {**named, "href": href, "rel": rel}, inside)
    given = element or {}
    confirm = given.get("confirm")
    asked = f"{confirm['title']}\n\n{confirm['text']}" if confirm else None
    told = {"name": DO, "value": ui.seal(action), "data-confirm": asked}
    off = ui.value(given.get("disabled")) is True or action["action"].startswith(("@editor.", "@link."))
    return el("button", {**named, **told, "disabled": off}, inside)


def textinput(element: Element, ui: ElementContext, label: str = "") -> Html:
    """Render a field for a text."""
    value = str(ui.of(element, "") or "")
    given = {
        "name": f"t.{element['state']}",
        "placeholder": ui.words(element.get("placeholder")) or None,
        "disabled": ui.value(element.get("disabled")) is True,
        "aria-label": label or element["state"],
    }
    if ui.value(element.get("multiline")) is True:
        return el("textarea", {**given, "rows": 4}, text(value))
    kind = ui.one_of(element.get("inputType"), KINDS, "text")
    return void("input", {**given, "type": kind, "value": value})


def select(element: Element, ui: ElementContext, label: str = "") -> Html:
    """Render a choice among options."""
    several = ui.value(element.get("multiple")) is True
    now = ui.of(element)
    chosen = now if isinstance(now, list) else [now]
    options = [(ui.value(each["id"]), ui.words(each["label"], 100)) for each in element["options"]]
    if ui.value(element.get("acceptInput")) is True:
        known = [None, *(id_ for id_, _ in options)]
        options += [(each, words(str(each))) for each in chosen if each not in known]
    made = [_option(id_, said, is_chosen=id_ in chosen) for id_, said in options]
    if not several and now is None:
        first = {"value": "null", "selected": True}
        made.insert(0, el("option", first, text(ui.words(element.get("placeholder")) or "…")))
    named = {
        "name": f"{'s' if several else 'v'}.{element['state']}",
        "multiple": several,
        "aria-label": label or element["state"],
        "data-change": _change(element, ui),
    }
    return joined([_there(element) if several else NOTHING, el("select", named, *made)])


def _option(id_: Any, label: str, *, is_chosen: bool) -> Html:
    return el("option", {"value": orjson.dumps(id_).decode(), "selected": is_chosen}, text(label))


def switch(element: Element, ui: ElementContext, label: str = "") -> Html:
    """Render a switch."""
    on = ui.of(element, False) is True
    name = f"b.{element['state']}"
    box = {"type": "checkbox", "role": "switch", "name": name, "value": "1", "checked": on}
    said = {"aria-label": label or element["state"], "data-change": _change(element, ui)}
    return joined([void("input", {"type": "hidden", "name": name}), void("input", {**box, **said})])


def checkbox(element: Element, ui: ElementContext, label: str = "") -> Html:
    """Render one of several that may be chosen."""
    now = ui.state.get(element["state"])
    chosen = now if isinstance(now, list) else []
    return joined([_there(element), _choice("checkbox", "s", element, label, chosen)])


def radio(element: Element, ui: ElementContext, label: str = "") -> Html:
    """Render one of several, of which one is chosen."""
    return _choice("radio", "v", element, label, [ui.state.get(element["state"])])


def _choice(kind: str, sort: str, element: Element, label: str, chosen: Sequence[Any]) -> Html:
    value = orjson.dumps(element["value"]).decode()
    given = {"type": kind, "name": f"{sort}.{element['state']}", "value": value}
    return void("input", {**given, "checked": element["value"] in chosen, "aria-label": label or value})


def _there(element: Element) -> Html:
    """Render the field that says that there is a choice where nothing was chosen."""
    return void("input", {"type": "hidden", "name": f"s.{element['state']}"})


def _change(element: Element, ui: ElementContext) -> str | None:
    action = element.get("onValueChange")
    return ui.seal(action) if action else None
