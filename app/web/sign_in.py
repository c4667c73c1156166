"""Signing in by a link, setting up a new server, and signing out.

Addresses: `/sign-in` takes an address and has a link sent to it, `/sign-in/link` shows what a link does and
does it when its form is sent; `/sso/session` says who is signed in, `/sign-out` ends that.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import cookies
from app.access.audit_actions import AuditAction
from app.domain.accounts import sessions, sign_in_links
from app.kit.clock import to_json
from app.kit.errors import Unauthenticated
from app.kit.http.urls import own_path
from app.models.checks import checked
from app.models.organizations import OrganizationCreate
from app.present.people import session as show_session
from app.runtime import Runtime
from app.web import browsers, sign_in_pages
from app.web.browsers import NOBODY, begun, caller_of, mark_of
from app.web.html import answer_page, depth_of, form_of, one, refuse_foreign_form, wants_page


async def begin(runtime: Runtime, request: Request) -> Response:
    """Return the page where somebody asks for a link; who is signed in already is sent on,
    or told who they are.
    """
    wanted = own_path(request.query_params.get("next", ""))
    found = await browsers.signed_in(runtime, request)
    if found is not None and wanted:
        return RedirectResponse(f"{runtime.settings.base_url}{wanted}", 303)
    if found is not None:
        return answer_page(runtime.settings, sign_in_pages.session(found, depth_of(request)))
    text = sign_in_pages.begin(wanted, depth_of(request), runtime.settings)
    return answer_page(runtime.settings, text, scripts=True)


async def ask_for_link(runtime: Runtime, request: Request) -> Response:
    """Have a link sent, and say so whoever asked."""
    refuse_foreign_form(request, runtime.settings)
    form = await form_of(request)
    email, wanted = one(form, "email"), own_path(form.get("next", [""])[0])
    browser = mark_of(request, runtime.settings)
    address = await runtime.write(
        NOBODY,
        lambda cx: sign_in_links.ask(cx, email, browser, wanted),
        AuditAction("browser", "askForSignInLink"),
    )
    text = sign_in_pages.asked_for_link(address, depth_of(request), sends_mail=runtime.settings.sends_mail)
    response = answer_page(runtime.settings, text)
    cookies.mark_browser(response, runtime.settings, browser)
    return response


async def open_link(runtime: Runtime, request: Request) -> Response:
    """Return the page that says what a link does; nothing is used up."""
    code = request.query_params.get("code", "")
    link = await sign_in_links.find(runtime.context_of_nobody(), code)
    if link.purpose == "invitation" and not link.is_new:
        return RedirectResponse(f"{runtime.settings.base_url}{link.path}", 303)
    return answer_page(runtime.settings, sign_in_pages.open_link(link, code, depth_of(request)))


async def use_link(runtime: Runtime, request: Request) -> Response:
    """Sign in whom a link is for, with a new account if need be."""
    refuse_foreign_form(request, runtime.settings)
    form = await form_of(request)
    code, name = one(form, "code"), form.get("name", [""])[0]
    caller, browser = caller_of(request, runtime.settings), cookies.browser(request, runtime.settings)
    action = AuditAction("browser", "signIn", address=caller.address)
    before = cookies.session(request, runtime.settings)
    if "organization" in form:
        new = checked(OrganizationCreate, {"title": one(form, "organization")}, strict=True)
        done = await runtime.write(
            NOBODY,
            lambda cx: sign_in_links.set_up(
                cx, code, caller, email=one(form, "email"), name=name, organization=new
            ),
            action,
        )
        return begun(runtime, done, "/")
    done, path = await runtime.write(
        NOBODY,
        lambda cx: sign_in_links.use(cx, code, browser, caller, name=name, before=before),
        action,
    )
    return begun(runtime, done, path or "/")


async def session(runtime: Runtime, request: Request) -> Response:
    """Return who is signed in in this browser."""
    cx = runtime.context_of_nobody()
    page = wants_page(request)
    # A page of another site can have a browser show this one, but not read it; data it may not even ask for.
    secret = cookies.session(request, runtime.settings)
    if secret is None or not (page or cookies.comes_from_us(request)):
        raise Unauthenticated("Nobody is signed in in this browser.")
    found = await sessions.get(cx, secret)
    if page:
        return answer_page(runtime.settings, sign_in_pages.session(found, depth_of(request)))
    return Response(to_json(show_session(cx, found)), media_type="application/json")


async def sign_out(runtime: Runtime, request: Request) -> Response:
    """End the session of this browser."""
    refuse_foreign_form(request, runtime.settings)
    secret = cookies.session(request, runtime.settings)
    if secret is not None:
        await runtime.write(NOBODY, lambda cx: sessions.end(cx, secret), AuditAction("browser", "signOut"))
    response = (
        answer_page(runtime.settings, sign_in_pages.signed_out(depth_of(request)))
        if wants_page(request)
        else Response(status_code=204)
    )
    cookies.end(response, runtime.settings)
    return response
