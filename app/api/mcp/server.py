"""The MCP server for authors at `/mcp`: who may call, from where, and how refusals are told over HTTP.

Only a token in the header counts. Whoever calls here is an agent, whatever their token is for: it proposes.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from app.access.audiences import MCP_SCOPES
from app.api.mcp import calls
from app.api.mcp.calls import Caller
from app.api.mcp.tool_words import INSTRUCTIONS
from app.api.mcp.tools import descriptions
from app.api.rest.errors import render
from app.bodies import body_bytes, cost_of, json_value
from app.kit import mcp, workers
from app.kit.callers import address_of
from app.kit.errors import Forbidden, Invalid, MethodNotAllowed, Problem, Unauthenticated
from app.kit.mcp import ProtocolError, Reply, ToolServer
from app.kit.settings import Settings
from app.runtime import Runtime, run_of

JSON = "application/json"
log = logging.getLogger("docyard.mcp")


async def answer(runtime: Runtime, request: Request) -> Response:
    """Answer one message of an agent."""
    try:
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        _check_origin(request, runtime.settings)
        actor = await runtime.caller(request.scope, request.headers.get("authorization"), audience="mcp")
        agent = replace(actor, is_agent=True, run=run_of(request.scope))
        told = await _reply(runtime, request, agent)
    except Unauthenticated as unknown:
        response = render(unknown)
        response.headers["www-authenticate"] = _challenge(unknown, request)
        return response
    except Problem as problem:
        return render(problem)
    return Response(told.body, told.status, media_type=JSON)


def _check_origin(request: Request, settings: Settings) -> None:
    """Refuse pages of browsers, besides those of this server and those that are configured."""
    origin = request.headers.get("origin")
    if origin is None:
        return
    own = urlsplit(settings.base_url)
    if origin != f"{own.scheme}://{own.netloc}" and origin not in settings.allowed_origins:
        raise Forbidden("Pages of other sites cannot ask this.")


def _challenge(unknown: Unauthenticated, request: Request) -> str:
    """Return what tells a client where to get a token (RFC 9728, section 5.1), and with which scopes."""
    told = unknown.headers["WWW-Authenticate"]
    wrong = ', error="invalid_token"' if "authorization" in request.headers else ""
    return f'{told}, scope="{" ".join(MCP_SCOPES)}"{wrong}'


async def _reply(runtime: Runtime, request: Request, actor: Any) -> Reply:
    raw = await body_bytes(request, runtime.settings.body_limit)
    try:
        sent = await workers.run(cost_of(raw), _sent, raw, request.headers.get("content-type", ""))
    except ProtocolError as error:
        return mcp.refused(error)
    address = address_of(request.scope, runtime.settings.proxies)
    caller = Caller(runtime, actor, address, cost_of(raw))
    server = ToolServer(
        "Docyard", INSTRUCTIONS, descriptions(), lambda asked: calls.call(caller, asked), is_public=True
    )
    try:
        return await mcp.reply(server, sent, request.headers.get)
    except Problem:
        raise
    except Exception:
        log.exception("a call of an agent failed")
        return mcp.refused(ProtocolError(mcp.INTERNAL, "Something went wrong on our side."), stateless=True)


def _sent(raw: bytes, content_type: str) -> Any:
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise ProtocolError(mcp.INVALID_REQUEST, "Send the message as application/json.")
    try:
        return json_value(raw, "message")
    except Invalid as unread:
        raise ProtocolError(mcp.PARSE_ERROR, unread.message) from None
