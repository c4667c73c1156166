"""A browser's session: the cookies it lives in, and the calls for which it counts.

A cookie travels with every request of the browser, also with those that another site has it send. So the
session stands in for a token only where the browser says that the request comes from a page of this very
origin, or, from browsers that say nothing, where it has a header that other origins cannot make them send.
For scripts of the origins that are allowed to call it counts as well: the browser says who they are.
On https the cookies are bound to this host: no neighbour in the domain can set them.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from app.kit.settings import Settings
from app.kit.signing import SESSION

HEADER = "x-docyard-session"
BROWSER_SECONDS = 3600
_SESSION, _BROWSER, _HINT = "docyard_session", "docyard_browser", "docyard_signed_in"
_OURS = (b"docyard_", b"__Host-docyard_")


def credentials(request: Request, settings: Settings) -> tuple[str | None, str | None]:
    """Return the `Authorization` header, or else the session that counts for this request."""
    for name, value in request.scope["headers"]:
        if name == b"authorization":
            return str(value, "latin-1"), None
    counts = comes_from_us(request) or comes_from_allowed_origin(request, settings)
    return None, session(request, settings) if counts else None


def comes_from_us(request: Request) -> bool:
    """Tell whether a page of this origin sent the request, as far as a browser is to be trusted."""
    site = request.headers.get("sec-fetch-site")
    return site == "same-origin" if site is not None else HEADER in request.headers


def comes_from_allowed_origin(request: Request, settings: Settings) -> bool:
    """Tell whether a script of an origin that the settings name sent the request, and no form or link."""
    is_script = request.headers.get("sec-fetch-mode") == "cors"
    return is_script and request.headers.get("origin") in settings.allowed_origins


def session(request: Request, settings: Settings) -> str | None:
    """Return the secret of the session in the cookie, whoever caused the request."""
    secret = request.cookies.get(_named(_SESSION, settings))
    return secret if secret and secret.startswith(SESSION) else None


def may_be_shared(request: Request, settings: Settings) -> bool:
    """Tell whether caches may hand the answer to others: not if there is a session, whether it counts or not.

    What it was sent for decides whether it counts, and no cache looks at that.
    """
    return session(request, settings) is None


def without_sessions(scope: Scope) -> Scope:
    """Return the request without sessions, for what is answered where they count for nothing.

    Browsers send cookies to every port of a host, so that they come along where only the port differs.
    """
    for name, value in scope["headers"]:
        if name == b"cookie" and b"docyard_" in value:
            break
    else:
        return scope
    headers = [
        (name, _without_ours(value)) if name == b"cookie" else (name, value)
        for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


def _without_ours(cookies: bytes) -> bytes:
    kept = (each for each in cookies.split(b";") if not each.strip().startswith(_OURS))
    return b";".join(kept).strip()


def browser(request: Request, settings: Settings) -> str | None:
    """Return the mark that this browser got when it began to sign in."""
    return request.cookies.get(_named(_BROWSER, settings)) or None


def mark_browser(response: Response, settings: Settings, secret: str) -> None:
    """Mark a browser that begins to sign in. The provider's page posts the answer, from another site:
    only a cookie that says so goes along, and that needs https; without it browsers allow two minutes."""
    response.set_cookie(
        _named(_BROWSER, settings),
        secret,
        max_age=BROWSER_SECONDS,
        secure=is_secure(settings),
        httponly=True,
        samesite="none" if is_secure(settings) else None,
    )


def begin(response: Response, settings: Settings, secret: str, seconds: int) -> None:
    """Give the browser a session. Its pages cannot read the secret, only that there is one."""
    for name, value, hidden in ((_named(_SESSION, settings), secret, True), (_HINT, "1", False)):
        response.set_cookie(
            name, value, max_age=seconds, secure=is_secure(settings), httponly=hidden, samesite="lax"
        )


def end(response: Response, settings: Settings) -> None:
    """Take the session's cookies back."""
    for name, hidden in ((_named(_SESSION, settings), True), (_HINT, False)):
        response.delete_cookie(name, secure=is_secure(settings), httponly=hidden, samesite="lax")


def is_secure(settings: Settings) -> bool:
    """Tell whether people reach this server by https."""
    return settings.base_url.lower().startswith("https://")


def _named(name: str, settings: Settings) -> str:
    return f"__Host-{name}" if is_secure(settings) else name
