"""A program that signs people in with OAuth, written out by hand, and the browser of a person."""

from __future__ import annotations

import html
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
from sqlalchemy import update

from app.access.context import Context
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser
from app.domain.organizations import users
from app.kit.database.statements import command, table
from tests.cast import Cast, Person
from tests.instance import Instance
from tests.timing import TIMEOUT

BACK = "https://app.example.org/back"
Application = dict[str, Any]


def application(person: Person, **fields: Any) -> Application:
    """An application that this person registered."""
    new = {"name": "Wick Trimmer", "redirectURIs": [BACK], **fields}
    answer = person.post("/v1/user/oauth-applications", new)
    assert answer.status_code == 201, answer.text
    made: Application = answer.json()
    return made


@contextmanager
def browser(person: Person, secret: str = "") -> Iterator[httpx.Client]:
    """A browser in which somebody is signed in, with a new session or with this one."""

    async def begin(cx: Any) -> str:
        return (await sessions.begin(cx, await users.by_email(cx, person.email), Browser())).session

    secret = secret or person.instance.inside(begin)
    with httpx.Client(
        base_url=person.base,
        timeout=TIMEOUT,
        cookies={"docyard_session": secret},
        headers={"Sec-Fetch-Site": "same-origin", "Accept": "text/html"},
    ) as opened:
        yield opened


def text_of(page: httpx.Response) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page.text))).strip()


def hidden(page: httpx.Response) -> dict[str, str]:
    """The hidden fields of a page's form."""
    found = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page.text)
    return {name: html.unescape(value) for name, value in found}


def arrived(answer: httpx.Response) -> dict[str, str]:
    """Return the parameters that a redirect brings along."""
    assert answer.status_code == 303, answer.text
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


def sent_back(person: Person, address: str) -> str:
    """Return where somebody's browser is sent who allows what a program asks."""
    with browser(person) as opened:
        page = opened.get(address)
        assert page.status_code == 200, page.text
        form = {**hidden(page), "organization": "", "decision": "allow"}
        answer = opened.post("/oauth/authorize", data=form)
    assert answer.status_code == 303, answer.text
    back: str = answer.headers["location"]
    return back


@dataclass
class Program:
    """A program with an application's id."""

    instance: Instance
    application: Application
    redirect_uri: str = BACK
    verifier: str = field(default_factory=lambda: token_urlsafe(48))

    @property
    def challenge(self) -> str:
        return urlsafe_b64encode(sha256(self.verifier.encode()).digest()).decode().rstrip("=")

    def address(self, **changes: str | None) -> str:
        """Return where the program sends a browser."""
        asked = {
            "response_type": "code",
            "client_id": self.application["id"],
            "redirect_uri": self.redirect_uri,
            "scope": "read",
            "state": "a-state",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            **changes,
        }
        return "/oauth/authorize?" + urlencode({k: v for k, v in asked.items() if v is not None})

    def allowed(self, person: Person, organization: str = "", **changes: str | None) -> dict[str, str]:
        """Allow what is asked, and return what comes back."""
        with browser(person) as opened:
            page = opened.get(self.address(**changes))
            assert page.status_code == 200, page.text
            form = {**hidden(page), "organization": organization, "decision": "allow"}
            return arrived(opened.post("/oauth/authorize", data=form))

    def call(self, name: str, **sent: str) -> httpx.Response:
        """A call of an endpoint, as this application."""
        login = {"client_id": self.application["id"]}
        if secret := self.application.get("secret"):
            login["client_secret"] = secret
        return self.instance.http.post(f"/oauth/{name}", data={**login, **sent})

    def exchange(self, code: str, **changes: str) -> httpx.Response:
        """Redeem a code."""
        sent = {"redirect_uri": self.redirect_uri, "code_verifier": self.verifier, **changes}
        return self.call("token", grant_type="authorization_code", code=code, **sent)

    def refresh(self, token: str, **more: str) -> httpx.Response:
        """Redeem a refresh token."""
        return self.call("token", grant_type="refresh_token", refresh_token=token, **more)

    def tokens(self, person: Person, organization: str = "", **changes: str | None) -> dict[str, Any]:
        """The tokens of somebody who allows what is asked."""
        answer = self.exchange(self.allowed(person, organization, **changes)["code"])
        assert answer.status_code == 200, answer.text
        got: dict[str, Any] = answer.json()
        return got


def me(instance: Instance, token: str) -> httpx.Response:
    """Return the person who calls with a token."""
    return instance.http.get("/v1/user", headers={"Authorization": f"Bearer {token}"})


def error_of(answer: httpx.Response, status: int = 400) -> str:
    """The error of an answer to a program."""
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    code: str = answer.json()["error"]
    return code


def later(cast: Cast, model: Any, column: str, seconds: int) -> None:
    """Put a time of all rows so far into the past."""

    async def put(cx: Context) -> None:
        await cx.tx.run(
            command(lambda: update(table(model)).values({column: cx.now - timedelta(seconds=seconds)}))
        )

    cast.instance.inside(put)
