"""The page that ends mail of a kind: its address is in each such mail, signed, so that nobody signs in.

Opening it changes nothing, since programs open links in mail, too. Its form does, and so does the request
that mail programs send by themselves (RFC 8058), which comes from anywhere.
"""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import Response

from app.access.audit_actions import AuditAction
from app.access.context import Actor
from app.domain import notifications
from app.runtime import Runtime
from app.web.html import answer_page, depth_of, page

NAMES = {
    "mentions": "comments that mention you",
    "review_requests": "review requests",
    notifications.ALL: "comments that mention you, and of review requests",
}
_FORM = """      <p>Do you want no more mail of {name}?</p>
      <form method="post"><button class="main">Unsubscribe</button></form>"""
_DONE = """      <p role="status">You get no more mail of {name}.</p>
      <p>Your notification preferences bring it back.</p>"""


async def unsubscribe(runtime: Runtime, request: Request) -> Response:
    """Ask whether to end mail of a kind, or end it."""
    runtime.throttle.take("anonymous", request.scope)
    user, kind, signature = (request.path_params[name] for name in ("user", "kind", "signature"))
    notifications.check_unsubscribe(runtime.context_of_nobody(), user, kind, signature)
    content, title = _FORM, "Unsubscribe"
    if request.method == "POST":
        action = AuditAction("browser", "unsubscribe")
        await runtime.write(Actor(""), lambda cx: notifications.unsubscribe(cx, user, kind), action)
        content, title = _DONE, "Unsubscribed"
    text = page(title, content.format(name=escape(NAMES[kind])), depth_of(request))
    return answer_page(runtime.settings, text)
