"""People at work in the console: signed-in pages, and what every screen must be.

with at_work(browser, cast.ed, width=PHONE) as page:
    page.open(here(cast, f"/o/{cast.organization}"))
    page.wait_for_text("Content", "h1")
    assert faults(page) == []
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import product
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.cookies import is_secure
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser as CallingBrowser
from app.kit.database.statements import given, query, table
from app.models.users import User
from tests.browser.axe import violations
from tests.browser.browser import Browser, Ended, Navigated, Page
from tests.cast import Cast, Person
from tests.scale import scaled

PHONE, DESKTOP = 390, 1440
WIDTHS = (PHONE, DESKTOP)
# For stories that are no other on a desktop, on which most tests are that name no width.
STORY_WIDTHS = scaled((PHONE,), full=WIDTHS)
STORY_SCREENS = scaled([(PHONE, True)], full=[(PHONE, True), (DESKTOP, False)])
SCREENS = scaled([(PHONE, True), (DESKTOP, False)], full=[*product(WIDTHS, (False, True))])
"""Widths, each in light or dark colours."""
USERS = table(User)
_PERSON = query(User, lambda: select(*USERS.c).where(USERS.c.id == given("id")))


def here(cast: Cast, path: str) -> str:
    """Return the address of a path of the console."""
    return f"{cast.instance.base}{path}"


@contextmanager
def at_work(browser: Browser, person: Person, *, width: int = DESKTOP, dark: bool = False) -> Iterator[Page]:
    """Give a page in which somebody is signed in."""
    with browser.page(width=width, height=844 if width == PHONE else 900, dark=dark) as page:
        sign_in(page, person)
        yield page


def sign_in(page: Page, person: Person) -> None:
    """Give the browser of a page a session."""
    settings = person.instance.settings
    assert not is_secure(settings)
    for name, value in (("docyard_session", session_of(person)), ("docyard_signed_in", "1")):
        page.call("Network.setCookie", name=name, value=value, url=person.base, httpOnly=value != "1")


def session_of(person: Person) -> str:
    """Return the secret of a new session of somebody."""

    async def begin(cx: Context) -> str:
        user = await cx.db.first(_PERSON, id=person.id)
        assert user is not None
        return (await sessions.begin(cx, user, CallingBrowser("tests", "127.0.0.1"))).session

    return person.instance.inside(begin)


def faults(page: Page) -> list[str]:
    """Return what is wrong with the screen that is shown: what axe finds, sideways scrolling, complaints.

    Stories are told on phones alone where nothing else happens on a desktop; whether the screen fits there,
    too, is looked at here.
    """
    page.wait("!document.querySelector('[aria-busy], .bones')")
    wide = _sideways(page)
    if page.run("innerWidth") == PHONE:
        page.resize(DESKTOP, 900)
        wide += _sideways(page)
        page.resize(PHONE, 844)
    return [*violations(page), *wide, *page.complaints]


def _sideways(page: Page) -> list[str]:
    width, sideways = page.run("[innerWidth, document.documentElement.scrollWidth - innerWidth]")
    return [f"scrolls sideways by {sideways} of {width}"] if sideways > 0 else []


def choose(page: Page, label: str) -> None:
    """Click the choice of the open menu that has this label."""
    named = f"(each) => each.innerText.includes({json.dumps(label)})"
    page.press_found(f"[...document.querySelectorAll('.choice')].find({named})")


def in_frame(page: Page, script: str) -> Any:
    """Return the value of a script in the frame that shows a rendered page."""
    browser = page.browser
    for session in [each for each in browser.listeners if each not in {page.session, *browser.ended}]:
        with suppress(Ended, Navigated):
            asked = f"location.pathname.endsWith('/console/frame') ? {script} : null"
            answer = browser.call("Runtime.evaluate", session, expression=asked, returnByValue=True)
            if (found := answer["result"].get("value")) is not None:
                return found
    raise AssertionError("no frame")
