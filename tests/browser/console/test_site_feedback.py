"""Feedback in a browser: a visitor answers the question below a page, an editor reads what visitors said."""

from __future__ import annotations

import json

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import STORY_SCREENS, at_work, faults, here
from tests.browser.console.test_account import press
from tests.browser.console.test_site_look import pick
from tests.cast import Cast
from tests.reader.test_page_feedback import AskingSite


@pytest.mark.parametrize(("width", "dark"), STORY_SCREENS)
def test_a_visitor_answers_without_leaving_the_page(
    browser: Browser, cast: Cast, width: int, dark: bool
) -> None:
    site = AskingSite(cast)
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{site.url}/guide/install")
        press(page, "In part", ".feedback")
        page.wait_for_text("Thank you for your feedback.", ".feedback")
        page.wait_for(".feedback textarea")
        assert faults(page) == []
        page.run("document.querySelector('.feedback textarea').focus()")
        page.type("Say more of Windows.")
        press(page, "Send", ".feedback")
        page.wait("!document.querySelector('.feedback textarea')")
        assert page.run("location.pathname") == f"{site.base}/guide/install"
    (said,) = site.said()
    assert (said["rating"], said["comment"]) == ("ok", "Say more of Windows.")


@pytest.mark.parametrize(("width", "dark"), STORY_SCREENS)
def test_editors_read_filter_and_delete_feedback(
    browser: Browser, cast: Cast, width: int, dark: bool
) -> None:
    site = AskingSite(cast)
    site.say("good")
    site.say("bad", "The Mac is missing.", agent="Another browser")
    with at_work(browser, cast.ada, width=width, dark=dark) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/feedback"))
        page.wait_for_text("The Mac is missing.", "main .list")
        counts = page.text("main .feedback-counts").split()
        assert counts == "1 Helped 0 Helped in part 1 Did not help".split()  # noqa: SIM905
        assert faults(page) == []
        link = page.run("document.querySelector('main .list a').getAttribute('href')")
        assert f"/s/{site.spaces[0]}/" in link
        pick(page, "Rating", "GOOD")
        page.wait("document.querySelector('main .list')?.innerText.includes('Mac') === false")
        pick(page, "Rating", "BAD")
        page.wait_for_text("The Mac is missing.", "main .list")
        page.click("main [aria-label='Delete this feedback']")
        press(page, "Delete", "dialog")
        page.wait_for_text("No feedback matches these filters.", "main")
    assert [each["rating"] for each in site.said()] == ["good"]


@pytest.mark.parametrize(("width", "dark"), STORY_SCREENS)
def test_what_a_visitor_misses_reaches_editors(browser: Browser, cast: Cast, width: int, dark: bool) -> None:
    site = AskingSite(cast)
    site.say("good")
    with browser.page(width=width, dark=dark) as page:
        for path, complaints in (("/~/search?q=teapot", 0), ("/guide/teapot", 1)):
            page.open(f"{site.url}{path}")
            page.wait_for(".feedback textarea")
            assert len(page.complaints) == complaints, "only of the page that is not there"
            page.complaints.clear()
            assert faults(page) == []
            page.run("document.querySelector('.feedback textarea').focus()")
            page.type("A teapot.")
            press(page, "Send", ".feedback")
            page.wait_for_text("Thank you for your feedback.", ".feedback")
    with at_work(browser, cast.ada, width=width, dark=dark) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/feedback"))
        page.wait_for_text("Missing: search", "main .list")
        assert "“teapot”" in page.text("main .list")
        assert f"{site.url}/guide/teapot" in page.text("main .list")
        assert faults(page) == []
        pick(page, "Given", "NOT_FOUND")
        page.wait("document.querySelector('main .list')?.innerText.includes('search') === false")
        assert "Missing: page" in page.text("main .list")


def test_a_site_that_does_not_ask_says_where_to_turn_it_on(browser: Browser, cast: Cast) -> None:
    site = AskingSite(cast)
    site.asks(enabled=False)
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{site.id}/feedback"))
        page.wait_for_text("The site does not ask its visitors.", "main")
        page.wait_for_text("No visitor has said anything yet.", "main")
        found = json.dumps(f"/o/{cast.organization}/site/{site.id}/look")
        assert page.run(f"!!document.querySelector('main a[href=' + {json.dumps(found)} + ']')")
        assert faults(page) == []
