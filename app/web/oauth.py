"""OAuth over HTTP: the endpoints that programs call, and the pages on which people allow or refuse.

Programs: `/oauth/token`, `/oauth/revoke`, `/oauth/register`, `/oauth/device_authorization` and what is at
`/.well-known`; pages of every origin may call them, since no cookie counts there. People: `/oauth/authorize`
and `/oauth/device`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.api.rest.errors import render
from app.bodies import body_bytes
from app.domain.accounts.oauth import client_documents, consent, devices, metadata, registration, server
from app.domain.accounts.oauth.consent import Refused
from app.domain.accounts.oauth.redirects import origin_of
from app.domain.accounts.oauth.requests import OAuthRequest, OAuthResponse, Pairs, pairs_of
from app.domain.accounts.sessions import SignedIn
from app.kit.callers import address_of
from app.kit.errors import Forbidden, Invalid, NotFound, NotJson, Problem, Unauthenticated
from app.kit.signing import token_hash
from app.runtime import Runtime
from app.web import browsers, oauth_pages
from app.web.browsers import NOBODY, Step
from app.web.html import answer_page, depth_of, form_of, one, refuse_foreign_form

LARGEST = 20_000  # bytes that a program sends
Endpoint = Callable[[OAuthRequest], Awaitable[OAuthResponse]]


def _shown(step: Step) -> Step:
    """Return a step whose refusals are pages that speak of applications."""

    async def shown(runtime: Runtime, request: Request) -> Response:
        try:
            return await step(runtime, request)
        except Refused as refused:
            if refused.answer is not None:
                return _sent(refused.answer)
            text = oauth_pages.refused(refused.message, refused.back, depth_of(request))
            return answer_page(runtime.settings, text, 400)
        except Unauthenticated:
            return browsers.on_to_sign_in(runtime, request)
        except Problem as problem:
            text = oauth_pages.problem(problem.message, depth_of(request))
            return answer_page(runtime.settings, text, problem.status)

    return shown


@_shown
async def ask(runtime: Runtime, request: Request) -> Response:
    """Ask somebody whether an application may have access, unless they said so before."""
    sent = request.scope["query_string"].decode("latin-1")
    pairs, cx = pairs_of(sent), runtime.context_of_nobody()
    signed = await browsers.signed_in(runtime, request)
    if signed is None:
        if not await client_documents.is_due(cx, dict(pairs).get("client_id", "")):
            await consent.check(OAuthRequest(cx, "GET", pairs))
        return browsers.on_to_sign_in(runtime, request)
    await _read_document(runtime, signed, pairs)
    asked = await consent.question(OAuthRequest(cx, "GET", pairs), signed)
    if asked is None:

        async def allow(cx: Context) -> OAuthResponse:
            return await consent.allow_again(OAuthRequest(cx, "GET", pairs), signed)

        return _sent(await runtime.write(Actor(signed.user.id), allow, _allowing(runtime, request)))
    text = oauth_pages.question(asked, signed, _sealed(runtime, signed, sent), depth_of(request))
    return answer_page(runtime.settings, text, onward=origin_of(asked.redirect_uri or ""))


@_shown
async def decide(runtime: Runtime, request: Request) -> Response:
    """Send somebody back to the application with their answer."""
    signed, form = await _own_form(runtime, request)
    pairs = pairs_of(_unsealed(runtime, signed, form))
    if one(form, "decision") != "allow":
        return _sent(await consent.deny(OAuthRequest(runtime.context_of_nobody(), "GET", pairs)))
    place = one(form, "organization") or None
    await _read_document(runtime, signed, pairs)

    async def allow(cx: Context) -> OAuthResponse:
        return await consent.allow(OAuthRequest(cx, "GET", pairs), signed, place)

    return _sent(await runtime.write(Actor(signed.user.id), allow, _allowing(runtime, request)))


async def _read_document(runtime: Runtime, signed: SignedIn, pairs: Pairs) -> None:
    """Fetch what an application says of itself, where its `client_id` is an address and that is due."""
    cx, client_id = runtime.context_of_nobody(), dict(pairs).get("client_id", "")
    if await client_documents.is_due(cx, client_id):
        runtime.limits.take(f"oauth document {signed.user.id}", client_documents.FETCHES, cx.now)
        try:
            found = await client_documents.fetch(cx, client_id)
        except Invalid as wrong:
            raise Refused(wrong.message) from None
        await runtime.write(NOBODY, lambda cx: client_documents.keep(cx, found), _action("readDocument"))


@_shown
async def ask_for_code(runtime: Runtime, request: Request) -> Response:
    """Ask for the code that a device shows; one in the address is filled in, and nothing more."""
    if await browsers.signed_in(runtime, request) is None:
        return browsers.on_to_sign_in(runtime, request)
    shown = request.query_params.get("user_code", "")[:20]
    return answer_page(runtime.settings, oauth_pages.enter_code(shown, depth_of(request)))


@_shown
async def decide_for_device(runtime: Runtime, request: Request) -> Response:
    """Say which device shows a code and what it asks for, and take the answer."""
    signed, form = await _own_form(runtime, request)
    depth = depth_of(request)
    if "decision" in form:
        code, allowed = _unsealed(runtime, signed, form), one(form, "decision") == "allow"
        place = one(form, "organization") or None if allowed else None

        async def decide(cx: Context) -> None:
            await consent.answer_device(cx, code, signed, place, allowed=allowed)

        await runtime.write(Actor(signed.user.id), decide, _allowing(runtime, request))
        return answer_page(runtime.settings, oauth_pages.device_answered(allowed, depth))
    code, cx = one(form, "user_code"), runtime.context_of_nobody()
    runtime.limits.take(f"oauth device {signed.user.id}", devices.GUESSES, cx.now)
    try:
        asked = await consent.device_question(cx, code, signed)
    except NotFound as unknown:
        text = oauth_pages.enter_code(code[:20], depth, unknown.message)
        return answer_page(runtime.settings, text, 404)
    text = oauth_pages.question(asked, signed, _sealed(runtime, signed, code), depth)
    return answer_page(runtime.settings, text)


async def call(runtime: Runtime, request: Request, name: str) -> Response:
    """Answer a program, with an error as OAuth has it where it asks wrongly."""
    try:
        runtime.throttle.take("registration" if name == "register" else "oauth", request.scope)
        if name == "register":
            return await _register(runtime, request)
        pairs = pairs_of(await _form_text(request))
    except Invalid as wrong:
        return _sent(OAuthResponse(400, {"error": "invalid_request", "error_description": wrong.message}))
    except Problem as problem:
        return render(problem)
    ends: dict[str, Endpoint] = {
        "token": server.token_response,
        "revoke": server.revocation_response,
        "device_authorization": server.device_response,
    }
    login, address = request.headers.get("authorization"), _address(runtime, request)

    async def answer(cx: Context) -> OAuthResponse:
        return await ends[name](OAuthRequest(cx, "POST", pairs, login, address))

    try:
        return _sent(await runtime.write(NOBODY, answer, _action(name)))
    except Problem as problem:
        return render(problem)


async def _register(runtime: Runtime, request: Request) -> Response:
    if not runtime.settings.oauth_registration:
        raise NotFound("This server does not allow applications to register themselves.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise NotJson("Send the body as application/json.")
    try:
        sent = orjson.loads(await body_bytes(request, LARGEST))
    except orjson.JSONDecodeError:
        raise Invalid("The body is not JSON.") from None
    made = await runtime.write(NOBODY, lambda cx: registration.register(cx, sent), _action("register"))
    return _sent(made)


async def describe(runtime: Runtime, request: Request, name: str) -> Response:
    """Answer with what programs are told before they have a token."""
    found: Mapping[str, Any] | None = metadata.authorization_server(runtime.settings)
    if name == "oauth-protected-resource":
        path = request.path_params.get("path", "")
        found = metadata.protected_resource(runtime.settings, path and f"/{path}")
    if found is None:
        return render(NotFound("There is nothing at this address."))
    return _sent(OAuthResponse(200, found, {"Cache-Control": "public, max-age=300"}))


async def _form_text(request: Request) -> str:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/x-www-form-urlencoded":
        raise Invalid("Send the parameters as application/x-www-form-urlencoded.")
    return (await body_bytes(request, LARGEST)).decode("latin-1")


async def _own_form(runtime: Runtime, request: Request) -> tuple[SignedIn, dict[str, list[str]]]:
    """Return who sent a form from a page of ours, and its fields; raises Forbidden and Unauthenticated."""
    refuse_foreign_form(request, runtime.settings)
    signed = await browsers.signed_in(runtime, request)
    if signed is None:
        raise Unauthenticated("Nobody is signed in in this browser.")
    return signed, await form_of(request)


def _sealed(runtime: Runtime, signed: SignedIn, asked: str) -> dict[str, str]:
    """Return the fields of a form that bind what is asked to the session in which it was shown."""
    return {"request": asked, "signature": runtime.signer.sign("oauth consent", _bound(signed, asked))}


def _unsealed(runtime: Runtime, signed: SignedIn, form: dict[str, list[str]]) -> str:
    """Return what was asked; raises Forbidden for a form that this session was not shown."""
    asked = one(form, "request")
    if not runtime.signer.good("oauth consent", _bound(signed, asked), one(form, "signature")):
        raise Forbidden("This form does not come from a page of this server. Go back and try again.")
    return asked


def _bound(signed: SignedIn, asked: str) -> str:
    return f"{token_hash(signed.session)} {asked}"


def _action(name: str) -> AuditAction:
    return AuditAction("oauth", name)


def _allowing(runtime: Runtime, request: Request) -> AuditAction:
    return AuditAction("browser", "allowOAuthApplication", address=_address(runtime, request))


def _address(runtime: Runtime, request: Request) -> str | None:
    return address_of(request.scope, runtime.settings.proxies)


def _sent(answer: OAuthResponse) -> Response:
    headers = {"Cache-Control": "no-store", **answer.headers}
    headers.pop("Content-Type", None)
    if answer.location:
        return Response(status_code=303, headers=headers)
    return Response(orjson.dumps(answer.body or {}), answer.status, headers, media_type="application/json")
