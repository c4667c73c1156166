"""The page of an invitation: what it is to, and accepting it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from app import cookies
from app.access.audit_actions import AuditAction
from app.domain.accounts import invitations
from app.domain.organizations import invites
from app.runtime import Runtime
from app.web import browsers, sign_in_pages
from app.web.html import answer_page, depth_of, refuse_foreign_form


async def show(runtime: Runtime, request: Request) -> Response:
    """Show what somebody is invited to, and how they accept: at once if they are signed in."""
    found = await _find(runtime, request)
    who = await browsers.signed_in(runtime, request)
    text = sign_in_pages.invitation(
        found, who, request.url.path, depth_of(request), sends_mail=runtime.settings.sends_mail
    )
    return answer_page(runtime.settings, text)


async def accept(runtime: Runtime, request: Request) -> Response:
    """Accept an invitation as who is signed in, and show the way to what it is to."""
    refuse_foreign_form(request, runtime.settings)
    secret = cookies.session(request, runtime.settings)
    if secret is None:
        return browsers.on_to_sign_in(runtime, request)
    found = await _find(runtime, request)
    actor = await runtime.actor(None, secret)
    organization_id, invite_id = request.path_params["organization"], request.path_params["invite"]
    caller = browsers.caller_of(request, runtime.settings)
    action = AuditAction("browser", "acceptInvite", address=caller.address)
    await runtime.write(actor, lambda cx: invites.accept(cx, organization_id, invite_id), action)
    text = sign_in_pages.accepted(found, runtime.settings.app_base, depth_of(request))
    return answer_page(runtime.settings, text)


async def _find(runtime: Runtime, request: Request) -> invitations.Invitation:
    names = request.path_params["organization"], request.path_params["invite"]
    return await invitations.find(runtime.context_of_nobody(), *names)
