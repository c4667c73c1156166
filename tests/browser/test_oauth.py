"""A frontend on another origin signs people in with the lines of the guide; a device's code is entered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import update

from app.access.context import Context
from app.domain.accounts import sessions
from app.domain.organizations import users
from app.kit.database.statements import command, table
from app.models.access import Token
from tests import make
from tests.browser.browser import Browser, Page, chromium
from tests.cast import Cast, Person
from tests.cli.command import ROOT
from tests.instance import running
from tests.local_server import Answer, Handler, html, sent, serve
from tests.oauth.client import application

GUIDE = ROOT / "app/demo/guide/rest/oauth.md"
PHONE, DESKTOP = 390, 1280
PAGE = """<h1>Editor</h1><p id="who"></p><button id="in">in</button><button id="ask">ask</button>
<button id="out">out</button><script type="module">
import { signIn, comeBack, graphql, signOut } from './docyard.js'
const say = (text) => document.querySelector('#who').textContent = text
const me = async () => say('You are ' + (await graphql('{ me { email } }')).data.me.email)
document.querySelector('#in').onclick = () => signIn('read')
document.querySelector('#ask').onclick = () => { say('…'); me() }
document.querySelector('#out').onclick = async () => { await signOut(); say('signed out') }
comeBack().then((there) => there ? me() : say('nobody'), (error) => say('refused: ' + error.message))
</script>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def frontend(fresh_database: str) -> Iterator[tuple[Cast, str]]:
    """People of a server that a page on another origin may call, and the address of that page."""
    routes: dict[str, Answer | Handler] = {}
    with serve(routes) as origin, running(fresh_database, cors_origins=origin) as instance:
        cast = make.cast(instance)
        place = f"{origin}/editor"
        made = application(cast.ada, name="Editor", redirectURIs=[place])
        (lines,) = re.findall(r"```js\n(.*?)```", GUIDE.read_text(), re.DOTALL)
        lines = lines.replace("https://docs.example.org", instance.base).replace("YOUR_CLIENT_ID", made["id"])
        routes["/editor"] = html(PAGE)
        routes["/favicon.ico"] = sent(b"", "image/png")
        routes["/docyard.js"] = sent(lines, "text/javascript")
        yield cast, place


def sign_in(page: Page, person: Person) -> None:
    """Put somebody's session into the browser."""

    async def begin(cx: Context) -> str:
        user = await users.by_email(cx, person.email)
        return (await sessions.begin(cx, user, sessions.Browser())).session

    secret = person.instance.inside(begin)
    given = {"name": "docyard_session", "value": secret, "httpOnly": True, "sameSite": "Lax"}
    page.call("Network.setCookie", url=person.base, **given)


def test_the_lines_of_the_guide_sign_somebody_in(browser: Browser, frontend: tuple[Cast, str]) -> None:
    cast, place = frontend
    with browser.page() as page:
        sign_in(page, cast.ed)
        page.go(place)
        page.wait_for_text("nobody", "#who")
        page.click("#in")
        page.wait_for_text("Editor asks for access")
        assert page.run("location.origin") == cast.instance.base
        page.click("button[value=allow]")
        page.wait_for_text(f"You are {cast.ed.email}", "#who")
        assert page.run("location.href") == place, "the code does not stay in the address"

        held = json.loads(page.run("sessionStorage.getItem('tokens')"))

        async def end(cx: Context) -> None:
            ended = command(
                lambda: update(table(Token)).where(table(Token).c.kind == "oauth").values(expires_at=cx.now)
            )
            await cx.tx.run(ended)

        cast.instance.inside(end)
        page.click("#ask")
        page.wait_for_text(f"You are {cast.ed.email}", "#who")
        fresh = json.loads(page.run("sessionStorage.getItem('tokens')"))
        assert fresh["access_token"] != held["access_token"]

        page.click("#out")
        page.wait_for_text("signed out", "#who")
        headers = {"Authorization": f"Bearer {fresh['access_token']}"}
        assert cast.instance.http.get("/v1/user", headers=headers).status_code == 401

        page.click("#in")
        page.wait_for_text("Editor asks for access")
        page.click("button[value=deny]")
        page.wait_for_text("refused: access_denied", "#who")


def test_a_page_takes_no_answer_that_it_did_not_ask_for(browser: Browser, frontend: tuple[Cast, str]) -> None:
    cast, place = frontend
    with browser.page() as page:
        page.go(place)
        page.wait_for_text("nobody", "#who")
        page.run("sessionStorage.setItem('asked', JSON.stringify({ verifier: 'v', state: 's' }))")
        page.go(f"{place}?code=x&state=s&iss=https://evil.example")
        page.wait_for_text("refused: This answer is not for this page.", "#who")
        page.go(f"{place}?code=x&state=other&iss={cast.instance.base}")
        page.wait_for_text("nobody", "#who")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_pages_fit_the_screen(
    browser: Browser, frontend: tuple[Cast, str], width: int, dark: bool, tmp_path: Path
) -> None:
    cast, place = frontend
    with browser.page(width=width, dark=dark) as page:
        sign_in(page, cast.ed)
        page.go(place)
        page.wait_for_text("nobody", "#who")
        page.click("#in")
        page.wait_for_text("Editor asks for access")
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        page.picture(tmp_path / "consent.png")
        codes = cast.instance.http.post(
            "/oauth/device_authorization", data={"client_id": "docyard-cli"}
        ).json()
        page.go(codes["verification_uri_complete"])
        assert page.run("document.querySelector('input').value") == codes["user_code"]
        page.picture(tmp_path / "code.png")
        page.click("button.main")
        page.wait_for_text("Docyard command line asks for access")
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        page.picture(tmp_path / "device.png")
        page.click("button[value=allow]")
        page.wait_for_text("Your device has access now")
        assert page.complaints == []
        assert urlsplit(page.run("location.href")).query == ""
