"""Single sign-on in the console: domains are proven, providers set up and tried, and then required of all."""

from __future__ import annotations

import json

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_people import menu_of
from tests.cast import Cast
from tests.factories import domains
from tests.local_server import Neighbour, sent
from tests.saml import ENTITY, SSO, certificate, metadata


def part(cast: Cast, name: str) -> str:
    """Return the address of a part of the screen of people."""
    return here(cast, f"/o/{cast.organization}/people/{name}")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_domain_is_added_proven_by_its_record_and_given_up(
    browser: Browser, cast: Cast, width: int
) -> None:
    name = domains.domain()
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(part(cast, "domains"))
        page.wait_for_text("No domain was added yet.", "main")
        press(page, "Add a domain")
        page.wait_for("dialog[open]")
        fill(page, "Domain", "no domain")
        press(page, "Add", "dialog")
        page.wait_for("dialog .wrong")
        fill(page, "Domain", name.upper())
        press(page, "Add", "dialog")
        page.wait_for_text("Waiting for proof", "main .list")
        page.wait_for_text(f"_docyard.{name}", "main .list")
        assert faults(page) == []
        press(page, "Check now")
        page.wait_for_text("was not found yet", ".toasts")
        domains.publish(domains.claim_to(cast.ada, cast.organization, name))
        press(page, "Check now")
        page.wait_for_text(f"{name} is proven.", ".toasts")
        page.wait_for_text("Proven by DNS since", "main .list")
        assert faults(page) == []
        menu_of(page, name, "Remove the domain")
        press(page, "Remove the domain", "dialog")
        page.wait_for_text("No domain was added yet.", "main")
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json()["emailDomains"] == []


def type_into(page: Page, selector: str, text: str) -> None:
    """Put a text into a field."""
    page.run(
        f"(window.field = document.querySelector({json.dumps(selector)})).value = {json.dumps(text)};"
        "field.dispatchEvent(new Event('input', { bubbles: true }))"
    )


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_saml_provider_is_set_up_step_by_step_and_deleted(browser: Browser, cast: Cast, width: int) -> None:
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(part(cast, "sso"))
        page.wait_for_text("No e-mail domain is proven yet.", "main")
        assert faults(page) == []
        press(page, "Add SAML")
        page.wait_for("dialog[open]")
        fill(page, "Label", "تسجيل الدخول للعمل")
        assert faults(page) == []
        press(page, "Create", "dialog")
        page.wait_for_text("/acs", "main .to-copy")
        page.wait_for_text("Not complete", "main")
        assert faults(page) == []
        fill(page, "Entity ID", ENTITY)
        fill(page, "Sign-in URL", SSO)
        type_into(page, "main textarea[rows='5']", "none")
        press(page, "Save")
        page.wait_for_text("certificate", "main .wrong")
        type_into(page, "main textarea[rows='5']", certificate())
        press(page, "Save")
        page.wait_for_text("Active", "main .badge")
        assert page.run("document.querySelector('main a[target=_blank]').pathname").endswith("/start")
        press(page, "Test the sign-in")
        page.open(part(cast, "sso"))
        menu_of(page, ENTITY, "Delete")
        press(page, "Delete", "dialog")
        page.wait_for_text("There is no identity provider yet.", "main")


def test_metadata_of_a_provider_fills_its_fields(browser: Browser, cast: Cast) -> None:
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", {"label": "Works"}).json()
    with at_work(browser, cast.ada) as page:
        page.open(part(cast, f"sso/{made['id']}"))
        page.wait_for("main details summary")
        page.click("main details summary")
        page.wait_for("main textarea")
        type_into(page, "main textarea", "<nothing/>")
        press(page, "Save")
        page.wait_for_text("must describe one identity provider", "main .wrong")
        type_into(page, "main textarea", metadata())
        press(page, "Save")
        page.wait_for_text("Active", "main .badge")
        assert page.run("[...document.querySelectorAll('main input[type=url]')].at(-1).value") == SSO
        assert faults(page) == []


def test_metadata_is_read_from_its_url(browser: Browser, cast: Cast, neighbour: Neighbour) -> None:
    neighbour.routes["/metadata"] = sent(metadata(), "application/samlmetadata+xml")
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", {"label": "Works"}).json()
    with at_work(browser, cast.ada, width=PHONE, dark=True) as page:
        page.open(part(cast, f"sso/{made['id']}"))
        page.wait_for("main input[type=url]")
        fill(page, "Metadata URL of the provider", f"{neighbour.base}/none")
        press(page, "Save")
        page.wait_for_text("404", "main .wrong")
        fill(page, "Metadata URL of the provider", f"{neighbour.base}/metadata")
        press(page, "Save")
        page.wait_for_text("Active", "main .badge")
        assert page.run("[...document.querySelectorAll('main input[type=url]')].at(-1).value") == SSO
        assert faults(page) == []


def test_an_openid_provider_is_set_up_and_keeps_its_secret(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ada) as page:
        page.open(part(cast, "sso"))
        press(page, "Add OpenID Connect")
        page.wait_for("dialog[open]")
        fill(page, "Label", "Works")
        fill(page, "Issuer", "https://login.example.org")
        fill(page, "Client ID", "docyard")
        fill(page, "Client secret", "hush")
        assert faults(page) == []
        press(page, "Create", "dialog")
        page.wait_for_text("/callback", "main .to-copy")
        fill(page, "Label", "Head office")
        press(page, "Save")
        page.wait_for_text("Head office", "main h2")
        assert "hush" not in page.run("document.body.innerHTML")
        assert faults(page) == []


def test_single_sign_on_is_required_only_after_an_administrator_came_in_that_way(
    browser: Browser, cast: Cast
) -> None:
    make.provider(cast)
    with at_work(browser, cast.ada) as page:
        page.open(part(cast, "sso"))
        press(page, "Require single sign-on…")
        press(page, "Require single sign-on", "dialog")
        page.wait_for_text("No administrator has signed in through", ".toasts")
    assert cast.ada.get(f"/v1/orgs/{cast.organization}").json()["sso"] is False
