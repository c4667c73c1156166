"""Steps that a browser goes through to sign in, to accept, to allow: who it is, and how each is answered.

Whoever accepts HTML is given a page, everybody else JSON, and errors in the one shape of REST.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import cookies
from app.access.context import Actor
from app.api.rest.errors import render
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser, SignedIn
from app.kit.callers import address_of
from app.kit.errors import Problem, Unauthenticated
from app.kit.settings import Settings
from app.runtime import Runtime
from app.web import sign_in_pages
from app.web.html import answer_page, depth_of, wants_page

NOBODY = Actor("")
MARK = 43  # characters by which a browser is known again
Step = Callable[[Runtime, Request], Awaitable[Response]]


async def answer(runtime: Runtime, request: Request, step: Step) -> Response:
    """Return the answer of a step, or the page or error that says why it is refused."""
    try:
        runtime.throttle.take("sign_in", request.scope)
        return await step(runtime, request)
    except Problem as problem:
        if not wants_page(request):
            return render(problem)
        refusal = sign_in_pages.refusal(problem, depth_of(request))
        return answer_page(runtime.settings, refusal, problem.status)


def mark_of(request: Request, settings: Settings) -> str:
    """Return the mark by which this browser is known again, a new one if it has none."""
    marked = cookies.browser(request, settings)
    return marked if marked and len(marked) == MARK else secrets.token_urlsafe(32)


def caller_of(request: Request, settings: Settings) -> Browser:
    """Return what the browser says of itself, and its address."""
    return Browser(request.headers.get("user-agent"), address_of(request.scope, settings.proxies))


async def signed_in(runtime: Runtime, request: Request) -> SignedIn | None:
    """Return who is signed in in this browser, if anybody is."""
    secret = cookies.session(request, runtime.settings)
    if secret is None:
        return None
    try:
        return await sessions.get(runtime.context_of_nobody(), secret)
    except Unauthenticated:
        return None


def begun(runtime: Runtime, done: SignedIn, path: str) -> Response:
    """Return the way on for somebody who has signed in, with the cookies of their session."""
    response = RedirectResponse(f"{runtime.settings.base_url}{path}", 303)
    seconds = int((done.until - runtime.clock()).total_seconds())
    cookies.begin(response, runtime.settings, done.session, seconds)
    return response


def on_to_sign_in(runtime: Runtime, request: Request) -> Response:
    """Send a browser to sign in and back here."""
    query = request.url.query
    here = f"{request.url.path}{'?' if query else ''}{query}"
    return RedirectResponse(f"{runtime.settings.base_url}/sign-in?next={quote(here, safe='/')}", 303)
