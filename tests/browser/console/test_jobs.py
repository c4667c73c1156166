"""The background jobs of an organization in the console."""

from __future__ import annotations

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import press
from tests.cast import Cast
from tests.factories.imports import left_alone, started, website
from tests.factories.jobs import queued

LONG = "صفحة المساعدة " + "Handbook" * 4


def jobs(cast: Cast, tail: str = "") -> str:
    """The address of the jobs, or of those in a state."""
    return here(cast, f"/o/{cast.organization}/jobs{tail}")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_an_administrator_finds_a_failed_job_and_retries_it(browser: Browser, cast: Cast, width: int) -> None:
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(jobs(cast))
        page.wait_for_text("There are no jobs.", "main")
        assert faults(page) == []
        space = make.space(cast.ada, cast.organization, title=LONG)["id"]
        queued(cast, "rebuild_links", space, "failed")
        page.wait_for_text("Something went wrong in Docyard", "main .list")  # the list asks again by itself
        page.wait_for_text("Failed", "main .list")
        page.wait_for_text("Handbook", "main .list a")
        assert faults(page) == []
        press(page, "Retry")
        page.wait_for_text("There are no jobs.", "main")


def test_a_waiting_job_is_cancelled_by_keyboard(browser: Browser, cast: Cast) -> None:
    queued(cast, "deliver_task", "gone", "scheduled")
    with at_work(browser, cast.ada) as page:
        page.open(jobs(cast, "/scheduled"))
        page.wait_for_text("begins", "main .list")
        page.run("document.querySelector('.job button').focus()")
        page.press("Enter")
        page.wait_for("dialog[open]")
        page.wait_for_text("does not get this task", "dialog")
        page.press("Enter")
        page.wait_for_text("No job is scheduled.", "main")


def test_the_job_of_an_import_leads_to_the_import(browser: Browser, cast: Cast) -> None:
    with left_alone():
        space = make.space(cast.ada, cast.organization)["id"]
        run = started(cast, website("https://example.org/docs/"), {"space": space})
        with at_work(browser, cast.ada) as page:
            page.open(jobs(cast))
            page.wait_for(f"main .list a[href$='/import/{run['id']}']")


def test_others_are_told_whom_to_ask(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(jobs(cast))
        page.wait_for_text("Permission needed", "main")
        page.wait_for_text("Ada", "main")
