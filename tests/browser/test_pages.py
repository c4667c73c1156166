"""The reference page and the GraphQL editor in a real browser, and the files they are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import httpx
import pytest

from app.web.pages import ASSETS, version
from tests.browser.accessibility import faults
from tests.browser.browser import Browser, Page
from tests.timing import TIMEOUT, until

PHONE, DESKTOP = 390, 1280
PAGES = {"/docs": "Docyard API reference", "/graphql": "Docyard GraphiQL"}
EDITOR = ".graphiql-query-editor .CodeMirror"
REFERENCE = ("", "/sites", "/sites/createsite", "/models", "/models/site")
ANSWER = ".graphiql-response"
HTML = {"Accept": "text/html"}


class Served(Protocol):
    """A running server and a token that may read its organizations."""

    base: str
    token: str


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.base, trust_env=False, timeout=TIMEOUT, headers=HTML) as opened:
        yield opened


def show(page: Page, served: Served, path: str) -> None:
    """Open one of the two pages and wait until it is there."""
    page.open(served.base + path)
    page.wait_for(EDITOR if path == "/graphql" else "main")


def is_well_behaved(page: Page, served: Served) -> None:
    assert page.outside(served.base) == []
    assert page.complaints == []


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_stays_at_home_and_fits_the_screen(
    browser: Browser, served: Served, path: str, dark: bool
) -> None:
    """In both themes, which a page reads as it opens, and at both widths, which may change at any time."""
    with browser.page(width=PHONE if dark else DESKTOP, dark=dark) as page:
        show(page, served, path)
        assert page.run("document.title") == PAGES[path]
        for width in (PHONE, DESKTOP) if dark else (DESKTOP, PHONE):
            page.resize(width)
            page.wait(f"document.documentElement.scrollWidth <= {width}")
        background = page.run("getComputedStyle(document.body).backgroundColor")
        assert (sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 300) is dark
        is_well_behaved(page, served)


@pytest.mark.parametrize("path", REFERENCE)
@pytest.mark.parametrize(("width", "dark"), [(PHONE, True), (1440, False)])
def test_the_reference_is_for_everybody(
    browser: Browser, served: Served, path: str, width: int, dark: bool
) -> None:
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{served.base}/docs{path}")
        assert faults(page) == []
        assert page.run("document.documentElement.scrollWidth") == width
        is_well_behaved(page, served)


def test_operations_are_found_as_somebody_types(browser: Browser, served: Served) -> None:
    with browser.page() as page:
        show(page, served, "/docs")
        page.press("/")
        page.wait_for("dialog.search input[type=search]")
        page.type("get authenticated")
        page.wait_for_text("Get authenticated user", "dialog.search")
        page.press("Enter")
        page.wait("location.pathname.endsWith('/docs/organizations-and-invites/getauthenticateduser')")
        page.wait_for_text("/user", ".api")
        is_well_behaved(page, served)


def test_a_request_tried_in_the_reference_carries_the_token(browser: Browser, served: Served) -> None:
    with browser.page() as page:
        page.open(f"{served.base}/docs/organizations-and-invites/getauthenticateduser")
        page.click(".try > button")
        page.run("document.querySelector('.trial input[type=password]').focus()")
        page.type(served.token)
        page.run("document.querySelector('.trial').requestSubmit()")
        page.wait_for_text("displayName", ".answer")
        tried = [sent for sent in page.requests if sent.url == f"{served.base}/v1/user"][-1]
        assert tried.headers["authorization"] == f"Bearer {served.token}"
        assert "cookie" not in tried.headers
        is_well_behaved(page, served)


def test_a_typed_query_runs_with_the_token(browser: Browser, served: Served) -> None:
    with browser.page() as page:
        show(page, served, "/graphql")
        page.click("#token")
        page.type(served.token)
        page.press("Tab")
        page.click(EDITOR)
        page.wait(f"document.querySelector({json.dumps(EDITOR)}).contains(document.activeElement)")
        page.press("a", ctrl=True)
        page.type("{ mine: me { organizations { nodes { id } } } }")
        page.press("Enter", ctrl=True)
        page.wait_for_text('"mine"', within=ANSWER)
        assert '"id"' in page.text(ANSWER)
        assert '"errors"' not in page.text(ANSWER)
        asked = [sent for sent in page.requests if sent.method == "POST"][-1]
        assert asked.headers["authorization"] == f"Bearer {served.token}"
        is_well_behaved(page, served)


def with_token(page: Page, served: Served) -> None:
    """Open the editor, give it the token and wait until it knows the schema."""
    show(page, served, "/graphql")
    page.click("#token")
    page.type(served.token)
    page.press("Tab")
    page.click("button[aria-label='Show Documentation Explorer']")
    page.wait_for_text("subscription", within=".graphiql-doc-explorer")


def write(page: Page, text: str) -> None:
    """Replace what is in the editor."""
    page.click(EDITOR)
    page.wait(f"document.querySelector({json.dumps(EDITOR)}).contains(document.activeElement)")
    page.press("a", ctrl=True)
    page.type(text)


def test_the_editor_knows_the_schema_and_completes_fields(browser: Browser, served: Served) -> None:
    with browser.page() as page:
        with_token(page, served)
        write(page, "{ rateL")
        page.press(" ", ctrl=True)
        page.wait_for_text("rateLimit", within=".CodeMirror-hints")
        page.press("Enter")
        page.wait(f"document.querySelector({json.dumps(EDITOR)}).CodeMirror.getValue().includes('rateLimit')")
        is_well_behaved(page, served)


def test_the_editor_shows_errors(browser: Browser, served: Served) -> None:
    with browser.page() as page:
        with_token(page, served)
        write(page, '{ space(id: "nothing") { title } }')
        page.press("Enter", ctrl=True)
        page.wait_for_text("NOT_FOUND", within=ANSWER)
        write(page, "{ isNoField }")
        page.wait_for(".CodeMirror-lint-mark-error")
        page.press("Enter", ctrl=True)
        page.wait_for_text("GRAPHQL_INVALID", within=ANSWER)
        is_well_behaved(page, served)


def test_the_editor_runs_a_subscription_until_it_is_stopped(
    browser: Browser, served: Served, client: httpx.Client
) -> None:
    own = {"Authorization": f"Bearer {served.token}", "Accept": "application/json"}
    organization = client.get("/v1/orgs", headers=own).json()["items"][0]["id"]
    path = f"/v1/orgs/{organization}/spaces"
    space = client.post(path, headers=own, json={"title": "Before"}).json()["id"]
    with browser.page() as page:
        with_token(page, served)
        write(page, f'subscription {{ spaceChanged(space: "{space}") {{ space {{ title }} }} }}')
        page.press("Enter", ctrl=True)
        stop = "button[aria-label^='Stop query']"
        page.wait_for(stop)
        for title in ("Once", "Twice"):
            until(partial(_told, client, own, page, space, title), f"{title} is not told")
        page.click(stop)
        page.wait_for("button[aria-label^='Execute query']")
        is_well_behaved(page, served)


def _told(client: httpx.Client, own: dict[str, str], page: Page, space: str, title: str) -> bool:
    """Rename a space, and tell whether the editor shows that: it may not be connected yet."""
    client.patch(f"/v1/spaces/{space}", headers=own, json={"title": title})
    return f'"{title}"' in page.text(ANSWER)


def test_the_first_query_is_ready_and_nothing_is_sent_without_a_token(
    browser: Browser, served: Served
) -> None:
    with browser.page() as page:
        show(page, served, "/graphql")
        shown = page.text(EDITOR)
        assert "# Paste a token" in shown
        assert "organizations" in shown
        page.click(".graphiql-execute-button")
        page.wait_for_text("nothing is sent without one", within=ANSWER)
        assert [sent for sent in page.requests if sent.method == "POST"] == []


def test_the_token_outlives_a_reload_but_is_never_kept_on_disk(browser: Browser, served: Served) -> None:
    with browser.page() as page:
        show(page, served, "/graphql")
        page.click("#token")
        page.type(served.token)
        page.press("Enter")
        page.click(".graphiql-execute-button")
        page.wait_for_text('"data"', within=ANSWER)
        show(page, served, "/graphql")
        page.wait(f"document.querySelector('#token').value === {json.dumps(served.token)}")
        assert served.token not in page.run("JSON.stringify(localStorage) + document.cookie + location.href")


def test_a_page_that_reaches_out_is_noticed(browser: Browser, served: Served) -> None:
    reach_out = "fetch('http://outside.invalid/').then(() => 'reached', () => 'refused')"
    with browser.page() as page:
        assert page.run(reach_out) == "refused"
        assert page.outside(served.base) == ["http://outside.invalid/"]


@pytest.mark.parametrize("path", PAGES)
def test_the_content_policy_refuses_what_is_not_ours(browser: Browser, served: Served, path: str) -> None:
    with browser.page() as page:
        show(page, served, path)
        page.run("fetch('http://outside.invalid/').catch(() => null)")
        page.run(
            "document.body.append(Object.assign(document.createElement('script'), {text: 'let_in = 1'}))"
        )
        assert page.run("typeof let_in") == "undefined"
        page.wait_for_complaint("connect-src 'self'")
        page.wait_for_complaint("script-src 'self'")


def test_the_editor_names_only_relative_addresses_of_bundled_files(client: httpx.Client) -> None:
    answer = client.get("/graphql")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    addresses = re.findall(r'(?:src|href)="([^"]*)"', answer.text)
    bundled = [address.removeprefix(f"static/{version()}/") for address in addresses if "static/" in address]
    assert len(bundled) >= 4
    assert set(bundled) <= set(ASSETS)
    assert not [address for address in addresses if address.startswith("/") or ":" in address]


@pytest.mark.parametrize("name", ASSETS)
def test_a_bundled_file_may_be_kept_for_good_under_its_version(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/static/{version()}/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == ASSETS[name]
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"
    unzipped = client.get(f"/static/{version()}/{name}", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in unzipped.headers
    assert unzipped.content == answer.content == (files("app") / "static" / name).read_bytes()


def test_a_file_of_another_version_is_served_but_not_kept(client: httpx.Client) -> None:
    answer = client.get("/static/000000000000/graphiql.js")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "graphiql",
        "graphiql/",
        "graphiql.html",
        "../rest/pages.py",
        "%2e%2e/py.typed",
        "..%2fpy.typed",
        "a%00b",
    ],
)
def test_nothing_else_is_served(client: httpx.Client, name: str) -> None:
    assert client.get(f"/static/{version()}/{name}").status_code == 404


def test_every_file_in_the_folder_is_a_page_or_bundled() -> None:
    folder = Path(str(files("app") / "static"))
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {*ASSETS, "graphiql.html"}
