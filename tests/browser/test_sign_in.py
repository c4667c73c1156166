"""Signing in through an identity provider of another site, in a real browser, and what that opens."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from urllib.parse import parse_qs

import pytest

from app.domain.site_addresses import own_origins
from tests import saml
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.factories import domains
from tests.factories.integrations import PublishedIntegration
from tests.instance import running
from tests.integrations.test_events import until
from tests.local_server import Answer, Neighbour, Request, html, port_of, redirect
from tests.visitors import PublishedSite

PHONE, DESKTOP = 390, 1280


@pytest.fixture
def idp(cast: Cast, neighbour: Neighbour) -> saml.Idp:
    """A provider whose page answers at once, with a form that sends itself, about Ed."""
    domains.proven(cast.ada, cast.organization, cast.domain)
    elsewhere = f"http://localhost:{port_of(neighbour.base)}/page"
    found = saml.idp(cast, ssoURL=neighbour.base + "/sso")

    def page(request: Request) -> Answer:
        asked = parse_qs(request.query)
        request_id = found.request_id(f"?{request.query}")
        response = b64encode(found.answer(request_id, cast.ed.email)).decode()
        relay = asked.get("RelayState", [""])[0]
        return html(
            f'<form method="post" action="{found.acs}">'
            f'<input name="SAMLResponse" value="{response}"><input name="RelayState" value="{relay}">'
            "</form><script>document.forms[0].submit()</script>"
        )

    neighbour.shows("/sso", lambda request: redirect(f"{elsewhere}?{request.query}"))
    neighbour.shows("/page", page)
    return found


def sign_in(page: Page, idp: saml.Idp, query: str = "") -> None:
    """Open the address to sign in and wait until the browser is back."""
    page.go(idp.shown["service"]["startURL"] + query)
    arrived = f"location.href.startsWith('{idp.cast.instance.base}') && document.readyState === 'complete'"
    page.wait(arrived)


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_the_screen_and_signs_out(
    browser: Browser, idp: saml.Idp, width: int, dark: bool
) -> None:
    with browser.page(width=width, dark=dark) as page:
        sign_in(page, idp)
        page.wait_for_text("Your token")
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        background = page.run("getComputedStyle(document.body).backgroundColor")
        assert (sum(int(part) for part in re.findall(r"\d+", background)[:3]) < 300) is dark
        assert page.run("document.querySelector('h1').getBoundingClientRect().left") > 20
        assert idp.cast.ed.email in page.text("dl")
        page.click("form button")
        page.wait_for_text("Signed out")
        assert page.complaints == []
        assert page.run("document.cookie") == ""


def test_the_session_runs_queries_in_the_editor_without_a_token(browser: Browser, idp: saml.Idp) -> None:
    with browser.page() as page:
        sign_in(page, idp, "?RelayState=/graphql")
        page.wait_for(".graphiql-query-editor .CodeMirror")
        assert page.run("location.pathname") == "/graphql"
        page.click(".graphiql-execute-button")
        page.wait_for_text("Analytical Engines", within=".graphiql-response")
        asked = [sent for sent in page.requests if sent.method == "POST" and sent.url.endswith("/graphql")]
        assert asked
        assert not any("authorization" in sent.headers for sent in asked)
        assert "dcs_" not in page.run(
            "document.cookie + JSON.stringify({...localStorage, ...sessionStorage})"
        )


def test_a_page_of_another_site_does_nothing_with_the_session(
    browser: Browser, idp: saml.Idp, neighbour: Neighbour
) -> None:
    base = idp.cast.instance.base
    other = f"http://localhost:{port_of(neighbour.base)}/evil"
    neighbour.shows("/evil", html(f'<form method="post" action="{base}/sso/sign-out"></form>'))
    with browser.page() as page:
        sign_in(page, idp)
        page.wait_for_text("Your token")
        page.open(other)
        sent = f"fetch('{base}/v1/user', {{credentials: 'include'}}).then(() => 'read', () => 'refused')"
        assert page.run(sent) == "refused"
        page.run("document.forms[0].submit()")
        page.wait_for_text("Only a page of this server may send this form.")
        page.open(f"{base}/sso/session")
        page.wait_for_text(idp.cast.ed.email)


def test_a_script_of_an_integration_on_a_site_does_nothing_with_the_session(
    browser: Browser, idp: saml.Idp
) -> None:
    site = with_a_thief(idp)
    own = own_origins.of_site(idp.cast.instance.settings, site.id)
    with browser.page() as page:
        sign_in(page, idp)
        page.wait_for_text("Your token")
        for bypass in (True, False):  # the origin alone keeps the script away, without the policy of the page
            page.call("Page.setBypassCSP", enabled=bypass)
            page.go(site.url)
            assert stolen(page) == {"got": "refused", "cookie": ""}
            assert page.run("location.href") == f"{own}{site.base}"
        page.click("[data-search]")
        page.wait_for("dialog.search input")
        page.type("installer")
        page.wait_for_text("Run the installer.", within="dialog.search")
        page.open(f"{idp.cast.instance.base}/sso/session")
        page.wait_for_text(idp.cast.ed.email)


def test_where_sites_have_no_origin_of_their_own_the_script_is_in_a_sandbox(
    browser: Browser, idp: saml.Idp
) -> None:
    site = with_a_thief(idp)
    named = "http://sites.localhost:{port}"  # below such a host there are none unless a setting names them
    with running(idp.cast.instance.settings.database, sites_url=named) as served, browser.page() as page:
        sign_in(page, idp)
        page.wait_for_text("Your token")
        page.open(served.settings.sites_base + site.base)
        assert stolen(page) == {"got": "refused", "cookie": "none"}
        page.click("[data-search]")
        page.wait_for("form input[name=q]")
        assert page.run("location.pathname.endsWith('/~/search')")


def with_a_thief(idp: saml.Idp) -> PublishedSite:
    """Publish a site with a script that asks who reads it, and notes what it got on the page."""
    steals = (
        "const said = document.body.dataset;"
        f"fetch('{idp.cast.instance.base}/v1/user', {{credentials: 'include'}})"
        ".then((answer) => answer.text()).then((text) => { said.got = text; })"
        ".catch(() => { said.got = 'refused'; });"
        "try { said.cookie = document.cookie; } catch { said.cookie = 'none'; }"
    )
    script = f"export default {{ fetch() {{ return new Response({json.dumps(steals)}); }} }};"
    site = PublishedSite(idp.cast)
    made = PublishedIntegration(idp.cast, scopes=["site:script:inject"], script=script)
    made.on_site(made.install(), site.id)
    until(lambda: site.get("/integration-scripts"))
    return site


def stolen(page: Page) -> dict[str, str]:
    """Return what the script noted, once it has been answered."""
    page.wait("document.readyState === 'complete' && document.body?.dataset.got !== undefined")
    noted: dict[str, str] = page.run("({...document.body.dataset})")
    noted.pop("texts")  # what the reader's own script says
    return noted
