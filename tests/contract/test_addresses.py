"""Every `urls.app` that the API answers opens its object in the console: for who may see it, after signing in
for who is signed out, and for who may not see it with a word on whom to ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from app.api.catalog import OPERATIONS
from tests import anonymous
from tests.browser.browser import Browser, chromium
from tests.browser.console.screens import at_work, faults
from tests.cast import Cast
from tests.contract.faces import SUCCESS, by_rest
from tests.contract.recipes import RECIPES

ID = re.compile(r"\b[0-9A-Za-z]{20}\b")
# An operation that answers each kind of object, and the form of its address.
KINDS = {
    "getOrganizationById": "/o/ID",
    "getCollectionById": "/o/ID/c/ID",
    "getSpaceById": "/o/ID/s/ID",
    "getPageById": "/o/ID/s/ID/*",
    "getSiteById": "/o/ID/site/ID",
    "getChangeRequestById": "/o/ID/s/ID/~/changes/N",
    "getRevisionById": "/o/ID/s/ID/~/revisions/ID",
    "getOpenAPISpecBySlug": "/o/ID/openapi/*",
    "getIntegrationByName": "/integrations/*",
    "getIntegrationInstallationById": "/o/ID/integrations/*",
    "getJobById": "/o/ID/jobs",
}
WHOM = "Ask an administrator of the organization."
OPERATION = {row.id: row for row in OPERATIONS}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser, each page of which has storage of its own."""
    with chromium() as started:
        yield started


def addresses(answer: Any) -> Iterator[str]:
    """Yield every `urls.app` in an answer, the outermost first."""
    if isinstance(answer, dict):
        urls = answer.get("urls")
        if isinstance(urls, dict) and "app" in urls:
            yield urls["app"]
        for each in answer.values():
            yield from addresses(each)
    elif isinstance(answer, list):
        for each in answer:
            yield from addresses(each)


def form(address: str) -> str:
    """Return the path of an address with what names objects left out."""
    path = ID.sub("ID", urlsplit(address).path)
    path = re.sub(r"(?<=/changes/)\d+", "N", path)
    return re.sub(r"(/o/ID/s/ID(?:/~/\w+/(?:N|ID))?|/openapi|/integrations)/(?!~)[^~]+$", r"\1/*", path)


def made(cast: Cast, operation: str) -> str:
    """Make an object and return its address in the console."""
    answer = by_rest(cast.ada, OPERATION[operation], RECIPES[operation](cast))
    assert answer.verdict == SUCCESS, answer.data
    return next(addresses(answer.data))


def test_every_form_of_address_is_that_of_a_kind(cast: Cast) -> None:
    forms: dict[str, str] = {}
    for row in OPERATIONS:
        if (
            row.method == "GET"
            and (answer := by_rest(cast.ada, row, RECIPES[row.id](cast))).verdict == SUCCESS
        ):
            forms |= {form(address): row.id for address in addresses(answer.data)}
    known = {
        *KINDS.values(),
        "/o/ID/invite/ID",
        "/o/ID/s/ID/~/changes/N/*",
        "/o/ID/s/ID/~/revisions/ID/*",
        "/o/ID/s/ID/~/comments",
        "/o/ID/s/ID/~/changes/N/~/comments",
    }
    assert {form: row for form, row in forms.items() if form not in known} == {}


@pytest.mark.parametrize("operation", KINDS)
def test_an_address_asks_who_is_signed_out_to_sign_in_and_comes_back(cast: Cast, operation: str) -> None:
    address = made(cast, operation)
    assert form(address) == KINDS[operation]
    answer = anonymous.get(address, follow_redirects=False)
    assert answer.status_code in (302, 303), answer.text
    to = urlsplit(answer.headers["location"])
    assert to.path == "/sign-in"
    assert parse_qs(to.query)["next"] == [urlsplit(address).path]


@pytest.mark.parametrize("operation", KINDS)
def test_an_address_opens_its_object_for_who_may_see_it_only(
    browser: Browser, cast: Cast, operation: str
) -> None:
    address = made(cast, operation)
    with at_work(browser, cast.ada) as page:
        page.open(address)
        page.wait_for("main h1")
        page.wait("!document.querySelector('[aria-busy], .bones')")
        assert "Not found" not in page.text("main")
        assert urlsplit(address).path.rstrip("/") in page.run("location.pathname")
    with at_work(browser, cast.sol) as page:
        page.open(address)
        page.wait_for_text("Not found", "h1")
        page.wait_for_text(WHOM, "main")
        assert faults(page) == []
        assert WHOM in page.text("main")  # what was asked meanwhile has not taken it away


def test_the_address_of_an_invite_is_a_page_for_everybody(cast: Cast) -> None:
    address = made(cast, "createOrganizationInvite")
    answer = anonymous.get(address)
    assert answer.status_code == 200
    assert "Join" in answer.text
