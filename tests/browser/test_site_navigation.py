"""The way through a published site in a real browser: its tree, outline, theme, variants, and the drawer."""

from __future__ import annotations

import json

import pytest

from tests import make
from tests.browser.accessibility import faults
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.instance import Instance
from tests.visitors import PublishedSite

PHONE, TABLET, DESKTOP = 390, 1000, 1440
TEXT = "Words that fill a page.\n\n" * 12
FILES: dict[str, str | bytes] = {
    "SUMMARY.md": "# Table of contents\n\n* [Start](README.md)\n* [Guide](guide/README.md)\n"
    "  * [Deep](guide/deep/README.md)\n    * [Deepest](guide/deep/end.md)\n"
    "* [Long](long.md)\n* [Short](short.md)\n",
    "README.md": "# Start\n\nWelcome.\n",
    "guide/README.md": "# Guide\n\nAll.\n",
    "guide/deep/README.md": "# Deep\n\nMore.\n",
    "guide/deep/end.md": "# Deepest\n\nThe end.\n",
    "long.md": "# Long\n\n"
    + "".join(f"## Part {n}\n\n{TEXT}" for n in range(1, 9))
    + "## Last\n\nOnly this.\n",
    "short.md": "# Short\n\n## First\n\nA word.\n\n## Second\n\nAnother.\n",
}
MARKED = "document.querySelector('.outline [aria-current]')?.textContent"
THEME = "document.documentElement.dataset.theme"


@pytest.fixture(scope="module")
def shown(instance: Instance) -> PublishedSite:
    """A site for tests that look at it."""
    return PublishedSite(make.cast(instance), files=FILES)


def is_well_behaved(page: Page) -> None:
    assert faults(page) == []
    assert page.complaints == []


def test_branches_open_where_they_are(browser: Browser, shown: PublishedSite) -> None:
    with browser.page(width=DESKTOP) as page:
        page.open(shown.url)
        assert "Deep" not in page.text(".side")
        page.click(".side button[aria-label=Guide]")
        page.wait_for("[aria-label=Guide] + ul [aria-label=Deep]")
        page.click(".side button[aria-label=Deep]")
        page.wait_for_text("Deepest", within=".side")
        assert page.run("document.querySelector('h1').textContent") == "Start", "nobody has left the page"
        is_well_behaved(page)
        page.click(".side button[aria-label=Guide]")
        page.wait("!document.querySelector('.side').innerText.includes('Deep')")
        page.click(".side button[aria-label=Guide]")
        page.wait_for_text("Deepest", within=".side")
        assert len([sent for sent in page.requests if "~/tree" in sent.url]) == 2, "each is asked for once"


def test_a_branch_that_is_open_can_be_closed(browser: Browser, shown: PublishedSite) -> None:
    with browser.page(width=DESKTOP) as page:
        page.open(f"{shown.url}/guide/deep/end")
        page.click(".side button[aria-label=Guide]")
        page.wait("!document.querySelector('.side').innerText.includes('Deep')")
        assert [sent for sent in page.requests if "~/tree" in sent.url] == []


def test_the_tree_shows_the_page_that_is_read(browser: Browser, cast: Cast) -> None:
    titles = [f"Page {n}" for n in range(70)]
    listed = "".join(f"* [{title}]({place}.md)\n" for place, title in enumerate(titles))
    site = PublishedSite(
        cast, files={"SUMMARY.md": listed, **{f"{n}.md": f"# {title}\n" for n, title in enumerate(titles)}}
    )
    seen = """(() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        const link = box(".side [aria-current=page]"), side = box(".side");
        return link.top > side.top && link.bottom < Math.min(side.bottom, innerHeight);
    })()"""
    with browser.page(width=DESKTOP) as page:
        page.open(f"{site.url}/60")
        page.wait(seen)
        page.resize(PHONE, 844)
        page.open(f"{site.url}/60")
        page.click(".menu-button")
        page.wait(seen)


