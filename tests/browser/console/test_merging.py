"""Change requests in the console: compared page by page, merged with and without conflicts, undone."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import (
    DESKTOP,
    PHONE,
    STORY_WIDTHS,
    at_work,
    choose,
    faults,
    here,
    in_frame,
)
from tests.browser.console.test_changes import opened, press
from tests.cast import Cast, Person

LAMP = "# The lamp\n\nIt burns {}.\n\n## The wick\n\nTrim it daily.\n"


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with pages."""
    return make.filled_space(cast)


def page_at(person: Person, space: str, path: str, request: int | None = None) -> str:
    """The id of a page."""
    place = f"/v1/spaces/{space}" + (f"/change-requests/{request}" if request else "")
    found: list[dict[str, Any]] = person.get(f"{place}/content/pages").json()["pages"]
    while found:
        page = found.pop()
        if page.get("path") == path:
            return str(page["id"])
        found += page.get("pages", [])
    raise AssertionError(path)


def write(
    person: Person, space: str, page: str, text: str, request: int | None = None, **fields: Any
) -> None:
    """Give a page another text."""
    change = {"operation": "update_page", "page": page, "document": {"markdown": text}, **fields}
    make.changes(person, space, change, request=request)


def proposed(cast: Cast, space: str) -> dict[str, Any]:
    """A change request of Ed's: another fuel, a page more, a page less, to which another leads."""
    ours = opened(cast.ed, space, subject="Burn gas")
    number = ours["number"]
    lamp, notes = (page_at(cast.ed, space, path) for path in ("machinery/lamp", "notes"))
    text = LAMP.format("gas, brighter than oil").replace("# The lamp", "# The new lamp")
    write(cast.ed, space, lamp, text, number, title="The new lamp")
    fresh = {"operation": "insert_page", "title": "Gas", "document": {"markdown": "It comes in pipes.\n"}}
    make.changes(cast.ed, space, fresh, {"operation": "delete_page", "page": notes}, request=number)
    return ours


