"""Signing in through an OpenID Connect provider: the authorization code flow with PKCE (RFC 7636).

What a provider says of itself is read from its discovery document; what it says of a person is an ID token,
signed with one of its keys, for this client, this attempt and now. Answers that name their issuer (RFC 9207)
must name this one, so that no provider passes for another.
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from time import monotonic
from typing import Any
from urllib.parse import quote, urlencode

from app.kit.http.outbound import Outbound, OutboundError, OutboundResponse

ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
LARGEST = 200_000  # bytes of an answer
LEEWAY = 60  # seconds by which clocks may differ
KEPT = 3600.0  # seconds for which a provider's description is kept
MOST_KEPT = 100
SCOPE = "openid email profile"


class OidcRefused(Exception):
    """A provider's answer does not count; the message is a sentence that says why and holds no secret."""


@dataclass(frozen=True, slots=True)
class Client:
    """This server as a provider knows it."""

    issuer: str
    client_id: str
    client_secret: str
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """The state, nonce and secret behind the challenge, which bind an answer to the browser that began."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a provider names. `email` is empty unless the provider says that it is verified."""

    subject: str
    email: str
    name: str


@dataclass(slots=True)
class Providers:
    """The metadata of providers, kept for an hour."""

    outbound: Outbound
    _kept: dict[str, tuple[float, dict[str, Any]]] = field(default_factory=dict)

    async def address(self, client: Client, attempt: Attempt) -> str:
        """Return where a browser signs in; raises OidcRefused."""
        found = await self._described(client.issuer)
        query = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": client.redirect_uri,
            "scope": SCOPE,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": _challenge(attempt.verifier),
            "code_challenge_method": "S256",
        }
        there = _endpoint(found, "authorization_endpoint")
        return f"{there}{'&' if '?' in there else '?'}{urlencode(query)}"

    async def identify(self, client: Client, attempt: Attempt, answer: Mapping[str, str]) -> Identity:
        """Return whom the provider names in its answer to this attempt; raises OidcRefused."""
        found = await self._described(client.issuer)
        if "error" in answer:
            raise OidcRefused("The identity provider did not sign you in.")
        named = answer.get("iss")
        if named != client.issuer and (
            named is not None or found.get("authorization_response_iss_parameter_supported")
        ):
            raise OidcRefused("The answer comes from another identity provider.")
        if not answer.get("code"):
            raise OidcRefused("The identity provider answered without a code.")
        tokens = await self._exchange(client, found, answer["code"], attempt.verifier)
        claims = await self._verified(client, found, str(tokens.get("id_token") or ""), attempt.nonce)
        if not claims.get("email") and found.get("userinfo_endpoint") and tokens.get("access_token"):
            claims = {**await self._userinfo(found, tokens["access_token"], claims["sub"]), **claims}
        is_verified = claims.get("email_verified") in (True, "true")
        email = str(claims.get("email") or "") if is_verified else ""
        return Identity(str(claims["sub"]), email, str(claims.get("name") or ""))

    async def _described(self, issuer: str) -> dict[str, Any]:
        kept = self._kept.get(issuer)
        if kept is not None and kept[0] > monotonic():
            return kept[1]
        found = await self._fetch(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise OidcRefused("The identity provider gives itself another name than is set up here.")
        found["keys"] = await self._fetch(_endpoint(found, "jwks_uri"))
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[issuer] = (monotonic() + KEPT, found)
        return found

    async def _exchange(
        self, client: Client, found: dict[str, Any], code: str, verifier: str
    ) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.redirect_uri,
            "code_verifier": verifier,
        }
        headers = {"content-type": "application/x-www-form-urlencoded"}
        if "client_secret_post" in (found.get("token_endpoint_auth_methods_supported") or ()):
            form |= {"client_id": client.client_id, "client_secret": client.client_secret}
        else:
            login = f"{quote(client.client_id, safe='')}:{quote(client.client_secret, safe='')}"
            headers["authorization"] = f"Basic {b64encode(login.encode()).decode()}"
        there = _endpoint(found, "token_endpoint")
        return await self._fetch(there, method="POST", content=urlencode(form).encode(), headers=headers)

    async def _verified(
        self, client: Client, found: dict[str, Any], token: str, nonce: str
    ) -> dict[str, Any]:
        from joserfc.errors import JoseError

        try:
            return _claims(client, found["keys"], token, nonce)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError):
            # Its keys may be new ones.
            found["keys"] = await self._fetch(_endpoint(found, "jwks_uri"))
        try:
            return _claims(client, found["keys"], token, nonce)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError):
            raise OidcRefused("The identity provider's answer is not signed as it must be.") from None

    async def _userinfo(self, found: dict[str, Any], token: str, subject: str) -> dict[str, Any]:
        there = _endpoint(found, "userinfo_endpoint")
        told = await self._fetch(there, headers={"authorization": f"Bearer {token}"})
        if told.get("sub") != subject:
            raise OidcRefused("The identity provider tells of two people at once.")
        return told

    async def _fetch(self, url: str, **options: Any) -> dict[str, Any]:
        try:
            answer: OutboundResponse = await self.outbound.fetch(
                url, accept="application/json", max_bytes=LARGEST, max_redirects=0, **options
            )
            found = json.loads(answer.body)
        except (OutboundError, ValueError, RecursionError):
            raise OidcRefused("The identity provider cannot be reached, or does not answer as one.") from None
        if not isinstance(found, dict):
            raise OidcRefused("The identity provider does not answer as one.")
        return found


def _claims(client: Client, keys: Any, token: str, nonce: str) -> dict[str, Any]:
    from joserfc import jwt
    from joserfc.jwk import KeySet

    decoded = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS)
    required: Any = {"essential": True}
    rules = jwt.JWTClaimsRegistry(
        leeway=LEEWAY,
        iss={"essential": True, "value": client.issuer},
        aud={"essential": True, "value": client.client_id},
        nonce={"essential": True, "value": nonce},
        exp=required,
        iat=required,
        sub=required,
    )
    rules.validate(decoded.claims)
    audience = decoded.claims["aud"]
    if isinstance(audience, list) and len(audience) > 1 and decoded.claims.get("azp") != client.client_id:
        raise ValueError("meant for another client")
    return dict(decoded.claims)


def _endpoint(found: Mapping[str, Any], name: str) -> str:
    there = found.get(name)
    if not isinstance(there, str) or not there.startswith(("https://", "http://")):
        raise OidcRefused(f"The identity provider names no {name}.")
    return there


def _challenge(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
