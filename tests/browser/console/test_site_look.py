"""The look of a site, its redirects and the claims of its visitors in the console."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, SCREENS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_people import menu_of
from tests.cast import Cast
from tests.factories.sites import ManagedSite
from tests.timing import TIMEOUT, until
from tests.visitors import SCHEMA, PublishedSite

PARTS = ("look", "redirects", "claims")
LOADED = "main .look-frame iframe.there"


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site with a space."""
    return PublishedSite(cast)


def part_of(cast: Cast, site: PublishedSite, part: str) -> str:
    """Return the address of a part of the screen."""
    return here(cast, f"/o/{cast.organization}/site/{site.id}/{part}")


def pick(page: Page, label: str, value: str, within: str = "main") -> None:
    """Choose a value in the list with this label, in one step: a list redrawn in between is reset."""
    page.wait(
        f"(() => {{ const list = [...document.querySelectorAll('{within} .field')].find((each) =>"
        f" each.querySelector('label')?.innerText === {json.dumps(label)})?.querySelector('select');"
        f" if (![...(list?.options ?? [])].some((each) => each.value === {json.dumps(value)})) return false;"
        f" list.value = {json.dumps(value)};"
        " list.dispatchEvent(new Event('change', { bubbles: true })); return true; })()"
    )


VALUE_OF = """(label) => [...document.querySelectorAll("main .field")]
  .find((each) => each.querySelector("label")?.innerText === label)?.querySelector("select")?.value"""


def value_of(page: Page, label: str) -> str:
    """Return what is chosen in the list with this label."""
    return str(page.run(f"({VALUE_OF})({json.dumps(label)})"))


def asked_again(page: Page) -> None:
    """Have the console ask again for all that it shows, as it does when a connection is back."""
    page.run(
        "import(document.querySelector('script[type=module]').src.replace('main.js', 'api/queries.js'))"
        ".then(({ refresh }) => refresh()).then(() => new Promise((drawn) => setTimeout(drawn, 100)))"
    )


def write(page: Page, label: str, text: str, within: str = "main") -> None:
    """Write into the first field with this label, in place of what it holds."""
    page.wait(
        f"((label) => [...document.querySelectorAll('{within} .field')].some((each) => {{"
        " const input = each.querySelector('label')?.innerText === label && each.querySelector('.input');"
        f" return input && (input.focus(), input.select(), true); }}))({json.dumps(label)})"
    )
    page.type(text)


def unfold(page: Page, title: str) -> None:
    """Open a section of the form."""
    page.run(
        "[...document.querySelectorAll('main .look-section')].find((each) =>"
        f" each.querySelector('summary').innerText.trim() === {json.dumps(title)}).open = true"
    )


def seen(address: str) -> str:
    """Return what a preview says."""
    with httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client:
        return client.get(address).text


def previews(page: Page) -> str:
    """Return the address of the preview that is shown."""
    page.wait(f"!document.querySelector('main iframe.coming') && !!document.querySelector('{LOADED}')")
    return str(page.run(f"document.querySelector('{LOADED}').src"))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_every_part_is_there_for_editors(
    browser: Browser, cast: Cast, site: PublishedSite, dark: bool, width: int, part: str
) -> None:
    site.cast.ada.put(f"{site.path}/adaptive-schema", {"jsonSchema": SCHEMA})
    site.post("/redirects", {"source": "/old", "destination": {"kind": "path", "path": "/guide"}})
    with at_work(browser, cast.ada, width=width, dark=dark) as page:
        page.open(part_of(cast, site, part))
        page.wait_for(
            {"look": "main .look-form", "redirects": "main .list li", "claims": "main .claim"}[part]
        )
        if part == "look":
            for title in ("Header", "Announcement", "Footer", "Logo and icons", "Pages"):
                unfold(page, title)
        assert faults(page) == []


def test_a_look_is_tried_and_saved(browser: Browser, cast: Cast, site: PublishedSite) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(part_of(cast, site, "look"))
        first = previews(page)
        unfold(page, "Announcement")
        write(page, "Message above every page", "We move on Friday.")
        page.wait(f"(document.querySelector('{LOADED}')?.src ?? {json.dumps(first)}) !== {json.dumps(first)}")
        assert "We move on Friday." in seen(previews(page))
        assert "announcement" not in site.get("/customization")
        pick(page, "Theme", "BOLD")
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
        page.wait(
            "[...document.querySelectorAll('main button')].some((e) => e.innerText === 'Save' && e.disabled)"
        )
    kept = site.get("/customization")
    assert kept["announcement"]["message"] == "We move on Friday."
    assert kept["styling"]["theme"] == "bold"
    assert kept["header"] == site.get("/published")["customizations"]["site"]["header"]