@pytest.mark.parametrize("width", [PHONE, TABLET, DESKTOP])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_outline_follows_the_reader_at_every_width(
    browser: Browser, shown: PublishedSite, width: int, dark: bool
) -> None:
    with browser.page(width=width, dark=dark) as page:
        page.open(f"{shown.url}/long")
        page.wait_for("nav.outline.is-ready")
        assert page.run(MARKED) is None, "nothing is read before the first heading"
        page.run("document.getElementById('part-3').scrollIntoView({ behavior: 'instant' })")
        page.wait(f"{MARKED} === 'Part 3'")
        page.run("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
        page.wait(f"{MARKED} === 'Last'")
        if width < DESKTOP:
            assert "Part 4" not in page.text("nav.outline")
            assert page.text("nav.outline .now") == "Last"
            page.click("nav.outline summary")
        is_well_behaved(page)
        page.click("nav.outline a[href='#part-8']")
        page.wait(f"{MARKED} === 'Part 8'")
        if width < DESKTOP:
            page.wait("!document.querySelector('nav.outline details').open")
        head = page.run("document.querySelector('nav.outline').getBoundingClientRect().bottom")
        at = "document.getElementById('part-8').getBoundingClientRect().top"
        page.wait(f"{at} > {head if width < DESKTOP else 0} && {at} < innerHeight")


def test_of_a_page_that_is_seen_whole_what_was_chosen_is_marked(
    browser: Browser, shown: PublishedSite
) -> None:
    with browser.page(width=DESKTOP) as page:
        page.open(f"{shown.url}/short")
        page.wait_for("nav.outline.is-ready")
        assert page.run(MARKED) != "Second"
        page.click("nav.outline a[href='#second']")
        page.wait(f"{MARKED} === 'Second'")
        page.click("nav.outline a[href='#first']")
        page.wait(f"{MARKED} === 'First'")


def test_the_theme_follows_the_system_again(browser: Browser, shown: PublishedSite) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with browser.page(dark=True) as page:
        page.open(shown.url)
        dark = page.run(ground)
        for theme in ("light", "dark", "system"):
            page.click("[data-switch]")
            page.wait(f"{THEME} === {json.dumps(theme)}")
            assert (page.run(ground) == dark) == (theme != "light")
        page.open(f"{shown.url}/guide")
        assert page.run(THEME) == "system"
        assert page.run(ground) == dark
        assert page.complaints == []


def test_the_drawer_keeps_the_focus_until_it_is_closed(browser: Browser, shown: PublishedSite) -> None:
    inside = "document.querySelector('.side').contains(document.activeElement)"
    with browser.page(width=PHONE) as page:
        page.open(f"{shown.url}/guide")
        page.click(".menu-button")
        page.wait(inside)
        for _ in range(12):
            page.press("Tab")
            focused = page.run("document.activeElement.textContent.trim().slice(0, 40)")
            assert page.run(f"{inside} || document.activeElement === document.body"), focused
        page.press("Escape")
        page.wait("document.activeElement.matches('.menu-button')")
        assert page.run("document.querySelectorAll('[inert]').length") == 0


def test_a_variant_keeps_the_page(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast, "New", "Old", files=FILES)
    make.imported(cast, site.spaces[1], {name: FILES[name] for name in ("README.md", "long.md")})
    with browser.page(width=DESKTOP) as page:
        page.open(f"{site.url}/long")
        page.click(".variants summary")
        page.click(".variants a:not([aria-current])")
        page.wait("location.pathname.endsWith('/old/long')")
        page.click(".variants summary")
        page.click(".variants a:not([aria-current])")
        page.wait("location.pathname.endsWith('/long') && !location.pathname.includes('/old/')")
        page.open(f"{site.url}/guide")
        href = page.run("document.querySelector('.variants a:not([aria-current])').pathname")
        assert href.endswith("/old"), "it begins where the page is missing"
        is_well_behaved(page)
