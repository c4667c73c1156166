"""Endpoints for signing in with an OpenID Connect provider.

`/oidc/{provider}/start` redirects to the provider, `/oidc/{provider}/callback` receives its response. The
provider of the settings is named `server` there.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import cookies
from app.access.audit_actions import AuditAction
from app.domain.sso import oidc_sign_ins
from app.domain.sso.sign_ins import SignInRequest
from app.kit.errors import Forbidden
from app.runtime import Runtime
from app.web import sign_in_pages
from app.web.browsers import NOBODY, begun, caller_of, mark_of


async def start(runtime: Runtime, request: Request) -> Response:
    """Redirect to the identity provider, with a state that only this browser can have answered."""
    browser = mark_of(request, runtime.settings)
    wanted = request.query_params.get("next", "")
    cx = runtime.context_of_nobody()
    there = await oidc_sign_ins.start(cx, request.path_params["provider"], browser, wanted)
    response = RedirectResponse(there, 302)
    cookies.mark_browser(response, runtime.settings, browser)
    return response


async def callback(runtime: Runtime, request: Request) -> Response:
    """Sign in whom the identity provider names."""
    browser = cookies.browser(request, runtime.settings)
    answered = await oidc_sign_ins.check(
        runtime.context_of_nobody(), request.path_params["provider"], dict(request.query_params), browser
    )
    caller = caller_of(request, runtime.settings)
    before = cookies.session(request, runtime.settings)
    done = await runtime.write(
        NOBODY,
        lambda cx: oidc_sign_ins.finish(cx, answered, caller, before=before),
        AuditAction("browser", "signIn", address=caller.address),
    )
    if isinstance(done, SignInRequest):
        raise Forbidden(sign_in_pages.asked(done, runtime.settings.app_base))
    return begun(runtime, done, answered.path or "/")
