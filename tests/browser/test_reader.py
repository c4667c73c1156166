"""A published site in a real browser: read, searched, darkened, on a phone and a desk, by those let in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.browser.accessibility import faults
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.instance import Instance
from tests.reader.test_hostile import PAYLOADS
from tests.scale import scaled
from tests.visitors import PAGES, PublishedSite, token

PHONE, DESKTOP = 390, 1280
WIDTHS = (PHONE, 800, DESKTOP, 2200)
SCREENS = [(width, width in (PHONE, DESKTOP)) for width in WIDTHS]
SCREENS += scaled([], full=[(width, not dark) for width, dark in SCREENS])
TOUCH = "for (const each of document.querySelectorAll('main *')) each.dispatchEvent(new Event('mouseover'))"
SAMPLES = Path(__file__).parent.parent / "reader" / "samples.txt"
LOOKS: dict[str, Any] = {
    "styling": {"primaryColor": {"light": "#ffcc00", "dark": "#222266"}},
    "header": {
        "links": [{"title": "Blog", "url": "https://example.org/blog"}],
        "primaryLink": {"title": "Sign up", "url": "https://example.org/up"},
    },
    "footer": {"groups": [{"title": "More", "links": [{"title": "Status", "url": "https://example.org/s"}]}]},
    "announcement": {"message": "A new version is out."},
}


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site of the test's own."""
    return whole(cast)


@pytest.fixture(scope="module")
def shown(instance: Instance) -> PublishedSite:
    """A site for tests that look at it."""
    return whole(make.cast(instance))


def whole(cast: Cast) -> PublishedSite:
    """A site with sections, a group, variants, and a page with every block."""
    blocks = [sample.partition("\n-->\n")[0] for sample in SAMPLES.read_text().split("\n=====\n")]
    files = {name: make.picture(30, 20) for name in ("shot.png", "dark.png")}
    everything = {"everything.md": "# Everything\n\n## All blocks\n\n" + "\n\n".join(blocks) + "\n"}
    summary = str(PAGES["SUMMARY.md"]) + "* [Everything](everything.md)\n"
    site = PublishedSite(cast, "Handbook", files={**PAGES, **files, **everything, "SUMMARY.md": summary})
    made = site.section("Tutorials")
    site.section("Changes")
    site.group("Learning", sections=[made["id"]])
    answer = cast.ada.put(f"{site.path}/customization", LOOKS)
    assert answer.status_code == 200, answer.text
    return site


def is_well_behaved(page: Page, site: PublishedSite) -> None:
    assert faults(page) == []
    assert page.complaints == []
    assert page.outside(site.cast.instance.settings.sites_base) == []


@pytest.mark.parametrize("path", ["", "/guide/install", "/everything", "/~/search?q=installer"])
@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_a_page_is_for_everybody(
    browser: Browser, shown: PublishedSite, path: str, width: int, dark: bool
) -> None:
    with browser.page(width=width, dark=dark) as page:
        page.open(shown.url + path)
        is_well_behaved(page, shown)


def test_no_anchor_keeps_a_page_from_working(browser: Browser, site: PublishedSite) -> None:
    heads = '## Half <a href="#50%" id="50%"></a>\n\nx\n\n## Whole\n'
    site.page(title="Halves", document={"markdown": heads})
    with browser.page() as page:
        page.open(f"{site.url}/halves")
        page.click(".outline a")
        page.wait("document.querySelector(':target')?.id === '50%'")
        page.click(".search-button")
        page.wait_for("dialog.search input")
        is_well_behaved(page, site)


def test_the_theme_is_switched_and_remembered(browser: Browser, site: PublishedSite) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with browser.page() as page:
        page.open(site.url)
        light = page.run(ground)
        page.click("[data-switch]")
        page.wait(f"{ground} !== {json.dumps(light)}")
        assert faults(page) == []
        page.open(f"{site.url}/guide")
        assert page.run("document.documentElement.dataset.theme") == "dark"
        assert page.run(ground) != light
        page.click("[data-switch]")
        page.wait(f"{ground} === {json.dumps(light)}")


