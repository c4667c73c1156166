"""The newest screens by keyboard, in German on a phone: every control is reached, and seen when it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, at_work, choose, faults, here
from tests.browser.console.test_changes import opened
from tests.browser.console.test_merging import page_at, write
from tests.cast import Cast, Person
from tests.factories.integrations import PublishedIntegration
from tests.factories.jobs import queued
from tests.visitors import PublishedSite

CONTROLS = """[...document.querySelectorAll(root + " :is(a[href], button, input, select, textarea, summary)")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches(":disabled")
        && each.getClientRects().length
        && !each.closest("[role=tree], [role=tablist], [aria-hidden=true]"))"""
"""What is operated on the screen, besides what has keys of its own."""
WITHOUT = f"{CONTROLS}.filter((each) => each.tabIndex < 0).map((each) => each.outerHTML.slice(0, 160))"
SEEN = """(() => { const on = document.activeElement, box = on?.getBoundingClientRect();
    if (!on?.closest(root)) return null;
    const look = (each) => { const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
        return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none"; };
    const named = on.ariaLabel || on.labels?.[0]?.innerText || on.innerText || on.title || on.outerHTML;
    const shown = look(on) || look(on.parentElement) || on.matches("iframe");
    const there = box.bottom > 0 && box.top < innerHeight;
    (window.reached ??= new Set()).add(on);
    return [shown && there, `${on.localName} ${named.trim().slice(0, 60)}`]; })()"""
"""Whether the control that has the focus shows it within the window, and which it is."""
MISSED = f"{CONTROLS}.filter((each) => !reached.has(each) && each.type !== 'radio')"
STALE = 8


def places(cast: Cast) -> dict[str, str]:
    """The screens, each with something on it."""
    organization, site = f"/o/{cast.organization}", PublishedSite(cast)
    queued(cast, "rebuild_links", make.space(cast.ada, cast.organization)["id"], "failed")
    cast.ada.post(f"/v1/orgs/{cast.organization}/translations", {"title": "Handbuch", "languages": ["de"]})
    cast.ada.post(f"{site.path}/redirects", {"source": "/old", "destination": {"kind": "url", "url": "/new"}})
    made = PublishedIntegration(cast)
    made.install()
    sites = f"{organization}/site/{site.id}"
    return {
        "integrations": f"{organization}/integrations",
        "integration": f"{organization}/integrations/{made.name}",
        "owner": f"{organization}/integrations/{made.name}/publishing",
        "sso": f"{organization}/people/sso",
        "domains": f"{organization}/people/domains",
        "audit": f"{organization}/people/audit",
        "jobs": f"{organization}/jobs",
        "translations": f"{organization}/translations",
        "overview": sites,
        "structure": f"{sites}/structure",
        "audience": f"{sites}/audience",
        "redirects": f"{sites}/redirects",
        "feedback": f"{sites}/feedback",
        "claims": f"{sites}/claims",
        "settings": f"{sites}/settings",
    }


def swept(page: Page, root: str) -> list[str]:
    """Return what is wrong with what is shown in an element, for whoever goes through it with the Tab key."""
    page.run(f"window.root = {root!r}; window.reached = new Set(); 0")
    said: list[str] = [*faults(page), *page.run(WITHOUT)]
    stale = 0  # presses that led nowhere new: a date has several places in it, and a dialog begins again
    while stale < STALE:
        page.press("Tab")
        known, told = page.run("reached.size"), page.run(SEEN)
        stale = 0 if page.run("reached.size") > known else stale + 1
        if told is not None and not told[0]:
            said.append(f"does not show the focus: {told[1]}")
    return said + [f"is not reached: {html}" for html in page.run(f"{MISSED}.map((each) => each.outerHTML)")]


@contextmanager
def in_german(browser: Browser, person: Person) -> Iterator[Page]:
    """Give a page of somebody who works in German on a phone."""
    with at_work(browser, person, width=PHONE) as page:
        remember = "localStorage.setItem('docyard.language', JSON.stringify('de'))"
        page.call("Page.addScriptToEvaluateOnNewDocument", source=remember)
        yield page


def test_every_control_is_reached_and_shows_the_focus(browser: Browser, cast: Cast) -> None:
    found: dict[str, list[str]] = {}
    with in_german(browser, cast.ada) as page:
        for name, path in places(cast).items():
            page.open(here(cast, path))
            page.wait("!!document.querySelector('main h1') && !document.querySelector('[aria-busy], .bones')")
            assert page.run("document.documentElement.lang") == "de"
            assert "Nicht gefunden" not in page.text("main")
            if said := swept(page, "main"):
                found[name] = said
    assert found == {}


def test_a_conflict_is_settled_by_keyboard(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    notes, request = page_at(cast.ed, space, "notes"), opened(cast.ed, space, subject="Gas")
    write(cast.ada, space, notes, "# Notes\n\nOurs.\n")
    write(cast.ed, space, notes, "# Notes\n\nTheirs.\n", request["number"])
    with in_german(browser, cast.rhea) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{request['number']}"))
        page.wait_for_text("Konflikt", ".checks")
        page.run("document.querySelector('[aria-haspopup=menu][aria-label=Mehr]').focus()")
        page.press("Enter")
        choose(page, "Mit dem Space zusammenführen")
        page.wait_for_text("Theirs.", ".conflicts")
        assert swept(page, "dialog") == []
        page.run("document.querySelector('.conflicts input[type=radio]').focus()")
        page.press(" ")
        page.wait("!document.querySelector('dialog .foot .button.main').disabled")
