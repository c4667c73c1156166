"""What a browser meets on the way through an identity provider, and on its way out.

Addresses: `/sso/{provider}/start` sends it there, `/sso/{provider}/acs` takes what it comes back with,
`/sso/{provider}/metadata` tells the provider of us; `/sso/session` says who is signed in, `/sso/sign-out`
ends that. Whoever accepts HTML is given a page, everybody else JSON, and errors in the one shape of REST.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app import cookies
from app.access.audit_actions import AuditAction
from app.access.context import Actor
from app.api.rest.errors import render
from app.bodies import body_bytes
from app.domain.sso import sessions, sign_ins
from app.kit.clock import to_json
from app.kit.errors import Forbidden, Invalid, NotJson, Problem, Unauthenticated
from app.kit.http.callers import address_of
from app.present.access import session as show_session
from app.present.access import signed_in as show_signed_in
from app.runtime import Runtime
from app.web import sign_in_pages

LARGEST = 300_000  # bytes of a form: a response has some ten thousand
MOST_FIELDS = 10
NOBODY = Actor("")
METADATA = "application/samlmetadata+xml"

Answer = Callable[[Runtime, Request], Awaitable[Response]]


async def answer(runtime: Runtime, request: Request, call: Answer) -> Response:
    """Return the answer of a call, or the page or error that says why it is refused."""
    try:
        runtime.throttle.take("sign_in", request.scope)
        return await call(runtime, request)
    except Problem as problem:
        if not _wants_page(request):
            return render(problem)
        return _page(runtime, sign_in_pages.refusal(problem, _depth(request)), problem.status)


async def start(runtime: Runtime, request: Request) -> Response:
    """On to the identity provider, with a request that only this browser can have answered."""
    marked = cookies.browser(request, runtime.settings)
    browser = marked if marked and len(marked) == sign_ins.MARK else secrets.token_urlsafe(32)
    wanted = request.query_params.get("RelayState", "")
    cx = runtime.context_of_nobody()
    there = await sign_ins.start(cx, request.path_params["provider"], browser, wanted)
    response = RedirectResponse(there, 302)
    cookies.mark_browser(response, runtime.settings, browser)
    return response


async def acs(runtime: Runtime, request: Request) -> Response:
    """Sign in whom the identity provider names: a session for the browser, and a token or a way on."""
    form = await _form(request)
    provider_id, browser = request.path_params["provider"], cookies.browser(request, runtime.settings)
    cx = runtime.context_of_nobody()
    provider, said = await sign_ins.check(cx, provider_id, _one(form, "SAMLResponse"), browser)
    page = _wants_page(request)
    onward = sign_ins.own_path(form.get("RelayState", [""])[0]) if page else ""
    action = AuditAction("browser", "signIn", address=address_of(request.scope, runtime.settings.proxies))
    done = await runtime.write(
        NOBODY, lambda cx: sign_ins.finish(cx, provider, said, with_token=not onward), action
    )
    if isinstance(done, sign_ins.SignInRequest):
        raise Forbidden(sign_in_pages.asked(done, runtime.settings.api_base))
    response: Response
    if onward:
        response = RedirectResponse(f"{runtime.settings.base_url}{onward}", 303)
    elif page:
        response = _page(runtime, sign_in_pages.signed_in(done, _depth(request)))
    else:
        response = Response(to_json(show_signed_in(cx, done)), media_type="application/json")
    cookies.begin(response, runtime.settings, done.session, int((done.until - cx.now).total_seconds()))
    return response


async def metadata(runtime: Runtime, request: Request) -> Response:
    """Our metadata, for the identity provider to read."""
    text = await sign_ins.metadata(runtime.context_of_nobody(), request.path_params["provider"])
    return Response(text, media_type=METADATA)


async def session(runtime: Runtime, request: Request) -> Response:
    """Who is signed in in this browser."""
    cx = runtime.context_of_nobody()
    page = _wants_page(request)
    # A page of another site can have a browser show this one, but not read it; data it may not even ask for.
    secret = cookies.session(request, runtime.settings)
    if secret is None or not (page or cookies.comes_from_us(request)):
        raise Unauthenticated("Nobody is signed in in this browser.")
    found = await sessions.get(cx, secret)
    if page:
        return _page(runtime, sign_in_pages.session(found, _depth(request)))
    return Response(to_json(show_session(cx, found)), media_type="application/json")


async def sign_out(runtime: Runtime, request: Request) -> Response:
    """End the session of this browser."""
    if not (cookies.comes_from_us(request) or _is_own_form(runtime, request)):
        raise Forbidden("Only a page of this server signs somebody out.")
    secret = cookies.session(request, runtime.settings)
    if secret is not None:
        await runtime.write(NOBODY, lambda cx: sessions.end(cx, secret), AuditAction("browser", "signOut"))
    response = (
        _page(runtime, sign_in_pages.signed_out(_depth(request)))
        if _wants_page(request)
        else Response(status_code=204)
    )
    cookies.end(response, runtime.settings)
    return response


async def _form(request: Request) -> dict[str, list[str]]:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/x-www-form-urlencoded":
        raise NotJson("Send the response as application/x-www-form-urlencoded.")
    raw = await body_bytes(request, LARGEST)
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise Invalid("The form cannot be read.", path="body") from None
    form: dict[str, list[str]] = {}
    for name, value in pairs:
        form.setdefault(name, []).append(value)
    return form


def _one(form: dict[str, list[str]], name: str) -> str:
    found = form.get(name, [])
    if len(found) != 1:
        raise Invalid(f"Send {name} once.", path=name)
    return found[0]


def _wants_page(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _is_own_form(runtime: Runtime, request: Request) -> bool:
    """Tell whether a browser without `Sec-Fetch-Site` names a page of ours as the form's."""
    ours = urlsplit(runtime.settings.base_url)
    silent = "sec-fetch-site" not in request.headers
    return silent and request.headers.get("origin") == f"{ours.scheme}://{ours.netloc}"


def _page(runtime: Runtime, text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, sign_in_pages.headers(runtime.settings))


def _depth(request: Request) -> int:
    """How many folders below the first the address is, since addresses in pages are relative."""
    path: str = request.scope["path"]
    return path.count("/") - 1
