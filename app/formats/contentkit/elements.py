"""Elements that integrations render: the elements there are, their fields, and the check of an output.

Rules that live here: an output is a block, a modal or a configuration, or the end of one; an element has the
fields of its type and no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.formats.contentkit.field_types import (
    ICONS,
    ElementField,
    ElementReading,
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
ACTIONS: Mapping[str, Mapping[str, ElementField]] = {
    "@ui.modal.open": {"componentId": ElementField(text, True), "props": ElementField(table, True)},
    "@ui.modal.close": {"returnValue": ElementField(anything, True)},
    "@ui.url.open": {"url": ElementField(address, True)},
    "@link.unfurl": {"url": ElementField(address, True)},
    "@editor.node.updateProps": {"props": ElementField(table, True)},
}


def action(reading: ElementReading, value: object, path: str) -> object:
    """Return what happens on a press: a built-in action with its fields, or one of the script's with any."""
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
source = parts({"url": ElementField(address, True)})
confirm = parts(
    {
        "title": ElementField(at_most(100), True),
        "text": ElementField(at_most(300), True),
        "confirm": ElementField(at_most(30), True),
        "style": ElementField(one_of("primary", "danger")),
    }
)
picture = either(icon, element("image"))
option = parts(
    {"id": ElementField(text, True), "label": ElementField(text, True), "icon": ElementField(picture)}
)
control = parts(
    {
        "icon": ElementField(icon),
        "label": ElementField(text),
        "onPress": ElementField(pressed),
        "confirm": ElementField(confirm),
    }
)
choice = {
    "state": ElementField(name, True),
    "value": ElementField(anything, True),
    "confirm": ElementField(confirm),
}
stack = {"align": ElementField(one_of("start", "center", "end")), "children": ElementField(anywhere, True)}

ELEMENTS: Mapping[str, Mapping[str, ElementField]] = {
    "block": {"children": ElementField(anywhere, True), "controls": ElementField(each(control))},
    "modal": {
        "title": ElementField(text),
        "subtitle": ElementField(text),
        "size": ElementField(one_of("medium", "xlarge", "fullscreen")),
        "returnValue": ElementField(anything),
        "children": ElementField(anywhere, True),
        "submit": ElementField(element("button")),
    },
    "configuration": {"children": ElementField(anywhere, True)},
    "button": {
        "style": ElementField(one_of("primary", "secondary", "danger")),
        "onPress": ElementField(pressed, True),
        "icon": ElementField(icon),
        "trailingIcon": ElementField(icon),
        "label": ElementField(text),
        "tooltip": ElementField(text),
        "confirm": ElementField(confirm),
        "disabled": ElementField(flag),
    },
    "textinput": {
        "state": ElementField(name, True),
        "initialValue": ElementField(text),
        "placeholder": ElementField(text),
        "multiline": ElementField(flag),
        "inputType": ElementField(one_of("text", "password", "email")),
        "disabled": ElementField(flag),
    },
    "hstack": stack,
    "vstack": stack,
    "box": {"grow": ElementField(number), "children": ElementField(anywhere, True)},
    "divider": {"size": ElementField(one_of("small", "medium", "large"))},
    "webframe": {
        "source": ElementField(source, True),
        "aspectRatio": ElementField(number),
        "buttons": ElementField(buttons),
        "data": ElementField(table),
    },
    "codeblock": {
        "content": ElementField(text, True),
        "syntax": ElementField(text),
        "lineNumbers": ElementField(anything),
        "buttons": ElementField(buttons),
        "state": ElementField(name),
        "onContentChange": ElementField(action),
        "header": ElementField(anywhere),
        "footer": ElementField(anywhere),
    },
    "markdown": {"content": ElementField(text, True)},
    "card": {
        "title": ElementField(text),
        "hint": ElementField(either(text, words)),
        "icon": ElementField(picture),
        "onPress": ElementField(pressed),
        "children": ElementField(anywhere),
        "buttons": ElementField(buttons),
    },
    "image": {"source": ElementField(source, True), "aspectRatio": ElementField(number, True)},
    "input": {
        "label": ElementField(text, True),
        "hint": ElementField(wording),
        "element": ElementField(
            element("textinput", "select", "switch", "checkbox", "radio", "button", "codeblock"), True
        ),
    },
    "select": {
        "state": ElementField(name, True),
        "options": ElementField(each(option), True),
        "initialValue": ElementField(anything),
        "multiple": ElementField(flag),
        "acceptInput": ElementField(flag),
        "placeholder": ElementField(text),
        "onValueChange": ElementField(action),
    },
    "switch": {
        "state": ElementField(name, True),
        "initialValue": ElementField(flag),
        "onValueChange": ElementField(action),
        "confirm": ElementField(confirm),
    },
    "checkbox": choice,
    "radio": choice,
    "text": {
        "style": ElementField(one_of("bold", "italic", "code", "strikethrough")),
        "children": ElementField(words, True),
    },
    "hint": {"children": ElementField(words, True)},
    "link": {"target": ElementField(source, True), "children": ElementField(words, True)},
    "stepper": {
        "activeStep": ElementField(text, True),
        "onStepChange": ElementField(action, True),
        "onComplete": ElementField(action, True),
        "children": ElementField(each(element("step")), True),
    },
    "step": {
        "id": ElementField(text, True),
        "title": ElementField(text),
        "next": ElementField(anything),
        "children": ElementField(anywhere, True),
    },
}


def checked_output(output: object) -> dict[str, Any]:
    """Return a script's answer to `ui_render` without what does not belong there. Raises WrongOutput."""
    if not isinstance(output, dict):
        raise WrongOutput("output", "This must be an object.")
    if output.get("type") == "complete":
        return {"type": "complete", "returnValue": output.get("returnValue")}
    if output.get("type") != "element":
        raise WrongOutput("type", "This must be element or complete.")
    for part in ("state", "props"):
        if not isinstance(output.get(part), dict):
            raise WrongOutput(part, "This must be an object.")
    reading = ElementReading(_element)
    shown = _element(reading, output.get("element"), "element", ROOTS)
    return {"type": "element", "element": shown, "state": output["state"], "props": output["props"]}


def _element(
    reading: ElementReading, value: object, path: str, allowed: frozenset[str] | None
) -> dict[str, object]:
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
