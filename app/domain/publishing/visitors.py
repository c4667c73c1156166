"""Visitors of a site: who is let in, and what is known of them.

A `share-link` site opens by a link's key, a `visitor-auth` site by a token that whoever signs visitors in
makes with the site's private key; at any other site such a token lets nobody in, and only tells who reads
what adapts. Both are traded for a pass, signed by us for this one site; a pass is worth
nothing any more once the link is withdrawn, the key replaced or its time over. What a token says are signed
claims. What visitors say of themselves stands under `unsigned` and nowhere else (threats, 19).
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import orjson

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.domain.publishing import visits
from app.formats.expressions import conditions as schemas
from app.formats.expressions.conditions import Claims
from app.models.searches import Visitor as Told

OPEN = ("public", "unlisted")
PURPOSE = "visitor pass"
DAY = 86_400  # seconds
LONGEST_PASS = 30 * DAY
LEEWAY = 60  # seconds that clocks may differ
MOST_TOKEN = 4096  # characters
MOST_CLAIMS = 2048  # bytes, so that a pass fits into a cookie
_REGISTERED = ("iss", "aud", "exp", "nbf", "iat", "jti")


@dataclass(slots=True, frozen=True)
class SiteVisitor:
    """Somebody who was let in: by nothing (`open`), by a share link, or signed in, until when (seconds).

    Whoever came by a share link may have claims too, which are known until `known_until`.
    """

    kind: str = "open"
    by: str = ""
    claims: Mapping[str, Any] = field(default_factory=dict)
    until: int = 0
    known_until: int = 0


ANYBODY = SiteVisitor()


class VisitorRefused(Exception):
    """A token that lets nobody in; the text says why, to those who make such tokens."""


def admitted(cx: Context, site: Any, key: str, given_pass: str, token: str = "") -> SiteVisitor | None:
    """Return the visitor of a site from `visits.find`, by what they show; None where that lets nobody in.

    That is a share key in the address, a pass, or a token, which counts where claims do. Raises Refused for a
    token that is of no use.
    """
    if not token or not (site.visibility == "visitor-auth" or site.adaptive_content):
        return _admitted(cx, site, key, given_pass)
    if site.visibility != "share-link":
        return signed_in(cx, site, token)
    shared = _shared(cx, site, key, given_pass)
    if shared is None:
        return None
    told = signed_in(cx, site, token)
    return replace(shared, claims=told.claims, known_until=told.until)


def _admitted(cx: Context, site: Any, key: str, given_pass: str) -> SiteVisitor | None:
    if site.visibility in OPEN:
        known = _signed_in(cx, site, given_pass) if given_pass and site.adaptive_content else None
        return known or ANYBODY
    if site.visibility == "share-link":
        return _shared(cx, site, key, given_pass)
    return _signed_in(cx, site, given_pass)


def link_of(given_pass: str) -> str:
    """Return the share link that a pass names, which the statement has to look for; it proves nothing yet."""
    found = _opened(given_pass)
    return str(found.get("link", "")) if found else ""


def _shared(cx: Context, site: Any, key: str, given_pass: str) -> SiteVisitor | None:
    asked = cx.signer.fingerprint(stored_secrets.SHARE_KEY, key) if key else None
    for link in site.links:
        if link.key_hash == asked:
            until = int(cx.now.timestamp()) + LONGEST_PASS
            known = _signed_in(cx, site, given_pass) or ANYBODY
            return replace(known, kind="shared", by=link.id, until=until)
    held = _good(cx, site, given_pass)
    if held is None or not any(link.id == held.get("link") for link in site.links):
        return None
    known = _signed_in(cx, site, given_pass) or ANYBODY
    return replace(known, kind="shared", by=held["link"], until=held["until"])


def _signed_in(cx: Context, site: Any, given_pass: str) -> SiteVisitor | None:
    held = _good(cx, site, given_pass)
    if held is None or held.get("key") != mark(site) or not isinstance(held.get("claims"), dict):
        return None
    until = int(held.get("known_until", held["until"]))
    return (
        SiteVisitor("signed-in", mark(site), held["claims"], until, until)
        if until > cx.now.timestamp()
        else None
    )


def pass_of(cx: Context, site: Any, visitor: SiteVisitor) -> str:
    """Return the pass of a visitor, to be kept in a cookie."""
    held: dict[str, Any] = {"until": visitor.until}
    if visitor.kind == "shared":
        held["link"] = visitor.by
    if visitor.known_until:
        held |= {"key": mark(site), "claims": visitor.claims, "known_until": visitor.known_until}
    text = urlsafe_b64encode(orjson.dumps(held)).decode().rstrip("=")
    return f"{text}.{cx.signer.sign(PURPOSE, f'{site.id} {text}')}"


def _good(cx: Context, site: Any, given_pass: str) -> dict[str, Any] | None:
    """Return what a pass for this site holds, if we made it and its time is not over."""
    text, _, signature = given_pass.partition(".")
    if not signature.isascii() or not cx.signer.good(PURPOSE, f"{site.id} {text}", signature):
        return None
    held = _opened(given_pass)
    return held if held and held["until"] > cx.now.timestamp() else None


def _opened(given_pass: str) -> dict[str, Any] | None:
    text = given_pass.partition(".")[0]
    try:
        held = orjson.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, NotBase64):
        return None
    return held if isinstance(held, dict) and isinstance(held.get("until"), int) else None


def mark(site: Any) -> str:
    """Return what tells the site's private key from the one before, and tells nothing else of it."""
    return blake2b(site.visitor_key.encode(), digest_size=9, person=b"visitor key").hexdigest()


