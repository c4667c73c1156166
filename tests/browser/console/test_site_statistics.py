"""Statistics in a browser: people visit a site, an editor sees what they read and what they did not find."""

from __future__ import annotations

import json

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import STORY_SCREENS, at_work, faults, here
from tests.browser.console.test_account import press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.reader.test_statistics import PHONE as MOBILE
from tests.reader.test_statistics import CountedSite


def visited(cast: Cast) -> CountedSite:
    """A site that two people have read and searched."""
    site = CountedSite(cast)
    site.visit(Referer="https://news.example.org/", Accept_Language="de")
    site.visit(agent=MOBILE, Accept_Language="en")
    site.visit("/guide/install.md")
    site.search("xylograph")
    site.visit("/guide/gone", Referer="https://news.example.org/")
    cast.instance.keep_visit_counts()
    return site


@pytest.mark.parametrize(("width", "dark"), STORY_SCREENS)
def test_editors_see_what_is_read_and_what_is_missing(
    browser: Browser, cast: Cast, width: int, dark: bool
) -> None:
    site = visited(cast)
    place = f"/o/{cast.organization}/site/{site.id}"
    with at_work(browser, cast.ada, width=width, dark=dark) as page:
        page.open(here(cast, f"{place}/statistics"))
        page.wait_for_text("/guide/gone", "main")
        page.wait_for_text("German", "main")
        page.wait_for_text("Install", "main [aria-label=Pages]")
        shown = "document.querySelectorAll('main .statistics-numbers strong')"
        assert page.run(f"[...{shown}].map((each) => each.textContent).join(' ')") == "2 2 1 1 1 1 0"
        assert faults(page) == []
        page.click("main .statistics-chart summary")
        page.wait_for("main .statistics-chart details[open] table")
        assert page.run("document.querySelectorAll('main .statistics-chart tbody tr').length") == 30
        assert faults(page) == []
        pick(page, "Range", "365")
        page.wait("document.querySelectorAll('main .statistics-chart tbody tr').length === 13")


def test_a_missing_page_is_written_and_a_broken_url_is_redirected(browser: Browser, cast: Cast) -> None:
    site = visited(cast)
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/statistics"))
        page.wait_for("main [aria-label='Redirect /guide/gone']")
        page.click("main [aria-label='Redirect /guide/gone']")
        page.wait_for("dialog input[placeholder='/new/page']")
        assert page.run("document.querySelector('dialog input').value") == "/guide/gone"
        assert page.run("location.search") == ""
        page.run("document.querySelector('dialog input[placeholder=\"/new/page\"]').focus()")
        page.type("/guide/install")
        press(page, "Save", "dialog")
        page.wait_for_text("/guide/gone", "main .list")
        assert site.visit("/guide/gone") in (307, 308)
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/statistics"))
        page.wait_for("main [aria-label='Write a page: xylograph']")
        page.click("main [aria-label='Write a page: xylograph']")
        found = "[...document.querySelectorAll('input')].some((each) => each.value === 'xylograph')"
        page.wait(found)


def test_a_site_that_collects_nothing_says_where_to_turn_it_on(browser: Browser, cast: Cast) -> None:
    site = CountedSite(cast)
    cast.ada.put(f"{site.path}/customization", {"statistics": {"enabled": False}})
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/statistics"))
        page.wait_for_text("The site collects no statistics.", "main")
        found = json.dumps(f"/o/{cast.organization}/site/{site.id}/look")
        assert page.run(f"!!document.querySelector('main a[href=' + {json.dumps(found)} + ']')")
        assert faults(page) == []
