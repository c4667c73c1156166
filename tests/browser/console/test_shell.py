"""The console's shell: signing in, finding one's way, appearance, language, what goes wrong."""

from __future__ import annotations

import gzip
import json
import re
from html import unescape
from pathlib import Path

import pytest

from app.access.context import Context
from app.console import assets
from app.domain.accounts import sessions
from tests import anonymous, make
from tests.browser.browser import Browser
from tests.browser.console.screens import (
    PHONE,
    WIDTHS,
    at_work,
    choose,
    faults,
    here,
    session_of,
    sign_in,
)
from tests.cast import Cast
from tests.visitors import PublishedSite

FIRST_SCREEN = 120_000  # bytes, compressed
# Notes which documents are asked for, and whether the console has drawn nothing then.
ASKED = """
window.asked = [];
const send = window.fetch;
window.fetch = (address, options) => {
    const name = String(address).endsWith("/graphql") && JSON.parse(options.body).operationName;
    if (name) asked.push([name, !document.querySelector("#console > .shell:not([aria-hidden])")]);
    return send(address, options);
};"""


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with pages."""
    return make.filled_space(cast)


@pytest.mark.parametrize("width", WIDTHS)
def test_somebody_looks_around(browser: Browser, cast: Cast, space: str, width: int) -> None:
    title = cast.ada.get(f"/v1/spaces/{space}").json()["title"]
    with at_work(browser, cast.ed, width=width, dark=width == PHONE) as page:
        page.open(here(cast, "/"))
        page.wait_for_text("Hello, Ed", "h1")
        page.wait_for_text(title, "main")
        assert faults(page) == []
        page.click(f"main a[href$='/s/{space}']")
        page.wait(f"location.pathname.endsWith('/s/{space}')")
        page.wait_for("iframe.rendered")
        page.wait("document.querySelector('iframe').getBoundingClientRect().height !== 320")
        assert faults(page) == []
        page.run("history.back()")
        page.wait_for_text("Hello, Ed", "h1")
        assert page.outside(cast.instance.base) == []


def test_nobody_is_sent_to_sign_in_and_back(browser: Browser, cast: Cast, space: str) -> None:
    path = f"/o/{cast.organization}/s/{space}"
    with browser.page() as page:
        page.go(here(cast, f"{path}?x=1"))
        page.wait("location.pathname === '/sign-in'")
        assert page.run("new URLSearchParams(location.search).get('next')") == f"{path}?x=1"
        sign_in(page, cast.ed)
        page.go(page.run("location.href"))
        page.wait(f"location.pathname === '{path}'")


def test_the_first_page_names_sites_that_anybody_may_visit(browser: Browser, cast: Cast) -> None:
    PublishedSite(cast, title="Lighthouse keeping", visibility="public")
    PublishedSite(cast, title="Members only", visibility="unlisted")
    with browser.page(width=PHONE) as page:
        page.open(here(cast, "/"))
        page.wait_for_text("Lighthouse keeping")
        assert "Members only" not in page.text()
        assert faults(page) == []
        page.click("nav a.main")
        page.wait("location.pathname === '/sign-in'")


def test_a_session_that_ends_asks_for_another_and_goes_on(browser: Browser, cast: Cast, space: str) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/"))
        page.wait_for(f"main a[href$='/s/{space}']")  # else the screen itself asks, and shows no link
        cast.instance.inside(lambda cx: _end_all(cx, cast.ed.id))
        page.click(f"main a[href$='/s/{space}']")
        page.wait_for_text("Your session has ended", "dialog")
        sign_in(page, cast.ed)
        page.run("dispatchEvent(new Event('focus'))")
        page.wait_for("iframe.rendered")


def test_the_palette_finds_pages_spaces_people_and_commands(browser: Browser, cast: Cast, space: str) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}"))
        page.wait_for_text("Content", ".crumbs")
        for words, found in (("Rhea", "Rhea"), ("wick", "The lamp"), ("Home", "Home")):
            page.run("document.body.focus()")
            page.press("/")
            page.wait_for("dialog.palette input")
            page.type(words)
            page.wait_for_text(found, "dialog.palette [role=listbox]")
            if words == "wick":
                assert faults(page) == []
            page.press("Escape")
            page.wait("!document.querySelector('dialog.palette')")


def test_german_and_a_chosen_appearance_are_remembered(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/"))
        page.wait_for_text("Hello, Ed", "h1")
        page.click(".side > .bottom .switch")
        choose(page, "Dark")
        page.wait("document.documentElement.dataset.appearance === 'dark'")
        page.click(".side > .bottom .switch")
        choose(page, "Deutsch")
        page.wait_for_text("Hallo, Ed", "h1")
        assert (
            page.run("document.documentElement.lang + document.documentElement.dataset.appearance")
            == "dedark"
        )


def test_a_link_without_permission_says_whom_to_ask(browser: Browser, cast: Cast, space: str) -> None:
    with at_work(browser, cast.sol) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Not found", "h1")
        page.wait_for_text("Ask an administrator")
        assert faults(page) == []


def test_a_lost_connection_is_told_and_comes_back(browser: Browser, cast: Cast, space: str) -> None:
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, f"/o/{cast.organization}"))
        page.wait_for_text("Content", ".crumbs")
        page.call("Network.emulateNetworkConditions", offline=True, **offline)
        page.click("main a.card")  # asks the server for something
        page.wait_for_text("No connection", ".banner")
        page.call("Network.emulateNetworkConditions", offline=False, **offline)
        page.wait("!document.querySelector('.banner')")


def test_two_people_see_a_change_at_once(browser: Browser, cast: Cast, space: str) -> None:
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for("iframe.rendered")
        cast.ada.patch(f"/v1/spaces/{space}", {"title": "Renamed by Ada"})
        page.wait_for_text("Renamed by Ada", ".crumbs")


def test_the_first_screen_is_small(cast: Cast) -> None:
    answer = anonymous.get(here(cast, "/"), cookies={"docyard_session": session_of(cast.ed)})
    shell, files = answer.text, assets.current()
    preloaded = re.findall(rf'/console/{files.version}/([\w./-]+)"', shell)
    home = [name for name in files.modules("home/home.js") if name not in preloaded]
    names = [*dict.fromkeys([*preloaded, *home])]
    assert {"main.js", "style.css", "vendor/preact.js", "texts/en.js"} <= set(names)
    assert sum(len(gzip.compress(files.files[name], 9)) for name in names) + len(shell) <= FIRST_SCREEN


@pytest.mark.parametrize(
    ("path", "most"),
    [("s/x", 110_000), ("site/x", 110_000), ("people", 110_000), ("s/x/~/changes/1", 112_000)],
)
def test_a_screen_loads_only_what_it_shows_first(path: str, most: int) -> None:
    files = assets.current()
    screen = files.screen(f"/o/x/{path}")
    assert screen is not None
    names = {*files.modules(assets.ENTRY), *files.modules(screen), "texts/en.js", assets.STYLES}
    assert sum(len(files.zipped(name)) for name in names) <= most
    assert not names & {"comments/threads.js", "space/export.js", "sites/look.js", "audit/audit.js"}


def test_the_shell_can_be_read_before_its_scripts_are_there(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.call("Network.setBlockedURLs", urls=["*.js"])
        page.open(here(cast, "/"))
        page.wait_for_text("Docyard", ".bar-top")
        assert page.run("document.querySelectorAll('.bones i').length")
        assert not [each for each in page.complaints if "Content Security Policy" in each]


def test_what_a_screen_asks_first_is_asked_once_and_before_its_scripts(
    browser: Browser, cast: Cast, space: str
) -> None:
    own = f"/o/{cast.organization}"
    title = cast.ada.get(f"/v1/spaces/{space}").json()["title"]
    screens = {
        own: (["OrganizationContent"], "Content"),
        f"{own}/people": (["People"], "People"),
        f"{own}/s/{space}": (["Space", "SpaceTree"], title),
        f"{own}/s/{space}/notes": (["Space", "SpaceTree", "SpacePage"], "Notes"),
        f"{own}/s/{space}/~/edit/notes": (["Space", "EditedPage"], "Notes"),
    }
    for path, (names, shown) in screens.items():
        with at_work(browser, cast.ada) as page:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=ASKED)
            page.open(here(cast, path))
            page.wait_for_text(shown, ".crumbs")
            page.wait("!document.querySelector('.bones')")
            asked = page.run("asked")
            assert [name for name, early in asked if early] == ["Session", *names], path
            assert sorted(name for name, _ in asked if name in {"Session", *names}) == sorted(
                ["Session", *names]
            )


def test_what_is_asked_first_names_routes_and_documents() -> None:
    files = assets.current()
    known = files.files["routes.js"].decode()
    for route, documents in json.loads(files.files["first_queries.json"]).items():
        assert f'["{route}", ' in known
        for name, variables in documents.items():
            assert f"  {name}: " in files.files["api/documents.js"].decode()
            parts = {value[1:] for value in variables.values() if str(value).startswith(":")}
            assert parts <= set(re.findall(r"/[:*](\w+)", route))


def test_a_path_with_other_letters_is_asked_as_the_screen_asks(cast: Cast, space: str) -> None:
    shell = anonymous.get(
        here(cast, f"/o/{cast.organization}/s/{space}/caf%C3%A9%20bar/x"),
        cookies={"docyard_session": session_of(cast.ada)},
    ).text
    found = re.search(r'name="docyard-first" content="([^"]*)"', shell)
    assert found
    asked = {each["operationName"]: each["variables"] for each in json.loads(unescape(found[1]))}
    assert asked["SpacePage"] == {"space": space, "path": "café bar/x"}


def test_files_are_kept_for_good_under_their_version(cast: Cast) -> None:
    version = assets.current().version
    kept = anonymous.get(here(cast, f"/console/{version}/main.js"))
    assert (kept.status_code, kept.headers["content-encoding"]) == (200, "gzip")
    assert "immutable" in kept.headers["cache-control"]
    assert anonymous.get(here(cast, "/console/before/main.js")).headers["cache-control"] == "no-cache"
    for name in ("../pages.py", "vendor/preact.d.ts", "nothing.js", "texts/en/shell.json"):
        assert anonymous.get(here(cast, f"/console/{version}/{name}")).status_code == 404


def test_the_shell_is_kept_by_nobody_and_the_frame_has_no_origin(cast: Cast) -> None:
    shell = anonymous.get(here(cast, "/"), cookies={"docyard_session": session_of(cast.ed)})
    assert "data-base" in shell.text
    assert shell.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in shell.headers["content-security-policy"]
    policies = [
        dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
        for policy in anonymous.get(here(cast, "/console/frame"))
        .headers["content-security-policy"]
        .split(",")
    ]
    allowed = set(policies[0]["sandbox"].split())
    assert allowed == {"allow-scripts", "allow-popups", "allow-popups-to-escape-sandbox"}
    assert policies[0]["frame-ancestors"] == "'self'"


async def _end_all(cx: Context, user: str) -> None:
    await sessions.end_all(cx, user)


def test_all_languages_have_all_texts() -> None:
    languages = [assets.STATIC / "texts" / language for language in ("en", "de")]
    known = [
        {key for path in each.glob("*.json") for key in json.loads(path.read_text(encoding="utf-8"))}
        for each in languages
    ]
    assert known[0] == known[1], sorted(known[0] ^ known[1])


def _texts(path: Path) -> list[str]:
    return list(json.loads(path.read_text(encoding="utf-8")))
