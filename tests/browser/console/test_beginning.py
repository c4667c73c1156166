"""The first hour of an organization: from its name to a page that a stranger reads."""

from __future__ import annotations

import httpx
import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import SCREENS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_editor import MAIN, SOURCE, settled, write
from tests.browser.console.test_site_structure import find_space
from tests.cast import Cast
from tests.timing import TIMEOUT


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_a_new_organization_has_a_published_page(
    browser: Browser, cast: Cast, width: int, dark: bool
) -> None:
    nora = make.somebody(cast.instance, "nora")
    with at_work(browser, nora, width=width, dark=dark) as page:
        page.open(here(cast, "/console/new"))
        page.wait("document.activeElement.matches('main input')")
        page.type("Lamps and lenses")
        assert faults(page) == []
        page.press("Enter")
        page.wait("location.pathname.startsWith('/o/')")
        page.wait_for_text("Lamps and lenses", "h1")
        organization = str(page.run("location.pathname"))
        press(page, "New space", ".bar-top")
        page.wait("!!document.activeElement.closest('dialog')")
        page.type("Handbook")
        press(page, "Create", "dialog")
        page.wait("location.pathname.includes('/s/')")
        page.click("main .nothing .button.main")
        page.wait(f"!!{SOURCE}")
        page.click(".editor-title")
        page.type("Welcome")
        write(page, "Light the lamp at dusk.\n")
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        page.wait("location.pathname.endsWith('/~/edit/welcome')")
        settled(page)
        address = publish(page, cast, organization)
    answer = httpx.get(address, timeout=TIMEOUT, follow_redirects=True)
    assert answer.status_code == 200
    assert "Light the lamp at dusk." in answer.text


def publish(page: Page, cast: Cast, organization: str) -> str:
    """Publish the space as a site; return its address."""
    page.open(here(cast, f"{organization}/sites"))
    press(page, "New site", ".bar-top")
    page.wait("!!document.activeElement.closest('dialog')")
    fill(page, "Title", "Lamps")
    find_space(page, "Handb")
    press(page, "Create", "dialog")
    page.wait_for_text("Not published", "main")
    press(page, "Publish")
    page.wait("!!(window.found = document.querySelector('main a[target=_blank]'))")
    assert faults(page) == []
    return str(page.run("window.found.href"))
