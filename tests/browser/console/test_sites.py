"""The sites of an organization in the console: from a new site to a page that a stranger reads."""

from __future__ import annotations

import httpx
import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.browser.console.test_site_structure import find_space
from tests.cast import Cast
from tests.factories.changes import new_page
from tests.factories.collections import collection
from tests.timing import TIMEOUT, until
from tests.visitors import PublishedSite


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_new_site_is_published_and_read_by_a_stranger(browser: Browser, cast: Cast, width: int) -> None:
    folder = collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, title="Lanterns", parent=folder)["id"]
    new_page(cast.ada, space, title="Welcome aboard")
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/sites"))
        page.wait_for_text("No sites yet", "main")
        press(page, "New site", ".bar-top")
        page.wait("!!document.activeElement.closest('dialog')")
        fill(page, "Title", "Handbook")
        find_space(page, "Lanter")
        assert faults(page) == []
        press(page, "Create", "dialog")
        page.wait_for_text("Handbook", "main h1")
        page.wait_for_text("Not published", "main")
        assert faults(page) == []
        press(page, "Publish")
        page.wait("!!(window.found = document.querySelector('main a[target=_blank]'))")
        address = str(page.run("window.found.href"))
        assert faults(page) == []
        page.open(here(cast, f"/o/{cast.organization}/sites"))
        page.wait_for_text("Published", "main .list")
        assert faults(page) == []
    answer = httpx.get(address, timeout=TIMEOUT, follow_redirects=True)
    assert answer.status_code == 200
    assert "Welcome aboard" in answer.text


def test_readers_are_told_whom_to_ask(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast)
    with at_work(browser, cast.ria, width=PHONE, dark=True) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}"))
        page.wait_for_text("administer", "main")
        page.wait("!!document.querySelector('main a[href^=\"mailto:\"]')")
        assert not page.run(
            "[...document.querySelectorAll('main button')].some((e) => /ublish/.test(e.innerText))"
        )
        assert "Visitors' claims" not in page.text("main .tabs")
        assert faults(page) == []


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_site_is_for_those_who_have_a_link(browser: Browser, cast: Cast, width: int) -> None:
    site = PublishedSite(cast)
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/audience"))
        page.wait_for_text("search engines list it", "main")
        assert faults(page) == []
        pick(page, "Who may read the site", "SHARE_LINK", "main")
        press(page, "Save", "main")
        page.wait_for_text("There are no share links yet", "main")
        assert faults(page) == []
        press(page, "New share link", "main")
        fill(page, "Name", "Auditors")
        press(page, "Create", "dialog")
        page.wait_for_text("Auditors", "main .list")
        assert faults(page) == []
        address = str(page.run("document.querySelector('main .list .small').innerText"))
        assert httpx.get(address, timeout=TIMEOUT, follow_redirects=True).status_code == 200
        page.click("[aria-label='Actions for Auditors']")
        choose(page, "Turn off")
        page.wait_for_text("Turned off", "main .list")
        assert httpx.get(address, timeout=TIMEOUT, follow_redirects=True).status_code != 200
        page.click("[aria-label='Actions for Auditors']")
        choose(page, "Delete")
        page.wait_for_text("Delete Auditors?", "dialog")
        press(page, "Delete", "dialog")
        page.wait_for_text("There are no share links yet", "main")


def test_a_server_signs_visitors_of_a_site_in(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast)
    path = f"/v1/orgs/{cast.organization}/sites/{site.id}"
    with at_work(browser, cast.ada, width=PHONE, dark=True) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/audience"))
        page.wait_for_text("search engines list it", "main")
        pick(page, "Who may read the site", "VISITOR_AUTH", "main")
        press(page, "Save", "main")
        page.wait_for_text("Sign-in of visitors", "main")
        assert faults(page) == []
        before = cast.ada.get(f"{path}/publishing/auth").json()
        fill(page, "Address to sign in at", "https://login.example.org/docs")
        press(page, "Save", ".people-part")
        until(lambda: "fallbackURL" in cast.ada.get(f"{path}/publishing/auth").json(), "it is not saved")
        after = cast.ada.get(f"{path}/publishing/auth").json()
        assert after == {**before, "fallbackURL": "https://login.example.org/docs"}
        press(page, "Replace the key", "main")
        page.wait_for_text("Replace the key?", "dialog")
        press(page, "Replace the key", "dialog")
        until(
            lambda: cast.ada.get(f"{path}/publishing/auth").json()["privateKey"] != before["privateKey"],
            "the key is the same",
        )


def test_who_may_manage_a_site_is_said_and_granted(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast)
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/access"))
        page.wait_for_text("Ada", "main")
        assert faults(page) == []
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/access"))
        page.wait_for_text("administer", "main")
        assert "Audience" not in page.text("main .tabs")
