"""The people of an organization in the console: members, invitations and invite links."""

from __future__ import annotations

import pytest

from tests import make, saml
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, SCREENS, STORY_WIDTHS, at_work, choose, faults, here
from tests.browser.console.test_account import fill, press
from tests.cast import Cast
from tests.factories import domains

PARTS = ("", "/invitations")


def people(cast: Cast, part: str = "") -> str:
    """Return the address of a part of the screen."""
    return here(cast, f"/o/{cast.organization}/people{part}")


def menu_of(page: Page, text: str, label: str) -> None:
    """Choose from the menu of the item of a list that says this."""
    page.press_found(
        "[...document.querySelectorAll('main .list li')]"
        f".find((each) => each.innerText.includes('{text}'))?.querySelector('.menu button')"
    )
    choose(page, label)


def pick(page: Page, label: str) -> None:
    """Choose a radio button of the open dialog by its label."""
    page.press_found(
        "[...document.querySelectorAll('dialog label.check')]"
        f".find((each) => each.innerText.startsWith('{label}'))"
    )


def wait_without(page: Page, text: str) -> None:
    """Wait until no item of a list says this."""
    page.wait(
        f"![...document.querySelectorAll('main .list li')].some((each) => each.innerText.includes('{text}'))"
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_every_part_is_there_for_administrators(
    browser: Browser, cast: Cast, dark: bool, width: int, part: str
) -> None:
    with at_work(browser, cast.ada, width=width, dark=dark) as page:
        page.open(people(cast, part))
        page.wait_for("main .list, main .people-part")
        assert faults(page) == []


def test_members_are_found_by_name_and_role(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ria) as page:
        page.open(people(cast))
        page.wait("document.querySelectorAll('main .list li').length === 7")
        fill(page, "Find by name or address", cast.ed.email)
        page.wait("document.querySelectorAll('main .list li').length === 1")
        page.wait_for_text(cast.ed.email, "main .list")
        assert page.run("location.search").startswith("?search=")
        assert not page.run("document.querySelector('main .list .menu')")
        page.open(people(cast, "?role=GUEST"))
        page.wait_for_text(cast.gus.email, "main .list")
        assert page.run("document.querySelectorAll('main .list li').length") == 1


def test_a_guest_is_told_what_is_missing(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.gus) as page:
        page.open(people(cast))
        page.wait_for_text("This needs the permission to see the members.", "main")
        assert faults(page) == []


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_member_gets_another_role_is_disabled_and_comes_back(
    browser: Browser, cast: Cast, width: int
) -> None:
    where = f"/v1/orgs/{cast.organization}/members/{cast.tom.id}"
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(people(cast))
        menu_of(page, cast.tom.email, "Change the role")
        page.wait_for("dialog[open]")
        pick(page, "Editor")
        assert faults(page) == []
        press(page, "Save", "dialog")
        page.wait_for_text("is now: Editor.", ".toasts")
        assert cast.ada.get(where).json()["role"] == "edit"
        menu_of(page, cast.tom.email, "Disable")
        press(page, "Disable", "dialog")
        page.wait_for_text("Disabled", "main .list")
        assert cast.tom.get(f"/v1/orgs/{cast.organization}").status_code in (403, 404)
        menu_of(page, cast.tom.email, "Enable")
        page.wait("!document.querySelector('main .list .badge.warn')")
    assert cast.ada.get(where).json()["disabled"] is False


def test_the_last_administrator_stays_one(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(people(cast))
        menu_of(page, cast.ada.email, "Change the role")
        page.wait_for("dialog[open]")
        pick(page, "Reader")
        press(page, "Save", "dialog")
        page.wait_for(".toast.bad")
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/members/{cast.ada.id}").json()["role"] == "admin"


def test_sessions_that_a_provider_began_are_ended(browser: Browser, cast: Cast) -> None:
    domains.proven(cast.ada, cast.organization, cast.domain)
    signed_in = saml.idp(cast).person(cast.ed)
    sessions = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}/sessions"
    assert signed_in.get("/v1/user").status_code == 200
    assert len(cast.ada.get(sessions).json()["items"]) == 1
    with at_work(browser, cast.ada) as page:
        page.open(people(cast))
        menu_of(page, cast.ed.email, "End sessions")
        press(page, "End sessions", "dialog")
        page.wait_for_text("The sessions of Ed are ended.", ".toasts")
    assert cast.ada.get(sessions).json()["items"] == []


def test_a_link_signs_a_member_in(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(people(cast))
        menu_of(page, cast.ed.email, "Make a sign-in link")
        page.wait_for("dialog .secret")
        assert faults(page) == []
        link = page.run("document.querySelector('dialog .secret').innerText")
        press(page, "I have it", "dialog")
        page.wait("!document.querySelector('dialog')")
        assert not page.run("document.body.innerHTML").count(link.partition("code=")[2])
    with browser.page() as page:
        page.open(link)
        page.click("button.main")
        page.wait_for_text("Ed", ".side .bottom")


def test_a_member_is_removed_and_another_leaves(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(people(cast))
        menu_of(page, cast.tom.email, "Remove")
        press(page, "Remove", "dialog")
        wait_without(page, cast.tom.email)
    with at_work(browser, cast.ed) as page:
        page.open(people(cast))
        menu_of(page, cast.ed.email, "Leave the organization")
        press(page, "Leave the organization", "dialog")
        page.wait("location.pathname === '/'")
    members = cast.ada.get(f"/v1/orgs/{cast.organization}/members").json()["items"]
    assert not {cast.tom.id, cast.ed.id} & {each["id"] for each in members}


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_people_are_invited_by_address_and_an_invitation_is_withdrawn(
    browser: Browser, cast: Cast, width: int
) -> None:
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(people(cast, "/invitations"))
        press(page, "Invite people")
        page.wait_for("dialog[open]")
        fill(page, "E-mail addresses", "nan@lamps.example, nobody")
        pick(page, "Reviewer")
        press(page, "Invite 2 people", "dialog")
        page.wait_for_text("nobody: ", "dialog .wrong")
        assert faults(page) == []
        fill(page, "E-mail addresses", f"nan@lamps.example {cast.ed.email}")
        press(page, "Invite 2 people", "dialog")
        page.wait_for_text("nan@lamps.example", "main .list")
        page.wait_for_text("1 person is invited.", ".toasts")
        page.wait_for_text("These belong already: ", ".toasts")
        page.wait_for_text("Reviewer", "main .list")
        menu_of(page, "nan@lamps.example", "Withdraw")
        press(page, "Withdraw", "dialog")
        page.wait_for_text("No invitation is waiting.", "main")
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/invites").json()["items"] == []


def test_a_stranger_joins_by_an_invite_link_until_it_is_deleted(browser: Browser, cast: Cast) -> None:
    make.links_on(cast)
    with at_work(browser, cast.ada) as page:
        page.open(people(cast, "/invitations"))
        press(page, "Create an invite link")
        page.wait_for("dialog[open]")
        pick(page, "Commenter")
        assert faults(page) == []
        press(page, "Create", "dialog")
        page.wait_for_text("Commenter", "main .list")
        menu_of(page, "Commenter", "Change what it gives")
        pick(page, "Editor")
        press(page, "Save", "dialog")
        page.wait_for_text("Editor", "main .list")
        (link,) = cast.ada.get(f"/v1/orgs/{cast.organization}/link-invites").json()["items"]
        cast.sol.mutate("acceptInvite", organization=cast.organization, invite=link["id"])
        menu_of(page, "Editor", "Delete the link")
        press(page, "Delete the link", "dialog")
        page.wait_for_text("There are no invite links.", "main")
    joined = cast.ada.get(f"/v1/orgs/{cast.organization}/members/{cast.sol.id}").json()
    assert joined["role"] == "edit"