def marked(page: Page, name: str) -> list[str]:
    """The texts that are marked as inserted or deleted in the frame."""
    script = f"[...document.querySelectorAll('{name}')].map((each) => each.textContent.trim())"
    found: list[str] = in_frame(page, script)
    return found


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_changes_are_read_page_by_page(browser: Browser, cast: Cast, space: str, width: int) -> None:
    ours = proposed(cast, space)
    with at_work(browser, cast.rhea, width=width, dark=width == DESKTOP) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"))
        page.wait_for_text("No conflicts", ".checks")
        page.wait_for_text("1 link would break", ".checks")
        page.wait_for_text("without a description", ".checks")
        page.wait_for_text("No review yet", ".checks")
        assert faults(page) == []
        press(page, "Changes", "main .tabs")
        page.wait_for_text("Gas", ".things")
        press(page, "The new lamp\nChanged", ".things")
        page.wait("!!document.querySelector('.attributes')?.innerText.includes('The new lamp')")
        page.wait_for("iframe.rendered")
        page.wait("document.querySelector('iframe').getBoundingClientRect().height !== 320")
        assert page.run("document.querySelector('iframe').getBoundingClientRect().width > innerWidth / 2")
        assert marked(page, "p ins") == ["gas, brighter than"]
        assert marked(page, "h1 ins") == ["new"]
        assert marked(page, "del, .was-removed, .was-added") == []
        assert faults(page) == []
        in_frame(
            page,
            "[...document.querySelectorAll('p')]"
            ".some((each) => each.innerText.includes('gas') && (each.click(), true))",
        )
        page.wait(
            "document.querySelector('.beside select').selectedOptions[0].innerText.includes('It burns gas')"
        )
        press(page, "As it is written", "main")
        page.wait_for_text("It burns oil.", ".diff")
        page.wait_for_text("It burns gas, brighter than oil.", ".diff")
        assert faults(page) == []
        titles = page.run("[...document.querySelectorAll('.things a')].map((each) => each.innerText)")
        for _ in titles:
            page.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }))")
        page.wait(f"document.querySelector('.steps').innerText.includes('1 / {len(titles)}')")
        page.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))")
        page.wait(f"document.querySelector('.steps').innerText.includes('2 / {len(titles)}')")
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}/gas"))
        page.wait_for("iframe.rendered[title=Gas]")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_conflict_is_seen_settled_merged_and_undone(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    ours = opened(cast.ed, space, subject="Burn gas")
    lamp = page_at(cast.ed, space, "machinery/lamp")
    write(cast.ed, space, lamp, LAMP.format("gas"), ours["number"], title="Gas lamp")
    path = f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"

    def text() -> str:
        found = cast.ada.get(f"/v1/spaces/{space}/content/page/{lamp}", params={"format": "markdown"})
        return str(found.json()["markdown"])

    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        page.open(here(cast, path))
        page.wait_for_text("No conflicts", ".checks")
        write(cast.cleo, space, lamp, LAMP.format("coal"), title="Coal lamp")
        page.open(here(cast, path))
        page.wait_for_text("2 conflicts with the space", ".checks")
        page.click("[aria-haspopup=menu][aria-label=More]")
        choose(page, "Merge into the space")
        page.wait_for_text("It burns coal.", ".conflicts")
        page.wait_for_text("It burns gas.", ".conflicts")
        assert page.run("document.querySelector('dialog .button.main').disabled")
        assert faults(page) == []
        field = ".conflicts > li:nth-child({}) .version:nth-child({}) input"
        choice = f"document.querySelector('{field}').click()"
        page.run(choice.format(1, 1))
        page.wait_for_text("1 conflict is still to be decided", "dialog")
        assert page.run("document.querySelector('dialog .button.main').disabled")
        page.run(choice.format(2, 2))
        press(page, "Merge", "dialog .foot")
        page.wait_for_text("Merged", "main .badge")
        assert "It burns gas." in text()
        assert cast.ada.get(f"/v1/spaces/{space}/content/page/{lamp}").json()["title"] == "Coal lamp"
        assert faults(page) == []
        page.click("[aria-haspopup=menu][aria-label=More]")
        choose(page, "Undo the merge")
        page.wait_for_text("No conflicts", "dialog")
        press(page, "Undo", "dialog .foot")
        page.wait_for_text("Undone.", ".toasts")
        assert "It burns coal." in text()


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_conflicts_in_a_text_are_settled_passage_by_passage(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    lamp, text = page_at(cast.ed, space, "machinery/lamp"), LAMP + "\n## Oil\n\nIt comes from {}.\n"
    write(cast.ed, space, lamp, text.format("oil", "whales"))
    ours = opened(cast.ed, space, subject="Burn gas")
    write(cast.ed, space, lamp, text.format("gas", "pipes"), ours["number"])
    write(cast.cleo, space, lamp, text.format("coal", "mines"))
    with at_work(browser, cast.rhea, width=width, dark=width == DESKTOP) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"))
        page.wait_for_text("2 conflicts with the space", ".checks")
        page.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'm' }))")
        page.wait_for_text("Passage 2 of 2", ".conflicts")
        assert faults(page) == []
        page.run("document.querySelector('.conflicts input').focus()")
        page.press(" ")
        page.wait_for_text("1 conflict is still to be decided", "dialog")
        press(page, "Keep both, one after the other", ".conflicts fieldset:nth-of-type(2)")
        page.wait("document.querySelectorAll('.conflicts .version.taken').length === 3")
        assert faults(page) == []
        press(page, "Merge", "dialog .foot")
        page.wait_for_text("Merged", "main .badge")
    found = cast.ada.get(f"/v1/spaces/{space}/content/page/{lamp}", params={"format": "markdown"}).json()
    lines = [line for line in found["markdown"].splitlines() if line.startswith("It ")]
    assert lines == ["It burns coal.", "It comes from mines.", "It comes from pipes."]


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_conflict_is_settled_by_a_text_of_ones_own(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    lamp = page_at(cast.ed, space, "machinery/lamp")
    ours = opened(cast.ed, space, subject="Burn gas")
    write(cast.ed, space, lamp, LAMP.format("gas"), ours["number"])
    write(cast.cleo, space, lamp, LAMP.format("coal"))
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"))
        page.wait_for_text("1 conflict with the space", ".checks")
        page.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'm' }))")
        press(page, "Write it yourself", ".conflicts")
        page.wait(
            "document.querySelector('.conflicts textarea')?.value === 'It burns coal.\\nIt burns gas.\\n'"
        )
        assert faults(page) == []
        page.run("document.querySelector('.conflicts textarea').focus()")
        page.press("a", ctrl=True)
        page.type("It burns gas, and coal in winter.")
        press(page, "Merge", "dialog .foot")
        page.wait_for_text("Merged", "main .badge")
    found = cast.ada.get(f"/v1/spaces/{space}/content/page/{lamp}", params={"format": "markdown"}).json()
    assert found["markdown"] == LAMP.format("gas, and coal in winter")


def test_what_is_outdated_is_updated(browser: Browser, cast: Cast, space: str) -> None:
    ours = opened(cast.ed, space, subject="Burn gas")
    write(cast.cleo, space, page_at(cast.cleo, space, "notes"), "# Notes\n\nSince then.\n")
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"))
        page.wait_for_text("The space has changed since", "main")
        press(page, "Update", "main")
        page.wait_for_text("up to date", ".toasts")
        page.wait("!document.querySelector('main').innerText.includes('The space has changed since')")
        found = cast.ed.get(f"/v1/spaces/{space}/change-requests/{ours['number']}").json()
        assert found["outdated"] is False
