"""The session of a browser: it counts for the clients of a named origin, and for no other origin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import make, saml
from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.factories import domains
from tests.frontend.screens import Frontend, serving
from tests.timing import until

ME = "{ me { email } }"
SPACE = "subscription ($space: ID!) { spaceChanged(space: $space) { action position } }"
READ = "fetch({url}, {{credentials: 'include'}}).then((got) => got.text(), () => 'refused')"


@pytest.fixture
def secret(cast: Cast) -> str:
    """The session of Ed, who signed in."""
    domains.proven(cast.ada, cast.organization, cast.domain)
    idp = saml.idp(cast)
    with idp.browser() as browser:
        answer = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email))
        assert answer.status_code == 200, answer.text
        return str(browser.cookies["docyard_session"])


@pytest.fixture
def page(browser: Browser, cast: Cast, secret: str) -> Iterator[Page]:
    """A page of the browser in which Ed signed in."""
    with browser.page() as opened:
        cookie = {"name": "docyard_session", "value": secret, "url": cast.instance.base, "sameSite": "Lax"}
        assert opened.call("Network.setCookie", **cookie, httpOnly=True)["success"]
        yield opened


def spaces(cast: Cast) -> str:
    """The variables of the query that lists the spaces of a cast."""
    return json.dumps({"organization": cast.organization, "first": 5})


def start(page: Page, address: str, base: str) -> None:
    """Open the page of a client and start its app without a token."""
    page.open(address)
    page.wait("!!window.start")
    page.run(f"start('app', {json.dumps({'url': f'{base}/graphql', 'token': ''})})")


@pytest.mark.parametrize("client", ["apollo", "urql"])
def test_the_clients_of_a_named_origin_use_the_session(
    frontend: Frontend, cast: Cast, page: Page, client: str
) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    start(page, f"{frontend.origin}/{client}", cast.instance.base)
    assert "Handbook" in json.dumps(page.run(f"app.show('Spaces', {spaces(cast)})"))
    change = {"input": {"space": space, "title": "Changed"}}
    assert page.run(f"app.change('RenameSpace', {json.dumps(change)})")["userErrors"] == []
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Changed"
    assert page.complaints == []


def test_a_subscription_of_a_named_origin_uses_the_session(
    frontend: Frontend, cast: Cast, page: Page
) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    start(page, f"{frontend.origin}/sse", cast.instance.base)
    page.run(f"app.watch({json.dumps({'query': SPACE, 'variables': {'space': space}})})")
    page.wait("app.told(0).connections === 1")
    cast.ada.patch(f"/v1/spaces/{space}", {"title": "Changed"})
    page.wait("app.told(0).results.length === 1")
    page.run("app.stop(0)")


def test_the_clients_of_another_origin_do_not(apps: Path, cast: Cast, page: Page) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    with serving(apps) as origin:
        start(page, f"{origin}/apollo", cast.instance.base)
        told = f"app.show('Spaces', {spaces(cast)}).then(() => 'read', () => 'refused')"
        assert page.run(told) == "refused"
        change = json.dumps({"input": {"space": space, "title": "Changed"}})
        assert (
            page.run(f"app.change('RenameSpace', {change}).then(() => 'done', () => 'refused')") == "refused"
        )
        url = json.dumps(f"{cast.instance.base}/v1/user")
        assert page.run(READ.format(url=url)) == "refused"
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Handbook"
    until(lambda: page.complaints, "nothing was refused")


def test_only_scripts_of_a_named_origin_use_the_session(frontend: Frontend, cast: Cast, page: Page) -> None:
    page.open(f"{frontend.origin}/apollo")
    url = f"{cast.instance.base}/v1/user"
    assert cast.ed.email in page.run(READ.format(url=json.dumps(url)))
    page.go(url)
    assert cast.ed.email not in page.wait("document.body.innerText")
