"""The settings of a page in the editor: what front matter holds, as fields."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import DESKTOP, STORY_WIDTHS, at_work, faults
from tests.browser.console.test_changes import press, put
from tests.browser.console.test_editor import MAIN, SOURCE, edit, settled, text_of
from tests.browser.console.test_site_look import pick
from tests.cast import Cast

PICTURE = "https://example.org/sea.jpg"
BOX = (
    "[...document.querySelectorAll('dialog .check')]"
    ".find((each) => each.innerText.trim() === '{}').querySelector('input')"
)


def settings(page: Page) -> None:
    """Open the settings of the page that is edited."""
    page.wait(f"!!{SOURCE}")
    press(page, "Page settings", "main")
    page.wait_for_text("Variables", "dialog[open]")


def saved(page: Page, cast: Cast, space: str) -> dict[str, Any]:
    """Close the settings, save, and return the page."""
    press(page, "Done", "dialog")
    page.click(MAIN)
    settled(page)
    found: dict[str, Any] = text_of(cast.ada, space)
    return found


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_cover_layout_and_variables_are_fields(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea, width=width, dark=width == DESKTOP) as page:
        edit(page, cast, space)
        settings(page)
        put(page, "Image URL", PICTURE)
        put(page, "Height in pixels", "240")
        press(page, "Headings beside the text", "dialog")
        press(page, "Add a variable", "dialog")
        put(page, "Name", "depth")
        put(page, "Value", "42")
        assert faults(page) == []
        made = saved(page, cast, space)
        assert (made["cover"]["ref"], made["cover"]["height"]) == ({"kind": "url", "url": PICTURE}, 240)
        assert (made["layout"]["outline"], made["layout"]["title"]) == (False, True)
        assert made["variables"] == {"depth": 42}
        page.open(page.run("location.href"))
        settings(page)
        fields = "[...document.querySelectorAll('dialog input')].map((each) => each.value)"
        assert {PICTURE, "240", "depth", "42"} <= set(page.run(fields))
        put(page, "Image URL", "")
        press(page, "Headings beside the text", "dialog")
        press(page, "Remove the variable depth", "dialog")
        made = saved(page, cast, space)
        assert made.keys().isdisjoint({"cover", "variables"})
        assert made["layout"]["outline"] is True


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_layout_is_chosen_by_its_name(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea, width=width, dark=width == DESKTOP) as page:
        edit(page, cast, space)
        settings(page)
        assert chosen(page, "Layout") == "Documentation"
        pick(page, "Layout", "landing", "dialog")
        assert not page.run(f"{BOX.format('Tree of pages')}.checked")
        assert faults(page) == []
        made = saved(page, cast, space)["layout"]
        hidden = {name for name, value in made.items() if value is False}
        assert hidden == {"tableOfContents", "outline", "pagination"}
        assert (made["coverSize"], made["width"]) == ("full", "wide")
        page.open(page.run("location.href"))
        settings(page)
        assert chosen(page, "Layout") == "Landing page"
        press(page, "Title", "dialog .page-part:has(.check)")
        page.wait(f"!{BOX.format('Title')}.checked")
        assert chosen(page, "Layout") == "As chosen below"
        pick(page, "Layout", "docs", "dialog")
        made = saved(page, cast, space).get("layout", {})
        assert False not in made.values()
        assert made.get("width", "default") == "default"


def chosen(page: Page, label: str) -> str:
    """The first words of what a select with this label stands on."""
    named = f"each.innerText.trim() === '{label}' && each.control?.matches('select')"
    script = f"[...document.querySelectorAll('dialog label')].find((each) => {named}).control"
    return str(page.run(f"{script}.selectedOptions[0].innerText")).partition(":")[0]
