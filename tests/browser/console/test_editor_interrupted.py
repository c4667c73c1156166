"""Interruptions of somebody who writes a page: no connection, no session, no permission, no page any more.

Nothing that was written is lost, and the writer is told what happened.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from app.domain.accounts import sessions
from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import at_work, faults, here, sign_in
from tests.browser.console.test_editor import (
    MAIN,
    OFFLINE,
    SOURCE,
    edit,
    settled,
    source,
    text_of,
    write,
)
from tests.browser.console.test_editor_blocks import paste_picture
from tests.cast import Cast, Person
from tests.cli.command import serving
from tests.postgres import free_port
from tests.timing import until


def written(page: Page, cast: Cast, space: str, text: str, query: str = "") -> None:
    """Open the notes in the editor and write, until the browser keeps the draft."""
    edit(page, cast, space, query=query)
    write(page, text)
    page.wait_for_text("Draft kept", ".editor-state")


def save(page: Page) -> None:
    """Press the button that saves, once it can be pressed."""
    page.wait(f"!document.querySelector('{MAIN}').disabled")
    page.click(MAIN)


def remove(person: Person, space: str, path: str = "notes") -> None:
    """Let somebody delete a page."""
    make.changes(person, space, {"operation": "delete_page", "page": text_of(person, space, path)["id"]})


def move(person: Person, space: str, slug: str) -> None:
    """Let somebody give the notes another address."""
    page = text_of(person, space)["id"]
    make.changes(person, space, {"operation": "update_page", "page": page, "slug": slug})


def withdraw(cast: Cast, space: str, level: str | None) -> None:
    """Let members of the organization do no more in a space than this."""
    answer = cast.ada.patch(f"/v1/spaces/{space}", {"defaultLevel": level})
    assert answer.status_code == 200, answer.text


def test_what_was_written_without_a_connection_is_saved_with_the_next_one(
    browser: Browser, cast: Cast
) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Before the storm.\n")
        page.call("Network.emulateNetworkConditions", offline=True, **OFFLINE)
        save(page)
        page.wait_for_text("No connection", ".banner")
        page.wait_for_text("cannot be reached", ".toasts")
        write(page, "In the storm.\n")
        page.wait(f"{SOURCE}.innerText.includes('In the storm.')")
        page.call("Network.emulateNetworkConditions", offline=False, **OFFLINE)
        page.wait("!document.querySelector('.banner')")
        save(page)
        settled(page)
        assert text_of(cast.ada, space)["markdown"].endswith("Before the storm.\nIn the storm.\n")


def test_what_was_written_while_the_server_was_away_is_saved_when_it_is_back(
    browser: Browser, cast: Cast, tmp_path: Path
) -> None:
    space, port = make.filled_space(cast), str(free_port())
    address = f"http://127.0.0.1:{port}"
    server = partial(
        serving,
        database=cast.instance.settings.database,
        log=tmp_path / "log",
        port=port,
        DOCYARD_BASE_URL=address,
        DOCYARD_SHARED_ORIGIN="true",
    )
    with at_work(browser, cast.rhea) as page:
        with server():
            page.open(f"{address}/o/{cast.organization}/s/{space}/~/edit/notes")
            page.wait(f"!!{SOURCE}")
            write(page, "Before the restart.\n")
            page.wait_for_text("Draft kept", ".editor-state")
        save(page)
        page.wait_for_text("No connection", ".banner")
        write(page, "During the restart.\n")
        page.wait(f"{SOURCE}.innerText.includes('During the restart.')")
        with server():
            page.wait("!document.querySelector('.banner')")
            save(page)
            settled(page)
            assert text_of(cast.ada, space)["markdown"].endswith("Before the restart.\nDuring the restart.\n")


def test_saving_goes_on_once_the_writer_has_signed_in_again(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Signed out.\n")
        cast.rhea.instance.inside(lambda cx: sessions.end_all(cx, cast.rhea.id))
        page.run(f"document.querySelector('{MAIN}').click()")
        page.wait_for_text("Your session has ended", "dialog")
        sign_in(page, cast.rhea)
        page.run("dispatchEvent(new Event('focus'))")
        page.wait("!document.querySelector('dialog')")
        settled(page)
        assert text_of(cast.ada, space)["markdown"].endswith("Signed out.\n")


def test_whoever_signs_in_instead_saves_nothing_of_the_writer(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Rhea's own.\n")
        cast.rhea.instance.inside(lambda cx: sessions.end_all(cx, cast.rhea.id))
        page.run(f"document.querySelector('{MAIN}').click()")
        page.wait_for_text("Your session has ended", "dialog")
        sign_in(page, cast.ada)
        page.run("window.before = true; dispatchEvent(new Event('focus'))")
        page.wait(f"!window.before && !!{SOURCE}")
        assert "own" not in source(page)
        assert "own" not in text_of(cast.ada, space)["markdown"]
        sign_in(page, cast.rhea)
        edit(page, cast, space)
        page.wait_for_text("Your unsaved text is back", ".editor-notes")
        assert source(page).endswith("Rhea's own.\n")


def test_a_page_that_was_deleted_meanwhile_is_saved_as_a_new_one(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Still mine.\n")
        remove(cast.ada, space)
        page.wait_for_text("Somebody has deleted this page", ".editor-notes")
        assert source(page).endswith("Still mine.\n")
        save(page)
        settled(page)
        assert text_of(cast.ada, space)["markdown"].endswith("Still mine.\n")
        page.wait("!document.querySelector('.editor-notes .note')")
        assert faults(page) == []


def test_a_draft_of_a_page_that_is_deleted_comes_back_at_its_address(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Left behind.\n")
        page.go(here(cast, "/"))
        remove(cast.ada, space)
        edit(page, cast, space)
        page.wait_for_text("Your unsaved text is back", ".editor-notes")
        assert source(page).endswith("Left behind.\n")
        save(page)
        settled(page)
        assert text_of(cast.ada, space)["markdown"].endswith("Left behind.\n")


def test_a_page_that_was_moved_meanwhile_is_saved_where_it_is_now(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "On the move.\n")
        move(cast.ada, space, "log")
        page.wait_for_text("Ada has changed this page", ".editor-notes")
        save(page)
        page.wait_for_text("log", "dialog .versions")
        page.click("dialog > .inside > .foot .main")
        page.wait("!document.querySelector('dialog')")
        save(page)
        page.wait("location.pathname.endsWith('/~/edit/log')")
        settled(page)
        assert text_of(cast.ada, space, "log")["markdown"].endswith("On the move.\n")


def test_a_draft_is_found_where_its_page_was_moved(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Follow me.\n")
        page.go(here(cast, "/"))
        move(cast.ada, space, "log")
        edit(page, cast, space)
        page.wait("location.pathname.endsWith('/~/edit/log')")
        page.wait_for_text("Your unsaved text is back", ".editor-notes")
        until(lambda: source(page).endswith("Follow me.\n"), "the draft is not there")


def test_what_somebody_may_no_longer_save_stays_readable(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ed) as page:
        withdraw(cast, space, "edit")
        written(page, cast, space, "Mine to keep.\n")
        withdraw(cast, space, "read")
        page.run(f"document.querySelector('{MAIN}')?.click()")
        page.wait_for_text("Mine to keep.", ".kept pre")
        page.wait_for_text("edit", ".nothing")
        assert [each for each in faults(page) if "403" not in each] == []
        withdraw(cast, space, None)
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/edit/notes"))
        page.wait_for_text("Not found", "h1")
        page.wait_for_text("Mine to keep.", ".kept pre")
        withdraw(cast, space, "edit")
        edit(page, cast, space)
        page.wait_for_text("Your unsaved text is back", ".editor-notes")


def test_a_draft_in_a_change_request_outlives_a_reload_after_saving(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    query = f"?change={make.change_request(cast.ed, space)['number']}"
    with at_work(browser, cast.ed) as page:
        written(page, cast, space, "Saved.\n", query)
        save(page)
        settled(page)
        write(page, "Not saved.\n")
        page.wait_for_text("Draft kept", ".editor-state")
        edit(page, cast, space, query=query)
        page.wait_for_text("Your unsaved text is back", ".editor-notes")
        assert source(page).endswith("Saved.\nNot saved.\n")


def test_a_picture_that_is_not_sent_leaves_the_text(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        written(page, cast, space, "Look:\n")
        page.call("Network.setBlockedURLs", urls=["*/uploads/*", "*/upload/*"])
        paste_picture(page, make.picture(5, 4))
        page.wait_for_text("beacon.png could not be sent", ".toasts")
        page.wait(f"!{SOURCE}.innerText.includes('beacon')")
        page.call("Network.setBlockedURLs", urls=[])
        paste_picture(page, make.picture(5, 4))
        page.wait(f"{SOURCE}.innerText.includes('![beacon](/files/')")
        assert "Look:" in source(page)
