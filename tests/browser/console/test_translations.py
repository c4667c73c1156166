"""Languages in the console: what sites show in several, the language of a space, and translation settings."""

from __future__ import annotations

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.factories.sites import ManagedSite


@pytest.mark.parametrize("width", WIDTHS)
def test_translation_settings_are_made_changed_and_deleted(browser: Browser, cast: Cast, width: int) -> None:
    with at_work(browser, cast.cleo, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/translations"))
        page.wait_for_text("There are no translation settings.", "main")
        assert faults(page) == []
        press(page, "New translation settings")
        fill(page, "Title", "Handbook")
        fill(page, "French", "")
        assert faults(page) == []
        press(page, "Create", "dialog")
        page.wait_for_text("Handbook", "main .list")
        page.wait_for_text("French", "main .list")
        page.click("main [aria-label='Edit Handbook']")
        page.wait_for("dialog[open]")
        fill(page, "Brazilian Portuguese", "")
        fill(page, "French", "")
        press(page, "Save", "dialog")
        page.wait("!document.querySelector('dialog')")
        page.wait_for_text("Brazilian Portuguese", "main .list")
        (settings,) = cast.ada.get(f"/v1/orgs/{cast.organization}/translations").json()["items"]
        assert (settings["title"], settings["languages"]) == ("Handbook", ["pt-br"])
        page.click("main [aria-label='Delete Handbook']")
        press(page, "Delete", "dialog")
        page.wait_for_text("There are no translation settings.", "main")


def test_spaces_get_languages_and_are_told_as_translations(browser: Browser, cast: Cast) -> None:
    site = ManagedSite(cast, "Handbook", "Handbuch", languages=["en", None])
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{site.spaces[1]}/~/settings"))
        page.wait_for_text("Language", "main")
        pick(page, "Language", "DE")
        press(page, "Save")
        page.wait_for_text("Saved", ".toasts")
        assert cast.ada.get(f"/v1/spaces/{site.spaces[1]}").json()["language"] == "de"
        page.open(here(cast, f"/o/{cast.organization}/translations"))
        page.wait_for_text("German", "main .translations-spaces")
        assert "English" in page.text("main .translations-spaces")
        assert faults(page) == []


def test_readers_see_settings_and_change_nothing(browser: Browser, cast: Cast) -> None:
    cast.ada.post(f"/v1/orgs/{cast.organization}/translations", {"title": "Handbook"})
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/translations"))
        page.wait_for_text("Handbook", "main .list")
        assert "New translation settings" not in page.text("main")
        assert "Edit" not in page.text("main .list")
        assert faults(page) == []
