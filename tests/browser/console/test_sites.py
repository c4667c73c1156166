"""The sites of an organization in the console: from a new site to a page that a stranger reads."""

from __future__ import annotations

import httpx
import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.people_at_work import PHONE, WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.edits import new_page
from tests.patience import PATIENCE
from tests.visited import Published


@pytest.mark.parametrize("width", WIDTHS)
def test_a_new_site_is_published_and_read_by_a_stranger(browser: Browser, cast: Cast, width: int) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    new_page(cast.ada, space, title="Welcome aboard")
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/sites"))
        page.wait_for_text("No sites yet", "main")
        press(page, "New site", ".bar-top")
        page.wait(f"!!document.querySelector('dialog option[value=\"{space}\"]')")
        fill(page, "Title", "Handbook")
        pick(page, "Space to publish", space, "dialog")
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
    answer = httpx.get(address, timeout=PATIENCE, follow_redirects=True)
    assert answer.status_code == 200
    assert "Welcome aboard" in answer.text


def test_readers_are_told_whom_to_ask(browser: Browser, cast: Cast) -> None:
    site = Published(cast)
    with at_work(browser, cast.ria, width=PHONE, dark=True) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}"))
        page.wait_for_text("administer", "main")
        page.wait("!!document.querySelector('main a[href^=\"mailto:\"]')")
        assert not page.run(
            "[...document.querySelectorAll('main button')].some((e) => /ublish/.test(e.innerText))"
        )
        assert faults(page) == []
