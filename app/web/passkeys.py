"""The page of an account with its passkeys, and what browsers send to add one and to sign in with one.

Addresses: `/account` shows who is signed in; `/account/passkeys` and `/sign-in/passkey` take what a device
answers, each with `/options` for what to ask it.
"""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app import cookies
from app.access.audit_actions import AuditAction
from app.access.context import Actor
from app.bodies import body_bytes
from app.domain.accounts import passkeys, sessions
from app.domain.accounts.sessions import SignedIn
from app.kit.errors import Forbidden, Invalid, Unauthenticated
from app.kit.http.urls import own_path
from app.models.accounts import PasskeyUpdate
from app.models.checks import checked
from app.models.queries import PageQuery
from app.runtime import Runtime
from app.web import browsers, sign_in_pages
from app.web.browsers import NOBODY, caller_of, mark_of
from app.web.html import answer_page, depth_of, refuse_foreign_form

LARGEST = 20_000  # bytes of what a device answers


async def account(runtime: Runtime, request: Request) -> Response:
    """Show who is signed in, and their passkeys."""
    found = await browsers.signed_in(runtime, request)
    if found is None:
        return browsers.on_to_sign_in(runtime, request)
    known: list[Any] = []
    if found.organization_id is None:
        actor = await _actor(runtime, request)
        known = (await passkeys.list_mine(runtime.context(actor), PageQuery(limit=50))).items
    text = sign_in_pages.account(found, known, depth_of(request))
    return answer_page(runtime.settings, text, scripts=True)


async def begin_adding(runtime: Runtime, request: Request) -> Response:
    """Return what a browser asks a device for a new passkey with."""
    refuse_foreign_form(request, runtime.settings)
    actor, browser = await _actor(runtime, request), mark_of(request, runtime.settings)
    options = await runtime.write(
        actor, lambda cx: passkeys.begin_adding(cx, browser), AuditAction("browser", "beginAddingPasskey")
    )
    return _options(runtime, options, browser)


async def add(runtime: Runtime, request: Request) -> Response:
    """Add the passkey that a device has made."""
    refuse_foreign_form(request, runtime.settings)
    actor, browser = await _actor(runtime, request), mark_of(request, runtime.settings)
    sent = await _json(request)
    name = checked(PasskeyUpdate, {"name": sent.get("name")}, strict=True).name
    await runtime.write(
        actor,
        lambda cx: passkeys.add(cx, browser, name, _answer(sent)),
        AuditAction("browser", "addPasskey", address=caller_of(request, runtime.settings).address),
    )
    return JSONResponse({"location": f"{runtime.settings.base_url}/account"})


async def remove(runtime: Runtime, request: Request) -> Response:
    """Delete a passkey."""
    refuse_foreign_form(request, runtime.settings)
    actor, passkey_id = await _actor(runtime, request), request.path_params["passkey"]
    action = AuditAction("browser", "deletePasskeyById")
    await runtime.write(actor, lambda cx: passkeys.remove(cx, passkey_id), action)
    return RedirectResponse(f"{runtime.settings.base_url}/account", 303)


async def begin_signing_in(runtime: Runtime, request: Request) -> Response:
    """Return what a browser asks a device for a passkey with."""
    refuse_foreign_form(request, runtime.settings)
    browser = mark_of(request, runtime.settings)
    options = await runtime.write(
        NOBODY, lambda cx: passkeys.begin_signing_in(cx, browser), AuditAction("browser", "beginSignIn")
    )
    return _options(runtime, options, browser)


async def sign_in(runtime: Runtime, request: Request) -> Response:
    """Sign in whose passkey answers."""
    refuse_foreign_form(request, runtime.settings)
    browser, caller = mark_of(request, runtime.settings), caller_of(request, runtime.settings)
    sent = await _json(request)
    before = cookies.session(request, runtime.settings)

    async def act(cx: Any) -> SignedIn:
        if before is not None:
            await sessions.end(cx, before)
        return await passkeys.sign_in(cx, browser, caller, _answer(sent))

    done = await runtime.write(NOBODY, act, AuditAction("browser", "signIn", address=caller.address))
    wanted = own_path(str(sent.get("next") or "")) or "/"
    response = JSONResponse({"location": f"{runtime.settings.base_url}{wanted}"})
    seconds = int((done.until - runtime.clock()).total_seconds())
    cookies.begin(response, runtime.settings, done.session, seconds)
    return response


async def _actor(runtime: Runtime, request: Request) -> Actor:
    secret = cookies.session(request, runtime.settings)
    if secret is None:
        raise Unauthenticated("Nobody is signed in in this browser.")
    return await runtime.actor(None, secret)


async def _json(request: Request) -> dict[str, Any]:
    try:
        sent = json.loads(await body_bytes(request, LARGEST))
    except (ValueError, RecursionError):
        raise Invalid("The body is not JSON.", path="body") from None
    if not isinstance(sent, dict):
        raise Invalid("The body must be a JSON object.", path="body")
    return sent


def _answer(sent: dict[str, Any]) -> dict[str, Any]:
    answer = sent.get("answer")
    if not isinstance(answer, dict) or not isinstance(answer.get("response"), dict):
        raise Forbidden(passkeys.REFUSED)
    return answer


def _options(runtime: Runtime, options: str, browser: str) -> Response:
    response = Response(options, media_type="application/json")
    cookies.mark_browser(response, runtime.settings, browser)
    return response
