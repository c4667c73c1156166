"""The elements that integrations may render."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from app.formats.contentkit.elements import ACTIONS, ELEMENTS, ROOTS, checked_output
from app.formats.contentkit.field_types import DEEPEST, MOST, WrongOutput

PRESS = {"action": "go", "with": [1]}
FRAME = {
    "type": "webframe",
    "source": {"url": "https://a.example/x"},
    "aspectRatio": 1.5,
    "data": {"n": {"$state": "n"}},
}
CONFIRM = {"title": "Sure?", "text": "It is gone then.", "confirm": "Yes", "style": "danger"}
BUTTON = {
    "type": "button",
    "label": "Go",
    "onPress": PRESS,
    "icon": "star",
    "style": "danger",
    "confirm": CONFIRM,
}
PICTURE = {"type": "image", "source": {"url": "https://a.example/x.png"}, "aspectRatio": 1}
TEXT = {"type": "text", "style": "bold", "children": ["bold", {"type": "text", "children": ["deep"]}]}
LINK = {"type": "link", "target": {"url": "https://a.example/"}, "children": ["x", PICTURE]}
CHOICES = [{"id": "a", "label": "A"}, {"id": "b", "label": "B", "icon": "edit"}]
WHOLE: dict[str, dict[str, Any]] = {
    "button": BUTTON,
    "textinput": {
        "type": "textinput",
        "state": "n",
        "initialValue": "x",
        "placeholder": "Name",
        "multiline": True,
        "inputType": "email",
        "disabled": {"$state": "off"},
    },
    "hstack": {"type": "hstack", "align": "center", "children": [BUTTON]},
    "vstack": {"type": "vstack", "children": []},
    "box": {"type": "box", "grow": 1, "children": [TEXT]},
    "divider": {"type": "divider", "size": "small"},
    "webframe": FRAME,
    "codeblock": {
        "type": "codeblock",
        "content": {"$state": "code"},
        "syntax": "python",
        "lineNumbers": True,
        "buttons": [BUTTON],
        "state": "code",
        "onContentChange": PRESS,
        "header": [TEXT],
        "footer": [BUTTON],
    },
    "markdown": {"type": "markdown", "content": "# Hello"},
    "card": {
        "type": "card",
        "title": "T",
        "hint": ["plain", TEXT],
        "icon": PICTURE,
        "onPress": {"action": "@ui.url.open", "url": "https://a.example"},
        "children": [FRAME],
        "buttons": [BUTTON],
    },
    "image": PICTURE,
    "input": {
        "type": "input",
        "label": "L",
        "hint": "H",
        "element": {"type": "select", "state": "s", "options": CHOICES, "multiple": False},
    },
    "select": {
        "type": "select",
        "state": "s",
        "options": CHOICES,
        "initialValue": "a",
        "onValueChange": PRESS,
    },
    "switch": {"type": "switch", "state": "s", "onValueChange": PRESS, "confirm": CONFIRM},
    "checkbox": {"type": "checkbox", "state": "s", "value": 1},
    "radio": {"type": "radio", "state": "s", "value": "x", "confirm": CONFIRM},
    "text": TEXT,
    "hint": {"type": "hint", "children": ["Read ", LINK]},
    "link": LINK,
    "stepper": {
        "type": "stepper",
        "activeStep": "one",
        "onStepChange": PRESS,
        "onComplete": PRESS,
        "children": [{"type": "step", "id": "one", "title": "One", "next": {"a": 1}, "children": [BUTTON]}],
    },
}


def output(*children: Any, root: str = "block", **more: Any) -> dict[str, Any]:
    return {
        "type": "element",
        "state": {},
        "props": {},
        "element": {"type": root, "children": [*children], **more},
    }


@pytest.mark.parametrize("kind", WHOLE)
def test_every_element_may_be_rendered_with_all_its_fields(kind: str) -> None:
    rendered = output(WHOLE[kind])
    assert checked_output(copy.deepcopy(rendered)) == rendered


def test_every_element_of_the_agreed_list_is_known() -> None:
    assert set(ELEMENTS) == {*WHOLE, *ROOTS, "step"}


@pytest.mark.parametrize("kind", WHOLE)
def test_an_element_without_a_required_field_is_refused(kind: str) -> None:
    required = [name for name, field in ELEMENTS[kind].items() if field.required]
    for name in required:
        less = {key: value for key, value in WHOLE[kind].items() if key != name}
        with pytest.raises(WrongOutput) as wrong:
            checked_output(output(less))
        assert wrong.value.path == f"element.children[0].{name}"
        assert wrong.value.message == "This is required."


@pytest.mark.parametrize("kind", WHOLE)
def test_a_field_of_a_wrong_kind_is_refused(kind: str) -> None:
    free = {"value", "initialValue", "lineNumbers", "next"}
    for name in ELEMENTS[kind].keys() - free:
        for wrong_value in (object(), {"$state": 5}, {"type": "nothing"}):
            if name in ("data", "props") and isinstance(wrong_value, dict):
                continue
            with pytest.raises(WrongOutput):
                checked_output(output({**WHOLE[kind], name: wrong_value}))


def test_what_is_not_known_is_left_out() -> None:
    odd = {**BUTTON, "onclick": "alert(1)", "dangerouslySetInnerHTML": {"__html": "<b>"}}
    assert checked_output({**output(odd), "more": 1}) == output(BUTTON)


def test_empty_places_in_a_list_are_left_out() -> None:
    assert checked_output(output(None, BUTTON, False)) == output(BUTTON)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "//a.example",
        "/x",
        "https://u:p@a.example",
        "https://",
        " https://a.example",
    ],
)
def test_addresses_lead_to_the_web(url: str) -> None:
    for element in (
        {**FRAME, "source": {"url": url}},
        {**PICTURE, "source": {"url": url}},
        {"type": "link", "target": {"url": url}, "children": []},
        {**BUTTON, "onPress": {"action": "@ui.url.open", "url": url}},
        {**BUTTON, "onPress": {"action": "@link.unfurl", "url": url}},
    ):
        with pytest.raises(WrongOutput):
            checked_output(output(element))


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_of_ours_have_their_fields(name: str) -> None:
    whole = {"componentId": "c", "props": {}, "returnValue": {"a": 1}, "url": "https://a.example/"}
    fields = {key: whole[key] for key in ACTIONS[name]}
    good = output({**BUTTON, "onPress": {"action": name, **fields}})
    assert checked_output(good) == good
    with pytest.raises(WrongOutput):
        checked_output(output({**BUTTON, "onPress": {"action": name}}))


@pytest.mark.parametrize("action", [{}, {"action": ""}, {"action": "@ui.unknown"}, {"action": 5}, "go"])
def test_actions_have_names(action: object) -> None:
    with pytest.raises(WrongOutput):
        checked_output(output({**BUTTON, "onPress": action}))


def test_a_press_may_refer_to_an_element() -> None:
    nested = output({**BUTTON, "onPress": BUTTON})
    assert checked_output(nested) == nested


@pytest.mark.parametrize(("field", "most"), [("title", 100), ("text", 300), ("confirm", 30)])
def test_a_confirmation_is_short(field: str, most: int) -> None:
    good = output({**BUTTON, "confirm": {**CONFIRM, field: "x" * most}})
    assert checked_output(good) == good
    with pytest.raises(WrongOutput):
        checked_output(output({**BUTTON, "confirm": {**CONFIRM, field: "x" * (most + 1)}}))


def test_the_roots() -> None:
    control = {"icon": "edit", "label": "Change", "onPress": PRESS, "confirm": CONFIRM}
    for good in (
        output(BUTTON, controls=[control]),
        output(TEXT, root="modal", title="T", subtitle="S", size="xlarge", returnValue=[1], submit=BUTTON),
        output(WHOLE["stepper"], root="configuration"),
        output(WHOLE["input"], BUTTON, root="configuration"),
        {"type": "complete", "returnValue": {"a": [1]}},
        {"type": "complete", "returnValue": None},
    ):
        assert checked_output(good) == good
    with pytest.raises(WrongOutput, match="stands alone"):
        checked_output(output(WHOLE["stepper"], BUTTON, root="configuration"))
    for root in ("button", "step", "html", ""):
        with pytest.raises(WrongOutput):
            checked_output(output(root=root))
    for inner in ROOTS | {"step"}:
        with pytest.raises(WrongOutput, match="cannot stand here"):
            checked_output(output({"type": inner, "id": "x", "children": []}))


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        "x",
        {},
        {"type": "other"},
        {"type": "element"},
        {"type": "element", "element": {"type": "block", "children": []}, "state": {}},
        {"type": "element", "element": {"type": "block", "children": []}, "props": {}, "state": []},
        {"type": "element", "element": None, "props": {}, "state": {}},
        {"type": "element", "element": {"type": ["block"], "children": []}, "props": {}, "state": {}},
    ],
)
def test_what_is_no_output_is_refused(wrong: object) -> None:
    with pytest.raises(WrongOutput):
        checked_output(wrong)


def test_depth_and_number_of_elements_are_bounded() -> None:
    def nested(depth: int) -> dict[str, Any]:
        element: dict[str, Any] = {"type": "divider"}
        for _ in range(depth):
            element = {"type": "vstack", "children": [element]}
        return output(element)

    assert checked_output(nested(DEEPEST - 2)) == nested(DEEPEST - 2)
    for depth in (DEEPEST + 2, 900):
        with pytest.raises(WrongOutput, match="deeper"):
            checked_output(nested(depth))
    with pytest.raises(WrongOutput, match="more than"):
        checked_output(output(*[{"type": "divider"}] * (MOST + 1)))
