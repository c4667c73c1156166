"""The settings of a site in the console: its name, icon and addresses with their proof, and its end."""

from __future__ import annotations

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.factories.sites import ManagedSite
from tests.timing import until


def settings_of(cast: Cast, site: str) -> str:
    """Return the address of the settings of a site."""
    return here(cast, f"/o/{cast.organization}/site/{site}/settings")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_site_is_renamed_and_gets_a_host_of_its_own(browser: Browser, cast: Cast, width: int) -> None:
    site, other = ManagedSite(cast, "Guide", title="Handbook"), ManagedSite(cast)
    other.patch("", {"basename": "taken"})
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(settings_of(cast, site.id))
        page.wait_for_text("Addresses", "main")
        assert faults(page) == []
        fill(page, "Title", "Manual")
        pick(page, "Icon", "emoji")
        page.wait("document.querySelectorAll('main .field').length === 6")
        fill(page, "Emoji", "\N{BOOKS}")
        press(page, "Save")
        page.wait_for_text("Manual", "main h1")
        assert site.get()["icon"] == {"emoji": "\N{BOOKS}"}
        fill(page, "Name in the address", "taken")
        press(page, "Save", ".people-part")
        page.wait_for_text("Another site already uses this address", "main .wrong")
        fill(page, "Name in the address", "manual")
        fill(page, "Host of its own", "docs.example.org")
        press(page, "Save", ".people-part")
        page.wait_for_text("Waiting for the proof", "main .card")
        page.wait_for_text("CNAME", "main .card")
        assert site.get()["basename"] == "manual"
        assert faults(page) == []
        press(page, "Check again")
        page.wait_for_text("Checked", "main .card")
        page.wait("!document.querySelector('main [aria-busy=true]')")
        assert faults(page) == []


def test_a_site_is_deleted_by_whoever_types_its_name(browser: Browser, cast: Cast) -> None:
    site = ManagedSite(cast, "Guide", title="Handbook")
    with at_work(browser, cast.ada, width=PHONE) as page:
        page.open(settings_of(cast, site.id))
        press(page, "Delete this site")
        page.wait("!!document.activeElement.closest('dialog')")
        page.wait_for("dialog button[type=submit]:disabled")
        assert faults(page) == []
        fill(page, "Type Handbook to delete it", "Handbook")
        press(page, "Delete", "dialog")
        page.wait("location.pathname.endsWith('/sites')")
        until(lambda: cast.ada.get(site.path).status_code == 404, "the site is there")
    with at_work(browser, cast.cleo) as page:
        page.open(settings_of(cast, ManagedSite(cast).id))
        page.wait_for_text("administer", "main")
