"""Writing before the editor is loaded: a plain field takes what is typed, the editor goes on from there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, WIDTHS, at_work, faults, here
from tests.browser.console.test_editor import MAIN, SOURCE, settled, source, text_of
from tests.cast import Cast

PLAIN = "textarea.editor-plain"
FOCUSED = "document.querySelector('.editor-source').shadowRoot.activeElement"


@contextmanager
def without_editor(page: Page) -> Iterator[list[str]]:
    """Hold back CodeMirror until the block ends; gives the ids of the requests that wait."""
    waiting: list[str] = []
    note = page.note

    def noted(method: str, params: dict[str, Any]) -> None:
        note(method, params)
        if method == "Fetch.requestPaused":
            waiting.append(params["requestId"])

    page.browser.listeners[page.session] = noted
    page.call("Fetch.enable", patterns=[{"urlPattern": "*/vendor/codemirror.js"}])
    yield waiting
    page.wait("true")
    page.call("Fetch.disable")  # lets go on what waits


def open_plain(page: Page, cast: Cast, space: str) -> None:
    """Open the notes in the editor, until the plain field is there."""
    page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/edit/notes"))
    page.wait_for(PLAIN)


def place(page: Page, start: int, end: int) -> None:
    """Put the selection of the plain field there."""
    page.run(f"document.querySelector('{PLAIN}').setSelectionRange({start}, {end})")


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_typed_before_the_editor_is_there_stays(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    before = text_of(cast.rhea, space)["markdown"]
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        with without_editor(page):
            open_plain(page, cast, space)
            assert page.run(f"document.querySelector('{PLAIN}').value") == before
            assert faults(page) == []
            page.click(PLAIN)
            place(page, 0, 0)
            page.type("Early words.\n\n")
            page.wait_for_text("Draft kept", ".editor-state") if width != PHONE else None
            place(page, 0, 5)
        page.wait(f"!!{SOURCE}")
        page.wait(f"!!{FOCUSED}")
        assert not page.run(f"!!document.querySelector('{PLAIN}')")
        page.call("Input.insertText", text="First")  # in the place of what was selected
        page.wait(f"{SOURCE}.innerText.startsWith('First words.')")
        assert source(page) == ("First words.\n\n" + before).rstrip("\n") + "\n" * before.endswith("\n")
        assert faults(page) == []
        page.click(MAIN)
        settled(page)
        assert text_of(cast.rhea, space)["markdown"] == "First words.\n\n" + before


def test_a_button_above_the_text_waits_for_the_editor(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        with without_editor(page):
            open_plain(page, cast, space)
            page.click(PLAIN)
            place(page, 0, 0)
            page.type("Brass lamp ")
            place(page, 0, 5)
            page.click(".editor-tools [aria-label=Bold]")
        page.wait(f"{SOURCE}?.innerText.startsWith('**Brass** lamp')")


def test_a_half_composed_character_keeps_the_editor_waiting(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        with without_editor(page):
            open_plain(page, cast, space)
            page.click(PLAIN)
            place(page, 0, 0)
            page.call("Input.imeSetComposition", text="ら", selectionStart=1, selectionEnd=1)
            page.wait(f"document.querySelector('{PLAIN}').dataset.composing === 'true'")
        page.wait("performance.getEntries().some(({ name }) => name.endsWith('/vendor/codemirror.js'))")
        page.run("new Promise((done) => setTimeout(done, 500))")
        assert page.run(f"!!document.querySelector('{PLAIN}')")
        page.call("Input.insertText", text="ランプ")
        page.wait(f"{SOURCE}?.innerText.startsWith('ランプ')")


def test_an_editor_that_cannot_be_loaded_leaves_the_plain_field(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        page.call("Network.setBlockedURLs", urls=["*/vendor/codemirror.js"])
        open_plain(page, cast, space)
        page.click(PLAIN)
        place(page, 0, 0)
        page.type("Plain words.\n")
        page.wait_for_text("could not be loaded", ".editor-write")
        assert page.run("document.activeElement.matches('.editor-plain')")
        page.type("And more.\n")
        page.click(MAIN)
        settled(page)
        assert text_of(cast.rhea, space)["markdown"].startswith("Plain words.\nAnd more.\n")
