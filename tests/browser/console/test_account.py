"""A person's own account in the console: profile, mail, tokens, ways to sign in, applications, data."""

from __future__ import annotations

import pytest

from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, choose, faults, here, session_of
from tests.cast import Cast
from tests.oauth.client import Program, application, me
from tests.timing import until

PARTS = ("settings", "tokens", "security", "applications", "data")


def fill(page: Page, label: str, text: str) -> None:
    """Type into the field with this label, in place of what it holds."""
    page.run(f"[...document.querySelectorAll('label')].find((each) => each.innerText === '{label}').click()")
    page.run("document.activeElement.select?.()")
    page.type(text)


def press(page: Page, text: str, within: str = "main") -> None:
    """Press the button that says this."""
    page.press_found(
        f"[...document.querySelectorAll('{within} button, {within} a.button')]"
        f".find((each) => each.innerText.trim() === '{text}' && !each.disabled)"
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_every_part_is_there_for_everybody(browser: Browser, cast: Cast, width: int, part: str) -> None:
    with at_work(browser, cast.ed, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/account/{part}"))
        page.wait_for(".account-part h2")
        assert faults(page) == []


def test_somebody_changes_their_name_and_their_mail(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/account/settings"))
        page.wait_for_text(cast.ed.email)
        fill(page, "Name", "Edwina")
        press(page, "Save")
        page.wait_for_text("Saved.", ".toasts")
        page.wait_for_text("Edwina", ".side .bottom")
        page.run("document.querySelectorAll('main select')[0].value = 'DAILY'")
        page.run(
            "document.querySelectorAll('main select')[0].dispatchEvent(new Event('change', {bubbles: true}))"
        )
        until(
            lambda: cast.ed.get("/v1/user/notification-preferences").json()["mentions"] == "daily",
            "no change",
        )
    assert cast.ed.get("/v1/user").json()["displayName"] == "Edwina"


def test_a_token_is_made_shown_once_and_revoked(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/account/tokens"))
        press(page, "Create a token")
        page.wait_for("dialog[open]")
        fill(page, "Name", "Nightly build")
        page.run("document.querySelectorAll('dialog input[type=checkbox]')[0].click()")
        assert faults(page) == []
        press(page, "Create a token", "dialog")
        page.wait_for(".secret")
        secret = page.run("document.querySelector('.secret').innerText")
        assert me(cast.instance, secret).json()["id"] == cast.ed.id
        page.wait_for_text("Reads only", "main")
        press(page, "I have it")
        page.wait("!document.querySelector('.secret')")
        page.run(
            "[...document.querySelectorAll('main li')].find((each) => each.innerText.includes('Nightly'))"
            ".querySelector('button').click()"
        )
        page.wait_for_text("Revoke Nightly build?", "dialog")
        press(page, "Revoke", "dialog")
        page.wait(
            "![...document.querySelectorAll('main li')].some((each) => each.innerText.includes('Nightly'))"
        )
    assert me(cast.instance, secret).status_code == 401


def test_other_browsers_are_signed_out(browser: Browser, cast: Cast) -> None:
    other = session_of(cast.ed)
    called = {"Cookie": f"docyard_session={other}", "X-Docyard-Session": "1"}
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/account/security"))
        page.wait_for_text("This browser", "main")
        press(page, "Sign out everywhere else")
        press(page, "Sign out everywhere else", "dialog")
        page.wait_for_text("All other browsers are signed out.", ".toasts")
        page.wait("document.querySelectorAll('[aria-label=Browsers] li').length === 1")
    assert cast.instance.http.get("/v1/user", headers=called).status_code == 401


def test_an_application_is_registered_and_what_was_allowed_is_withdrawn(browser: Browser, cast: Cast) -> None:
    program = Program(cast.instance, application(cast.ada))
    got = program.tokens(cast.ed)
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/account/applications"))
        page.wait_for_text("Wick Trimmer", "main")
        press(page, "Withdraw access")
        press(page, "Withdraw access", "dialog")
        page.wait_for_text("No application has access.", "main")
        press(page, "Register an application")
        page.wait_for("dialog[open]")
        fill(page, "Name", "Lamp post")
        fill(page, "Redirect addresses", "http://lamps.example/back")
        press(page, "Save", "dialog")
        page.wait_for("dialog .wrong")
        fill(page, "Redirect addresses", "https://lamps.example/back")
        press(page, "Save", "dialog")
        page.wait_for_text("Lamp post", "main")
        page.click("main .menu button")
        choose(page, "Delete")
        press(page, "Delete", "dialog")
        page.wait_for_text("You have registered no application.", "main")
    assert me(cast.instance, got["access_token"]).status_code == 401


def test_an_account_is_deleted_by_typing_its_address(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.tom) as page:
        page.open(here(cast, "/account/data"))
        press(page, "Delete the account")
        page.wait_for("dialog[open]")
        assert page.run("document.querySelector('dialog .main.danger').disabled")
        fill(page, f"Type {cast.tom.email} to go on", cast.tom.email)
        press(page, "Delete the account", "dialog")
        page.wait("location.pathname === '/sign-in'")
    assert cast.tom.get("/v1/user").status_code == 401
