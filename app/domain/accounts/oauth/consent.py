"""The authorization endpoint: what an application asks a person for, and the answer that it gets.

Somebody is asked unless they allowed the same or more before, and only the application can receive the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from authlib.oauth2 import OAuth2Error

from app.access.audiences import Audience
from app.access.context import Context
from app.domain.accounts.oauth import applications, authorizations, devices, grants, redirects
from app.domain.accounts.oauth.authorizations import Asked, SignedInWith
from app.domain.accounts.oauth.requests import OAuthRequest, OAuthResponse
from app.domain.accounts.oauth.server import OAuthServer, spawn
from app.domain.accounts.sessions import SignedIn
from app.kit.errors import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question that an application asks a person. `redirect_uri` is None for a device."""

    application: Any
    asked: Asked
    organizations: Sequence[Any]
    only: str | None
    redirect_uri: str | None = None
    device: Any = None


class Refused(Exception):
    """An application asked wrongly. `answer` redirects, `back` says where to if nobody may be sent there
    without being asked."""

    def __init__(self, message: str, answer: OAuthResponse | None = None, back: str | None = None) -> None:
        super().__init__(message)
        self.message, self.answer, self.back = message, answer, back


async def check(request: OAuthRequest) -> tuple[OAuthServer, Any]:
    """Return the server and authlib's grant for a request of an application; raises Refused.

    Whoever registers an application that asks wrongly could make this server lead anywhere, so applications
    that registered themselves get no redirect unless somebody presses a link (RFC 9700, section 4.11.2).
    """
    server = OAuthServer(request.cx)
    try:
        return server, await spawn(server.get_consent_grant, request)
    except OAuth2Error as error:
        message = error.get_error_description() or str(error.error)
        if not error.redirect_uri:
            raise Refused(message) from None
        answer = server.handle_error_response(request, error)
        application = await spawn(server.query_client, request.payload.client_id)
        if application is None or application.row.is_dynamic:
            raise Refused(message, back=answer.location) from None
        raise Refused(message, answer) from None


async def question(request: OAuthRequest, signed: SignedIn) -> Question | None:
    """Return what a person is to be asked; None where they have answered before. Raises Refused."""
    _, grant = await check(request)
    row, asked = request.client.row, _asked(request)
    redirect_uri: str = grant.redirect_uri
    if redirects.is_claimed(redirect_uri) and request.payload.data.get("prompt") != "consent":
        before = await grants.remembered(
            request.cx, signed.user.id, row.id, asked.scopes, signed.organization_id
        )
        if before is not None:
            return None
    organizations = await grants.organizations_of(request.cx, signed.user.id, signed.organization_id)
    return Question(
        application=row,
        asked=asked,
        organizations=organizations,
        only=signed.organization_id,
        redirect_uri=redirect_uri,
    )


async def allow(request: OAuthRequest, signed: SignedIn, organization_id: str | None) -> OAuthResponse:
    """Send the browser back with a code, for all organizations of the person or for one."""
    server, grant = await check(request)
    request.organization_id = await _place(request.cx, signed, organization_id)
    answer: OAuthResponse = await spawn(server.create_authorization_response, request, signed, grant)
    return answer


async def allow_again(request: OAuthRequest, signed: SignedIn) -> OAuthResponse:
    """Send the browser back with a code under what the person allowed before.

    Raises Invalid where that no longer covers what is asked for.
    """
    server, grant = await check(request)
    before = await grants.remembered(
        request.cx, signed.user.id, request.client.row.id, _asked(request).scopes, signed.organization_id
    )
    if before is None:
        raise Invalid("The access that you allow this application has changed. Go back and try again.")
    request.organization_id = before.organization_id
    answer: OAuthResponse = await spawn(server.create_authorization_response, request, signed, grant)
    return answer


async def deny(request: OAuthRequest) -> OAuthResponse:
    """Send the browser back without a code."""
    server, grant = await check(request)
    answer: OAuthResponse = await spawn(server.create_authorization_response, request, None, grant)
    return answer


def _asked(request: OAuthRequest) -> Asked:
    return Asked(scopes=request.scope.split(), audience=request.audience())


async def _place(cx: Context, signed: SignedIn, organization_id: str | None) -> str | None:
    """Return the organization that the person allows; raises Invalid for one that is not theirs to open."""
    if organization_id is None:
        return signed.organization_id
    theirs = await grants.organizations_of(cx, signed.user.id, signed.organization_id)
    if not any(each.id == organization_id for each in theirs):
        raise Invalid("You are not a member of this organization.", path="organization")
    return organization_id


async def device_question(cx: Context, user_code: str, signed: SignedIn) -> Question:
    """Return what a person is asked for a device that shows this code; raises NotFound."""
    device = await devices.find(cx, user_code)
    return Question(
        application=await applications.find(cx, device.application_id),
        asked=_of_device(device),
        organizations=await grants.organizations_of(cx, signed.user.id, signed.organization_id),
        only=signed.organization_id,
        device=device,
    )


async def answer_device(
    cx: Context, user_code: str, signed: SignedIn, organization_id: str | None, *, allowed: bool
) -> None:
    """Let a device sign in, or not; raises NotFound where it waits no more."""
    device = await devices.find(cx, user_code)
    if not allowed:
        await devices.deny(cx, device)
        return
    asked, place = _of_device(device), await _place(cx, signed, organization_id)
    given = await grants.give(cx, signed.user.id, device.application_id, asked.scopes, place)
    came = SignedInWith(signed.provider_id, signed.until)
    await devices.approve(cx, device, await authorizations.begin(cx, given, asked, came))


def _of_device(device: Any) -> Asked:
    audience: Audience = device.audience
    return Asked(scopes=device.scopes, audience=audience)
