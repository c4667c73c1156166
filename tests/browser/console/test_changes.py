"""Change requests in the console: found, described, reviewed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import DESKTOP, PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.cast import Cast, Person


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with pages."""
    return make.filled_space(cast)


def opened(person: Person, space: str, **fields: Any) -> dict[str, Any]:
    """A change request that waits for reviews."""
    made = make.change_request(person, space, **fields)
    path = f"/v1/spaces/{space}/change-requests/{made['id']}"
    assert person.patch(path, {"status": "open"}).status_code == 200
    return made


def press(page: Page, label: str, within: str = "body") -> None:
    """Press the button, link or choice that says this."""
    named = json.dumps(label)
    page.press_found(
        f"""[...document.querySelectorAll({json.dumps(within)} + " :is(button, a, label)")]
            .find((each) => each.checkVisibility() && !each.disabled
                && (each.innerText.trim() === {named} || each.getAttribute("aria-label") === {named}))"""
    )


def put(page: Page, label: str, text: str) -> None:
    """Put a text into the field with this label, over what is in it, once the field takes the focus.

    A dialog is drawn before it opens: its labels can be read then, but its fields take no focus yet.
    """
    page.wait(
        f"""!!(window.found = [...document.querySelectorAll("label")]
            .find((each) => each.innerText.trim() === {json.dumps(label)})?.control)
            && (window.found.focus(), document.activeElement === window.found)"""
    )
    page.press("a", ctrl=True)
    page.type(text)


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_change_requests_are_found_by_status_author_and_reviewer(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    ours = opened(cast.ed, space, subject="A brighter lamp")
    opened(cast.cleo, space, subject="Fewer rounds")
    make.change_request(cast.ed, space, subject="Not ready yet")
    asked = {"users": [cast.rhea.id]}
    cast.ed.post(f"/v1/spaces/{space}/change-requests/{ours['id']}/requested-reviewers", asked)
    for path in (f"/o/{cast.organization}/s/{space}/~/changes", f"/o/{cast.organization}/changes"):
        with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
            page.open(here(cast, path))
            page.wait_for_text("A brighter lamp", "main")
            page.wait_for_text("Fewer rounds", "main")
            assert "Not ready yet" not in page.text("main")
            assert faults(page) == []
            press(page, "Drafts", "main")
            page.wait_for_text("Not ready yet", "main")
            press(page, "Open", "main")
            page.wait_for_text("Fewer rounds", "main")
            put(page, "Author", "Ed")
            page.wait_for_text("Ed", "[role=listbox]:not([hidden])")
            page.press("Enter")
            page.wait("!document.querySelector('main').innerText.includes('Fewer rounds')")
            page.wait_for_text("A brighter lamp", "main")
            assert page.run("new URLSearchParams(location.search).get('author')") == cast.ed.id
            assert faults(page) == []
            press(page, "Remove Ed", "main")
            page.wait_for_text("Fewer rounds", "main")
            put(page, "Title or number", "LAMP")
            page.wait("!document.querySelector('main').innerText.includes('Fewer rounds')")
            page.wait_for_text("A brighter lamp", "main")
            assert page.run("new URLSearchParams(location.search).get('search')") == "LAMP"
            put(page, "Title or number", "2")
            page.wait_for_text("Fewer rounds", "main")
            assert faults(page) == []
            press(page, "All", "main")
            page.wait_for_text("Fewer rounds", "main")
            page.run("history.back()")
            put(page, "Title or number", " ")
            page.wait_for_text("A brighter lamp", "main")
            page.click(".finder:last-child input")
            page.wait_for_text("You", "[role=listbox]:not([hidden])")
            page.press("Enter")
            page.wait("!document.querySelector('main').innerText.includes('Fewer rounds')")
            page.wait_for_text("A brighter lamp", "main")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_change_request_is_described_reviewed_and_set_aside(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    look: dict[str, Any] = {"width": width, "dark": width == DESKTOP}
    with at_work(browser, cast.ed, **look) as eds, at_work(browser, cast.rhea, **look) as rheas:
        eds.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes"))
        press(eds, "New change request")
        eds.wait_for_text("Untitled change request", "h1")
        assert faults(eds) == []
        eds.click("[aria-haspopup=menu][aria-label=More]")
        choose(eds, "Title and description")
        put(eds, "Title", "A brighter lamp")
        put(eds, "Description", "So that ships **see** us.")
        assert faults(eds) == []
        press(eds, "Save", "dialog")
        eds.wait_for_text("A brighter lamp", "h1")
        eds.wait_for("main iframe.rendered")
        press(eds, "Ask for a review", "main")
        put(eds, "Ask for a review", "Rhea")
        eds.wait_for_text("Rhea", "[role=listbox]:not([hidden])")
        eds.press("Enter")
        eds.wait_for_text("Asked", "main .list")
        eds.wait_for_text("Open", "main .badge")
        assert faults(eds) == []

        rheas.open(here(cast, "/"))
        rheas.wait_for_text("A brighter lamp", "main")
        rheas.click("main a.whole")
        rheas.wait_for_text("A brighter lamp", "h1")
        press(rheas, "Review")
        press(rheas, "Ask for changes\nSay what should be different.", "dialog")
        put(rheas, "What you have to say", "How bright?")
        assert faults(rheas) == []
        press(rheas, "Give the review", "dialog")
        rheas.wait_for_text("Wants changes", "main .list")
        eds.wait_for_text("Wants changes", "main .list")  # without asking

        eds.click("[aria-haspopup=menu][aria-label=More]")
        choose(eds, "Archive")
        eds.wait_for_text("Archived", "main .badge")
        rheas.wait_for_text("Archived", "main .badge")
        press(eds, "Undo", ".toasts")
        rheas.wait_for_text("Open", "main .badge")


def test_who_may_only_read_is_offered_nothing(browser: Browser, cast: Cast, space: str) -> None:
    made = opened(cast.ed, space, subject="A brighter lamp")
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes"))
        page.wait_for_text("A brighter lamp", "main")
        assert "New change request" not in page.text()
        page.click("main a.whole")
        page.wait_for_text("A brighter lamp", "h1")
        page.wait_for_text("Reviewers", "main")
        page.click(".bar-top > .row button")
        page.wait_for_text("Export", "[role=menu]")
        assert page.run("document.querySelectorAll('[role=menuitem], .bar-top > .row a').length") == 1
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{made['number'] + 1}"))
        page.wait_for_text("Not found", "h1")
