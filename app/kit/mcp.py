"""The Model Context Protocol as servers speak it over streamable HTTP: one message in, one answer out.

Nothing is kept between messages, so it works the same wherever the next one arrives. The revision 2026-07-28
says with every request what its caller speaks; the revisions before begin with `initialize`, and get the same
answers without the fields that are new. There are no streams and no sessions, which every revision allows.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from app.kit.build import VERSION

STATELESS = "2026-07-28"
WITH_HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSIONS = (STATELESS, *WITH_HANDSHAKE)

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL = -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
_STATUSES = {UNKNOWN_METHOD: 404, INTERNAL: 500}  # of stateless answers; all others are 400
_BEFORE = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400, HEADER_MISMATCH: 400}

META = "io.modelcontextprotocol/"
LISTED_FOR = 300_000  # milliseconds that a client may keep the list of tools
READ_ONLY = {"readOnlyHint": True, "openWorldHint": False}
_ENCODED = ("=?base64?", "?=")

Header = Callable[[str], str | None]
"""Returns a header of the request, by its name in lower case."""


class ProtocolError(Exception):
    """An error of the protocol, by its code."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool; `meta` is what the client says about the call."""

    name: str
    arguments: dict[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer of a tool: a text, and the same as data where it is some; or why it refuses."""

    text: str
    data: Mapping[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ToolServer:
    """The tools of a server, and the function that calls them. Raises ProtocolError for an unknown tool.

    `is_public` tells that everybody sees the same tools.
    """

    title: str
    instructions: str
    tools: Sequence[Mapping[str, Any]]
    call: Callable[[ToolCall], Awaitable[ToolResult]]
    is_public: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of an HTTP response, in JSON, and its status."""

    status: int
    body: bytes = b""


async def reply(server: ToolServer, sent: object, header: Header) -> Reply:
    """Answer one message that was sent as JSON."""
    stateless = _is_stateless(sent, header)
    identity: str | int | None = None
    try:
        message = _message(sent)
        if "id" not in message:  # a notification: there is nothing to say
            if stateless:
                _check_version(header("mcp-protocol-version"))
            return Reply(202)
        identity = message["id"]
        params = message.get("params", {})
        if not isinstance(params, dict):
            raise ProtocolError(INVALID_PARAMS, "The parameters must be an object.")
        if stateless:
            _check_envelope(message["method"], params, header)
        result = await _result(server, message["method"], params, stateless=stateless)
    except ProtocolError as error:
        return refused(error, identity, stateless=stateless)
    if stateless:
        result = {"resultType": "complete", "_meta": {f"{META}serverInfo": _info(server)}, **result}
    return Reply(200, orjson.dumps({"jsonrpc": "2.0", "id": identity, "result": result}))


def refused(error: ProtocolError, identity: str | int | None = None, *, stateless: bool = False) -> Reply:
    """Return the answer that tells of an error."""
    told = {"code": error.code, "message": str(error)}
    if error.data is not None:
        told["data"] = error.data
    status = _STATUSES.get(error.code, 400) if stateless else _BEFORE.get(error.code, 200)
    return Reply(status, orjson.dumps({"jsonrpc": "2.0", "id": identity, "error": told}))


def _is_stateless(sent: object, header: Header) -> bool:
    """Tell whether a message is to be read as the newest revision says, or one that is not known."""
    version = header("mcp-protocol-version")
    if version is not None:
        return version not in WITH_HANDSHAKE
    params = sent.get("params") if isinstance(sent, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and f"{META}protocolVersion" in meta


def _message(sent: object) -> dict[str, Any]:
    if not isinstance(sent, dict) or sent.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "Send one JSON-RPC 2.0 message.")
    if not isinstance(sent.get("method"), str):
        raise ProtocolError(INVALID_REQUEST, "The message has no method.")
    if "id" in sent and (isinstance(sent["id"], bool) or not isinstance(sent["id"], str | int)):
        raise ProtocolError(INVALID_REQUEST, "The id must be text or a number.")
    return sent


def _check_envelope(method: str, params: Mapping[str, Any], header: Header) -> None:
    """Refuse a stateless request that does not say what it has to, or whose headers say something else."""
    meta = params.get("_meta")
    version = meta.get(f"{META}protocolVersion") if isinstance(meta, dict) else None
    if not isinstance(meta, dict) or not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, f"`_meta` needs `{META}protocolVersion`.")
    if not isinstance(meta.get(f"{META}clientCapabilities"), dict):
        raise ProtocolError(INVALID_PARAMS, f"`_meta` needs `{META}clientCapabilities`.")
    wanted: dict[str, Any] = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if method == "tools/call":
        wanted["Mcp-Name"] = params.get("name")
    for name, value in wanted.items():
        given = header(name.lower())
        if given is None or _decoded(given) != value:
            raise ProtocolError(HEADER_MISMATCH, f"The header {name} must say what the message says.")
    _check_version(version)


def _check_version(version: str | None) -> None:
    if version != STATELESS:
        data = {"supported": list(VERSIONS), "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _decoded(value: str) -> str | None:
    """Return the value of a header, which may be in base64; None where it is malformed."""
    start, end = _ENCODED
    if not (value.startswith(start) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(start) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


async def _result(
    server: ToolServer, method: str, params: dict[str, Any], *, stateless: bool
) -> dict[str, Any]:
    kept = {"ttlMs": LISTED_FOR, "cacheScope": "public" if server.is_public else "private"}
    if method == "tools/list":
        return {"tools": list(server.tools), **(kept if stateless else {})}
    if method == "tools/call":
        return await _called(server, params)
    if stateless and method == "server/discover":
        return {"supportedVersions": list(VERSIONS), **_capabilities(server), **kept}
    if not stateless and method == "initialize":
        asked = params.get("protocolVersion")
        spoken = asked if asked in WITH_HANDSHAKE else WITH_HANDSHAKE[0]
        return {"protocolVersion": spoken, **_capabilities(server), "serverInfo": _info(server)}
    if not stateless and method == "ping":
        return {}
    raise ProtocolError(UNKNOWN_METHOD, "There is no such method here.")


def _capabilities(server: ToolServer) -> dict[str, Any]:
    return {"capabilities": {"tools": {"listChanged": False}}, "instructions": server.instructions}


def _info(server: ToolServer) -> dict[str, str]:
    return {"name": "docyard", "title": server.title, "version": VERSION}


async def _called(server: ToolServer, params: Mapping[str, Any]) -> dict[str, Any]:
    name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "Name a tool.")
    if not isinstance(arguments, dict | None):
        raise ProtocolError(INVALID_PARAMS, "The arguments must be an object.")
    told = await server.call(ToolCall(name, arguments or {}, meta if isinstance(meta, dict) else {}))
    result = {"content": [{"type": "text", "text": told.text}], "isError": told.is_error}
    return result if told.data is None else {**result, "structuredContent": told.data}
