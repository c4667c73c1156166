"""Rendering of an integration's output as HTML. Its texts are escaped, and it cannot run scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import blocks, ui_controls, web_frames
from app.site_reader.rendering.leaf_blocks import listing
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void
from app.site_reader.rendering.openapi_operations import ExternalLinks
from app.site_reader.rendering.render_context import FramePlaces, IntegrationBlockView, PageContext, PageState
from app.site_reader.rendering.ui_controls import Element, ElementContext, glyph
from app.site_reader.texts import say

MOST_MARKDOWN = 100_000  # characters of one output
MOST_BRACKETS = 2_000
_ALIGNED = {"start": " start", "center": " center", "end": " end"}
_STYLES = {"bold": "strong", "italic": "em", "code": "code", "strikethrough": "s"}
Make = Callable[[Element, ElementContext], Html]


def element_html(
    element: Element, state: Mapping[str, Any], seal: Callable[[Any], str], frames: FramePlaces
) -> Html:
    """Render an element that was checked (`formats.ui_elements`): its controls as states say, its actions
    sealed."""
    ctx = PageContext(PageState(), ExternalLinks(), outlined=False)
    ui = ElementContext(state, ctx, seal, lambda inside: shown(inside, ui), frames)
    return shown([element], ui)


def block_form(shown: IntegrationBlockView) -> Html:
    """Render a block as its script answered: a form that hands back what the script said."""
    state, element = shown.output.get("state") or {}, shown.output.get("element")
    props = shown.output.get("props") or {}
    said = shown.seal(ui_controls.SHOWN, {"component": shown.component, "state": state, "props": props})
    seal = partial(shown.seal, ui_controls.DO)
    inside = element_html(element, state, seal, shown.frames) if element else NOTHING
    form = {"method": "post", "action": shown.href, "class": "contributed filled"}
    hidden = void("input", {"type": "hidden", "name": ui_controls.SHOWN, "value": said})
    return el("form", form, hidden, inside, _way_back(shown))


def _way_back(shown: IntegrationBlockView) -> Html:
    """Link from a modal, which is in place of its block, back to the block."""
    if (shown.output.get("element") or {}).get("type") != "modal":
        return NOTHING
    return el("p", None, el("a", {"href": shown.href, "data-back": True}, text(say("close"))))


def shown(inside: Sequence[Any], ui: ElementContext) -> Html:
    """Render elements and words, one after another."""
    return joined(_shown(each, ui) for each in inside)


def _shown(element: Element, ui: ElementContext) -> Html:
    return MAKERS[element["type"]](element, ui)


def _words(given: Any, ui: ElementContext) -> Html:
    """Render words in a line: text, elements, or several of both."""
    parts = given if isinstance(given, list) else [given] if given else []
    return joined(_word(each, ui) for each in parts)


def _word(given: Any, ui: ElementContext) -> Html:
    if not isinstance(given, dict) or "type" not in given:
        return text(str(ui.value(given) or ""))
    return _styled(given, ui) if given["type"] == "text" else _shown(given, ui)


def _styled(element: Element, ui: ElementContext) -> Html:
    inside = _words(element["children"], ui)
    name = ui.one_of(element.get("style"), _STYLES)
    return el(name, None, inside) if name else inside


def _all(element: Element, ui: ElementContext, name: str = "children") -> Html:
    return shown(element.get(name) or [], ui)


def _held(element: Element, ui: ElementContext) -> Html:
    return el("div", None, _all(element, ui))


def _block(element: Element, ui: ElementContext) -> Html:
    made = (ui_controls.button(each, ui) for each in element.get("controls") or [] if each.get("onPress"))
    buttons = joined(made, Html(" "))
    return joined([_all(element, ui), el("div", {"class": "buttons"}, buttons) if buttons else NOTHING])


def _modal(element: Element, ui: ElementContext) -> Html:
    about = ui.words(element.get("subtitle"))
    submit = element.get("submit")
    return el(
        "section",
        {"class": "modal"},
        el("h3", None, text(ui.words(element.get("title")))) if element.get("title") else NOTHING,
        el("p", {"class": "about"}, text(about)) if about else NOTHING,
        _all(element, ui),
        el("div", {"class": "buttons"}, ui_controls.button(submit, ui)) if submit else NOTHING,
    )


def _stack(kind: str) -> Make:
    def make(element: Element, ui: ElementContext) -> Html:
        align = ui.one_of(element.get("align"), _ALIGNED)
        return el("div", {"class": kind + align}, _all(element, ui))

    return make


def _card(element: Element, ui: ElementContext) -> Html:
    title = text(ui.words(element.get("title")))
    if title and element.get("onPress"):
        title = ui_controls.pressed(element["onPress"], title, ui, style="press")
    given: Any = element.get("icon")
    is_picture = isinstance(given, dict) and "type" in given
    mark = _image(given, ui) if is_picture else glyph(given, ui, 24)
    hint = _words(element.get("hint"), ui)
    buttons = _all(element, ui, "buttons")
    return el(
        "section",
        {"class": "card"},
        mark,
        el("strong", None, title) if title else NOTHING,
        el("small", None, hint) if hint else NOTHING,
        _all(element, ui),
        el("div", {"class": "buttons"}, buttons) if buttons else NOTHING,
    )


def _image(element: Element, ui: ElementContext) -> Html:
    href = followed(str(ui.value(element["source"]["url"])))
    ratio = ui.value(element.get("aspectRatio"))
    sized = isinstance(ratio, int | float) and 0.02 <= ratio <= 50
    size = {"width": 1000, "height": round(1000 / ratio)} if sized else {}
    return void("img", {"src": href, "alt": "", "loading": "lazy", **size}) if href else NOTHING


def _webframe(element: Element, ui: ElementContext) -> Html:
    return web_frames.web_frame(element, ui, _all(element, ui, "buttons"))


def _codeblock(element: Element, ui: ElementContext) -> Html:
    content = str(ui.value(element["content"]) or "")
    if element.get("state"):
        given = {"state": element["state"], "initialValue": content, "multiline": True}
        code = ui_controls.textinput(given, ui)
    else:
        numbered = ui.value(element.get("lineNumbers")) not in (None, False)
        syntax = ui.words(element.get("syntax"), 40)
        code = listing(content.split("\n"), syntax, ui.ctx, numbered=numbered)
    parts = [_all(element, ui, "header"), code, _all(element, ui, "footer")]
    return joined([*parts, _all(element, ui, "buttons")])


def _markdown(element: Element, ui: ElementContext) -> Html:
    from app.formats.markdown.parser import to_document

    content, page = str(ui.value(element["content"]) or ""), ui.ctx.page
    page.described += len(content)
    if page.described > MOST_MARKDOWN or content.count("[") > MOST_BRACKETS:
        return el("pre", None, text(content))
    return blocks.blocks(to_document(content)["nodes"], ui.ctx.inside())


def _text(element: Element, ui: ElementContext) -> Html:
    return el("p", None, _styled(element, ui))


def _hint(element: Element, ui: ElementContext) -> Html:
    return el("aside", {"class": "note"}, _words(element["children"], ui))


def _link(element: Element, ui: ElementContext) -> Html:
    href = followed(str(ui.value(element["target"]["url"])))
    return el("a", {"href": href, "rel": "noopener noreferrer"}, _words(element["children"], ui))


def _input(element: Element, ui: ElementContext) -> Html:
    label, inner = ui.words(element["label"]), element["element"]
    make = _FIELDS.get(inner["type"])
    field = make(inner, ui, label) if make else _shown(inner, ui)
    hint = _words(element.get("hint"), ui)
    said = el("span", None, text(label))
    about = el("small", None, hint) if hint else NOTHING
    kind = "field beside" if inner["type"] in ("switch", "checkbox", "radio") else "field"
    return el("label" if make else "div", {"class": kind}, said, field, about)


def _stepper(element: Element, ui: ElementContext) -> Html:
    """Render the step that is on, and the way to the next."""
    steps, active = element["children"], ui.value(element["activeStep"])
    place = next((at for at, step in enumerate(steps) if step["id"] == active), 0)
    if not steps:
        return NOTHING
    is_last = place == len(steps) - 1
    action = element["onComplete"] if is_last else element["onStepChange"]
    told = action if is_last or "action" not in action else {**action, "step": steps[place + 1]["id"]}
    title = (
        f"{say('step', number=place + 1, count=len(steps))} · {ui.words(steps[place].get('title'))}".rstrip(
            " ·"
        )
    )
    way = ui_controls.pressed(told, text(say("done" if is_last else "next")), ui, style="button primary")
    inside = _all(steps[place], ui)
    return el("section", None, el("strong", None, text(title)), inside, el("div", {"class": "buttons"}, way))


_FIELDS: dict[str, Callable[..., Html]] = {
    "textinput": ui_controls.textinput,
    "select": ui_controls.select,
    "switch": ui_controls.switch,
    "checkbox": ui_controls.checkbox,
    "radio": ui_controls.radio,
}
MAKERS: dict[str, Make] = {
    "block": _block,
    "modal": _modal,
    "configuration": _held,
    "button": ui_controls.button,
    "hstack": _stack("beside"),
    "vstack": _stack("below"),
    "box": _held,
    "divider": lambda element, ui: void("hr"),
    "webframe": _webframe,
    "codeblock": _codeblock,
    "markdown": _markdown,
    "card": _card,
    "image": _image,
    "input": _input,
    "text": _text,
    "hint": _hint,
    "link": _link,
    "stepper": _stepper,
    **{name: partial(make, label="") for name, make in _FIELDS.items()},
}
