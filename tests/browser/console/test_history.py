"""The history in the console: what was changed by whom, every page as it was, ways back."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import DESKTOP, PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.browser.console.test_changes import press
from tests.browser.console.test_merging import LAMP, marked, page_at, write
from tests.cast import Cast
from tests.factories import changes


@pytest.fixture
def space(cast: Cast) -> str:
    """A space whose lamp burned oil, then gas, then coal."""
    made = make.filled_space(cast)
    lamp = page_at(cast.ed, made, "machinery/lamp")
    write(cast.ed, made, lamp, LAMP.format("gas"))
    write(cast.cleo, made, page_at(cast.ed, made, "notes"), "# Notes\n\nNothing to note.\n")
    write(cast.cleo, made, lamp, LAMP.format("coal"))
    return made


def revisions(cast: Cast, space: str) -> list[dict[str, Any]]:
    """The history of a space, the newest revision first."""
    found: list[dict[str, Any]] = changes.history(cast.ada, space)["items"]
    return found


def text(cast: Cast, space: str, path: str) -> str:
    """The text of a page now."""
    page = page_at(cast.ada, space, path)
    found = cast.ada.get(f"/v1/spaces/{space}/content/page/{page}", params={"format": "markdown"}).json()
    return str(found["markdown"])


def drawn(page: Page) -> None:
    """Wait until the text in the frame has been drawn."""
    page.wait_for("iframe.rendered")
    page.wait("document.querySelector('iframe').getBoundingClientRect().height !== 320")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_two_revisions_are_compared(browser: Browser, cast: Cast, space: str, width: int) -> None:
    with at_work(browser, cast.ria, width=width, dark=width == DESKTOP) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/revisions"))
        page.wait("document.querySelectorAll('main .list > li').length >= 4")
        page.wait_for_text("Cleo", "main .list")
        assert faults(page) == []
        page.click("main .list > li:nth-child(1) .pick input")
        page.click("main .list > li:nth-child(4) .pick input")
        press(page, "Compare", "main")
        page.wait_for_text("2 changes", ".things")
        press(page, "The lamp\nChanged", ".things")
        page.wait("document.querySelector('#changed-thing')?.innerText === 'The lamp'")
        drawn(page)
        page.wait_for_text("What differs between revision", "main")
        assert marked(page, "p ins") == ["coal"]
        assert marked(page, "p del") == ["oil"]
        assert faults(page) == []
        press(page, "As it is written", "main")
        page.wait_for_text("It burns oil.", ".diff")
        page.wait_for_text("It burns coal.", ".diff")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_page_is_read_as_it_was_and_brought_back(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    lamp = page_at(cast.ed, space, "machinery/lamp")
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/machinery/lamp"))
        page.click("a[aria-label='History of this page']")
        page.wait(f"new URLSearchParams(location.search).get('page') === '{lamp}'")
        page.wait("document.querySelectorAll('main .list > li').length === 3")
        page.click("main .list > li:nth-child(2) a.whole")
        page.wait_for_text("1 change", ".things")
        drawn(page)
        assert marked(page, "p ins") == ["gas"]
        press(page, "Read this page", "main")
        page.wait_for_text("This is the page as it was", "main .note")
        drawn(page)
        assert faults(page) == []
        press(page, "Restore this page", "main")
        page.wait_for_text("Restore The lamp", "dialog")
        press(page, "Restore", "dialog .foot")
        page.wait_for_text("The lamp is as it was.", ".toasts")
        assert "It burns gas." in text(cast, space, "machinery/lamp")
        assert "Nothing to note." in text(cast, space, "notes")


def test_everything_is_restored_and_a_revision_undone(browser: Browser, cast: Cast, space: str) -> None:
    first = revisions(cast, space)[3]
    base = f"/o/{cast.organization}/s/{space}/~/revisions"
    with at_work(browser, cast.rhea) as page:
        page.open(here(cast, f"{base}/{first['id']}"))
        page.click("[aria-haspopup=menu][aria-label=More]")
        choose(page, "Restore everything to this")
        page.wait_for_text("Restore revision", "dialog")
        press(page, "Restore everything", "dialog .foot")
        page.wait_for_text("Everything is as it was then.", ".toasts")
        assert "It burns oil." in text(cast, space, "machinery/lamp")
        assert "Nothing to note." not in text(cast, space, "notes")
        back = revisions(cast, space)[0]
        page.open(here(cast, f"{base}/{back['id']}"))
        page.wait_for_text("Went back to an earlier state", "h1")
        page.click("[aria-haspopup=menu][aria-label=More]")
        choose(page, "Undo this revision")
        page.wait_for_text("No conflicts", "dialog")
        press(page, "Undo", "dialog .foot")
        page.wait_for_text("Undone.", ".toasts")
        assert "It burns coal." in text(cast, space, "machinery/lamp")


def test_a_page_of_a_locked_space_comes_back_by_a_change_request(
    browser: Browser, cast: Cast, space: str
) -> None:
    assert cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"}).status_code == 200
    then = revisions(cast, space)[2]
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/revisions/{then['id']}/machinery/lamp"))
        press(page, "Restore this page", "main")
        page.wait_for_text("A change request is opened", "dialog")
        press(page, "Restore", "dialog .foot")
        page.wait_for_text("Restore The lamp", "h1")
        press(page, "Changes", "main .tabs")
        drawn(page)
        assert "gas" in " ".join(marked(page, "p ins"))
    assert "It burns coal." in text(cast, space, "machinery/lamp")