def signed_in(cx: Context, site: Any, token: str) -> SiteVisitor:
    """Return the visitor whom a token (JWT, HS256, of the site's private key) names; raises Refused.

    It needs `exp`; `aud` must be the site's id or address, and `iss` the fallback address, where they are
    given. The algorithm is ours to choose and the key is known: what a token says of either is not heeded.
    """
    payload = _verified(cx, site, token)
    now = cx.now.timestamp()
    expires = _time(payload, "exp")
    if expires is None:
        raise VisitorRefused("The token has no time of expiry (exp).")
    if expires <= now - LEEWAY:
        raise VisitorRefused("The token has expired.")
    for name in ("nbf", "iat"):
        begins = _time(payload, name)
        if begins is not None and begins > now + LEEWAY:
            raise VisitorRefused("The token is not valid yet.")
    _check_parties(cx, site, payload)
    claims = {name: value for name, value in payload.items() if name not in (*_REGISTERED, schemas.UNSIGNED)}
    _check_size(claims)
    until = int(min(expires, now + LONGEST_PASS))
    return SiteVisitor("signed-in", mark(site), claims, until, until)


def _check_size(claims: Mapping[str, Any]) -> None:
    try:
        size = len(orjson.dumps(claims))
    except (TypeError, ValueError):  # a number or a text that no JSON of ours can hold
        size = MOST_CLAIMS + 1
    if size > MOST_CLAIMS:
        raise VisitorRefused(f"The claims of the token have more than {MOST_CLAIMS} bytes.")


def _verified(cx: Context, site: Any, token: str) -> dict[str, Any]:
    if len(token) > MOST_TOKEN:
        raise VisitorRefused(f"The token has more than {MOST_TOKEN} characters.")
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import OctKey

    try:
        found = jwt.decode(
            token, OctKey.import_key(stored_secrets.visitor_key(cx, site)), algorithms=["HS256"]
        )
    except (JoseError, ValueError, TypeError, AttributeError, RecursionError, KeyError):
        raise VisitorRefused("The token is not signed with the key of this site.") from None
    if found.header.get("crit") or not isinstance(found.claims, dict):
        raise VisitorRefused("The token is not of the form that is known here.")
    return found.claims


def _time(payload: Mapping[str, Any], name: str) -> float | None:
    value = payload.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise VisitorRefused(f"The token's {name} is no time.")
    return float(value)


def _check_parties(cx: Context, site: Any, payload: Mapping[str, Any]) -> None:
    meant = payload.get("aud")
    audience = meant if isinstance(meant, list) else [meant]
    if meant is not None and not {site.id, visits.whole(cx.settings, site)} & {
        str(each) for each in audience
    }:
        raise VisitorRefused("The token is for somebody else (aud).")
    issuer = payload.get("iss")
    if issuer is not None and (not site.fallback_url or not _is_of(str(issuer), site.fallback_url)):
        raise VisitorRefused("The token is of somebody else (iss).")


def _is_of(issuer: str, fallback: str) -> bool:
    origin = "/".join(fallback.split("/", 3)[:3])
    return issuer.rstrip("/") in (fallback.rstrip("/"), origin)


def known_of(site: Any, visitor: SiteVisitor, unsigned: Mapping[str, Any]) -> dict[str, Any]:
    """Return what conditions may ask of a visitor: nothing at all where the site does not adapt its
    content."""
    if not site.adaptive_content:
        return {}
    signed = {name: value for name, value in visitor.claims.items() if name != schemas.UNSIGNED}
    return {**signed, schemas.UNSIGNED: dict(unsigned)}


def of(cx: Context, site: Any, told: Told) -> dict[str, Any] | None:
    """Return what conditions may ask of somebody who is told of; None where their token is of no use."""
    visitor = ANYBODY
    if told.jwt_token is not None:
        try:
            visitor = signed_in(cx, site, told.jwt_token)
        except VisitorRefused:
            return None
    return known_of(site, visitor, told.unsigned_claims or {})


def said(site: Any, pairs: Mapping[str, str]) -> dict[str, Any]:
    """Return what a visitor says of themselves, as far as the site's schema knows such claims
    (`unsigned`)."""
    if not pairs or not site.adaptive_content or not site.adaptive_schema:
        return {}
    schema = schemas.read_claims(orjson.loads(site.adaptive_schema)).members.get(schemas.UNSIGNED)
    if schema is None:
        return {}
    read = {name: _read(schema.members[name], text) for name, text in pairs.items() if name in schema.members}
    return {name: value for name, value in read.items() if value is not None}


def _read(claim: Claims, text: str) -> Any:
    if claim.kind == "boolean":
        return {"true": True, "false": False}.get(text)
    if claim.kind == "string":
        return text if len(text) <= 100 and (not claim.values or text in claim.values) else None
    if claim.kind == "number":
        try:
            found = float(text[:30])
        except ValueError:
            return None
        return found if abs(found) < 1e15 else None
    return None