def test_what_is_not_saved_yet_outlives_news_of_the_site(
    browser: Browser, cast: Cast, site: PublishedSite
) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(part_of(cast, site, "look"))
        page.wait_for("main .look-form")
        pick(page, "Corners", "STRAIGHT")
        page.wait_for_text("Not saved yet", "main .look-save")
        asked_again(page)
        assert value_of(page, "Corners") == "STRAIGHT"
        kept = site.get("/customization")
        answer = cast.ada.put(
            f"{site.path}/customization", {**kept, "styling": {**kept["styling"], "font": "serif"}}
        )
        assert answer.status_code == 200, answer.text
        asked_again(page)
        page.wait(f"({VALUE_OF})('Typeface') === 'SERIF'")
        assert value_of(page, "Corners") == "STRAIGHT"
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
    styling = site.get("/customization")["styling"]
    assert (styling["corners"], styling["font"]) == ("straight", "serif")


def test_what_is_wrong_stands_beside_its_field(browser: Browser, cast: Cast, site: PublishedSite) -> None:
    with at_work(browser, cast.ada, width=PHONE, dark=True) as page:
        page.open(part_of(cast, site, "look"))
        page.wait_for("main .look-form")
        write(page, "On light pages", "blue")
        page.wait_for_text("a colour in hexadecimal", "main .look-form")
        page.wait_for_text("1 field has to be mended", "main .look-save")
        page.wait_for("main .look-save button[disabled]")
        assert faults(page) == []
        write(page, "On light pages", "#0055aa")
        page.wait_for_text("Not saved yet", "main .look-save")
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
    assert site.get("/customization")["styling"]["primaryColor"]["light"] == "#0055aa"


def test_one_space_looks_different(browser: Browser, cast: Cast, site: PublishedSite) -> None:
    item = site.section("Handbook")["siteSpaces"][0]["id"]
    with at_work(browser, cast.ada) as page:
        page.open(part_of(cast, site, "look"))
        page.wait_for("main .look-form")
        pick(page, "Look of", item)
        page.wait_for_text("Look like the site again", "main .look-save")
        pick(page, "Corners", "STRAIGHT")
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
        assert site.get(f"/site-spaces/{item}/customization")["styling"]["corners"] == "straight"
        assert site.get("/customization")["styling"]["corners"] == "rounded"
        press(page, "Look like the site again")
        press(page, "Look like the site again", "dialog")
        until(
            lambda: site.get(f"/site-spaces/{item}/customization")["styling"]["corners"] == "rounded", "kept"
        )


def test_what_is_taken_away_of_a_spaces_look_is_as_on_the_site_again(
    browser: Browser, cast: Cast, site: PublishedSite
) -> None:
    item = site.section("Handbook")["siteSpaces"][0]["id"]
    path = f"/site-spaces/{item}/customization"
    emoji = {"favicon": {"emoji": "\N{BELL}"}}
    assert cast.ada.patch(f"{site.path}{path}", emoji).status_code == 200
    assert site.get(path)["favicon"] == emoji["favicon"]
    with at_work(browser, cast.ada) as page:
        page.open(part_of(cast, site, "look"))
        pick(page, "Look of", item)
        page.wait_for_text("Look like the site again", "main .look-save")
        unfold(page, "Logo and icons")
        write(page, "Emoji as icon", "")
        page.run("document.execCommand('delete')")
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
    assert site.get(path)["favicon"] == {}


@pytest.fixture
def page_at_redirects(browser: Browser, cast: Cast, site: PublishedSite) -> Iterator[Page]:
    """Ada at the redirects of the site."""
    with at_work(browser, cast.ada) as page:
        page.open(part_of(cast, site, "redirects"))
        page.wait_for_text("There are no redirects yet.", "main")
        yield page


