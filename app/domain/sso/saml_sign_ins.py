"""Signing in through an organization's SAML provider.

A request to the provider is stored nowhere: its id carries when it ends and a signature over provider and
browser, so that beginning costs nothing and only the browser that began can end it. What is stored is that it
was answered; an answer counts once.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from base64 import b64decode
from binascii import Error as Base64Error
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, or_, select

from app.access.context import Context
from app.domain.accounts.sessions import Browser, SignedIn
from app.domain.organizations import sso_requirements
from app.domain.sso import identity_providers, sign_ins
from app.domain.sso.sign_ins import Assertion, SignInRequest, active_provider
from app.kit import workers
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Forbidden, Invalid
from app.kit.http.urls import own_path
from app.kit.saml.requests import SamlRefused, ServiceProvider, address
from app.kit.saml.requests import metadata as written_metadata
from app.models.sso import SamlRequest

if TYPE_CHECKING:
    from app.kit.saml.answers import SamlAnswer
    from app.kit.saml.certificates import RequestSigningKey

log = logging.getLogger("docyard.sign_ins")
PATIENCE = timedelta(minutes=10)  # between a request and its answer
LONGEST_PATH = 80  # characters that providers are bound to hand back
_REQUEST = re.compile(r"_([0-9a-f]{1,12})\.([0-9a-f]{32})\.([A-Za-z0-9_-]{16})")
SAML_REQUESTS = table(SamlRequest)
_ANSWERED = rows(
    lambda: select(SAML_REQUESTS.c.id).where(
        or_(
            SAML_REQUESTS.c.id == given("id"),
            and_(
                SAML_REQUESTS.c.provider_id == given("provider"),
                SAML_REQUESTS.c.assertion_id == given("assertion"),
            ),
        )
    )
)
_FORGET_REQUESTS = command(
    lambda: delete(SAML_REQUESTS).where(SAML_REQUESTS.c.expires_at < given("now", Instant()))
)


async def start(cx: Context, provider_id: str, browser: str, wanted: str) -> str:
    """Return the address at the provider where this browser signs in.

    `wanted` is the path of our own to come back to; anything else is left out. Raises NotFound, and Conflict
    for a provider that is pending.
    """
    provider = await active_provider(cx, provider_id, "saml")
    return address(
        _service(cx, provider_id),
        provider.sso_url,
        _request_id(cx, provider_id, browser),
        cx.now,
        relay_state=own_path(wanted, LONGEST_PATH),
        key=await asyncio.to_thread(_signing_key, cx.settings.saml_key),
    )


async def metadata(cx: Context, provider_id: str) -> str:
    """Return what a provider reads to know this server; also while it is pending."""
    await sign_ins.find_provider(cx, provider_id, "saml")
    return written_metadata(
        _service(cx, provider_id), await asyncio.to_thread(_signing_key, cx.settings.saml_key)
    )


async def check(cx: Context, provider_id: str, sent: str, browser: str | None) -> tuple[Any, SamlAnswer]:
    """Return the provider, and what it said in answer to a request of this browser.

    Raises Invalid for what cannot be read, Forbidden for what does not count, with the reason.
    """
    provider = await active_provider(cx, provider_id, "saml")
    try:
        raw = b64decode("".join(sent.split()), validate=True)
    except (ValueError, Base64Error):
        raise Invalid("The response is not base64.", path="SAMLResponse") from None
    try:
        answer = await workers.run(workers.INLINE + len(raw), _checked, cx, provider, raw)
        _check_request(cx, provider_id, answer.request_id, browser)
    except SamlRefused as refusal:
        log.info("refused", extra={"facts": {"provider": provider_id, "reason": refusal.message}})
        raise Forbidden(refusal.message) from None
    return provider, answer


async def finish(
    cx: Context, provider: Any, answer: SamlAnswer, browser: Browser, *, with_token: bool
) -> SignedIn | SignInRequest:
    """Sign in whom an answer names, which counts once; raises Forbidden as `sign_ins.sign_in`, and for an
    answer that was used."""
    provider = await _use(cx, provider, answer)
    said = Assertion(answer.email, answer.name, answer.until)
    return await sign_ins.sign_in(cx, provider, said, browser, with_token=with_token)


def _service(cx: Context, provider_id: str) -> ServiceProvider:
    ours = identity_providers.saml_addresses(cx, provider_id)
    return ServiceProvider(ours.entity_id, ours.acs_url)


def _request_id(cx: Context, provider_id: str, browser: str) -> str:
    text = f"{int((cx.now + PATIENCE).timestamp()):x}.{secrets.token_hex(16)}"
    return f"_{text}.{cx.signer.sign('saml', f'{provider_id} {browser} {text}')}"


def _check_request(cx: Context, provider_id: str, request_id: str, browser: str | None) -> None:
    found = _REQUEST.fullmatch(request_id)
    text = f"{found[1]}.{found[2]}" if found else ""
    if found is None or not cx.signer.good("saml", f"{provider_id} {browser or ''} {text}", found[3]):
        raise SamlRefused("This browser did not start the sign-in. Start at the sign-in address.")
    if int(found[1], 16) <= cx.now.timestamp():
        raise SamlRefused("Signing in took too long. Start again.")


def _checked(cx: Context, provider: Any, raw: bytes) -> SamlAnswer:
    """Load the library here, when somebody needs it; so this runs in a thread."""
    try:
        from app.kit.saml import answers
    except ModuleNotFoundError:
        raise SamlRefused(sso_requirements.NOT_INSTALLED) from None
    ours = identity_providers.saml_addresses(cx, provider.id)
    expected = answers.Expected(provider.entity_id, provider.certificate, ours.entity_id, ours.acs_url)
    return answers.checked(raw, expected, cx.now)


def _signing_key(setting: str) -> RequestSigningKey | None:
    if not setting:
        return None
    from app.kit.saml.certificates import signing_key

    return signing_key(setting)


async def _use(cx: Context, provider: Any, answer: SamlAnswer) -> Any:
    """Use an answer up, and return the provider, which must be as it was when the answer was checked."""
    now = await active_provider(cx, provider.id, "saml")
    if (now.entity_id, now.certificate) != (provider.entity_id, provider.certificate):
        raise Forbidden("The identity provider has been changed. Start again.")
    used = {"id": answer.request_id, "provider": provider.id, "assertion": answer.assertion_id}
    if await cx.db.all(_ANSWERED, **used):
        raise Forbidden("This response has already been used. Start again.")
    await cx.tx.run(_FORGET_REQUESTS, now=cx.now)
    until = int(answer.request_id[1:].partition(".")[0], 16)
    await cx.tx.add(
        SamlRequest,
        id=answer.request_id,
        provider_id=provider.id,
        assertion_id=answer.assertion_id,
        answered_at=cx.now,
        expires_at=datetime.fromtimestamp(until, UTC),
    )
    return now
