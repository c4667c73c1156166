"""Requests to an API, tried on a page of a site: sent by the reader's browser, to the API's servers alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.browser.accessibility import faults
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.factories import openapi
from tests.reader.test_openapi import WRITTEN
from tests.rest.test_openapi_pages import placed
from tests.visitors import PublishedSite

ALLOWED = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*, authorization",
    "access-control-allow-methods": "*",
}


@dataclass(slots=True)
class Received:
    """A request that the API was sent, its header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass(slots=True)
class Api:
    """An API of somebody else, and what it was asked."""

    base: str
    requests: list[Received] = field(default_factory=list)


@contextmanager
def serving(headers: dict[str, str]) -> Iterator[Api]:
    """Serve an API that answers everything with a pet, its name a piece of markup."""
    answer = json.dumps({"name": "<img src=x onerror=alert(1)>"}).encode()

    asked: list[Received] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            told = {name.lower(): value for name, value in self.headers.items()}
            asked.append(Received(self.command, self.path, told, body))
            self.send_response(201)
            for name, value in {**headers, "content-type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_OPTIONS = answer

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api = Api(f"http://127.0.0.1:{server.server_port}/v1", asked)
        Thread(target=server.serve_forever, daemon=True).start()
        yield api
        server.shutdown()


@pytest.fixture
def api() -> Iterator[Api]:
    """An API that lets every page ask it."""
    with serving(ALLOWED) as started:
        yield started


def shown(cast: Cast, *servers: str) -> PublishedSite:
    """A site with the pages of an API at these servers."""
    openapi.spec(cast, value={**openapi.rich(), "servers": [{"url": server} for server in servers]})
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0])
    return site


def tried(page: Page, site: PublishedSite, path: str) -> None:
    """Open the form of an operation."""
    page.open(f"{site.url}/{path}")
    page.wait_for(".try > button")
    page.click(".try > button")
    page.wait_for(".trial")
    assert not page.run("document.querySelector('.try > button').checkVisibility()"), "the form has its place"


def sends(page: Page) -> None:
    page.run("document.querySelector('.trial').requestSubmit()")


def test_a_request_is_sent_from_the_browser_with_what_was_typed(
    browser: Browser, cast: Cast, api: Api
) -> None:
    site = shown(cast, api.base)
    with browser.page(width=1440, height=1400) as page:
        tried(page, site, "api/pets/createpet")
        page.run("document.cookie = 'visitor=1'")
        page.run("document.querySelector('.trial input[type=password]').focus()")
        page.type("s3cret")
        assert faults(page) == []
        sends(page)
        page.wait_for_text("<img src=x", ".answer")
        assert "201" in page.text(".answer")
        assert page.run("document.querySelectorAll('.answer img').length") == 0
        asked = api.requests[-1]
        assert (asked.method, asked.path) == ("POST", "/v1/pets")
        assert asked.headers["authorization"] == "Bearer s3cret"
        assert json.loads(asked.body)["name"] == "Rex"
        assert {"cookie", "referer"} & asked.headers.keys() == set()
        ours = [sent for sent in page.requests if not sent.url.startswith(api.base)]
        assert [sent for sent in ours if "s3cret" in json.dumps([sent.url, sent.headers])] == []
        assert page.complaints == []
        tried(page, site, "api/pets/createpet")
        assert page.run("document.querySelector('.trial input[type=password]').value") == "s3cret"


def test_what_was_typed_for_one_server_is_not_offered_to_another(
    browser: Browser, cast: Cast, api: Api
) -> None:
    """Nor to the page of another site on the same host."""
    site = shown(cast, api.base, "https://other.example.org")
    with browser.page(width=1440, height=1400) as page:
        tried(page, site, "api/pets/createpet")
        page.run("document.querySelector('.trial input[type=password]').focus()")
        page.type("s3cret")
        page.run("document.activeElement.blur()")
        value = "document.querySelector('.trial input[type=password]').value"
        select = "const select = document.querySelector('.beside select')"
        choose = f"(() => {{ {select}; select.value = '%d'; select.dispatchEvent(new Event('change')); }})()"
        page.run(choose % 1)
        assert page.run(value) == ""
        assert "https://other.example.org/pets" in page.text(".samples")
        page.run(choose % 0)
        assert page.run(value) == "s3cret"
        other = PublishedSite(cast, files=WRITTEN)
        placed(cast.ada, other.spaces[0])
        tried(page, other, "api/pets/createpet")
        assert page.run(value) == ""


def test_the_language_of_samples_is_remembered(browser: Browser, cast: Cast, api: Api) -> None:
    site = shown(cast, api.base)
    with browser.page(width=1440) as page:
        page.open(f"{site.url}/api/pets/createpet")
        page.wait_for(".try > button")
        page.click(".samples label:nth-of-type(2)")
        page.open(f"{site.url}/api/pets/listpets")
        page.wait_for_text("import requests", ".samples")


def test_an_api_that_lets_no_page_ask_it_is_explained(browser: Browser, cast: Cast) -> None:
    with serving({}) as api:
        site = shown(cast, api.base)
        with browser.page(width=1440) as page:
            tried(page, site, "api/pets/listpets")
            sends(page)
            page.wait_for_text("does not allow requests from", ".trial")


def test_a_page_reaches_the_servers_of_its_api_and_no_others(browser: Browser, cast: Cast, api: Api) -> None:
    site = shown(cast, api.base)
    asks = "fetch('%s/pets', {credentials: 'omit'}).then((answer) => answer.status, () => 0)"
    with serving(ALLOWED) as other, browser.page(width=1440) as page:
        page.open(f"{site.url}/api/pets/listpets")
        assert page.run(asks % api.base) == 201
        assert page.run(asks % other.base) == 0
        assert page.run(asks % api.base.replace("/v1", "/v2")) == 0
        page.open(site.url)
        assert page.run(asks % api.base) == 0
        assert other.requests == []


def test_what_is_missing_is_said_before_anything_is_sent(browser: Browser, cast: Cast, api: Api) -> None:
    site = shown(cast, api.base)
    with browser.page(width=1440) as page:
        tried(page, site, "api/pets/getpet")
        sends(page)
        page.wait_for_text("Fill in petId.", ".trial")
        assert api.requests == []
        page.type("a/b?c")
        sends(page)
        page.wait_for_text("201", ".answer")
        assert api.requests[-1].path == "/v1/pets/a%2Fb%3Fc"


def test_without_a_server_that_can_be_reached_nothing_is_tried(browser: Browser, cast: Cast) -> None:
    site = shown(cast, "http://api.example.org")
    with browser.page(width=1440) as page:
        page.open(f"{site.url}/api/pets/listpets")
        page.wait_for(".try > button")
        page.click(".try > button")
        page.wait_for_text("over HTTPS", ".try")
