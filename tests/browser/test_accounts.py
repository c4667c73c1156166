"""Signing in by a link, by a passkey and through a provider, in a real browser, on phones and desktops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from app.domain.accounts import sign_in_links
from tests import make
from tests.accounts import oidc
from tests.accounts.web_client import OURS
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.instance import Instance, running
from tests.mail_server import Mailbox, link_in, mail_server

PHONE, DESKTOP = 390, 1280
NO_ANSWERS: tuple[object, ...] = (
    None,
    {},
    {"response": {}},
    {"response": {"clientDataJSON": "e30"}},
    {"id": "x", "response": {"clientDataJSON": 7}},
)


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as box:
        yield box


@pytest.fixture(scope="module")
def instance(new_database: Callable[[], str], mailbox: Mailbox) -> Iterator[Instance]:
    """The product under a name, as passkeys need one, with mail and a provider for everybody."""
    with oidc.provider() as issuer:
        ways = {
            "oidc_issuer": issuer,
            "oidc_client_id": oidc.CLIENT,
            "oidc_client_secret": oidc.SECRET,
            "outbound_allow": urlsplit(issuer).netloc,
            "base_url": "http://localhost:{port}",
        }
        with running(new_database(), **ways, **mailbox.settings()) as instance:
            yield instance


@pytest.fixture
def cast(instance: Instance) -> Cast:
    return make.cast(instance)


@contextmanager
def device(page: Page) -> Iterator[str]:
    """A device that keeps passkeys, and whose owner agrees to everything."""
    page.call("WebAuthn.enable")
    made = page.call(
        "WebAuthn.addVirtualAuthenticator",
        options={
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        },
    )
    yield made["authenticatorId"]
    page.call("WebAuthn.disable")


def here(instance: Instance, path: str) -> str:
    """An address under the name by which the browser knows the server."""
    return f"{instance.settings.base_url}{path}"


def sign_in_by_link(page: Page, cast: Cast, email: str) -> None:
    """Sign in with a link as an operator makes one."""
    page.go(cast.instance.inside(lambda cx: sign_in_links.create(cx, email)))
    page.click("button.main")
    page.wait_for_text("Hello", "h1")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_by_a_link(browser: Browser, cast: Cast, mailbox: Mailbox, width: int) -> None:
    with browser.page(width=width) as page:
        page.go(here(cast.instance, "/sign-in"))
        page.click("#email")
        page.type(cast.ed.email)
        page.click("button.main")
        page.wait_for_text("Check your mail", "h1")
        page.go(link_in(mailbox.newest(cast.ed.email)))
        page.wait_for_text(cast.ed.email)
        page.click("button.main")
        page.wait_for_text("Hello", "h1")
        page.go(here(cast.instance, "/sign-in"))
        page.wait_for_text(cast.ed.email, "dl")
        page.click("form[action$='sign-out'] button")
        page.wait_for_text("This browser is signed out")


def test_a_passkey_is_added_in_the_console(browser: Browser, cast: Cast) -> None:
    with browser.page(width=DESKTOP) as page, device(page):
        sign_in_by_link(page, cast, cast.ed.email)
        page.go(here(cast.instance, "/account/security"))
        page.wait_for(".account-part")
        add = "[...document.querySelectorAll('main button')].find((it) => it.innerText.includes('passkey'))"
        page.wait(f"!!{add}")
        page.run(f"{add}.click()")
        page.wait_for("dialog[open] input")
        page.type("Lantern")
        page.run("document.querySelector('dialog form').requestSubmit()")
        page.wait_for_text("Lantern", "[aria-label=Passkeys]")
    (passkey,) = cast.ed.get("/v1/user/passkeys").json()["items"]
    assert passkey["name"] == "Lantern"


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_by_a_passkey(browser: Browser, cast: Cast, width: int) -> None:
    with browser.page(width=width) as page, device(page):
        sign_in_by_link(page, cast, cast.ed.email)
        page.go(here(cast.instance, "/account"))
        page.click("#name")
        page.type("Laptop")
        page.click("[data-passkey=add] button")
        page.wait_for_text("Laptop", "section ul")
        kept = cast.ed.get("/v1/user/passkeys").json()["items"]
        assert [(each["name"], each.get("lastUsedAt")) for each in kept] == [("Laptop", None)]
        page.click("#name")
        page.type("Again")
        page.click("[data-passkey=add] button")
        page.wait_for_text("has a passkey for this account already")
        page.click("form[action$='sign-out'] button")
        page.wait_for_text("This browser is signed out")
        page.go(here(cast.instance, "/sign-in?next=/account"))
        page.click("[data-passkey=sign-in] button")
        page.wait_for_text(cast.ed.email)
        page.wait_for_text(cast.ed.email, "dl")
        assert cast.ed.get("/v1/user/passkeys").json()["items"][0]["lastUsedAt"]
        page.click("section li button")
        page.wait("!document.querySelector('section li')")
        page.click("form[action$='sign-out'] button")
        page.wait_for_text("This browser is signed out")
        page.go(here(cast.instance, "/sign-in"))
        page.click("[data-passkey=sign-in] button")
        page.wait_for_text("does not sign anybody in here")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_through_a_provider(browser: Browser, cast: Cast, width: int) -> None:
    with browser.page(width=width) as page:
        page.go(here(cast.instance, "/sign-in"))
        page.click("nav a")
        page.wait_for("input[name=login]")
        page.click("input[name=login]")
        page.type(cast.ed.email)
        page.click("input[name=password]")
        page.type("any")
        page.click("button[type=submit]")
        page.wait("document.querySelector('[value=consent]') !== null")
        page.click("button[type=submit]")
        page.wait_for_text("Hello", "h1")
        page.go(here(cast.instance, "/sign-in"))
        page.wait_for_text(cast.ed.email, "dl")


def test_what_no_device_answered_signs_nobody_in(cast: Cast) -> None:
    with httpx.Client(base_url=cast.instance.base, headers=OURS) as caller:
        options = caller.post("/sign-in/passkey/options", json={}).json()
        assert options["userVerification"] == "required"
        for answer in NO_ANSWERS:
            refused = caller.post("/sign-in/passkey", json={"answer": answer})
            assert refused.status_code in (400, 403), refused.text
        assert caller.post("/sign-in/passkey", content=b"{").status_code == 400
        assert caller.post("/account/passkeys/options", json={}).status_code == 401
        foreign = {"Sec-Fetch-Site": "cross-site"}
        assert caller.post("/sign-in/passkey/options", json={}, headers=foreign).status_code == 403
