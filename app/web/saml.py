"""Endpoints for signing in with a SAML identity provider.

`/sso/{provider}/start` redirects to the provider, `/sso/{provider}/acs` receives its response,
`/sso/{provider}/metadata` returns the metadata of this service provider.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import cookies
from app.access.audit_actions import AuditAction
from app.domain.sso import saml_sign_ins
from app.domain.sso.sign_ins import SignInRequest
from app.kit.clock import to_json
from app.kit.errors import Forbidden
from app.kit.http.urls import own_path
from app.present.people import signed_in as show_signed_in
from app.runtime import Runtime
from app.web import sign_in_pages
from app.web.browsers import NOBODY, caller_of, mark_of
from app.web.html import answer_page, depth_of, form_of, one, wants_page

METADATA = "application/samlmetadata+xml"


async def start(runtime: Runtime, request: Request) -> Response:
    """Redirect to the identity provider, with a request that only this browser can have answered."""
    browser = mark_of(request, runtime.settings)
    wanted = request.query_params.get("RelayState", "")
    cx = runtime.context_of_nobody()
    there = await saml_sign_ins.start(cx, request.path_params["provider"], browser, wanted)
    response = RedirectResponse(there, 302)
    cookies.mark_browser(response, runtime.settings, browser)
    return response


async def acs(runtime: Runtime, request: Request) -> Response:
    """Sign in whom the identity provider names: a session for the browser, and a token or a way on."""
    form = await form_of(request)
    provider_id, browser = request.path_params["provider"], cookies.browser(request, runtime.settings)
    cx = runtime.context_of_nobody()
    provider, said = await saml_sign_ins.check(cx, provider_id, one(form, "SAMLResponse"), browser)
    page = wants_page(request)
    onward = own_path(form.get("RelayState", [""])[0], saml_sign_ins.LONGEST_PATH) if page else ""
    caller = caller_of(request, runtime.settings)
    done = await runtime.write(
        NOBODY,
        lambda cx: saml_sign_ins.finish(cx, provider, said, caller, with_token=not onward),
        AuditAction("browser", "signIn", address=caller.address),
    )
    if isinstance(done, SignInRequest):
        raise Forbidden(sign_in_pages.asked(done, runtime.settings.app_base))
    response: Response
    if onward:
        response = RedirectResponse(f"{runtime.settings.base_url}{onward}", 303)
    elif page:
        response = answer_page(runtime.settings, sign_in_pages.signed_in(done, depth_of(request)))
    else:
        response = Response(to_json(show_signed_in(cx, done)), media_type="application/json")
    cookies.begin(response, runtime.settings, done.session, int((done.until - cx.now).total_seconds()))
    return response


async def metadata(runtime: Runtime, request: Request) -> Response:
    """Answer with our metadata, for the identity provider to read."""
    text = await saml_sign_ins.metadata(runtime.context_of_nobody(), request.path_params["provider"])
    return Response(text, media_type=METADATA)