def test_redirects_are_written_found_changed_and_deleted(
    page_at_redirects: Page, site: PublishedSite
) -> None:
    page = page_at_redirects
    press(page, "Create a redirect")
    page.wait_for("dialog input")
    write(page, "Old path", "old", "dialog")
    write(page, "New path", "/guide", "dialog")
    press(page, "Save", "dialog")
    page.wait_for("dialog .wrong")
    assert faults(page) == []
    write(page, "Old path", "/old", "dialog")
    press(page, "Save", "dialog")
    page.wait_for_text("/old", "main .list")
    fill(page, "Find by the old path", "nothing")
    page.wait_for_text("No redirect has “nothing” in its path.", "main")
    fill(page, "Find by the old path", "ol")
    page.wait_for_text("/old", "main .list")
    menu_of(page, "/old", "Edit the redirect")
    page.wait_for("dialog input")
    pick(page, "Leads to", "external", "dialog")
    write(page, "Address", "https://example.org/docs", "dialog")
    press(page, "Save", "dialog")
    page.wait_for_text("https://example.org/docs", "main .list")
    assert site.get("/redirects")["items"][0]["destination"]["kind"] == "external"
    menu_of(page, "/old", "Delete")
    press(page, "Delete", "dialog")
    page.wait_for_text("No redirect has", "main")
    assert site.get("/redirects")["items"] == []


def test_a_redirect_leads_to_a_page_that_is_found(page_at_redirects: Page, site: PublishedSite) -> None:
    page = page_at_redirects
    press(page, "Create a redirect")
    page.wait_for("dialog input")
    write(page, "Old path", "/setup", "dialog")
    pick(page, "Leads to", "sitePage", "dialog")
    write(page, "Find the page by words in it", "installer", "dialog")
    page.wait("[...document.querySelectorAll('dialog option')].some((each) => each.innerText === 'Install')")
    found = page.run(
        "[...document.querySelectorAll('dialog option')].find((each) => each.innerText === 'Install').value"
    )
    pick(page, "Page", found, "dialog")
    press(page, "Save", "dialog")
    page.wait_for_text("Install in ", "main .list")
    assert site.get("/redirects")["items"][0]["destination"]["page"] == found


def test_claims_are_written_as_a_form_and_as_json(browser: Browser, cast: Cast, site: PublishedSite) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(part_of(cast, site, "claims"))
        page.wait_for("main .claims-add")
        write(page, "New claim: Signed claims", "plan")
        press(page, "Add")
        page.wait_for("main .claim")
        pick(page, "Value", "string", "main .claim")
        write(page, "Description", "The plan", "main .claim")
        write(page, "Values", "free, pro", "main .claim")
        press(page, "Save")
        page.wait_for_text('visitor.claims.plan == "pro"', "main")
        assert site.get("/adaptive-schema")["jsonSchema"]["properties"]["plan"]["enum"] == ["free", "pro"]
        page.run(
            "[...document.querySelectorAll('[role=tab]')].find((each) => each.innerText === 'JSON').click()"
        )
        page.wait_for("main textarea")
        written = page.run("document.querySelector('main textarea').value").replace('"The plan"', '""')
        page.run("document.querySelector('main textarea').focus()")
        page.run("document.activeElement.select()")
        page.type(written)
        press(page, "Save")
        page.wait_for_text("A claim needs a description.", "main .wrong")
        press(page, "Show the place")
        page.wait(
            "document.activeElement.value?.slice(document.activeElement.selectionStart).startsWith('\"description\"')"
        )
        assert faults(page) == []


def test_the_site_is_viewed_as_a_visitor(browser: Browser, cast: Cast, site: PublishedSite) -> None:
    site.cast.ada.put(f"{site.path}/adaptive-schema", {"jsonSchema": SCHEMA})
    site.patch("", {"adaptiveContent": {"enabled": True}})
    section = site.section("Only for pro")
    site.patch(f"/sections/{section['id']}", {"condition": 'visitor.claims.plan == "pro"'})
    with at_work(browser, cast.ada, width=PHONE) as page:
        page.open(part_of(cast, site, "claims"))
        first = previews(page)
        assert "Only for pro" not in seen(first)
        pick(page, "plan", "pro")
        page.wait(f"(document.querySelector('{LOADED}')?.src ?? {json.dumps(first)}) !== {json.dumps(first)}")
        assert "Only for pro" in seen(previews(page))


def test_every_space_of_a_large_site_can_be_chosen(browser: Browser, cast: Cast) -> None:
    large = ManagedSite(cast, *(f"Book {n}" for n in range(100)), title="Library")
    for n in range(100, 102):
        large.post(
            "/site-spaces", {"spaceId": make.space(cast.ada, cast.organization, title=f"Book {n}")["id"]}
        )
    books = "[...document.querySelectorAll('{} option')].filter((each) => each.innerText.startsWith('Book'))"
    there = f"{books}.length === 102"
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/site/{large.id}/look"))
        page.wait(there.format("main .look-of"))
        page.open(here(cast, f"/o/{cast.organization}/site/{large.id}/redirects"))
        press(page, "Create a redirect")
        pick(page, "Leads to", "siteSpace", "dialog")
        page.wait(there.format("dialog"))