def test_search_answers_as_it_is_typed_and_is_used_by_keyboard(browser: Browser, site: PublishedSite) -> None:
    with browser.page() as page:
        page.open(site.url)
        page.press("/")
        page.wait_for("dialog.search input")
        page.type("installer")
        page.wait_for_text("Run the installer.", within="dialog.search")
        assert page.run("document.querySelector('dialog [aria-selected=true]').innerText").startswith(
            "Install"
        )
        assert page.run("document.querySelector('dialog mark').innerText") == "installer"
        is_well_behaved(page, site)
        page.press("Enter")
        page.wait_for_text("Run the installer.", within="main")
        assert page.run("location.pathname").endswith("/guide/install")


def test_what_a_search_finds_is_inert(browser: Browser, cast: Cast) -> None:
    payload = "<img src=x onerror=alert(1)> <script>alert(1)</script> harmless"
    site = PublishedSite(cast, files={"README.md": f"# Start\n\n`{payload}`\n"})
    with browser.page() as page:
        page.open(site.url)
        page.click("[data-search]")
        page.type("harmless")
        page.wait_for_text("onerror=alert(1)", within="dialog.search")
        assert page.run("document.querySelectorAll('dialog img, dialog script').length") == 0
        is_well_behaved(page, site)


@pytest.mark.parametrize("name", ["hostile.md", "hostile-tags.md"])
def test_nothing_runs_that_people_wrote(browser: Browser, cast: Cast, name: str) -> None:
    template = (SAMPLES.parent / name).read_text()
    files: dict[str, str | bytes] = {"README.md": "# Start\n"}
    for number, payload in enumerate(PAYLOADS):
        said = payload.replace("alert(1)", "fetch('/hacked')").replace("\ud800", "").replace("\x00", "")
        markdown = template.replace("QUOTED", said.replace('"', "&quot;")).replace("ADDRESS", said)
        files[f"page-{number}.md"] = f"# Page\n\n{markdown.replace('PAYLOAD', said)}\n"
    site = PublishedSite(cast, files=files)
    with browser.page() as page:
        for number in range(len(PAYLOADS)):
            page.open(f"{site.url}/page-{number}")
            page.run(TOUCH)
        assert [sent.url for sent in page.requests if "hacked" in sent.url] == []
        assert [said for said in page.complaints if "Content Security Policy" in said] == []
        assert page.outside(cast.instance.settings.sites_base) == []


def test_the_search_can_be_left(browser: Browser, site: PublishedSite) -> None:
    with browser.page() as page:
        page.open(site.url)
        page.click("[data-search]")
        page.type("no such word anywhere")
        page.wait_for_text("Nothing was found", within="dialog.search")
        page.press("Escape")
        page.wait("document.querySelector('dialog')?.open === false")


def test_on_a_phone_the_pages_are_in_a_drawer(browser: Browser, site: PublishedSite) -> None:
    with browser.page(width=PHONE) as page:
        page.open(site.url)
        assert not page.run("document.querySelector('.side').checkVisibility()")
        page.click(".menu-button")
        page.wait_for(".side [aria-current=page]")
        page.wait("document.querySelector('.side').contains(document.activeElement)")
        page.press("Escape")
        page.wait("!document.querySelector('.side').checkVisibility()")
        page.click(".menu-button")
        page.click(".side a[href$='/guide']")
        page.wait_for_text("All about it.", within="main")


def test_tabs_are_used_by_mouse_and_keyboard(browser: Browser, site: PublishedSite) -> None:
    with browser.page() as page:
        page.open(f"{site.url}/everything")
        panels = "[...document.querySelectorAll('.tabs .panel')]"
        shown = f"{panels}.filter(panel => panel.checkVisibility()).map(panel => panel.innerText)"
        assert page.run(shown) == ["first"]
        page.click(".tabs label:nth-of-type(2)")
        page.wait(f"String({shown}) === 'second'")


def test_code_is_copied_as_it_was_written(browser: Browser, site: PublishedSite) -> None:
    with browser.page() as page:
        page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.open(f"{site.url}/everything")
        page.run("copied = []; navigator.clipboard.writeText = async (text) => void copied.push(text)")
        page.click(".code[data-syntax=python] .copy")
        page.wait_for_text("Copied", within=".code[data-syntax=python] .copy")
        assert page.run("copied") == ["def f(x):\n    return x  # yes"]


def test_a_page_is_read_without_a_script(browser: Browser, site: PublishedSite) -> None:
    with browser.page(width=PHONE) as page:
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.open(f"{site.url}/everything")
        page.call("Emulation.setScriptExecutionDisabled", value=False)
        words = page.text("main")
        assert "Careful" in words
        assert "first" in words
        assert page.run("document.querySelector('.menu-button').hash") == "#~menu"
        page.run("location.hash = '#~menu'")
        page.wait_for(".side")


