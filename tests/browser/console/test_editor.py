"""The editor of the console: writing a page, saving it, and losing nothing on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, WIDTHS, at_work, faults, here, in_frame
from tests.cast import Cast, Person
from tests.timing import until

SOURCE = "document.querySelector('.editor-source')?.shadowRoot?.querySelector('.cm-content')"
OFFLINE = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
MAIN = ".bar-top .button.main"


def edit(page: Page, cast: Cast, space: str, path: str = "notes", query: str = "") -> None:
    """Open a page in the editor, and wait until one can write."""
    page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/edit/{path}{query}"))
    page.wait(f"!!{SOURCE}")


def write(page: Page, text: str, *, at: str = "end") -> None:
    """Paste text at the end of the editor, or at its beginning."""
    page.wait(f"({SOURCE}?.focus(), document.activeElement.matches('.editor-source'))")
    drawn(page)
    key = {"end": ("End", 35), "start": ("Home", 36)}[at]
    held = {"key": key[0], "code": key[0], "windowsVirtualKeyCode": key[1], "modifiers": 2}
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, **held)
    drawn(page)
    page.run(
        f"""(() => {{
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", {json.dumps(text)});
            const how = {{ clipboardData, bubbles: true, cancelable: true, composed: true }};
            {SOURCE}.dispatchEvent(new ClipboardEvent("paste", how));
        }})()"""
    )


def drawn(page: Page) -> None:
    """Wait until what was done is on the screen."""
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def source(page: Page) -> str:
    """Return the text in the editor."""
    lines = f"[...{SOURCE}.querySelectorAll('.cm-line')].map((each) => each.textContent).join('\\n')"
    return str(page.run(lines))


def settled(page: Page) -> None:
    """Wait until all that is written is saved."""
    page.wait(f"(({{ disabled, ariaBusy }}) => disabled && !ariaBusy)(document.querySelector('{MAIN}'))")


def preview(page: Page, text: str) -> None:
    """Wait until the preview shows a text."""
    asked = f"""(() => {{
        const sent = window.previewed ??= [];
        return sent.some((each) => each.includes({json.dumps(text)}));
    }})()"""
    page.wait(asked)


def told(page: Page) -> None:
    """Note what the console gives the frame of the preview to show."""
    page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source="""
        const post = MessagePort.prototype.postMessage, give = window.postMessage;
        window.previewed = [];
        MessagePort.prototype.postMessage = function (sent, ...more) {
            if (sent?.html) window.previewed.push(sent.html);
            return post.call(this, sent, ...more);
        };""",
    )


def text_of(person: Person, space: str, path: str = "notes", request: str = "") -> dict[str, Any]:
    """Return a page with its Markdown."""
    place = f"/v1/spaces/{space}" + (f"/change-requests/{request}" if request else "")
    found: dict[str, Any] = person.get(f"{place}/content/path/{path}?format=markdown").json()
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_is_written_previewed_and_saved(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        told(page)
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/notes"))
        page.click(".bar-top .button.main")
        page.wait("location.pathname.endsWith('/~/edit/notes')")
        page.wait(f"!!{SOURCE}")
        assert faults(page) == []
        write(page, "Trim **the wick** daily.\n")
        if width == PHONE:
            page.click(".editor-tabs [role=tab]:last-child")
            page.wait_for(".editor-preview iframe.rendered:not([style*='height: 320px'])")
            assert "Trim the wick daily." in in_frame(page, "document.body.innerText")
        else:
            preview(page, "Trim <strong>the wick</strong> daily.")
        assert faults(page) == []
        page.click(MAIN)
        page.wait_for_text("Saved", ".toasts")
        saved = text_of(cast.ada, space)
        assert saved["markdown"].endswith("Trim **the wick** daily.\n")
        assert faults(page) == []


def test_fields_of_the_page_are_saved_with_it(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        page.click(".editor-title")
        page.press("a", ctrl=True)
        page.type("Log of the keeper")
        page.wait(f"{SOURCE}.innerText.startsWith('# Log of the keeper')")
        page.click(".editor-description")
        page.type("What happened, and when")
        page.click(".editor-about button")
        page.wait_for("dialog .input")
        assert faults(page) == []
        page.click("dialog .field:nth-of-type(3) .input")
        page.press("a", ctrl=True)
        page.type("log")
        page.click("dialog fieldset .check input")
        page.click("dialog .foot .main")
        page.press("s", ctrl=True)
        page.wait_for_text("Saved", ".toasts")
        page.wait("location.pathname.endsWith('/~/edit/log')")
        saved = text_of(cast.ada, space, "log")
        told = {name: saved.get(name) for name in ("title", "description", "slug", "hidden")}
        assert told == {
            "title": "Log of the keeper",
            "description": "What happened, and when",
            "slug": "log",
            "hidden": True,
        }
        assert saved["markdown"].startswith("# Log of the keeper\n")


def test_a_first_page_is_written(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space, "")
        page.click(".editor-title")
        page.type("Lighthouse")
        write(page, "Light it at dusk.\n")
        page.click(MAIN)
        page.wait("location.pathname.endsWith('/~/edit/lighthouse')")
        assert text_of(cast.ada, space, "lighthouse")["markdown"] == "Light it at dusk.\n"
        write(page, "Put it out at dawn.\n")
        both = "Light it at dusk.\nPut it out at dawn.\n"
        until(lambda: source(page) == both, "the editor does not have the text")
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        settled(page)
        until(lambda: text_of(cast.ada, space, "lighthouse")["markdown"] == both, "it is not saved")


def test_a_locked_space_is_changed_by_a_change_request(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    with at_work(browser, cast.ed) as page:
        edit(page, cast, space)
        write(page, "In a change request.\n")
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        page.wait_for("dialog form .input")
        assert faults(page) == []
        page.press("a", ctrl=True)
        page.type("Better notes")
        page.click("dialog [type=submit]")
        page.wait("location.search === '?change=1'")
        page.wait_for_text("Save in #1", ".bar-top")
        write(page, "More of it.\n")
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        settled(page)
        (request,) = cast.ada.get(f"/v1/spaces/{space}/change-requests?status=draft").json()["items"]
        assert request["subject"] == "Better notes"
        assert text_of(cast.ada, space, request=request["id"])["markdown"].endswith("request.\nMore of it.\n")
        assert "change request" not in text_of(cast.ada, space)["markdown"]


def test_a_draft_outlives_a_reload_and_a_lost_connection(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        page.call("Network.emulateNetworkConditions", offline=True, **OFFLINE)
        write(page, "Written at sea.\n")
        page.wait_for_text("Draft kept", ".editor-state")
        page.click(MAIN)
        page.wait_for_text("No connection", ".banner")
        page.call("Network.emulateNetworkConditions", offline=False, **OFFLINE)
        page.wait("!document.querySelector('.banner')")
        edit(page, cast, space)
        page.wait_for_text("Your unsaved text is back", ".editor-notes")
        assert source(page).endswith("Written at sea.\n")
        assert faults(page) == [] or all("ERR_INTERNET" in each for each in faults(page))
        page.click(MAIN)
        page.wait_for_text("Saved", ".toasts")
        assert text_of(cast.ada, space)["markdown"].endswith("Written at sea.\n")
        edit(page, cast, space)
        page.wait(f"{SOURCE}.innerText.includes('Written at sea')")
        assert "unsaved" not in page.text(".editor-notes")


def test_a_draft_is_discarded_on_request(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        before = source(page)
        write(page, "Nonsense.\n")
        page.wait_for_text("Draft kept", ".editor-state")
        edit(page, cast, space)
        page.click(".editor-notes button")
        page.wait_for_text("Discard this draft?", "dialog")
        page.click("dialog .button.danger")
        page.wait_for_text("No changes", ".editor-state")
        page.wait(f"!{SOURCE}.innerText.includes('Nonsense')")
        assert source(page) == before
        assert page.run("Object.keys(localStorage).filter((each) => each.includes('draft'))") == []


@pytest.mark.parametrize("mode", ["live", "locked"])
def test_who_may_not_edit_is_told_so(browser: Browser, cast: Cast, mode: str) -> None:
    space = make.filled_space(cast)
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": mode})
    with at_work(browser, cast.tom) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/edit/notes"))
        page.wait_for_text("edit", ".nothing")
        assert [each for each in faults(page) if "403" not in each] == []


def rewrite(person: Person, space: str, old: str, new: str) -> None:
    """Let somebody else change the page meanwhile."""
    page = text_of(person, space)
    text = page["markdown"].replace(old, new)
    assert text != page["markdown"]
    make.changes(
        person, space, {"operation": "update_page", "page": page["id"], "document": {"markdown": text}}
    )


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_what_somebody_else_wrote_meanwhile_is_shown_beside(browser: Browser, cast: Cast, width: int) -> None:
    text = "# Notes\n\nFirst line.\n\n## Oil\n\nTwo barrels.\n\n## Wick\n\nTrimmed.\n"
    space = make.filled_space(cast, make.repository({"notes/README.md": text}))
    with at_work(browser, cast.rhea, width=width, dark=width != PHONE) as page:
        edit(page, cast, space)
        write(page, "And lit.\n")
        page.run(f"{SOURCE}.blur()")
        rewrite(cast.ada, space, "Two barrels.", "Three barrels.")
        page.wait_for_text("Ada has changed this page", ".editor-notes")
        rewrite(cast.ada, space, "Trimmed.\n", "Trimmed.\nReplaced.\n")
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        page.wait_for_text("Both changed this", "dialog .versions")
        assert faults(page) == []
        assert "Three barrels." in page.text("dialog .versions")
        page.click("dialog > .inside > .foot .main")
        page.wait("!document.querySelector('dialog')")
        page.wait(f"{SOURCE}.innerText.includes('Three barrels.')")
        page.click(MAIN)
        settled(page)
        expected = text.replace("Two", "Three").replace("Trimmed.\n", "Trimmed.\nReplaced.\nAnd lit.\n")
        assert text_of(cast.ada, space)["markdown"] == expected


def test_changes_elsewhere_do_not_stand_in_the_way(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        write(page, "Mine.\n")
        lamp = text_of(cast.ada, space, "machinery/lamp")
        make.changes(
            cast.ada, space, {"operation": "update_page", "page": lamp["id"], "title": "The lantern"}
        )
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        settled(page)
        assert text_of(cast.ada, space)["markdown"].endswith("Mine.\n")


def test_a_draft_that_others_have_overtaken_is_compared_with_what_it_began_from(
    browser: Browser, cast: Cast
) -> None:
    text = "# Notes\n\nFirst line.\n\n## Oil\n\nTwo barrels.\n"
    space = make.filled_space(cast, make.repository({"notes/README.md": text}))
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        write(page, "\n## Wick\n\nTrimmed.\n")
        page.wait_for_text("Draft kept", ".editor-state")
        page.go(here(cast, "/"))
        rewrite(cast.ada, space, "First line.", "Another line.")
        edit(page, cast, space)
        page.click(MAIN)
        page.wait_for_text("Another line.", "dialog .versions")
        assert "Both changed this" not in page.text("dialog .versions")
        page.click("dialog > .inside > .foot .main")
        page.wait(f"{SOURCE}.innerText.includes('Another line.')")
        page.click(MAIN)
        settled(page)
        saved = text_of(cast.ada, space)["markdown"]
        assert "Another line." in saved
        assert saved.endswith("## Wick\n\nTrimmed.\n")


def test_a_page_is_written_below_another_one(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/notes"))
        page.click(".tree-head a")
        page.wait("location.pathname.endsWith('/~/edit/')")
        notes = text_of(cast.ada, space)["id"]
        edit(page, cast, space, "", f"?into={notes}")
        page.click(".editor-title")
        page.type("Fog")
        write(page, "Sound the horn.\n")
        page.click(MAIN)
        page.wait("location.pathname.endsWith('/~/edit/notes/fog')")
        settled(page)
        assert text_of(cast.ada, space, "notes/fog")["markdown"] == "Sound the horn.\n"


def test_the_preview_goes_where_one_writes(browser: Browser, cast: Cast) -> None:
    parts = [f"## Part {n}\n\n" + "A line.\n\n" * 12 for n in range(12)]
    space = make.filled_space(cast, make.repository({"notes/README.md": "# Notes\n\n" + "".join(parts)}))
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        page.wait_for(".editor-preview iframe")
        page.wait("document.querySelector('.editor-preview').scrollHeight > 3000")
        page.wait("document.querySelector('.editor-preview').scrollTop === 0")
        page.run(f"{SOURCE}.parentNode.scrollTo(0, {SOURCE}.parentNode.scrollHeight / 2)")
        page.wait("document.querySelector('.editor-preview').scrollTop > 1000")


def test_what_others_write_in_the_same_change_request_is_told(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    request = make.change_request(cast.rhea, space)
    page_id = text_of(cast.ada, space)["id"]
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space, query=f"?change={request['number']}")
        write(page, "Mine.\n")
        page.wait_for_text("Draft kept", ".editor-state")
        theirs = {"operation": "update_page", "page": page_id, "description": "From Ada"}
        make.changes(cast.ada, space, theirs, request=request["id"])
        page.wait_for_text("Ada has changed this page", ".editor-notes")
        page.click(".editor-notes button")
        page.wait_for_text("From Ada", "dialog .versions")
        page.click("dialog > .inside > .foot .main")
        page.wait("document.querySelector('.editor-description').value === 'From Ada'")
        page.click(MAIN)
        settled(page)
        saved = text_of(cast.ada, space, request=request["id"])
        assert (saved["description"], saved["markdown"].endswith("Mine.\n")) == ("From Ada", True)


def test_a_change_request_is_written_in_from_its_first_page_on(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    number = make.change_request(cast.ed, space)["number"]
    with at_work(browser, cast.ed) as page:
        page.go(here(cast, f"/o/{cast.organization}/s/{space}/~/edit/?change={number}"))
        page.wait("location.pathname.endsWith('/~/edit/readme')")
        page.wait(f"{SOURCE}?.innerText.includes('Lighthouse')")
        page.wait_for_text(f"Save in #{number}", ".bar-top")
