"""Spaces in the console: their tree, their pages, their state."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, WIDTHS, at_work, faults, here, in_frame
from tests.cast import Cast

ARROWS = {
    "up": ("ArrowUp", 38),
    "down": ("ArrowDown", 40),
    "left": ("ArrowLeft", 37),
    "right": ("ArrowRight", 39),
}
ALT = 1

COMMENTS = ".bar-top .button[aria-pressed]"


def arrow(page: Page, direction: str, *, alt: bool = False) -> None:
    """Press an arrow key."""
    key, code = ARROWS[direction]
    held = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": ALT if alt else 0}
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, **held)


def tree(cast: Cast, space: str) -> list[Any]:
    """Return the titles of a space's pages, each with those below it."""

    def titled(pages: list[dict[str, Any]]) -> list[Any]:
        return [[each["title"], titled(each.get("pages", []))] for each in pages]

    return titled(cast.ada.get(f"/v1/spaces/{space}/content/pages").json()["pages"])


def focus(page: Page, title: str) -> None:
    """Put the focus on a page in the tree, and wait until it is there."""
    named = f"[role=treeitem][aria-label={json.dumps(title)}]"
    page.wait_for(named)
    page.run(f"document.querySelector({json.dumps(named)}).focus()")
    page.wait(f"document.activeElement.matches({json.dumps(named)})")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_is_read_and_found_in_the_tree(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for("iframe.rendered[title=Lighthouse]")
        if width == PHONE:
            page.click(".menu-button")
        page.click("[role=treeitem][aria-label='The lamp'] a")
        page.wait("location.pathname.endsWith('/machinery/lamp')")
        page.wait_for("iframe.rendered[title='The lamp']")
        page.wait_for_text("Changed", ".status")
        assert faults(page) == []
        assert page.run("document.title") == "The lamp · Docyard"
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/no/such"))
        page.wait_for_text("Not found", "main")


def test_a_page_looks_as_it_does_on_a_site(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    steps = "{% stepper %}\n{% step %}\nLight it.\n{% endstep %}\n{% endstepper %}\n\n```sh\nlight\n```\n"
    page_of_steps = {"operation": "insert_page", "title": "Steps", "document": {"markdown": steps}}
    make.changes(cast.ada, space, page_of_steps)
    style = "(name, shown) => getComputedStyle(document.querySelector(name))[shown]"
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/steps"))
        page.wait_for("iframe.rendered[title=Steps]")
        page.wait("document.querySelector('iframe').getBoundingClientRect().height !== 320")
        assert in_frame(page, f"({style})('ol.steps', 'listStyleType')") == "none"
        assert in_frame(page, f"({style})('pre', 'paddingLeft')") != "0px"


def test_pages_are_moved_by_keyboard_and_by_drag(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    revisions = f"/v1/spaces/{space}/revisions"
    before = cast.ada.get(revisions).json()["count"]
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/notes"))
        focus(page, "Notes")
        arrow(page, "up", alt=True)
        page.wait_for_text("Notes: now number 1", ".toasts")
        assert [each[0] for each in tree(cast, space)][:2] == ["Notes", "Lighthouse"]
        focus(page, "Lighthouse")
        arrow(page, "right", alt=True)
        page.wait_for_text("Lighthouse: now number", ".toasts")
        (notes, *_) = tree(cast, space)
        assert "Lighthouse" in [each[0] for each in notes[1]]
        drag(page, "Lighthouse", "The lamp")
        page.wait_for_text("in The lamp", ".toasts")
        assert [each for each in tree(cast, space)[-1][1] if each[0] == "The lamp"] == [
            ["The lamp", [["Lighthouse", []]]]
        ]
    assert cast.ada.get(revisions).json()["count"] == before + 3  # one each, across levels too


def drag(page: Page, title: str, onto: str) -> None:
    """Drag a page onto another one in the tree."""
    page.run(
        f"""(async () => {{
            const item = (name) => document.querySelector(`[role=treeitem][aria-label="${{name}}"]`);
            const from = item({json.dumps(title)}), to = item({json.dumps(onto)});
            const dataTransfer = new DataTransfer();
            const box = to.getBoundingClientRect(), clientY = box.top + box.height / 2;
            const fire = async (on, kind) => {{
                const how = {{ bubbles: true, cancelable: true, dataTransfer, clientY }};
                on.dispatchEvent(new DragEvent(kind, how));
                await new Promise(requestAnimationFrame);
                await new Promise((done) => setTimeout(done));
            }};
            await fire(from, "dragstart");
            await fire(to, "dragover");
            await fire(to, "drop");
        }})()"""
    )


def test_who_may_not_edit_moves_nothing(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        focus(page, "Lighthouse")
        assert page.run("document.activeElement.draggable") is False
        assert page.run("document.querySelector('.bar-top').innerText.includes('Edit')") is False
        arrow(page, "down")
        page.wait("document.activeElement.getAttribute('aria-label') === 'Notes'")


def test_settings_are_saved_and_a_space_is_deleted(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/settings"))
        page.wait_for("main input")
        assert faults(page) == []
        page.click("main input:not([type])")
        page.press("a", ctrl=True)
        page.type("Keeper's handbook")
        page.click("main .check:nth-of-type(2) input")
        page.click("main button[type=submit]")
        page.wait_for_text("Saved.", ".toasts")
        page.wait_for_text("Keeper's handbook", ".crumbs")
        saved = cast.ada.get(f"/v1/spaces/{space}").json()
        assert (saved["title"], saved["editMode"]) == ("Keeper's handbook", "locked")
        page.click("main .button.danger")
        page.wait_for_text("Delete Keeper's handbook?", "dialog")
        assert faults(page) == []  # nothing is busy while a question waits for its answer
        page.press("Escape")
        page.wait(
            "!document.querySelector('dialog') && document.activeElement.matches('main .button.danger')"
        )
        page.press("Enter")
        page.wait_for_text("Delete Keeper's handbook?", "dialog")
        page.click("dialog .button.danger")
        page.wait(f"location.pathname === '/o/{cast.organization}'")
        assert cast.ada.get(f"/v1/spaces/{space}").json()["deletedAt"]
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.click("main .note button")
        page.wait("!document.querySelector('main .note')")
        assert "deletedAt" not in cast.ada.get(f"/v1/spaces/{space}").json()


def test_broken_links_are_listed_with_their_pages(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(
        cast, make.repository({"notes/rounds.md": "# Daily rounds\n\n[gone](nowhere.md)\n"})
    )
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.click(".status .badge.warn")
        page.wait_for_text("nowhere.md", "main")
        page.wait_for_text("Daily rounds", "main")
        assert faults(page) == []


def test_the_button_of_the_comments_is_pressed_before_they_are_there(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/notes"))
        page.wait_for(COMMENTS)
        told = page.run(
            f"""(async () => {{
                document.querySelector("{COMMENTS}").click();
                await new Promise(requestAnimationFrame);
                return [document.querySelector("{COMMENTS}").ariaPressed, location.search];
            }})()"""
        )
        assert told == ["true", ""]
        page.wait("location.search === '?comments'")
        page.wait_for_text("Comments", "aside.beside h2")
        page.click(COMMENTS)
        page.wait("!location.search && !document.querySelector('aside.beside')")
