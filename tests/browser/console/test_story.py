"""One story through the console: from a new organization to a published page, written by three people.

Each has a browser of their own. Two edit the same lines, the conflict is settled by a text that neither had
written, a comment is answered, a revision is restored, and a stranger reads what came of it.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console import test_changes
from tests.browser.console.screens import STORY_SCREENS, at_work, choose, faults, here
from tests.browser.console.test_account import press
from tests.browser.console.test_beginning import publish
from tests.browser.console.test_editor import MAIN, SOURCE, drawn, settled, write
from tests.browser.console.test_people import pick
from tests.cast import Cast, Person
from tests.timing import TIMEOUT

FIRST = "Light the lamp at dusk.\n\n## Wick\n\nTrim it weekly.\n"


@pytest.mark.parametrize(("width", "dark"), STORY_SCREENS)
def test_three_people_bring_a_page_from_nothing_to_its_readers(
    browser: Browser, cast: Cast, width: int, dark: bool
) -> None:
    nora, eli, mia = (make.somebody(cast.instance, name) for name in ("nora", "eli", "mia"))
    look: dict[str, Any] = {"width": width, "dark": dark}
    with ExitStack() as stack:
        noras, elis, mias = (
            stack.enter_context(at_work(browser, person, **look)) for person in (nora, eli, mia)
        )
        organization = begin(noras, cast, elis, mias)
        space = first_page(noras, cast, organization, nora)
        change = propose(elis, cast, organization, space)
        edit(noras, cast, organization, space)
        rewrite(noras, "Light the lamp at dusk.", "Light the lamp when the sun is down.")
        noras.click(MAIN)
        settled(noras)
        discuss(elis, mias, cast, change)
        settle(mias, cast, change, nora, space)
        restore(elis, mias, cast, organization, space, nora)
        address = publish(noras, cast, organization)
    answer = httpx.get(address, timeout=TIMEOUT, follow_redirects=True)
    assert (answer.status_code, "Light the lamp at dusk, or earlier in fog." in answer.text) == (200, True)


def begin(noras: Page, cast: Cast, *others: Page) -> str:
    """Let Nora make an organization and a link that lets others in, who join; return its address."""
    noras.open(here(cast, "/console/new"))
    noras.wait("document.activeElement.matches('main input')")
    noras.type("Lamps and lenses")
    noras.press("Enter")
    noras.wait("location.pathname.startsWith('/o/')")
    noras.wait_for_text("Lamps and lenses", "h1")
    organization = str(noras.run("location.pathname"))
    noras.open(here(cast, f"{organization}/settings"))
    check(noras, "Invite links")
    press(noras, "Save")
    noras.wait_for(".toasts .toast")
    noras.open(here(cast, f"{organization}/people/invitations"))
    press(noras, "Create an invite link")
    pick(noras, "Reviewer")
    press(noras, "Create", "dialog")
    address = "[...document.querySelectorAll('main .list .small')].map((each) => each.innerText)"
    link = str(noras.wait(f"{address}.find((each) => each.includes('/invite/'))"))
    for page in others:
        page.open(link)
        page.click("main button.main, main .button.main, button.main")
        test_changes.press(page, "Open Lamps and lenses")
        page.wait_for_text("Lamps and lenses", "h1")
    return organization


def check(page: Page, label: str) -> None:
    """Switch a checkbox on."""
    page.wait(
        "!!(window.found = [...document.querySelectorAll('main label.check')]"
        f".find((each) => each.innerText.startsWith('{label}')))"
    )
    page.run("window.found.querySelector('input').checked || window.found.click()")


def first_page(noras: Page, cast: Cast, organization: str, nora: Person) -> str:
    """Let Nora make a space and write its first page; return the id of the space."""
    noras.open(here(cast, organization))
    press(noras, "New space", ".bar-top")
    noras.wait("!!document.activeElement.closest('dialog')")
    noras.type("Handbook")
    press(noras, "Create", "dialog")
    noras.wait("location.pathname.includes('/s/')")
    noras.click("main .nothing .button.main")
    noras.wait(f"!!{SOURCE}")
    assert faults(noras) == []
    noras.click(".editor-title")
    noras.type("Welcome")
    write(noras, FIRST)
    noras.wait(f"!document.querySelector('{MAIN}').disabled")
    noras.click(MAIN)
    noras.wait("location.pathname.endsWith('/~/edit/welcome')")
    settled(noras)
    space = str(noras.run("location.pathname")).split("/")[4]
    assert text(nora, space) == FIRST
    return space


def text(person: Person, space: str) -> str:
    """Return what the page says in the space."""
    answer = person.get(f"/v1/spaces/{space}/content/path/welcome?format=markdown")
    return str(answer.json()["markdown"])


def propose(elis: Page, cast: Cast, organization: str, space: str) -> str:
    """Let Eli open a change request with another text; return its address."""
    elis.open(here(cast, f"{organization}/s/{space}/~/changes"))
    test_changes.press(elis, "New change request")
    elis.wait_for_text("Untitled change request", "h1")
    change = str(elis.run("location.pathname"))
    number = change.rsplit("/", 1)[1]
    edit(elis, cast, organization, space, f"?change={number}")
    rewrite(elis, "Light the lamp at dusk.", "Light the lamp at dusk, or in fog.")
    elis.wait(f"!document.querySelector('{MAIN}').disabled")
    elis.click(MAIN)
    settled(elis)
    assert faults(elis) == []
    return change


def edit(page: Page, cast: Cast, organization: str, space: str, query: str = "") -> None:
    """Open the page in the editor."""
    page.open(here(cast, f"{organization}/s/{space}/~/edit/welcome{query}"))
    page.wait(f"!!{SOURCE}")


def rewrite(page: Page, old: str, new: str) -> None:
    """Write something else in the place of what the page says."""
    page.wait(f"{SOURCE}.innerText.includes({json.dumps(old)})")
    replace(page, FIRST.replace(old, new))
    page.wait(f"!document.querySelector('{MAIN}').disabled")


def replace(page: Page, whole: str) -> None:
    """Paste another text over all that is in the editor."""
    page.wait(f"({SOURCE}.focus(), document.activeElement.matches('.editor-source'))")
    page.press("a", ctrl=True)
    drawn(page)
    page.call("Input.insertText", text=whole)


def discuss(elis: Page, mias: Page, cast: Cast, change: str) -> None:
    """Let Mia ask something about the change request, and Eli answer; each sees it without asking."""
    for page in (elis, mias):
        page.open(here(cast, f"{change}/~/comments"))
        page.wait_for(".compose textarea")
    mias.click(".compose textarea")
    mias.type("Also in snow?")
    test_changes.press(mias, "Comment", "main")
    elis.wait_for_text("Also in snow?", ".threads")
    test_changes.press(elis, "Reply", ".threads")
    elis.wait("document.activeElement.matches('.threads textarea')")
    elis.type("Snow is rare here.")
    test_changes.press(elis, "Reply", ".threads .compose")
    mias.wait_for_text("Snow is rare here.", ".replies")
    assert faults(mias) == []


def settle(mias: Page, cast: Cast, change: str, nora: Person, space: str) -> None:
    """Let Mia merge; where both changed the same she writes what they meant."""
    mias.open(here(cast, change))
    mias.wait_for_text("1 conflict with the space", ".checks")
    mias.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'm' }))")
    mias.wait_for_text("when the sun is down", ".conflicts")
    test_changes.press(mias, "Write it yourself", ".conflicts")
    mias.wait("document.querySelector('.conflicts textarea')?.value.includes('in fog')")
    mias.run("document.querySelector('.conflicts textarea').focus()")
    mias.press("a", ctrl=True)
    mias.type("Light the lamp at dusk, or earlier in fog.")
    assert faults(mias) == []
    test_changes.press(mias, "Merge", "dialog .foot")
    mias.wait_for_text("Merged", "main .badge")
    assert text(nora, space) == FIRST.replace("at dusk.", "at dusk, or earlier in fog.")


def restore(elis: Page, mias: Page, cast: Cast, organization: str, space: str, nora: Person) -> None:
    """Let Eli spoil the page, and Mia bring back the revision before."""
    merged = text(nora, space)
    elis.open(here(cast, f"{organization}/s/{space}/~/revisions"))
    elis.wait("document.querySelectorAll('main .list > li').length >= 3")
    edit(elis, cast, organization, space)
    elis.wait(f"{SOURCE}.innerText.includes('earlier in fog')")
    replace(elis, "No lamp any more.\n")
    elis.wait(f"!document.querySelector('{MAIN}').disabled")
    elis.click(MAIN)
    settled(elis)
    mias.open(here(cast, f"{organization}/s/{space}/~/revisions"))
    mias.wait("document.querySelectorAll('main .list > li').length >= 4")
    mias.click("main .list > li:nth-child(2) a.whole")
    mias.wait_for(".things")
    mias.click("[aria-haspopup=menu][aria-label=More]")
    choose(mias, "Restore everything to this")
    mias.wait_for_text("Restore revision", "dialog")
    test_changes.press(mias, "Restore everything", "dialog .foot")
    mias.wait_for_text("Everything is as it was then.", ".toasts")
    assert faults(mias) == []
    assert text(nora, space) == merged
