"""The structure of a site in the console: what it shows, in which order, at which addresses."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_look import pick
from tests.browser.console.test_space import arrow, drag, focus
from tests.cast import Cast
from tests.factories.changes import new_page
from tests.factories.sites import ManagedSite, spaces
from tests.timing import TIMEOUT, until
from tests.visitors import SCHEMA, PublishedSite

NOTE_CHANGES = """
    window.asked = [];
    const really = window.fetch;
    window.fetch = (address, how) => {
        const name = JSON.parse(how?.body ?? "{}").operationName ?? "";
        if (/^(Sort|Update)/.test(name)) asked.push(name);
        return really(address, how);
    }; 0
"""
"""Notes the changes of a structure that the console asks for."""


def structure_of(cast: Cast, site: str) -> str:
    """Return the address of the structure of a site."""
    return here(cast, f"/o/{cast.organization}/site/{site}/structure")


def find_space(page: Page, title: str) -> None:
    """Choose a space in the dialog by typing a part of its title."""
    page.wait_for("dialog .finder input")
    page.run("document.querySelector('dialog .finder input').focus()")
    page.type(title)
    page.wait(
        f"document.querySelector('dialog .offered [role=option]')?.innerText.includes({json.dumps(title)})"
    )
    page.press("Enter")
    page.wait_for("dialog .finder .chosen")


def rows(page: Page) -> list[str]:
    """Return the rows of the tree as they read, indented by their level."""
    said = "[each.querySelector('.label'), each.querySelector('code')].map((part) => part?.innerText)"
    found: list[str] = page.run(
        "[...document.querySelectorAll('main [role=treeitem]')].map((each) =>"
        f" '  '.repeat(each.ariaLevel - 1) + {said}.filter(Boolean).join(' '))"
    )
    return found


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_sections_are_made_around_spaces_and_arranged_in_groups(
    browser: Browser, cast: Cast, width: int
) -> None:
    site = PublishedSite(cast)
    (changelog,) = spaces(cast, "Changelog")
    new_page(cast.ada, changelog, title="Version 2")
    cast.ada.put(f"{site.path}/adaptive-schema", {"jsonSchema": SCHEMA})
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(structure_of(cast, site.id))
        page.wait_for("main [role=treeitem]")
        assert faults(page) == []
        press(page, "New section")
        find_space(page, "Change")
        fill(page, "Title", "News")
        assert faults(page) == []
        press(page, "Add", "dialog")
        page.wait("document.querySelectorAll('main [role=treeitem]').length === 4")
        assert rows(page)[2:] == ["News /news", "  Changelog /news"]
        press(page, "New group")
        page.wait("!!document.activeElement.closest('dialog')")
        fill(page, "Title", "More")
        press(page, "Add", "dialog")
        page.wait("document.querySelectorAll('main [role=treeitem]').length === 5")
        press(page, "New link")
        page.wait("!!document.activeElement.closest('dialog')")
        fill(page, "Title", "Shop")
        fill(page, "Address", "https://example.org/shop")
        pick(page, "Group", site.get("/section-groups")["items"][0]["id"], "dialog")
        press(page, "Add", "dialog")
        page.wait("document.querySelectorAll('main [role=treeitem]').length === 6")
        assert rows(page)[4:] == ["More", "  Shop"]
        assert faults(page) == []
        page.run(NOTE_CHANGES)
        drag(page, "News /news", "More")
        until(lambda: len(site.get("/section-groups")["items"][0]["sections"]) == 1, "it is not in the group")
        page.wait("document.querySelectorAll('main [aria-level=\"3\"]').length === 1")
        assert rows(page)[2:] == ["More", "  Shop", "  News /news", "    Changelog /news"]
        assert page.run("asked") == ["SortSiteStructure"]
        page.click("main [aria-label='Actions for News']")
        choose(page, "Edit")
        page.wait("!!document.activeElement.closest('dialog')")
        fill(page, "Path", "latest")
        fill(page, "Condition", "visitor.claims.nothing")
        press(page, "Save", "dialog")
        page.wait_for("dialog .wrong")
        assert "nothing" in page.text("dialog .field .wrong")
        fill(page, "Condition", "")
        press(page, "Save", "dialog")
        page.wait("!document.querySelector('dialog')")
        page.wait_for_text("/latest", "main .tree")
    address = site.get("/sections")["items"][1]["urls"]["published"]
    assert address.endswith("/latest")
    assert httpx.get(address, timeout=TIMEOUT, follow_redirects=True).status_code == 200


def test_spaces_are_arranged_by_keyboard_hidden_and_removed(browser: Browser, cast: Cast) -> None:
    site = ManagedSite(cast, "English", "Deutsch", "Français")
    with at_work(browser, cast.cleo) as page:
        page.open(structure_of(cast, site.id))
        page.wait_for("main [role=treeitem]")
        assert rows(page) == ["English /", "Deutsch /deutsch", "Français /francais"]
        focus(page, "English / First")
        arrow(page, "down", alt=True)
        until(lambda: site.outline() == ["Deutsch", "English*", "Français"], "it is not moved")
        page.wait("document.activeElement.ariaLabel?.startsWith('English')")
        arrow(page, "right", alt=True)
        page.press("Enter")
        page.wait_for("dialog")
        page.press("Escape")
        page.wait("!document.querySelector('dialog')")
        page.click("main [aria-label='Actions for Deutsch']")
        choose(page, "Hide from visitors")
        page.wait_for_text("Hidden", "main .tree")
        assert site.get("/site-spaces")["items"][0]["draft"] is True
        page.click("main [aria-label='Actions for Français']")
        choose(page, "Show this space first")
        page.wait_for_text("/english", "main .tree")
        page.click("main [aria-label='Actions for Français']")
        choose(page, "Remove from the site")
        page.wait_for_text("The space itself stays", "dialog")
        press(page, "Remove from the site", "dialog")
        page.wait("document.querySelectorAll('main [role=treeitem]').length === 2")
        assert faults(page) == []


def test_a_space_moves_to_another_section_by_its_form(browser: Browser, cast: Cast) -> None:
    site = ManagedSite(cast)
    site.section("Guide")
    blog = site.section("Blog")["id"]
    (german,) = spaces(cast, "Deutsch")
    site.post("/site-spaces", {"spaceId": german})
    with at_work(browser, cast.ada, width=PHONE) as page:
        page.open(structure_of(cast, site.id))
        page.wait_for_text("/guide/deutsch", "main .tree")
        page.click("main [aria-label='Actions for Deutsch']")
        choose(page, "Edit")
        pick(page, "Section", blog, "dialog")
        page.wait(f"[...document.querySelectorAll('dialog select')].some((each) => each.value === '{blog}')")
        fill(page, "Path", "de")
        press(page, "Save", "dialog")
        page.wait_for_text("/blog/de", "main .tree")
        assert "/blog/deutsch" not in page.text("main .tree")


def test_a_section_moves_into_a_group_while_it_is_renamed(browser: Browser, cast: Cast) -> None:
    site = ManagedSite(cast)
    site.section("Guide")
    group = site.group("More")["id"]
    with at_work(browser, cast.ada) as page:
        page.open(structure_of(cast, site.id))
        page.wait_for_text("More", "main .tree")
        page.click("main [aria-label='Actions for Guide']")
        choose(page, "Edit")
        page.wait("!!document.activeElement.closest('dialog')")
        pick(page, "Group", group, "dialog")
        fill(page, "Title", "Manual")
        press(page, "Save", "dialog")
        page.wait("!document.querySelector('dialog')")
        page.wait_for_text("Manual", "main .tree")
        assert rows(page)[:2] == ["More", "  Manual /"]
    (section,) = site.get("/sections")["items"]
    assert (section["title"], section["sectionGroup"]) == ("Manual", group)


def test_readers_see_the_structure_and_change_nothing(browser: Browser, cast: Cast) -> None:
    site = ManagedSite(cast, "Guide")
    with at_work(browser, cast.ria) as page:
        page.open(structure_of(cast, site.id))
        page.wait_for("main [role=treeitem]")
        assert "New section" not in page.text("main")
        page.click("main [aria-label='Actions for Guide']")
        assert "Remove" not in page.text("main .sheet")
        page.press("Escape")
        assert faults(page) == []
