"""Imports and exports in the console: files, websites and repositories come in, spaces go out."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.domain import worker
from app.kit.ids import new_id
from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import DESKTOP, PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.cast import Cast
from tests.factories import imports
from tests.factories.git_sync import basic
from tests.git_server import Host, hosting
from tests.instance import Instance, running
from tests.local_server import Neighbour, html, port_of
from tests.timing import until

TREE = {
    "guide/README.md": "# Guide\n\nSee [the lamp](lamp.md) and [nothing](nothing.md).\n",
    "guide/lamp.md": "# The lamp\n\nIt burns oil. ![](lamp.png)\n",
    "guide/.git/config": "[core]\n",
}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """Repositories next door."""
    with hosting(tmp_path_factory.mktemp("repositories")) as host:
        yield host


@pytest.fixture(scope="module")
def instance(new_database: Callable[[], str], host: Host, next_door: Neighbour) -> Iterator[Instance]:
    """The product, running; it may reach the repositories and the website next door."""
    with pytest.MonkeyPatch.context() as eager:
        eager.setattr(worker, "PAUSE", 0.05)
        with running(
            new_database(), outbound_allow=f"127.0.0.1:{port_of(host.base)},{next_door.address}"
        ) as instance:
            yield instance


def drop(page: Page, files: dict[str, str]) -> None:
    """Drop files with their paths, as the browser gives those of a folder."""
    page.wait("!!document.querySelector('.import-folder')")
    page.run(
        f"""(() => {{
            const transfer = new DataTransfer();
            for (const [path, text] of Object.entries({json.dumps(files)})) {{
                const file = new File([text], path.split("/").at(-1));
                Object.defineProperty(file, "webkitRelativePath", {{ value: path }});
                transfer.items.add(file);
            }}
            const field = document.querySelector(".import-folder");
            Object.defineProperty(field, "files", {{ value: [...transfer.files], configurable: true }});
            field.dispatchEvent(new Event("change", {{ bubbles: true }}));
        }})()"""
    )


def set_field(page: Page, label: str, value: str) -> None:
    """Write into the field with this label."""
    labelled = f"(each) => each.textContent.trim() === {json.dumps(label)}"
    page.wait(f"!!(window.label = [...document.querySelectorAll('label')].find({labelled}))")
    page.run(
        f"""(() => {{
            const field = document.getElementById(label.htmlFor);
            field.value = {json.dumps(value)};
            field.dispatchEvent(new Event(field.matches("select") ? "change" : "input", {{ bubbles: true }}));
        }})()"""
    )


def tab(page: Page, name: str) -> None:
    """Choose the tab with this name."""
    named = f"(each) => each.textContent.includes({json.dumps(name)})"
    page.wait(f"!!(window.tab = [...document.querySelectorAll('[role=tab]')].find({named}))")
    page.run("window.tab.click()")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_folder_becomes_a_space_with_a_report(browser: Browser, cast: Cast, width: int) -> None:
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/import"))
        page.wait_for_text("No imports yet")
        drop(page, TREE)
        page.wait_for_text("2 files", ".drop")
        assert faults(page) == []
        page.click(".import .button.main")
        page.wait_for_text("pages and files came in", ".import-run")
        page.wait_for_text("Links that lead nowhere", ".cause")
        page.run("document.querySelectorAll('.cause').forEach((each) => (each.open = true))")
        page.wait_for_text("README.md", ".cause")
        assert faults(page) == []
        page.click(".import-run .button.main")
        page.wait_for("iframe.rendered[title=Guide]")


def test_a_zip_comes_in_as_a_change_request(browser: Browser, cast: Cast, tmp_path: Path) -> None:
    space = make.filled_space(cast)
    archive = tmp_path / "more.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("more.md", "# More\n\nWords.\n")
    with at_work(browser, cast.rhea) as page:
        page.open(here(cast, f"/o/{cast.organization}/import?space={space}"))
        page.wait("!!document.querySelector('.import-files')")
        root = page.call("DOM.getDocument")["root"]["nodeId"]
        field = page.call("DOM.querySelector", nodeId=root, selector=".import-files")["nodeId"]
        page.call("DOM.setFileInputFiles", nodeId=field, files=[str(archive)])
        page.wait_for_text("more.zip", ".drop")
        page.click(".import .check input")
        page.click(".import .button.main")
        page.wait_for_text("Open change request", ".import-run")
        page.click(".import-run .button.main")
        page.wait_for_text("Import of more.zip", "h1")
    pages = cast.ada.get(f"/v1/spaces/{space}/content/pages").json()["pages"]
    assert "More" not in [each["title"] for each in pages]


def test_a_broken_upload_keeps_the_files_and_imports_on_the_next_try(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/import"))
        drop(page, TREE)
        page.wait_for_text("2 files", ".drop")
        page.call("Network.enable")
        page.call("Network.setBlockedURLs", urls=["*/uploads/*", "*/upload/*"])
        page.click(".import .button.main")
        page.wait_for_text("could not be sent", ".import")
        page.wait_for_text("2 files", ".drop")
        page.call("Network.setBlockedURLs", urls=[])
        page.complaints.clear()
        page.click(".import .button.main")
        page.wait_for_text("pages and files came in", ".import-run")


def test_sending_files_is_cancelled(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/import"))
        page.call("Network.enable")
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}
        page.wait("!!document.querySelector('.import-folder')")
        drop(page, {"large/README.md": "# Large\n", "large/noise.png": "x" * 3_000_000})
        page.wait_for_text("2 files", ".drop")
        page.call("Network.emulateNetworkConditions", **slow)
        page.click(".import .button.main")
        page.wait_for_text("Sending the files", ".import")
        assert faults(page) == []
        page.call("Network.emulateNetworkConditions", **{**slow, "uploadThroughput": -1})
        page.click(".import .card .button")
        page.wait_for_text("Nothing was imported", ".toasts")
        page.wait_for_text("2 files", ".drop")
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/imports").json()["items"] == []


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_website_is_followed_while_it_comes_in_and_can_be_cancelled(
    browser: Browser, cast: Cast, neighbour: Neighbour, width: int
) -> None:
    space = make.filled_space(cast)
    menu = "".join(f'<a href="/docs/{n}">{n}</a>' for n in range(3))
    neighbour.shows("/docs/", html(f"<nav>{menu}</nav><main><h1>Home</h1></main>", title="Home"))
    for n in range(3):
        neighbour.shows(f"/docs/{n}", html(f"<main><h1>Page {n}</h1><p>Words.</p></main>"))
    with imports.left_alone(), at_work(browser, cast.rhea, width=width, dark=width == DESKTOP) as page:
        page.open(here(cast, f"/o/{cast.organization}/import?space={space}"))
        tab(page, "Website")
        set_field(page, "Address of the website", f"{neighbour.base}/docs/")
        assert faults(page) == []
        page.click(".import .button.main")
        page.wait_for_text("waits for its turn", ".import-run")
        assert faults(page) == []
        page.click(".import-run .card .button")
        page.wait_for_text("The import was cancelled", ".import-run")


def test_an_import_that_is_cancelled_or_fails_leaves_no_change_request(
    browser: Browser, cast: Cast, neighbour: Neighbour
) -> None:
    space = make.filled_space(cast)
    neighbour.shows("/docs/", html("<main><h1>Home</h1></main>", title="Home"))
    with at_work(browser, cast.ed) as page:

        def begin(address: str) -> None:
            page.open(here(cast, f"/o/{cast.organization}/import?space={space}"))
            tab(page, "Website")
            set_field(page, "Address of the website", f"{neighbour.base}/{address}/")
            page.wait_for_text("change request", ".import")
            page.click(".import .button.main")

        with imports.left_alone():
            begin("docs")
            page.wait_for_text("waits for its turn", ".import-run")
            page.click(".import-run .card .button")
            page.wait_for_text("The import was cancelled", ".import-run")
        begin("nowhere")
        page.wait_for_text("Nothing was written", ".import-run")
    assert cast.ada.get(f"/v1/spaces/{space}").json()["changeRequests"] == 0


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_private_repository_is_connected_synchronised_and_disconnected(
    browser: Browser, cast: Cast, host: Host, width: int
) -> None:
    origin = host.create(f"acme/{new_id()}.git", {"README.md": b"# From Git\n"})
    host.login = basic("git", "s3cr3t")
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/import"))
        tab(page, "Git repository")
        set_field(page, "Address of the repository", origin.url)
        page.click(".import .check input")
        set_field(page, "Access token", "s3cr3t")
        assert faults(page) == []
        page.click(".import .button.main")
        page.wait_for_text("In sync", ".git .badge")
        page.wait_for_text("Fetched from the repository", ".git")
        assert "s3cr3t" not in page.text()
        assert faults(page) == []
        space = str(page.run("location.pathname.split('/s/')[1].split('/')[0]"))
        (first,) = cast.ada.get(f"/v1/spaces/{space}/content/pages").json()["pages"]
        text = {"markdown": "# From Git\n\nHere.\n"}
        make.changes(cast.ada, space, {"operation": "update_page", "page": first["id"], "document": text})
        page.click(".git .button.main")
        until(lambda: b"Here" in origin.content("main", "README.md"), "nothing is pushed")
        page.wait_for_text("Pushed the commit", ".git .note")
        page.wait_for_text("Written to the repository", ".git")
        host.login = "Basic other"
        page.click(".git form .button:not(.main)")
        page.wait_for_text("does not accept this user and token", ".git .note")
        assert faults(page) == []
        page.run(
            "document.querySelector('.git > .row .button:last-child').click()"
        )  # a message may lie over it
        page.click("dialog .button.main")
        page.wait_for_text("Connect", ".git .button.main")
    host.login = None


def saved(page: Page) -> None:
    """Note the files that the console gives to be saved, in place of saving them."""
    page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source="""
        window.given = [];
        HTMLAnchorElement.prototype.click = () => undefined;
        URL.createObjectURL = (blob) => {
            blob.slice(0, 4).text().then((first) => window.given.push([blob.size, first]));
            return "";
        };""",
    )


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_space_is_saved_as_a_zip_and_in_print(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.ria, width=width, dark=width == DESKTOP) as page:
        saved(page)
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/notes"))
        page.wait_for("iframe.rendered[title=Notes]")
        for which, beginning in ((1, "PK"), (2, "%PDF"), (3, "%PDF")):
            page.click("button[aria-label=Export]")
            page.wait_for("dialog[open] .check")
            page.click(f"dialog .check:nth-of-type({which}) input")
            assert faults(page) == []
            page.click("dialog .button.main")
            page.wait_for_text("was saved", ".toasts")
            page.wait(f"window.given.length === {which}")
            size, first = page.run("window.given.at(-1)")
            assert (size > 100, first.startswith(beginning)) == (True, True)


def test_a_change_request_is_saved_in_print(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    opened: dict[str, Any] = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Oil"}).json()
    with at_work(browser, cast.ed) as page:
        saved(page)
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{opened['number']}"))
        page.click(".bar-top .menu > button")
        choose(page, "Export")
        page.click("dialog .button.main")
        page.wait_for_text("was saved", ".toasts")
        page.wait("window.given.length === 1 && window.given[0][1] === '%PDF'")
