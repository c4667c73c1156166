"""Permissions of a space in the console, and their explanation."""

from __future__ import annotations

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_people import menu_of
from tests.cast import Cast


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_somebody_is_given_a_level_on_a_space_is_told_why_and_loses_it(
    browser: Browser, cast: Cast, width: int
) -> None:
    space = make.space(cast.ada, cast.organization, title="Lamps")["id"]
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/settings/access"))
        page.wait_for_text("Nobody was given anything here.", "main")
        press(page, "Give access")
        page.wait_for("dialog[open]")
        fill(page, "Person", "Gus")
        page.wait_for_text("Gus", "dialog .offered")
        page.press("Enter")
        assert faults(page) == []
        press(page, "Give", "dialog")
        page.wait_for_text("Gus", "[aria-label='Given here']")
        assert cast.gus.get(f"/v1/spaces/{space}").status_code == 200
        menu_of(page, "Gus", "Comment")
        page.wait_for_text("Comment", "[aria-label='Given here']")
        assert faults(page) == []
        page.run("document.querySelector('[aria-label=\"Why may Gus do this?\"]').click()")
        page.wait_for_text("This is allowed.", "dialog")
        page.wait_for_text("granted", "dialog")
        assert faults(page) == []
        page.press("Escape")
        page.wait("!document.querySelector('dialog')")
        menu_of(page, "Gus", "Withdraw")
        press(page, "Withdraw", "dialog")
        page.wait_for_text("Nobody was given anything here.", "main")
    assert cast.gus.get(f"/v1/spaces/{space}").status_code == 404
