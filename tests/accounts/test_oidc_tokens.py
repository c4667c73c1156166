"""ID tokens that do not count, from a provider that says what each test wants."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from webauthn.helpers import bytes_to_base64url

from tests import make
from tests.accounts.web_client import visit, who
from tests.cast import Cast
from tests.instance import Instance, running
from tests.local_server import Answer, Request, sent, serve

CLIENT, SECRET = "docyard", "a secret of at least thirty-two bytes"
ELSEWHERE = "https://elsewhere.example"
KEY, OTHER_KEY = (RSAKey.generate_key(2048, {"kid": name}) for name in ("ours", "ours"))
SYMMETRIC = OctKey.import_key(SECRET)


class Provider:
    """A provider whose next ID token is signed with `key` and says these `claims` instead of the right ones.

    Without a key it is not signed.
    """

    def __init__(self) -> None:
        self.issuer = ""
        self.email = ""
        self.nonce = ""
        self.claims: dict[str, Any] = {}
        self.key: Any = KEY
        self.algorithm = "RS256"

    def describe(self, _request: Request) -> Answer:
        """Say where everything is."""
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return answer({"issuer": self.issuer, **{n: f"{self.issuer}/{p}" for n, p in places.items()}})

    def show_keys(self, _request: Request) -> Answer:
        """Show the key with which tokens are signed."""
        return answer({"keys": [KEY.as_dict(private=False)]})

    def give_token(self, _request: Request) -> Answer:
        """Give the ID token."""
        right = {
            "iss": self.issuer, "aud": CLIENT, "sub": "1", "nonce": self.nonce, "email": self.email,
            "email_verified": True, "iat": int(time.time()), "exp": int(time.time()) + 300,
        }  # fmt: skip
        claims = {name: value for name, value in {**right, **self.claims}.items() if value is not None}
        return answer({"id_token": self._signed(claims), "token_type": "Bearer"})

    def _signed(self, claims: dict[str, Any]) -> str:
        head = {"alg": self.algorithm, "kid": "ours"}
        if self.key is None:
            return ".".join([*(bytes_to_base64url(json.dumps(each).encode()) for each in (head, claims)), ""])
        return jwt.encode(head, claims, self.key, algorithms=[self.algorithm])


def answer(found: Mapping[str, Any]) -> Answer:
    return sent(json.dumps(found), "application/json")


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    made = Provider()
    routes = {
        "/.well-known/openid-configuration": made.describe,
        "/keys": made.show_keys,
        "/token": made.give_token,
    }
    with serve(routes) as made.issuer:
        yield made


@pytest.fixture(scope="module")
def instance(new_database: Callable[[], str], provider: Provider) -> Iterator[Instance]:
    """The product with this provider for everybody."""
    settings = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    allowed = urlsplit(provider.issuer).netloc
    with running(new_database(), outbound_allow=allowed, **settings) as instance:
        yield instance


@pytest.fixture
def cast(instance: Instance, provider: Provider) -> Cast:
    """People of whom the provider names Ed, as it should."""
    made = make.cast(instance)
    provider.email, provider.claims, provider.key, provider.algorithm = made.ed.email, {}, KEY, "RS256"
    return made


def signed_in(cast: Cast, provider: Provider) -> str | None:
    """Return who is signed in after the provider has answered."""
    with visit(cast.instance) as browser:
        there = browser.get("/oidc/server/start").headers["location"]
        asked = {name: values[0] for name, values in parse_qs(urlsplit(there).query).items()}
        provider.nonce = asked["nonce"]
        back = browser.get("/oidc/server/callback", params={"state": asked["state"], "code": "x"})
        assert back.status_code in (303, 403), back.text
        return who(browser)


def test_a_right_token_signs_in(cast: Cast, provider: Provider) -> None:
    assert signed_in(cast, provider) == cast.ed.email
    provider.claims = {"aud": [CLIENT, "another"], "azp": CLIENT}
    assert signed_in(cast, provider) == cast.ed.email


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another attempt"},
        {"nonce": None},
        {"iss": ELSEWHERE},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"aud": [CLIENT, "another"]},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"sub": None},
        {"exp": timedelta(minutes=-2)},
        {"exp": None},
        {"iat": timedelta(minutes=10)},
        {"iat": None},
        {"email_verified": False},
        {"email_verified": "false"},
        {"email_verified": None},
        {"email": None},
    ],
)
def test_a_token_that_says_something_else_signs_nobody_in(
    cast: Cast, provider: Provider, claims: dict[str, Any]
) -> None:
    now = datetime.now(UTC)
    provider.claims = {
        name: int((now + value).timestamp()) if isinstance(value, timedelta) else value
        for name, value in claims.items()
    }
    assert signed_in(cast, provider) is None


@pytest.mark.parametrize(("key", "algorithm"), [(OTHER_KEY, "RS256"), (SYMMETRIC, "HS256"), (None, "none")])
def test_a_token_that_is_not_signed_with_the_key_signs_nobody_in(
    cast: Cast, provider: Provider, key: Any, algorithm: str
) -> None:
    provider.key, provider.algorithm = key, algorithm
    assert signed_in(cast, provider) is None
