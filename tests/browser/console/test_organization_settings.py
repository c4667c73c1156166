"""The settings of an organization and of its collections in the console."""

from __future__ import annotations

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.factories.collections import collection
from tests.factories.sites import ManagedSite
from tests.timing import until

IN_DIALOG = "!!document.activeElement.closest('dialog')"


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_an_administrator_changes_what_everybody_of_an_organization_has(
    browser: Browser, cast: Cast, width: int
) -> None:
    site, name = ManagedSite(cast, title="Handbook"), cast.organization.lower()
    path = f"/v1/orgs/{cast.organization}"
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/settings"))
        page.wait_for_text("Stored content", "main")
        page.wait(f"!!document.querySelector('option[value=\"{site.id}\"]')")
        assert faults(page) == []
        fill(page, "Name", "Difference Engines")
        fill(page, "Name in the addresses of sites", "a--")
        press(page, "Save")
        page.wait_for_text("3 to 32", "main .wrong")
        fill(page, "Name in the addresses of sites", name)
        pick(page, "Site at the address of the organization", site.id)
        pick(page, "Role of new members", "COMMENT")
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
        page.wait("document.querySelector('.side').textContent.includes('Difference Engines')")
        assert faults(page) == []
    known = cast.ada.get(path).json()
    assert (known["title"], known["hostname"]) == ("Difference Engines", name)
    assert known["defaultContent"] == {"type": "site", "site": site.id}
    assert known["defaultRole"] == "comment"


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_an_administrator_deletes_the_organization_and_restores_it(
    browser: Browser, cast: Cast, width: int
) -> None:
    path = f"/v1/orgs/{cast.organization}"
    title = cast.ada.get(path).json()["title"]
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/settings"))
        page.wait_for_text("Delete organization", "main")
        press(page, "Delete organization")
        page.wait(IN_DIALOG)
        assert faults(page) == []
        fill(page, f"Type {title} to delete it", title)
        press(page, "Delete", "dialog")
        page.wait_for_text("This organization is deleted", "main")
        assert faults(page) == []
        assert "deletedAt" in cast.ada.get(path).json()
        press(page, "Restore organization")
        page.wait_for_text("Name in the addresses of sites", "main")
    assert "deletedAt" not in cast.ada.get(path).json()


def test_members_are_told_whom_to_ask_for_settings(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/settings"))
        page.wait_for_text("administer", "main")
        assert faults(page) == []


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_collection_is_made_renamed_moved_and_deleted(browser: Browser, cast: Cast, width: int) -> None:
    folder = collection(cast.ada, cast.organization, title="Products")["id"]
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}"))
        page.click(".bar-top [aria-label='New collection']")
        page.wait(IN_DIALOG)
        assert faults(page) == []
        fill(page, "Name of the collection", "Lamps")
        press(page, "Create", "dialog")
        page.wait_for_text("Lamps", "main h1")
        assert faults(page) == []
        page.click(".bar-top [aria-label=Settings]")
        page.wait(f"!!document.querySelector('option[value=\"{folder}\"]')")
        assert faults(page) == []
        fill(page, "Name of the collection", "Lanterns")
        fill(page, "Description", "All that gives light")
        pick(page, "Is in", folder)
        press(page, "Save")
        page.wait_for_text("Lanterns", "main h1")
        made = page.run("location.pathname.split('/c/')[1].split('/')[0]")
        known = cast.ada.get(f"/v1/collections/{made}").json()
        assert (known["title"], known["description"]) == ("Lanterns", "All that gives light")
        assert known["parent"] == folder
        page.click("main .tabs a:last-child")
        page.wait_for_text("Given here", "main")
        assert faults(page) == []
        page.click("main .tabs a:first-child")
        press(page, "Delete this collection")
        page.wait(IN_DIALOG)
        press(page, "Delete", "dialog")
        until(lambda: cast.ada.get(f"/v1/collections/{made}").status_code == 404, "it is there")
        page.wait(f"location.pathname.endsWith('/c/{folder}')")
