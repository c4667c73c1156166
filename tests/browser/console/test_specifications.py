"""The OpenAPI specifications of an organization in the console."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_structure import find_space
from tests.cast import Cast
from tests.factories import openapi
from tests.local_server import Neighbour, sent


def screen(cast: Cast, tail: str = "") -> str:
    """The address of the specifications, or of one."""
    return here(cast, f"/o/{cast.organization}/openapi{tail}")


def paste(page: Page, value: dict[str, Any]) -> None:
    """Write a specification into the dialog that is open."""
    press(page, "Paste a text", "dialog")
    page.wait_for("dialog textarea")
    page.run(
        "(({ area, text }) => (area.value = text, area.dispatchEvent(new Event('input', { bubbles: true }))))"
        f"({{ area: document.querySelector('dialog textarea'), text: {json.dumps(openapi.as_text(value))} }})"
    )


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_pasted_specification_is_read_shown_in_a_space_and_compared(
    browser: Browser, cast: Cast, width: int
) -> None:
    space = make.space(cast.ada, cast.organization, title="Kennel handbook")["id"]
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(screen(cast))
        page.wait_for_text("There are no specifications yet.", "main")
        assert faults(page) == []
        press(page, "New specification", "header")
        page.wait_for("dialog[open]")
        fill(page, "Name", "Not a name")
        paste(page, openapi.document())
        press(page, "Create", "dialog")
        page.wait_for("dialog .wrong")  # the server says what a name may be
        assert faults(page) == []
        fill(page, "Name", "kennel")
        press(page, "Create", "dialog")
        page.wait_for_text("newest", "main")  # it is read without anybody loading the page again
        page.wait_for_text("No space shows this specification.", "main")
        assert faults(page) == []
        press(page, "Show in a space")
        find_space(page, "Kennel")
        press(page, "Insert", "dialog")
        page.wait_for_text("Kennel handbook", "main .list")
        assert cast.ada.get(f"/v1/spaces/{space}/content/path/api-reference").status_code == 200
        later = openapi.document()
        later["paths"]["/lamps"] = {"get": {"responses": {"200": {"description": "Lamps."}}}}
        openapi.spec(cast, "kennel", later)
        page.open(screen(cast, "/kennel"))
        page.wait_for_text("What changed", "main")
        press(page, "What changed")
        page.wait_for_text("GET /lamps", ".spec-added")
        assert faults(page) == []
        page.click(".bar-top .menu button")
        choose(page, "Delete specification")
        page.wait_for_text("its pages in 1 space", "dialog")
        press(page, "Delete", "dialog")
        page.wait_for_text("There are no specifications yet.", "main")


def test_a_failed_reading_says_why_and_is_repeated(
    browser: Browser, cast: Cast, neighbour: Neighbour
) -> None:
    address = f"{neighbour.base}/kennel.yaml"
    body = {"slug": "kennel", "source": {"url": address}}
    assert cast.ada.post(f"/v1/orgs/{cast.organization}/openapi", body).status_code == 201
    with at_work(browser, cast.ada) as page:
        page.open(screen(cast, "/kennel"))
        page.wait_for_text("The address could not be read.", "main")
        assert faults(page) == []
        neighbour.shows("/kennel.yaml", sent(openapi.as_text(openapi.document())))
        press(page, "Refresh now", "header")
        page.wait_for_text("newest", "main")
    with at_work(browser, cast.ria) as page:
        page.open(screen(cast, "/kennel"))
        page.wait_for_text("newest", "main")
        assert "Refresh now" not in page.text("body")
