"""The audit log in the console: read as sentences, narrowed, followed to what it is about, and downloaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.api.catalog import OPERATIONS
from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import press
from tests.cast import Cast

TEXTS = Path(__file__).parents[3] / "app" / "console" / "static" / "texts"


def log(cast: Cast, query: str = "") -> str:
    """Return the address of the screen."""
    return here(cast, f"/o/{cast.organization}/people/audit{query}")


def wait_for_events(page: Page, count: int) -> None:
    """Wait until this many events are listed."""
    page.wait(f"document.querySelectorAll('main .list > li').length === {count}")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_action_has_its_words(language: str) -> None:
    texts = json.loads((TEXTS / language / "audit.json").read_text(encoding="utf-8"))
    writing = {row.id for row in OPERATIONS if row.method != "GET"}
    assert {name for name in writing if f"audit.did.{name}" not in texts} == set()


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_an_administrator_reads_who_did_what_and_goes_there(browser: Browser, cast: Cast, width: int) -> None:
    space = make.space(cast.cleo, cast.organization)["id"]
    cast.cleo.patch(f"/v1/spaces/{space}", {"title": "دليل الإضاءة " + "long" * 9})
    cast.cleo.patch(f"/v1/spaces/{space}", {"title": "Lamps"})
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(log(cast))
        page.wait_for_text("Cleo created a space", "main .list")
        wait_for_events(page, 3)
        page.run("document.querySelector('main .list summary').click()")
        page.wait_for_text("updateSpaceById", "main .list details[open]")
        assert faults(page) == []
        page.wait_for_text("Handbook", "main .list > :nth-child(3) a")
        page.run("document.querySelector('main .list a').click()")
        page.wait(f"location.pathname.endsWith('/s/{space}')")
        page.wait_for_text("Lamps", "h1, .crumbs")


def test_the_log_is_narrowed_by_person_action_kind_and_day(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.cleo, cast.organization)["id"]
    cast.ada.patch(f"/v1/spaces/{space}", {"title": "Lamps"})
    cast.ada.patch(f"/v1/orgs/{cast.organization}", {"title": "Lamp makers"})
    with at_work(browser, cast.ada) as page:
        page.open(log(cast))
        wait_for_events(page, 3)
        page.run(
            "(window.field = document.querySelector('main input[list]')).value = 'changed a space';"
            "field.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        wait_for_events(page, 1)
        assert page.run("location.search") == "?action=updateSpaceById"
        press(page, "Clear the filters")
        wait_for_events(page, 3)
        for query, count in (
            (f"?person={cast.cleo.id}", 1),
            ("?type=organization", 2),
            ("?type=space", 2),
            ("?from=2000-01-01", 3),
        ):
            page.open(log(cast, query))
            wait_for_events(page, count)
        page.open(log(cast, "?to=2000-01-01"))
        page.wait_for_text("No event matches these filters.", "main")
        assert faults(page) == []


def test_what_the_filters_leave_is_downloaded_for_a_spreadsheet(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.cleo, cast.organization)["id"]
    cast.cleo.patch(f"/v1/spaces/{space}", {"title": '=1+1, "sum"'})
    cast.cleo.patch(f"/v1/spaces/{space}", {"title": "Lamps"})
    with at_work(browser, cast.ada) as page:
        page.open(log(cast, "?action=updateSpaceById"))
        wait_for_events(page, 2)
        page.run("URL.createObjectURL = (blob) => (blob.text().then((text) => (window.saved = text)), '#')")
        press(page, "Download as CSV")
        page.wait("!!window.saved")
        header, newest, *others = page.run("window.saved").splitlines()
    assert header.startswith('"number","time","actor"')
    assert '"\'=1+1, ""sum"""' in newest
    assert len(others) == 1


def test_a_member_is_told_what_is_missing(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(log(cast))
        page.wait_for_text("This needs the permission to administer.", "main")
        page.wait_for_text("Ask an administrator:", "main")
        assert faults(page) == []
