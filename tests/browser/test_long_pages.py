"""Very long pages and diagrams in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.accessibility import faults
from tests.browser.browser import Browser
from tests.cast import Cast
from tests.visitors import PublishedSite

ROW = "| `PARAMETER_{n}` | What the parameter is for, said in one sentence that is long enough. | 0.{n} |\n"
TABLE = "| Name | Meaning | Default |\n|---|---|---|\n" + "".join(ROW.format(n=n) for n in range(40))
LONG = "# Long\n\n" + "\n".join(f"## Group {n}\n\nWords.\n\n{TABLE}" for n in range(60))
SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => { for (const each of list.getEntries()) window.shifts += each.value; })
  .observe({ type: "layout-shift", buffered: true });"""
FLOW = "```mermaid\nflowchart LR\n  accTitle: From here to there\n  A[Here] --> B[There]\n```\n"


def test_of_a_long_page_only_what_is_near_is_laid_out(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": "# Start\n", "long.md": LONG})
    with browser.page(width=390, height=844) as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=SHIFTS)
        page.open(f"{site.url}/long")
        near = "{ contentVisibilityAuto: true }"
        tables = "[...document.querySelectorAll('.body .table tbody')]"
        assert page.run(f"{tables}.length") == 60
        assert 0 < page.run(f"{tables}.filter((each) => each.checkVisibility({near})).length") < 30
        assert page.run("window.shifts") < 0.1
        page.run("void (location.hash = 'group-55')")
        page.wait("Math.abs(document.getElementById('group-55').getBoundingClientRect().top - 120) < 200")
        assert page.complaints == []


@pytest.mark.parametrize("dark", [False, True])
def test_a_diagram_is_a_picture_of_the_theme(browser: Browser, cast: Cast, dark: bool) -> None:
    site = PublishedSite(cast, files={"README.md": f"# Start\n\nBefore.\n\n{FLOW}\nAfter.\n"})
    with browser.page(dark=dark) as page:
        page.open(site.url)
        shown = "[...document.querySelectorAll('.diagram img')].filter((each) => each.checkVisibility())"
        page.wait(f"{shown}.length === 1 && {shown}[0].complete && {shown}[0].naturalWidth > 50")
        assert page.run(f"{shown}[0].className") == ("on-dark" if dark else "on-light")
        assert page.run(f"{shown}[0].alt") == "From here to there"
        assert faults(page) == [], "nothing moves when it comes"
        page.call("Emulation.setEmulatedMedia", media="print")
        assert page.run(f"{shown}.map((each) => each.className).join()") == "on-light"
        assert not page.run("document.querySelector('.diagram details').checkVisibility()")
        assert page.complaints == []
        assert page.outside(cast.instance.settings.sites_base) == []


def test_only_tables_that_need_it_stand_out_of_the_text(browser: Browser, cast: Cast) -> None:
    said = "Words that fill more than one line of a page that is read on a very wide screen. " * 2
    narrow = f"| Name | Meaning |\n|---|---|\n| one | {said} |\n"
    long = f"| Name | Meaning |\n|---|---|\n| one | `{'x' * 110}` |\n"
    many = f"| a | b | c | d | e |\n|---|---|---|---|---|\n| {' | '.join([said] * 5)} |\n"
    site = PublishedSite(cast, files={"README.md": f"# Start\n\n{said}\n\n{narrow}\n\n{long}\n\n{many}"})
    widths = """[...document.querySelectorAll(".body > p, .body > .table")].map((each) => each.offsetWidth)"""
    with browser.page(width=1440) as page:
        page.open(site.url)
        assert page.run(f"new Set({widths}).size") == 1, "all are as wide as the text"
        page.resize(1920)
        page.wait("document.querySelector('main').offsetWidth > 1000")
        text, plain, _, wide = page.run(widths)
        assert plain == text
        assert wide > text + 200
        assert page.run("document.documentElement.scrollWidth") == 1920
