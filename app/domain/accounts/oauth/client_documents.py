"""Client id metadata documents: a `client_id` that is the address at which an application describes itself.

Nobody registers such an application. What its document says is fetched when a person who is signed in is to
be asked, and kept for as long as the document allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from sqlalchemy import select

from app.access.context import Context
from app.access.rate_limits import Rate
from app.domain.accounts.oauth import applications, client_metadata
from app.domain.accounts.oauth.client_metadata import BadMetadata
from app.kit.database.statements import given, rows, table
from app.kit.errors import Invalid
from app.kit.http.outbound import Outbound, OutboundError
from app.kit.http.urls import safe_server
from app.models.oauth import OAuthApplication, OAuthApplicationCreate

LONGEST = 1000  # characters of an address
LARGEST = 10_000  # bytes of a document
PATIENCE = 10.0  # seconds for fetching one
SHORTEST, USUAL, LONGEST_KEPT = timedelta(minutes=5), timedelta(hours=1), timedelta(days=1)
FETCHES = Rate(20, "You were sent here by many applications; wait some minutes before the next one.", 600)
_SIGN = r"(?:[A-Za-z0-9._~&()+,;=:@/!-]|%[0-9A-Fa-f]{2})"
_FORM = re.compile(rf"https?://[A-Za-z0-9.-]+(?::[0-9]{{1,5}})?/{_SIGN}+(?:\?{_SIGN}*)?")
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|\?|$)", re.IGNORECASE)
_JSON = re.compile(r"application/(?:[a-z0-9.-]+\+)?json")
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age=([0-9]{1,9})(?:$|[\s,])", re.IGNORECASE)
OAUTH_APPLICATIONS = table(OAuthApplication)
_KNOWN = rows(
    lambda: select(OAUTH_APPLICATIONS.c.id, OAUTH_APPLICATIONS.c.document_until).where(
        OAUTH_APPLICATIONS.c.document_url == given("url")
    )
)


@dataclass(frozen=True, slots=True)
class ClientDocument:
    """The description of an application at its address, and for how long that may be kept."""

    url: str
    new: OAuthApplicationCreate
    kept: timedelta


async def is_due(cx: Context, client_id: str) -> bool:
    """Tell whether a `client_id` is an address whose document has to be fetched before somebody is asked."""
    if not applications.is_address(client_id) or not cx.settings.oauth_client_documents:
        return False
    known = await cx.db.first(_KNOWN, url=client_id)
    return known is None or known.document_until <= cx.now


async def fetch(cx: Context, url: str) -> ClientDocument:
    """Return what is at the address of an application; raises Invalid with the reason."""
    safe_server(url, cx.settings.allowed_hosts, path="client_id")
    if len(url) > LONGEST or not _FORM.fullmatch(url) or _DOTS.search(url):
        raise Invalid("The client_id is not a valid URL of a client metadata document.")
    outbound = Outbound(cx.settings.allowed_hosts, min(PATIENCE, cx.settings.outbound_timeout), LARGEST)
    try:
        answer = await outbound.fetch(url, accept="application/json", any_redirect=True)
    except OutboundError as error:
        raise Invalid(f"The application's description cannot be fetched: {error.message}") from None
    try:
        if answer.status != 200:
            raise BadMetadata(f"its address answers with status {answer.status}.")
        if not _JSON.fullmatch(answer.content_type):
            raise BadMetadata("it is not JSON.")
        described = client_metadata.read(_own(url, orjson.loads(answer.body)), "none")
        if described.method != "none":
            raise BadMetadata("an application without a registration has no secret.")
    except orjson.JSONDecodeError:
        raise Invalid("The application's description cannot be used: it is not JSON.") from None
    except BadMetadata as wrong:
        raise Invalid(f"The application's description cannot be used: {wrong.message}") from None
    new = described.new.model_copy(update={"device_flow": False})
    return ClientDocument(url, new, _kept(answer.headers.get("cache-control", "")))


async def keep(cx: Context, found: ClientDocument) -> None:
    """Store what an application says of itself; raises TooManyRequests as for one that registers itself."""
    known = await cx.db.first(_KNOWN, url=found.url)
    until = cx.now + found.kept
    if known is None:
        await applications.register_itself(cx, found.new, (found.url, until))
        return
    said = {name: getattr(found.new, name) for name in ("name", "homepage", "redirect_uris", "scopes")}
    await cx.tx.put(OAuthApplication, {**said, "document_until": until, "updated_at": cx.now}, id=known.id)


def _own(url: str, sent: Any) -> Any:
    """Return a document that is the one of its address; raises BadMetadata for another's."""
    if not isinstance(sent, dict) or sent.get("client_id") != url:
        raise BadMetadata("it names another client_id than its own address.")
    if "client_secret" in sent:
        raise BadMetadata("it contains a secret.")
    return sent


def _kept(cache_control: str) -> timedelta:
    named = _MAX_AGE.search(cache_control)
    if "no-store" in cache_control.lower() or "no-cache" in cache_control.lower():
        return SHORTEST
    return max(SHORTEST, min(timedelta(seconds=int(named[1])), LONGEST_KEPT)) if named else USUAL
