"""Discovery documents for clients without a token (RFC 8414, RFC 9728)."""

from __future__ import annotations

from typing import Any

from app.access import audiences
from app.access.audiences import Audience
from app.kit.settings import Settings
from app.models.oauth import DESCRIPTIONS

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
METHODS = ["none", "client_secret_basic", "client_secret_post"]


def authorization_server(settings: Settings) -> dict[str, Any]:
    """Return the metadata of the authorization server."""
    base = settings.base_url
    found = {
        "issuer": base,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "device_authorization_endpoint": f"{base}/oauth/device_authorization",
        "scopes_supported": list(DESCRIPTIONS),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", DEVICE],
        "token_endpoint_auth_methods_supported": METHODS,
        "revocation_endpoint_auth_methods_supported": METHODS,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": settings.oauth_client_documents,
        "service_documentation": f"{base}/docs",
    }
    if settings.oauth_registration:
        found["registration_endpoint"] = f"{base}/oauth/register"
    return found


def protected_resource(settings: Settings, path: str) -> dict[str, Any] | None:
    """Return the metadata of the part of this server at a path; None where there is none.

    The path is what stands behind the well-known name; a proxy may have taken the prefix of the public
    address away from it.
    """
    audience = audiences.named(settings, f"{settings.base_url}{path}") or audiences.named(
        settings, f"{audiences.origin(settings)}{path}"
    )
    return None if audience is None else _resource(settings, audience)


def _resource(settings: Settings, audience: Audience) -> dict[str, Any]:
    return {
        "resource": audiences.identifier(settings, audience),
        "authorization_servers": [settings.base_url],
        "scopes_supported": list(DESCRIPTIONS if audience == audiences.API else audiences.MCP_SCOPES),
        "bearer_methods_supported": ["header"],
        "resource_name": {"api": "Docyard API", "mcp": "Docyard MCP"}[audience],
        "resource_documentation": f"{settings.base_url}/docs",
    }
