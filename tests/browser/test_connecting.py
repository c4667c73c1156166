"""An integration that is connected to a provider in a real browser, with cookies at its public endpoint."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import orjson

from tests.browser.browser import Browser
from tests.cast import Cast
from tests.integrations.command_line import published
from tests.local_server import Answer, Neighbour, Request, redirect

CONFIGURED = {"account": {"properties": {"key": {"type": "string", "title": "Key"}}, "required": ["key"]}}


class Provider:
    """A provider of OAuth that proves who began (PKCE, S256)."""

    def __init__(self, neighbour: Neighbour) -> None:
        self.challenge = ""
        neighbour.shows("/authorize", self.authorize)
        neighbour.shows("/token", self.token)

    def authorize(self, request: Request) -> Answer:
        """Send the browser back with a code, as if somebody had agreed."""
        asked = {name: values[0] for name, values in parse_qs(request.query).items()}
        self.challenge = asked["code_challenge"]
        return redirect(f"{asked['redirect_uri']}?{urlencode({'code': 'c1', 'state': asked['state']})}")

    def token(self, request: Request) -> Answer:
        """Give a token for the code to who has the verifier."""
        given = parse_qs(request.body.decode())
        digest = hashlib.sha256(given["code_verifier"][0].encode()).digest()
        is_proven = urlsafe_b64encode(digest).decode().rstrip("=") == self.challenge
        body = (
            {"access_token": "sesame"}
            if is_proven and given["code"] == ["c1"]
            else {"error": "invalid_grant"}
        )
        return (200 if is_proven else 400), {"content-type": "application/json"}, orjson.dumps(body)


def test_an_installation_is_connected_by_who_began(
    browser: Browser, cast: Cast, neighbour: Neighbour, tmp_path: Path
) -> None:
    Provider(neighbour)
    made = published(
        cast, tmp_path, "connect.ts", configurations=CONFIGURED, secrets={"provider": neighbour.base}
    )
    installation = made.install()
    endpoint = made.get(f"/installations/{installation}")["urls"]["publicEndpoint"]
    with browser.page() as stranger:
        stranger.go(f"{endpoint}/callback?code=c1")
        stranger.wait_for_text("This did not begin here.")
    with browser.page() as page:
        page.go(f"{endpoint}/connect")
        page.wait_for_text("Connected", within="h1")
        assert page.run("location.href").startswith(f"{endpoint}/callback?code=c1")
    found = made.get(f"/installations/{installation}")
    assert (found["status"], found["configuration"]) == ("active", {"key": "sesame"})
