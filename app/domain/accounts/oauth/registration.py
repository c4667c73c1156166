"""Dynamic client registration (RFC 7591): applications that register themselves, as agents do."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.accounts.oauth import applications, client_metadata
from app.domain.accounts.oauth.client_metadata import BadMetadata
from app.domain.accounts.oauth.requests import OAuthResponse
from app.kit.errors import TooManyRequests


async def register(cx: Context, sent: Any) -> OAuthResponse:
    """Register an application that asks for it, and answer with what was registered."""
    try:
        described = client_metadata.read(sent, "client_secret_basic")
    except BadMetadata as wrong:
        error = "invalid_redirect_uri" if wrong.of_redirects else "invalid_client_metadata"
        return OAuthResponse(400, {"error": error, "error_description": wrong.message})
    new = described.new
    try:
        made = await applications.register_itself(cx, new)
    except TooManyRequests as full:
        return OAuthResponse(429, {"error": "temporarily_unavailable"}, full.headers)
    shown = {
        "client_id": made.application.id,
        "client_id_issued_at": int(made.application.created_at.timestamp()),
        "client_name": made.application.name,
        "redirect_uris": made.application.redirect_uris,
        "grant_types": described.grant_types,
        "response_types": ["code"],
        "token_endpoint_auth_method": described.method,
    }
    if new.homepage:
        shown["client_uri"] = new.homepage
    if new.scopes:
        shown["scope"] = " ".join(new.scopes)
    if made.secret:
        shown |= {"client_secret": made.secret, "client_secret_expires_at": 0}
    return OAuthResponse(201, shown)
