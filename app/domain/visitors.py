"""Who reads a site: what their token says of them, which the site's key signs, and what they say themselves.

A token is a JWT that is signed with HS256 and says until when it is good (decisions, Visitor access). What it
claims and what visitors claim themselves are kept apart: the latter are `unsigned`, whatever a token says.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.models.site_searches import Visitor

LONGEST = 8192  # characters of a token
LEEWAY = 60  # seconds that two clocks may differ
_ABOUT_THE_TOKEN = frozenset({"iss", "sub", "aud", "exp", "nbf", "iat", "jti", "unsigned"})


def verified(site: Any, token: str, now: datetime) -> dict[str, Any] | None:
    """What a token claims that the key of the site signed and that is good now; None for any other.

    The site has its `visitor_key`. A token that names an audience must name the site by its id.
    """
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import OctKey

    if len(token) > LONGEST or token.count(".") != 2:
        return None
    try:
        claims = jwt.decode(token, OctKey.import_key(site.visitor_key), algorithms=["HS256"]).claims
    except (JoseError, ValueError, TypeError, RecursionError):
        return None
    if not _is_good(claims, now.timestamp()) or not _is_meant(claims.get("aud"), site.id):
        return None
    return {name: value for name, value in claims.items() if name not in _ABOUT_THE_TOKEN}


def known(
    site: Any, signed: Mapping[str, Any] | None, unsigned: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What conditions may ask of a visitor; nothing where the site does not adapt what it shows."""
    if not site.adaptive_content:
        return {}
    return {**(signed or {}), "unsigned": dict(unsigned or {})}


def of(site: Any, visitor: Visitor, now: datetime) -> dict[str, Any] | None:
    """What conditions may ask of somebody who is told of; None where their token is of no use."""
    if visitor.jwt_token is None:
        return known(site, None, visitor.unsigned_claims)
    signed = verified(site, visitor.jwt_token, now)
    return None if signed is None else known(site, signed, visitor.unsigned_claims)


def _is_good(claims: Mapping[str, Any], now: float) -> bool:
    until, since = claims.get("exp"), (claims.get("nbf", 0), claims.get("iat", 0))
    if not all(type(time) in (int, float) for time in (until, *since)):
        return False
    assert until is not None
    return until > now - LEEWAY and all(time <= now + LEEWAY for time in since)


def _is_meant(audience: Any, site_id: str) -> bool:
    named = audience if isinstance(audience, list) else [audience]
    return audience is None or site_id in named
