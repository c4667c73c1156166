"""What opens on the pages of a site, as axe sees it: search, drawer, menus, outline, the form of requests."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.axe import violations
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import DESKTOP, PHONE, SCREENS
from tests.factories import openapi
from tests.instance import Instance
from tests.reader.test_openapi import WRITTEN
from tests.rest.test_openapi_pages import placed
from tests.visitors import PAGES, PublishedSite

LOOKS: dict[str, Any] = {
    "header": {
        "links": [
            {"title": "Blog", "url": "https://example.org/blog"},
            {
                "title": "More",
                "url": "https://example.org",
                "links": [{"title": "Status", "url": "https://example.org/s"}],
            },
        ],
        "primaryLink": {"title": "Sign up", "url": "https://example.org/up"},
    },
    "announcement": {"message": "A new version is out."},
    "feedback": {"enabled": True},
    "assistants": {"links": [{"title": "An assistant", "url": "https://assistant.example/?q={url}"}]},
}


@pytest.fixture(scope="module")
def shown(instance: Instance) -> PublishedSite:
    """A site with everything that opens: languages, variants, sections in a group, links, an API."""
    cast = make.cast(instance)
    long = "# Long\n\n" + "".join(f"## Part {n}\n\nWords about it.\n\n" for n in range(6))
    summary = str(PAGES["SUMMARY.md"]) + "* [Long](long.md)\n* [API](api.md)\n"
    pages = {**PAGES, **WRITTEN, "long.md": long, "SUMMARY.md": summary}
    site = PublishedSite(cast, "New", "Old", "Neu", languages=["en", "en", "de"], files=pages)
    site.group("Learning", sections=[site.section("Tutorials")["id"]])
    assert cast.ada.put(f"{site.path}/customization", LOOKS).status_code == 200
    openapi.spec(cast, value=openapi.rich())
    placed(cast.ada, site.spaces[0])
    return site


def opened(page: Page, summary: str) -> None:
    """Open a menu by its title."""
    page.click(summary)
    page.wait_for(f"{summary} + ul a")


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_the_search_is_for_everybody(browser: Browser, shown: PublishedSite, width: int, dark: bool) -> None:
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{shown.url}/long")
        assert violations(page) == []
        page.click("[data-search]")
        page.wait_for("dialog.search input")
        assert violations(page, "dialog") == []
        page.type("part words")
        page.wait_for("dialog.search [role=option] mark")
        assert violations(page) == []


def test_a_search_that_finds_nothing_asks_what_is_missing(browser: Browser, shown: PublishedSite) -> None:
    with browser.page(width=PHONE) as page:
        page.open(f"{shown.url}/long")
        page.click("[data-search]")
        page.wait_for("dialog.search input")
        page.type("teapot")
        page.wait_for("dialog.search form.filled textarea")
        assert violations(page) == []
        page.click("dialog.search textarea")
        page.type("A page about teapots.")
        page.click("dialog.search form.filled button")
        page.wait_for_text("Thank you for your feedback.", within="dialog.search")
    [report] = shown.get("/page-feedback")["items"]
    assert (report["source"], report["query"], report["comment"]) == (
        "search",
        "teapot",
        "A page about teapots.",
    )


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_menus_are_for_everybody(browser: Browser, shown: PublishedSite, width: int, dark: bool) -> None:
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{shown.url}/long")
        for menu in (".languages", ".sections .menu", ".actions .menu"):
            opened(page, f"{menu} > summary")
            assert violations(page, menu) == [], menu
        if width == PHONE:
            page.click("nav.outline summary")
            page.wait_for("nav.outline a")
            assert violations(page, "nav.outline") == []
            page.click(".menu-button")
            page.wait_for(".side .close")
            assert violations(page) == []
        opened(page, ".variants > summary")
        assert violations(page, ".variants") == []
        if width == DESKTOP:
            opened(page, ".links .menu > summary")
            assert violations(page, ".top") == []


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_the_form_of_a_request_is_for_everybody(
    browser: Browser, shown: PublishedSite, width: int, dark: bool
) -> None:
    with browser.page(width=width, height=1400, dark=dark) as page:
        page.open(f"{shown.url}/api/pets/createpet")
        page.wait_for(".try > button")
        page.click(".try > button")
        page.wait_for(".trial")
        page.run("scrollTo({ top: 0, behavior: 'instant' })")  # out from under the head
        assert violations(page) == []


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_other_pages_are_for_everybody(
    browser: Browser, shown: PublishedSite, width: int, dark: bool
) -> None:
    with browser.page(width=width, dark=dark) as page:
        for address in (
            f"{shown.url}/nothing",
            f"{shown.url}/~/search?q=words",
            f"{shown.cast.instance.base}/sign-in",
            f"{shown.cast.instance.base}/docs/sites/createsite",
        ):
            page.open(address)
            assert violations(page) == [], address
            assert page.run("document.querySelector('main').offsetWidth") > 300, address
