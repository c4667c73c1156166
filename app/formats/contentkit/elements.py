"""What integrations render: the elements there are, their fields, and the check of an output.

Rules that live here: an output is a block, a modal or a configuration, or the end of one; an element has the
fields of its type and no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.formats.contentkit.field_types import (
    ICONS,
    Field,
    Reading,
    WrongOutput,
    address,
    anything,
    at_most,
    each,
    either,
    element,
    fields,
    flag,
    name,
    number,
    one_of,
    parts,
    table,
    text,
)

ROOTS = frozenset({"block", "modal", "configuration"})
ACTIONS: Mapping[str, Mapping[str, Field]] = {
    "@ui.modal.open": {"componentId": Field(text, True), "props": Field(table, True)},
    "@ui.modal.close": {"returnValue": Field(anything, True)},
    "@ui.url.open": {"url": Field(address, True)},
    "@link.unfurl": {"url": Field(address, True)},
    "@editor.node.updateProps": {"props": Field(table, True)},
}


def action(reading: Reading, value: object, path: str) -> object:
    """What happens on a press: a built-in action with its fields, or one of the script's with any."""
    if not isinstance(value, dict):
        raise WrongOutput(path, "This must be an action.")
    called = value.get("action")
    if not isinstance(called, str) or not called:
        raise WrongOutput(f"{path}.action", "This must be the name of an action.")
    if not called.startswith("@"):
        return dict(value)
    if called not in ACTIONS:
        raise WrongOutput(f"{path}.action", "There is no such action.")
    return {"action": called, **fields(reading, value, path, ACTIONS[called])}


icon = one_of(*ICONS)
pressed = either(action, element())
buttons = each(element("button"))
anywhere = each(element())
wording = either(text, either(text, element()))
words = each(either(text, element("text", "link", "image", "button")))
source = parts({"url": Field(address, True)})
confirm = parts(
    {
        "title": Field(at_most(100), True),
        "text": Field(at_most(300), True),
        "confirm": Field(at_most(30), True),
        "style": Field(one_of("primary", "danger")),
    }
)
picture = either(icon, element("image"))
option = parts({"id": Field(text, True), "label": Field(text, True), "icon": Field(picture)})
control = parts(
    {"icon": Field(icon), "label": Field(text), "onPress": Field(pressed), "confirm": Field(confirm)}
)
choice = {"state": Field(name, True), "value": Field(anything, True), "confirm": Field(confirm)}
stack = {"align": Field(one_of("start", "center", "end")), "children": Field(anywhere, True)}

ELEMENTS: Mapping[str, Mapping[str, Field]] = {
    "block": {"children": Field(anywhere, True), "controls": Field(each(control))},
    "modal": {
        "title": Field(text),
        "subtitle": Field(text),
        "size": Field(one_of("medium", "xlarge", "fullscreen")),
        "returnValue": Field(anything),
        "children": Field(anywhere, True),
        "submit": Field(element("button")),
    },
    "configuration": {"children": Field(anywhere, True)},
    "button": {
        "style": Field(one_of("primary", "secondary", "danger")),
        "onPress": Field(pressed, True),
        "icon": Field(icon),
        "trailingIcon": Field(icon),
        "label": Field(text),
        "tooltip": Field(text),
        "confirm": Field(confirm),
        "disabled": Field(flag),
    },
    "textinput": {
        "state": Field(name, True),
        "initialValue": Field(text),
        "placeholder": Field(text),
        "multiline": Field(flag),
        "inputType": Field(one_of("text", "password", "email")),
        "disabled": Field(flag),
    },
    "hstack": stack,
    "vstack": stack,
    "box": {"grow": Field(number), "children": Field(anywhere, True)},
    "divider": {"size": Field(one_of("small", "medium", "large"))},
    "webframe": {
        "source": Field(source, True),
        "aspectRatio": Field(number),
        "buttons": Field(buttons),
        "data": Field(table),
    },
    "codeblock": {
        "content": Field(text, True),
        "syntax": Field(text),
        "lineNumbers": Field(anything),
        "buttons": Field(buttons),
        "state": Field(name),
        "onContentChange": Field(action),
        "header": Field(anywhere),
        "footer": Field(anywhere),
    },
    "markdown": {"content": Field(text, True)},
    "card": {
        "title": Field(text),
        "hint": Field(either(text, words)),
        "icon": Field(picture),
        "onPress": Field(pressed),
        "children": Field(anywhere),
        "buttons": Field(buttons),
    },
    "image": {"source": Field(source, True), "aspectRatio": Field(number, True)},
    "input": {
        "label": Field(text, True),
        "hint": Field(wording),
        "element": Field(
            element("textinput", "select", "switch", "checkbox", "radio", "button", "codeblock"), True
        ),
    },
    "select": {
        "state": Field(name, True),
        "options": Field(each(option), True),
        "initialValue": Field(anything),
        "multiple": Field(flag),
        "acceptInput": Field(flag),
        "placeholder": Field(text),
        "onValueChange": Field(action),
    },
    "switch": {
        "state": Field(name, True),
        "initialValue": Field(flag),
        "onValueChange": Field(action),
        "confirm": Field(confirm),
    },
    "checkbox": choice,
    "radio": choice,
    "text": {
        "style": Field(one_of("bold", "italic", "code", "strikethrough")),
        "children": Field(words, True),
    },
    "hint": {"children": Field(words, True)},
    "link": {"target": Field(source, True), "children": Field(words, True)},
    "stepper": {
        "activeStep": Field(text, True),
        "onStepChange": Field(action, True),
        "onComplete": Field(action, True),
        "children": Field(each(element("step")), True),
    },
    "step": {
        "id": Field(text, True),
        "title": Field(text),
        "next": Field(anything),
        "children": Field(anywhere, True),
    },
}


def checked_output(output: object) -> dict[str, Any]:
    """A script's answer to `ui_render` without what does not belong there. Raises WrongOutput."""
    if not isinstance(output, dict):
        raise WrongOutput("output", "This must be an object.")
    if output.get("type") == "complete":
        return {"type": "complete", "returnValue": output.get("returnValue")}
    if output.get("type") != "element":
        raise WrongOutput("type", "This must be element or complete.")
    for part in ("state", "props"):
        if not isinstance(output.get(part), dict):
            raise WrongOutput(part, "This must be an object.")
    reading = Reading(_element)
    shown = _element(reading, output.get("element"), "element", ROOTS)
    return {"type": "element", "element": shown, "state": output["state"], "props": output["props"]}


def _element(reading: Reading, value: object, path: str, allowed: frozenset[str] | None) -> dict[str, object]:
    if not isinstance(value, dict):
        raise WrongOutput(path, "This must be an element.")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in ELEMENTS:
        raise WrongOutput(f"{path}.type", "There is no such element.")
    if kind not in (allowed if allowed is not None else ELEMENTS.keys() - ROOTS - {"step"}):
        raise WrongOutput(f"{path}.type", f"A {kind} cannot stand here.")
    found = {"type": kind, **fields(reading, value, path, ELEMENTS[kind])}
    if kind == "configuration":
        _one_stepper(found["children"], f"{path}.children")
    return found


def _one_stepper(children: object, path: str) -> None:
    assert isinstance(children, list)
    if len(children) > 1 and any(child["type"] == "stepper" for child in children):
        raise WrongOutput(path, "A stepper stands alone.")
