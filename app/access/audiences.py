"""The parts of this server that an application's token may be for (RFC 8707), and where each describes itself
to clients that have no token yet (RFC 9728)."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from app.kit.errors import Problem, Unauthenticated
from app.kit.settings import Settings

Audience = Literal["api", "mcp"]
API: Audience = "api"
PATHS: dict[Audience, str] = {"api": "", "mcp": "/mcp"}
"""The path of each audience's resource below the public address of the server."""
MCP_SCOPES = ("read", "write")
"""Scopes that agents are told to ask for; what they may do with them is narrowed further."""
_PARTS: dict[str, Audience] = {
    "": "api",
    "/": "api",
    "/v1": "api",
    "/graphql": "api",
    "/mcp": "mcp",
    "/mcp/": "mcp",
}


def identifier(settings: Settings, audience: Audience) -> str:
    """Return the address by which clients name a part of this server."""
    return f"{settings.base_url}{PATHS[audience]}"


def named(settings: Settings, resource: str) -> Audience | None:
    """Return the part that a client means by an address; None where it is no part of this server."""
    if not resource.startswith(settings.base_url):
        return None
    return _PARTS.get(resource.removeprefix(settings.base_url))


def well_known(settings: Settings, name: str, path: str = "") -> str:
    """Return the well-known address of a document about what is at a path of this server."""
    return f"{origin(settings)}/.well-known/{name}{urlsplit(settings.base_url).path}{path}"


def origin(settings: Settings) -> str:
    """Return the public address of this server without its path."""
    base = urlsplit(settings.base_url)
    return f"{base.scheme}://{base.netloc}"


def metadata_url(settings: Settings, audience: Audience) -> str:
    """Return where the description of a part of this server is."""
    return well_known(settings, "oauth-protected-resource", PATHS[audience])


def challenge(settings: Settings, problem: Problem, audience: Audience = API) -> Problem:
    """Return a refusal as it is answered: one for want of a token says where clients learn to get one."""
    if isinstance(problem, Unauthenticated) and problem.metadata_url is None:
        problem.metadata_url = metadata_url(settings, audience)
    return problem
