"""What is checked before a change request is merged: which of its changed pages have no description."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_changes import opened
from tests.browser.console.test_merging import page_at
from tests.cast import Cast

NAMED = """[...[...document.querySelectorAll(".checks > li")]
    .find((each) => each.innerText.includes("without a description")).querySelectorAll("a")]"""
"""The links to the pages that are named."""


def new(title: str, **fields: Any) -> dict[str, Any]:
    """A page to insert."""
    return {"operation": "insert_page", "title": title, "document": {"markdown": "Words.\n"}, **fields}


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_changed_pages_without_a_description_are_named(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    ours = opened(cast.ed, space, subject="Gas")
    lamp, notes = (page_at(cast.ed, space, path) for path in ("machinery/lamp", "notes"))
    number = ours["number"]
    make.changes(cast.ed, space, new("Gas"), new("Oil", description="What burnt before."), request=number)
    make.changes(
        cast.ed,
        space,
        {"operation": "update_page", "page": lamp, "document": {"markdown": "Gas.\n"}},
        {"operation": "delete_page", "page": notes},
        {"operation": "insert_page", "type": "group", "title": "Fuels"},
        request=number,
    )
    overview = f"/o/{cast.organization}/s/{space}/~/changes/{number}"
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        page.open(here(cast, overview))
        page.wait_for_text("2 changed pages without a description", ".checks")
        assert sorted(page.run(f"{NAMED}.map((each) => each.innerText)")) == ["Gas", "The lamp"]
        assert faults(page) == []
        page.run(f"{NAMED}.find((each) => each.innerText === 'Gas').click()")
        page.wait("document.querySelector('#changed-thing')?.innerText === 'Gas'")
        described = [
            {"operation": "update_page", "page": each, "description": "What it is."}
            for each in (lamp, page_at(cast.ed, space, "gas", number))
        ]
        make.changes(cast.ed, space, *described, request=number)
        page.open(here(cast, overview))
        page.wait_for_text("Changed pages have descriptions", ".checks")


def test_of_many_pages_without_a_description_ten_are_named(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    ours = opened(cast.ed, space, subject="Many")
    make.changes(cast.ed, space, *(new(f"Lamp {n:02}") for n in range(13)), request=ours["number"])
    with at_work(browser, cast.rhea) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"))
        page.wait_for_text("13 changed pages without a description", ".checks")
        assert page.run(f"{NAMED}.length") == 10
        page.wait_for_text("+ 3", ".checks")
