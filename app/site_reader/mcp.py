"""A site for programs that speak the Model Context Protocol: search it, list its pages, read one.

One request, one answer: nothing is kept between them, so it works the same wherever the next one arrives. Of
the protocol's streamable HTTP transport this is the part with JSON answers. Who may read what is decided as
for everybody: by the site's visibility, and by what the visitor may see.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope

from app.bodies import body_bytes
from app.kit.errors import Forbidden
from app.site_reader import machine_files, pages, request_url, search, site_navigation
from app.site_reader.machine_files import one_line
from app.site_reader.page_content import markdown_of, text_of
from app.site_reader.responses import JSON, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import Visit

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MOST_BODY = 100_000
MOST_LISTED = 500
LONGEST_ARGUMENT = 2000
PARSE, INVALID, NO_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602
_TEXT = {"type": "string"}
_READ_ONLY = {"readOnlyHint": True, "openWorldHint": False}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "search",
        "title": "Search the documentation",
        "description": "Finds pages by words and tells the places that match, with their addresses.",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {**_TEXT, "description": "words to look for", "maxLength": 512}},
            "required": ["query"],
        },
        "annotations": _READ_ONLY,
    },
    {
        "name": "read_page",
        "title": "Read a page",
        "description": "Gives a page as Markdown, by its address or its path on the site.",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {**_TEXT, "description": "such as /guide/start", "maxLength": 2000}},
            "required": ["path"],
        },
        "annotations": _READ_ONLY,
    },
    {
        "name": "list_pages",
        "title": "List the pages",
        "description": f"Lists the pages in order, {MOST_LISTED} at a time; `after` goes on from there.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "after": {"type": "integer", "minimum": 0, "description": "how many to pass over"}
            },
        },
        "annotations": _READ_ONLY,
    },
]


class Wrong(Exception):
    """An error of the protocol, by its code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


async def respond(state: ReaderState, visit: Visit, scope: Scope, receive: Receive) -> SiteResponse:
    """Answer one message."""
    _check_origin(visit, scope)
    identity: Any = None
    try:
        message = await _message(scope, receive)
        identity = message.get("id")
        if "id" not in message:  # a notification: there is nothing to say
            return _answer(b"", 202)
        result = await _result(state, visit, message)
        return _answer(orjson.dumps({"jsonrpc": "2.0", "id": identity, "result": result}))
    except Wrong as wrong:
        error = {"code": wrong.code, "message": str(wrong)}
        status = 400 if wrong.code in (PARSE, INVALID) else 200
        return _answer(orjson.dumps({"jsonrpc": "2.0", "id": identity, "error": error}), status)


def _answer(body: bytes, status: int = 200) -> SiteResponse:
    return SiteResponse(EncodedBody.of(body), status, JSON, cache=PRIVATE)


def _check_origin(visit: Visit, scope: Scope) -> None:
    """Refuse a browser's page from elsewhere: it might use what the browser remembers."""
    origin = request_url.header(scope, b"origin")
    if origin and origin.partition("://")[2].lower() != request_url.header(scope, b"host").lower():
        raise Forbidden("Pages of other sites cannot ask this.")


async def _message(scope: Scope, receive: Receive) -> dict[str, Any]:
    request = Request(scope, receive)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Wrong(INVALID, "Send the message as application/json.")
    body = await body_bytes(request, MOST_BODY)
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Wrong(PARSE, "The message is not JSON.") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Wrong(INVALID, "Send one JSON-RPC 2.0 message.")
    if not isinstance(message.get("method"), str) and "id" in message and "result" not in message:
        raise Wrong(INVALID, "The message has no method.")
    if not isinstance(message.get("id"), str | int | None) or isinstance(message.get("id"), bool):
        raise Wrong(INVALID, "The id must be text or a number.")
    return message


async def _result(state: ReaderState, visit: Visit, message: dict[str, Any]) -> dict[str, Any]:
    parameters = message.get("params", {})
    if not isinstance(parameters, dict):
        raise Wrong(BAD_PARAMS, "The parameters must be an object.")
    match message.get("method"):
        case "initialize":
            return _initialized(visit, parameters)
        case "ping":
            return {}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return await _called(state, visit, parameters)
    raise Wrong(NO_METHOD, "There is no such method here.")


def _initialized(visit: Visit, parameters: dict[str, Any]) -> dict[str, Any]:
    asked = parameters.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "docyard", "title": visit.site.title, "version": "1"},
        "instructions": f"Documentation: {one_line(visit.site.title)}. Search it, then read pages.",
    }


async def _called(state: ReaderState, visit: Visit, parameters: dict[str, Any]) -> dict[str, Any]:
    tool = _TOOLS.get(str(parameters.get("name")))
    arguments = parameters.get("arguments") or {}
    if tool is None:
        raise Wrong(BAD_PARAMS, "There is no such tool.")
    if not isinstance(arguments, dict):
        raise Wrong(BAD_PARAMS, "The arguments must be an object.")
    try:
        text = await tool(state, visit, arguments)
    except Wrong as wrong:
        return {"content": [{"type": "text", "text": str(wrong)}], "isError": True}
    return {"content": [{"type": "text", "text": text}], "isError": False}


async def _search(state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    hits = await search.find(state, visit, _given(arguments, "query")[: search.LONGEST])
    if not hits:
        return "Nothing was found."
    return "\n\n".join(
        f"{one_line(hit.title)}{' › ' if hit.heading else ''}{one_line(hit.heading)}\n"
        f"{visit.origin}{hit.href}\n{one_line(hit.excerpt)}"
        for hit in hits
    )


async def _read_page(state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    path = _given(arguments, "path")
    path = path.partition("#")[0].partition("?")[0].removesuffix(".md")
    start = next((each for each in (visit.address, visit.base) if f"{path}/".startswith(f"{each}/")), "")
    path = path.removeprefix(start)
    read = request_url.parts_of({"raw_path": b"", "path": "/" + path.strip("/")})
    location = site_navigation.locate(visit.tree, read[0]) if read else None
    space = await state.spaces.at(visit, location.node) if location else None
    row = pages.page_at(space, pages.resolve_default(space, location).rest) if space and location else None
    if space is None or row is None or not pages.is_listed(space, row):
        raise Wrong(BAD_PARAMS, "There is no such page. Search for it, or list the pages.")
    text = await markdown_of(state, visit, space, row, await text_of(visit, row))
    return f"{text}\nSource: {visit.origin}{space.tree.href(row)}\n"


async def _list_pages(state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    after = arguments.get("after", 0)
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < 10_000_000:
        raise Wrong(BAD_PARAMS, "`after` must be a number of pages.")
    lines: list[str] = []
    passed = 0
    async for space in site_navigation.visible_spaces(state, visit):
        rows = machine_files.listed_pages(space)
        some = rows[max(0, after - passed) :][: MOST_LISTED - len(lines)]
        lines += [f"- {one_line(row.title)}: {visit.origin}{space.tree.href(row)}" for row in some]
        passed += len(rows)
    if after + len(lines) < passed:
        lines.append(f"There are {passed} pages; go on with after={after + len(lines)}.")
    return "\n".join(lines) or "There are no pages."


def _given(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_ARGUMENT:
        raise Wrong(BAD_PARAMS, f"`{name}` must be a text of at most {LONGEST_ARGUMENT} characters.")
    return value.strip()


_Tool = Callable[[ReaderState, Visit, dict[str, Any]], Awaitable[str]]
_TOOLS: dict[str, _Tool] = {"search": _search, "read_page": _read_page, "list_pages": _list_pages}