def test_an_old_address_leads_on(browser: Browser, site: PublishedSite) -> None:
    destination = {"kind": "path", "path": "/guide/install"}
    answer = site.cast.ada.post(f"{site.path}/redirects", {"source": "/old", "destination": destination})
    assert answer.status_code == 201, answer.text
    with browser.page() as page:
        page.go(f"{site.url}/old")
        page.wait_for_text("Run the installer.")
        assert page.run("location.pathname").endswith("/guide/install")


def test_a_share_link_lets_in_until_it_is_withdrawn(browser: Browser, site: PublishedSite) -> None:
    site.patch("", {"visibility": "share-link"})
    link, key = site.share()
    with browser.page() as page:
        page.open(site.url)
        assert "Welcome aboard" not in page.text()
        page.go(f"{site.url}?shareKey={key}")
        page.wait_for_text("Welcome aboard")
        assert "shareKey" not in page.run("location.href")
        page.open(f"{site.url}/guide")
        page.wait_for_text("All about it.")
        site.patch(f"/share-links/{link}", {"active": False})
        page.open(f"{site.url}/guide/install")
        assert "Run the installer." not in page.text()


@pytest.mark.parametrize("path", ["", "/guide/install"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_who_is_not_let_in_sees_a_page_that_says_so(
    browser: Browser, site: PublishedSite, path: str, dark: bool
) -> None:
    site.patch("", {"visibility": "visitor-auth"})
    with browser.page(width=PHONE, dark=dark) as page:
        page.open(site.url + path)
        assert page.text("h1") == "Sign in"
        assert page.run("getComputedStyle(document.querySelector('main')).textAlign") == "center"
        assert [fault for fault in faults(page) if fault != "not one header"] == []
        assert page.outside(site.cast.instance.settings.sites_base) == []


def test_a_visitor_comes_in_by_a_token_and_leaves(browser: Browser, site: PublishedSite) -> None:
    site.patch("", {"visibility": "visitor-auth"})
    with browser.page() as page:
        page.open(site.url)
        assert "Welcome aboard" not in page.text()
        page.go(f"{site.url}?jwt_token={token(site.key)}")
        page.wait_for_text("Welcome aboard")
        assert "jwt_token" not in page.run("location.href")
        page.open(f"{site.url}/guide")
        page.wait_for_text("All about it.")
        page.wait_for_text("Sign out")
        page.run(
            "[...document.querySelectorAll('a, button')].find(e => e.innerText.trim() === 'Sign out').click()"
        )
        page.wait("document.body?.innerText.includes('All about it.') === false")
        page.open(site.url)
        assert "Welcome aboard" not in page.text()


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_covers_have_the_size_that_their_pages_say(
    browser: Browser, cast: Cast, width: int, dark: bool
) -> None:
    def with_cover(size: str, *more: str) -> str:
        parts = "".join(f"  {part}:\n    visible: false\n" for part in more)
        lines = (
            f"cover: sea.png\ncoverHeight: 300\nlayout:\n  width: wide\n  cover:\n    size: {size}\n{parts}"
        )
        return f"---\ndescription: About it\n{lines}---\n\n# Page\n\nWords.\n"

    landing = with_cover("full", "tableOfContents", "outline")
    files = {"full.md": landing, "hero.md": with_cover("hero"), "background.md": with_cover("background")}
    site = PublishedSite(cast, files={**PAGES, **files, "sea.png": make.picture(400, 300)})
    box = (
        "(({ x, width, height }) => [x, width, height])(document.querySelector('%s').getBoundingClientRect())"
    )
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{site.url}/full")
        assert page.run(box % ".page-cover") == [0, width, 300]
        is_well_behaved(page, site)
        page.open(f"{site.url}/hero")
        hero = page.run(box % ".page-cover")
        assert (hero[0] > 0, hero[1] < width, hero[2]) == (True, True, 300)
        is_well_behaved(page, site)
        page.open(f"{site.url}/background")
        assert page.run(box % ".page-cover")[2] == 300
        heading = page.run("document.querySelector('h1').getBoundingClientRect().bottom")
        assert heading < page.run("document.querySelector('.page-cover').getBoundingClientRect().bottom")
        is_well_behaved(page, site)
