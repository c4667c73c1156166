"""Languages in the console: what sites show in several, the language of a space, and translation settings."""

from __future__ import annotations

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.factories.sites import ManagedSite


@pytest.mark.parametrize("width", STORY_WIDTHS)
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


def test_many_spaces_and_sites_are_told_to_the_last(browser: Browser, cast: Cast) -> None:
    names = [f"Part {n:02}" for n in range(52)]
    ManagedSite(cast, *names, languages=["en", *[None] * 50, "pt"])
    for n in range(21):
        made = cast.ada.post(f"/v1/orgs/{cast.organization}/sites", {"title": f"Lighthouse {n:02}"})
        assert made.status_code == 201, made.text
    for n in range(52):
        cast.ada.post(f"/v1/orgs/{cast.organization}/translations", {"title": f"Settings {n:02}"})
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/translations"))
        page.wait_for_text("Lighthouse 00", "main .list")
        for last in ("Lighthouse 20", "Settings 51"):
            page.wait(
                "(document.querySelectorAll('main .list + div').forEach((each) => each.scrollIntoView()),"
                f" document.querySelector('main').innerText.includes('{last}'))"
            )
        page.wait_for_text("Portuguese", "main .translations-spaces")
        assert faults(page) == []
        fill(page, "Find sites by their titles", "house 07")
        page.wait("!document.querySelector('main').innerText.includes('Lighthouse 20')")
        page.wait_for_text("Lighthouse 07", "main .list")
        fill(page, "Find sites by their titles", "nowhere")
        page.wait_for_text("No site has such a title", "main")
        assert faults(page) == []
