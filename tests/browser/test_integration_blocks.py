"""Blocks of integrations in a real browser: they come into the page, and answer where they stand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.accessibility import faults
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.factories.site_blocks import Lamps, button, with_shown

OPTIONS = [{"id": "red", "label": "Red"}, {"id": "blue", "label": "Blue"}]
SHOWN: list[dict[str, Any]] = [
    {"type": "card", "title": "A lamp", "hint": "It gives light", "icon": "star", "children": [
        {"type": "hstack", "align": "center", "children": [
            button("Save", action="save"),
            {**button("Break", action="break"), "style": "danger", "icon": "delete",
             "confirm": {"title": "Break it?", "text": "It is dark then.", "confirm": "Break"}},
            button("Elsewhere", action="@ui.url.open", url="https://example.org"),
        ]},
    ]},
    {"type": "hint", "children": ["It is ", {"type": "text", "style": "bold", "children": ["hot"]}]},
    {"type": "input", "label": "Name", "hint": "As people say it", "element": {
        "type": "textinput", "state": "name"}},
    {"type": "input", "label": "Tone", "element": {
        "type": "select", "state": "tone", "options": OPTIONS, "onValueChange": {"action": "toned"}}},
    {"type": "input", "label": "On", "element": {"type": "switch", "state": "on"}},
    {"type": "markdown", "content": "Some *words*, and `code`."},
]  # fmt: skip


def still(page: Page) -> list[str]:
    """The faults of a page into which something came that nobody knew the height of."""
    return [fault for fault in faults(page) if not fault.startswith("moved by")]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_block_stands_in_its_page_and_answers(browser: Browser, cast: Cast, width: int, dark: bool) -> None:
    lamps = Lamps(cast, with_shown(*SHOWN))
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{lamps.site.url}/lamps")
        page.wait_for("form.filled")
        theme = "dark" if dark else "light"
        page.wait_for_text(f'"theme":"{theme}"', "form.filled pre")
        assert still(page) == []
        page.click("form.filled input[type=text]")
        page.type("Ada")
        page.click("form.filled .beside button")
        page.wait_for_text('"action":{"action":"save"}', "form.filled pre")
        page.wait_for_text('"name":"Ada"', "form.filled pre")
        page.run("const s = document.querySelector('form.filled select'); s.value = '\"blue\"';"
                 " s.dispatchEvent(new Event('change', { bubbles: true }))")  # fmt: skip
        page.wait_for_text('"action":{"action":"toned"}', "form.filled pre")
        page.wait_for_text('"tone":"blue"', "form.filled pre")
        assert page.run("document.querySelector('form.filled input[type=text]').value") == "Ada"
        assert page.run("location.pathname").endswith("/lamps")
        page.run("confirm = () => false")
        page.click("form.filled .danger")
        page.run("confirm = () => true")
        page.click("form.filled .danger")
        page.wait_for_text('"action":{"action":"break"}', "form.filled pre")
        assert still(page) == []
        assert page.complaints == []
        assert page.outside(cast.instance.settings.sites_base) == []


def test_a_modal_takes_the_place_of_its_block_and_gives_it_back(browser: Browser, cast: Cast) -> None:
    modal = {"shows": [{"type": "textinput", "state": "name"}, button("Done", action="done")]}
    ask = button("Ask", action="@ui.modal.open", componentId="ask", props=modal)
    lamps = Lamps(cast, with_shown(ask))
    with browser.page() as page:
        page.open(f"{lamps.site.url}/lamps")
        page.click("form.filled button")
        page.wait_for("form.filled .modal")
        page.click("form.filled [data-back]")
        page.wait("!document.querySelector('form.filled .modal')")
        page.click("form.filled button")
        page.click("form.filled .modal input")
        page.type("Ada")
        page.click("form.filled .modal button")
        page.wait_for_text('"returnValue":{"name":"Ada"}', "form.filled pre")
        assert page.complaints == []


def test_by_itself_a_block_is_a_page(browser: Browser, cast: Cast) -> None:
    lamps = Lamps(cast, with_shown(*SHOWN))
    with browser.page() as page:
        page.open(str(lamps.open().url))
        assert faults(page) == []
        page.click("form.filled .beside button")
        page.wait_for_text('"action":{"action":"save"}', "form.filled pre")
        page.click("article > p a")
        page.wait("location.pathname.endsWith('/lamps')")
        assert page.complaints == []
