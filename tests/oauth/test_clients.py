"""Other people's programs sign somebody in: requests-oauthlib, oauthlib on a device, the MCP client."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from oauthlib.oauth2 import DeviceClient
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error
from requests_oauthlib import OAuth2Session

from tests.cast import Cast
from tests.oauth.client import BACK, application, me, sent_back
from tests.oauth.test_devices import answered

PLACE = "http://127.0.0.1:8123/back"


@pytest.mark.parametrize("kind", ["public", "confidential"])
def test_requests_oauthlib(cast: Cast, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    made, base = application(cast.ada, kind=kind), cast.instance.base
    known = httpx.get(f"{base}/.well-known/oauth-authorization-server").json()
    with OAuth2Session(made["id"], redirect_uri=BACK, scope=["read"], pkce="S256") as program:
        address, _ = program.authorization_url(known["authorization_endpoint"])
        secret = {"client_secret": made.get("secret"), "include_client_id": True}
        program.fetch_token(
            known["token_endpoint"], authorization_response=sent_back(cast.ed, address), **secret
        )
        assert program.get(f"{base}/v1/user").json()["id"] == cast.ed.id
        sent = {"client_id": made["id"], **({"client_secret": made["secret"]} if "secret" in made else {})}
        got = program.refresh_token(known["token_endpoint"], **sent)
        assert program.get(f"{base}/v1/user").status_code == 200
        ended = httpx.post(known["revocation_endpoint"], data={**sent, "token": got["refresh_token"]})
        assert ended.status_code == 200
    assert me(cast.instance, got["access_token"]).status_code == 401


def test_oauthlib_on_a_device_and_its_revocation(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    made, base = application(cast.ada, deviceFlow=True), cast.instance.base
    known = httpx.get(f"{base}/.well-known/oauth-authorization-server").json()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    device = DeviceClient(made["id"], scope=["read"])
    asked = urlsplit(device.prepare_request_uri(known["device_authorization_endpoint"])).query
    codes = httpx.post(known["device_authorization_endpoint"], content=asked, headers=form).json()

    def poll() -> Any:
        body = device.prepare_request_body(codes["device_code"], include_client_id=True)
        return device.parse_request_body_response(
            httpx.post(known["token_endpoint"], content=body, headers=form).text
        )

    with pytest.raises(CustomOAuth2Error, match="authorization_pending"):
        poll()
    answered(cast.ed, codes["user_code"], "allow")
    got = poll()
    assert me(cast.instance, got["access_token"]).json()["id"] == cast.ed.id
    address, headers, body = device.prepare_token_revocation_request(
        known["revocation_endpoint"], got["refresh_token"], "refresh_token"
    )
    sent = f"{body}&client_id={made['id']}"
    assert httpx.post(address, content=sent, headers=headers).status_code == 200
    assert me(cast.instance, got["access_token"]).status_code == 401


class Storage:
    """Where the MCP client keeps what it got."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


def test_the_public_mcp_client_registers_signs_in_and_refreshes(cast: Cast) -> None:
    from mcp import Client
    from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client
    from mcp.shared.auth import OAuthClientMetadata

    kept, backs = Storage(), list[str]()

    async def redirect(address: str) -> None:
        backs.append(await asyncio.to_thread(sent_back, cast.ed, address))

    async def callback() -> AuthorizationCodeResult:
        found = {name: values[0] for name, values in parse_qs(urlsplit(backs[-1]).query).items()}
        return AuthorizationCodeResult(code=found["code"], state=found["state"], iss=found["iss"])

    async def called() -> tuple[str, str]:
        new = OAuthClientMetadata.model_validate({"client_name": "Agent", "redirect_uris": [PLACE]})
        login = OAuthClientProvider(f"{cast.instance.base}/mcp", new, kept, redirect, callback)
        http = create_mcp_http_client(auth=login)
        transport = streamable_http_client(f"{cast.instance.base}/mcp", http_client=http)
        async with http, Client(transport) as client:
            assert (await client.list_tools()).tools
            first = kept.tokens.access_token
            login.context.token_expiry_time = 1.0
            assert (await client.call_tool("list_pages", {"spaceId": "nowhere"})).is_error
            return first, kept.tokens.access_token

    first, second = asyncio.run(called())
    assert first != second
    assert len(backs) == 1, "nobody was asked again"
    assert me(cast.instance, second).status_code == 401, "it is for /mcp alone"
