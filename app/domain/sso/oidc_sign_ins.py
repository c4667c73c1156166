"""Signing in through an OpenID Connect provider: of an organization, or the one of this server.

Beginning is stored nowhere: the state carries when it ends, the path that was wanted, and a signature over
these, the provider and the browser; nonce and code verifier follow from it. So only the browser that began
can end it, and the code that comes back is of no use to anybody else.
"""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from app.access.context import Context
from app.domain.accounts import sessions, sign_in_links
from app.domain.accounts.sessions import Browser, SignedIn
from app.domain.infrastructure import stored_secrets
from app.domain.organizations import users
from app.domain.sso import oidc_providers, sign_ins
from app.domain.sso.sign_ins import Assertion, SignInRequest
from app.kit.errors import Conflict, Forbidden, NotFound
from app.kit.http.outbound import Outbound
from app.kit.http.urls import canonical_email, own_path
from app.kit.oidc import Attempt, Client, Identity, OidcRefused, Providers

SERVER = "server"
"""The id, in addresses, of the provider that the settings name: it signs in everybody who has an account."""
PATIENCE = timedelta(minutes=10)  # between beginning and the answer
_STATE = re.compile(r"([0-9a-f]{1,12}\.[0-9a-f]{32}\.[A-Za-z0-9_-]{0,3000})\.([A-Za-z0-9_-]{16})")


@dataclass(frozen=True, slots=True)
class Answered:
    """Whom a provider named, in an organization's name or the server's (`provider` is None), and the path of
    ours to go on to."""

    provider: Any
    identity: Identity
    path: str


async def start(cx: Context, provider_id: str, browser: str, wanted: str) -> str:
    """Return the address at the provider where this browser signs in; raises NotFound, Conflict and
    Forbidden."""
    provider = await _provider(cx, provider_id)
    ends = int((cx.now + PATIENCE).timestamp())
    path = urlsafe_b64encode(own_path(wanted).encode()).decode().rstrip("=")
    text = f"{ends:x}.{secrets.token_hex(16)}.{path}"
    state = f"{text}.{cx.signer.sign('oidc', f'{provider_id} {browser} {text}')}"
    try:
        return await _providers(cx).address(_client(cx, provider_id, provider), _attempt(cx, state, browser))
    except OidcRefused as refusal:
        raise Conflict(str(refusal)) from None


async def check(cx: Context, provider_id: str, answer: Mapping[str, str], browser: str | None) -> Answered:
    """Return whom the provider names in its answer to this browser; raises Forbidden with the reason."""
    provider = await _provider(cx, provider_id)
    state = answer.get("state", "")
    found = _STATE.fullmatch(state)
    if found is None or not cx.signer.good("oidc", f"{provider_id} {browser or ''} {found[1]}", found[2]):
        raise Forbidden("This browser did not start the sign-in. Start at the sign-in address.")
    ends, _, path = found[1].split(".")
    if int(ends, 16) <= cx.now.timestamp():
        raise Forbidden("Signing in took too long. Start again.")
    try:
        client = _client(cx, provider_id, provider)
        identity = await _providers(cx).identify(client, _attempt(cx, state, browser or ""), answer)
    except OidcRefused as refusal:
        raise Forbidden(str(refusal)) from None
    wanted = urlsafe_b64decode(path + "=" * (-len(path) % 4)).decode()
    return Answered(provider, identity, own_path(wanted))


async def finish(
    cx: Context, answered: Answered, browser: Browser, *, before: str | None
) -> SignedIn | SignInRequest:
    """Sign in whom a provider named, who ends the session that this browser had `before`.

    Raises Forbidden where the provider does not say that the e-mail address is verified, and where nobody
    with it may come in.
    """
    if before is not None:
        await sessions.end(cx, before)
    identity = answered.identity
    if not identity.email:
        raise Forbidden("The identity provider does not say that your e-mail address is verified.")
    if answered.provider is not None:
        now = await sign_ins.active_provider(cx, answered.provider.id, "oidc")
        if (now.entity_id, now.client_id) != (answered.provider.entity_id, answered.provider.client_id):
            raise Forbidden("The identity provider has been changed. Start again.")
        said = Assertion(identity.email, identity.name)
        return await sign_ins.sign_in(cx, now, said, browser, with_token=False)
    return await _sign_in_everywhere(cx, identity, browser)


async def _sign_in_everywhere(cx: Context, identity: Identity, browser: Browser) -> SignedIn:
    email = canonical_email(identity.email)
    if not sign_ins.ADDRESS.fullmatch(email) or not await sign_in_links.may_sign_in(cx, email):
        raise Forbidden("There is no account and no invite for your e-mail address.")
    try:
        user = await users.by_email(cx, email)
    except NotFound:
        user = await users.create(cx, email, sign_ins.name_of(identity.name, email))
    return await sign_in_links.begin_session(cx, user, browser)


async def _provider(cx: Context, provider_id: str) -> Any:
    if provider_id != SERVER:
        return await sign_ins.active_provider(cx, provider_id, "oidc")
    if not cx.settings.has_oidc:
        raise NotFound("There is no such identity provider.")
    return None


def _client(cx: Context, provider_id: str, provider: Any) -> Client:
    settings, ours = cx.settings, oidc_providers.redirect_uri(cx, provider_id)
    if provider is None:
        return Client(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, ours)
    secret = cx.signer.unseal(stored_secrets.CLIENT_SECRET, provider.client_secret, provider.id)
    if secret is None:
        raise Conflict("The client secret of this identity provider cannot be decrypted; set it again.")
    return Client(provider.entity_id, provider.client_id, secret, ours)


def _attempt(cx: Context, state: str, browser: str) -> Attempt:
    bound = f"{browser} {state}"
    verifier = "".join(cx.signer.fingerprint("oidc verifier", f"{part} {bound}") for part in "12")
    return Attempt(state, cx.signer.fingerprint("oidc nonce", bound), verifier)


def _providers(cx: Context) -> Providers:
    return _kept_providers(cx.settings.allowed_hosts, cx.settings.outbound_timeout)


@cache
def _kept_providers(allowed: frozenset[tuple[str, int]], timeout: float) -> Providers:
    return Providers(Outbound(allowed, timeout))
