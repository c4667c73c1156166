"""Feedback of a visitor: a form below each page, and one where a search or an address leads nowhere.

What they say is recorded and thanked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.types import Receive, Scope

from app.bodies import body_bytes
from app.domain.sites import page_feedback
from app.domain.sites.page_visits import LONGEST, ViewedPage, VisitorRequest
from app.kit.callers import address_of
from app.kit.errors import Invalid, NotFound
from app.models.checks import checked
from app.models.page_feedback import FeedbackGiven, MissingReported
from app.models.pages import PageVersion
from app.site_reader import request_url, responses, site_navigation, texts
from app.site_reader.rendering.feedback import COMMENT, PATH, QUERY
from app.site_reader.rendering.render_context import FeedbackView
from app.site_reader.rendering.ui_controls import DO
from app.site_reader.responses import HTML, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

LARGEST = 8_000  # bytes of the form


def href(visit: Visit, space: VisibleSpace, row: PageVersion) -> str:
    """Return the address that feedback on a page is sent to."""
    return f"{visit.base}/~/feedback/{space.node.row.id}/{row.page_id}"


async def respond(
    state: ReaderState, visit: Visit, item: str, page_id: str, scope: Scope, receive: Receive
) -> SiteResponse:
    """Record what the visitor says of a page and thank them.

    Raises NotFound where the visitor sees no such page or the site does not ask, Invalid for a rating that
    there is not, TooManyRequests after many from one address.
    """
    space = await site_navigation.visible_space(state, visit, item)
    row = space.tree.get(page_id) if space else None
    if space is None or row is None or not visit.asks_for_feedback(item):
        raise NotFound("There is nothing at this address.")
    request_url.refuse_other_pages(scope)
    state.runtime.throttle.take("feedback", scope)
    feedback = await _given(scope, receive)
    page = viewed(visit, space, row)
    await page_feedback.record(visit.cx, visit.site, page, reader_of(visit, scope), feedback)
    language = site_navigation.language_of(visit.tree, space.node.row.id)
    shown = FeedbackView(
        replace(site_navigation.site_view(visit, None), language=language),
        row.title,
        space.tree.href(row) or "/",
        href(visit, space, row),
        feedback.rating,
        feedback.comment is not None,
    )
    return _thanks(visit, shown)


async def report(state: ReaderState, visit: Visit, scope: Scope, receive: Receive) -> SiteResponse:
    """Record what a visitor says is missing, after a search or at an address that led nowhere; thank them.

    Raises NotFound where the site does not ask, Invalid for a report of nothing, TooManyRequests after many
    from one address.
    """
    at = visit.missing_href
    if at is None:
        raise NotFound("There is nothing at this address.")
    request_url.refuse_other_pages(scope)
    state.runtime.throttle.take("feedback", scope)
    pairs = await _pairs(scope, receive)
    named = ((QUERY, "query"), (PATH, "path"))
    given = _comment(pairs) | {name: pairs[field] for field, name in named if pairs.get(field)}
    missing = checked(MissingReported, given, strict=True)
    if missing.path is not None:
        url = visit.address + quote(missing.path)
        await page_feedback.report(visit.cx, visit.site, reader_of(visit, scope), "not-found", missing, url)
    elif missing.query:
        url = f"{visit.address}/~/search?{urlencode({'q': missing.query})}"
        await page_feedback.report(visit.cx, visit.site, reader_of(visit, scope), "search", missing, url)
    else:
        raise Invalid("Say in `query` what was searched for, or in `path` what was missing.", path="query")
    site = site_navigation.site_view(visit, None)
    return _thanks(visit, FeedbackView(site, site.title, site.home, at))


def viewed(visit: Visit, space: VisibleSpace, row: PageVersion) -> ViewedPage:
    """Return a page as integrations are told of it."""
    address = visit.origin + (space.tree.href(row) or "/")
    return ViewedPage(space.node.row.id, space.snapshot.space_id, row.page_id, address)


def reader_of(visit: Visit, scope: Scope) -> VisitorRequest:
    """Return what a request says of the visitor."""
    names = (b"user-agent", b"accept-language", b"referer")
    agent, languages, referrer = (request_url.header(scope, name)[:LONGEST] for name in names)
    return VisitorRequest(address_of(scope, visit.cx.settings.proxies) or "", agent, languages, referrer)


async def _given(scope: Scope, receive: Receive) -> FeedbackGiven:
    pairs = await _pairs(scope, receive)
    return checked(FeedbackGiven, {"rating": pairs.get(DO)} | _comment(pairs), strict=True)


async def _pairs(scope: Scope, receive: Receive) -> dict[str, str]:
    """Return the fields of a form, without NUL, which a database cannot keep."""
    body = await body_bytes(Request(scope, receive), LARGEST)
    pairs = request_url.pairs_of(body.decode("utf-8", "replace"))
    return {name: value.replace("\x00", "") for name, value in pairs}


def _comment(pairs: dict[str, str]) -> dict[str, Any]:
    comment = pairs.get(COMMENT, "").strip()
    return {"comment": comment.replace("\r\n", "\n")} if comment else {}


def _thanks(visit: Visit, shown: FeedbackView) -> SiteResponse:
    from app.site_reader.rendering.page import feedback_html

    with texts.spoken(shown.site.language):
        written = EncodedBody.of(feedback_html(shown))
    policy = responses.page_policy(visit.cx.settings, visit.base)
    made = SiteResponse(written, media=HTML, policy=policy, cache=PRIVATE)
    return made.header("x-robots-tag", "noindex")
