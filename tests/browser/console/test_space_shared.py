"""A space while others work in it too: what somebody looks at is moved, deleted, closed to them, or large."""

from __future__ import annotations

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, WIDTHS, at_work, faults, here
from tests.browser.console.test_editor import text_of
from tests.cast import Cast

PAGES = 10_000


def read_notes(page: Page, cast: Cast, space: str) -> None:
    """Open the notes, and wait until they are shown."""
    page.open(here(cast, f"/o/{cast.organization}/s/{space}/notes"))
    page.wait_for("iframe.rendered[title=Notes]")
    if page.run("innerWidth") == PHONE:  # where the side is drawn when it is asked for
        page.click(".menu-button")
    page.wait_for("[role=treeitem][aria-selected=true]")
    page.run("document.querySelector('.shell.open > .side-veil')?.click()")


@pytest.mark.parametrize("width", WIDTHS)
def test_whoever_reads_a_page_follows_it_when_it_is_moved(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria, width=width, dark=width == PHONE) as page:
        read_notes(page, cast, space)
        moved = {"operation": "update_page", "page": text_of(cast.ada, space)["id"], "slug": "log"}
        make.changes(cast.ada, space, moved)
        page.wait("location.pathname.endsWith('/log')")
        page.wait_for_text("Notes has been moved", ".toasts")
        page.wait_for("iframe.rendered[title=Notes]")
        assert faults(page) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_whoever_reads_a_page_is_told_when_it_is_deleted(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria, width=width, dark=width != PHONE) as page:
        read_notes(page, cast, space)
        gone = {"operation": "delete_page", "page": text_of(cast.ada, space)["id"]}
        make.changes(cast.ada, space, gone)
        page.wait_for_text("Notes has been deleted", "main")
        page.wait("!document.querySelector('[role=treeitem][aria-label=Notes]')")
        assert faults(page) == []
        page.click("main .nothing .button")
        page.wait("location.pathname.endsWith('/~/revisions')")


def test_whoever_may_no_longer_read_a_space_is_told_and_sees_no_more_of_it(
    browser: Browser, cast: Cast
) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria) as page:
        read_notes(page, cast, space)
        answer = cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": None})
        assert answer.status_code == 200, answer.text
        page.wait_for_text("Not found", "h1")
        page.wait_for_text("Ask an administrator")
        assert page.run("!document.querySelector('iframe.rendered, [role=treeitem]')")
        assert faults(page) == []


def test_whoever_may_no_longer_edit_is_offered_no_more_to_edit(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        read_notes(page, cast, space)
        page.wait_for(".bar-top .button.main")
        answer = cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
        assert answer.status_code == 200, answer.text
        page.wait_for_text("Changes are reviewed", ".status")
        answer = cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": "read"})
        assert answer.status_code == 200, answer.text
        page.wait("!document.querySelector('.bar-top .button.main')")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_ten_thousand_pages_are_walked_through_by_keyboard(browser: Browser, cast: Cast, width: int) -> None:
    files = {f"part-{n // 100:03}/page-{n:05}.md": f"# Page {n:05}\n\nText.\n" for n in range(PAGES)}
    space = make.filled_space(cast, files)
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/part-099/page-09999"))
        page.wait_for("iframe.rendered[title='Page 09999']")
        if width == PHONE:
            page.click(".menu-button")
        last = "[role=treeitem][aria-label='Page 09999']"
        page.wait_for(last)  # the tree is open and scrolled there
        assert page.run("document.querySelectorAll('[role=treeitem]').length") < 200
        assert faults(page) == []
        page.run(f'document.querySelector("{last}").focus()')
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="Home", code="Home", windowsVirtualKeyCode=36)
        page.wait("document.activeElement.getAttribute('aria-posinset') === '1'")
        page.press("/")
        page.wait_for("dialog.palette input")
        page.type("Page 05000")
        page.wait_for_text("Page 05000", "dialog.palette [role=listbox]")
        page.press("Enter")
        page.wait_for("iframe.rendered[title='Page 05000']")
