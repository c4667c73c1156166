"""A site for programs that speak the Model Context Protocol: search it, list its pages, read one, report what
is missing.

Who may read what is decided as for everybody: by the site's visibility, and by what the visitor may see. How
messages are read and answered is in `kit.mcp`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope

from app.bodies import body_bytes
from app.domain.sites import page_feedback as reports
from app.domain.sites.page_visits import ViewedPage
from app.formats.text import passage_parts
from app.kit import mcp, workers
from app.kit.errors import Forbidden, Invalid, TooManyRequests
from app.kit.mcp import INVALID_PARAMS, ProtocolError, ToolCall, ToolResult, ToolServer
from app.models.checks import checked
from app.models.page_feedback import LONGEST_COMMENT, LONGEST_SEARCH, MissingReported
from app.models.pages import PageVersion
from app.site_reader import (
    counting,
    machine_files,
    page_feedback,
    pages,
    request_url,
    search,
    site_navigation,
)
from app.site_reader.machine_files import one_line
from app.site_reader.page_content import markdown_of, text_of
from app.site_reader.rendering.render_context import SearchHit
from app.site_reader.responses import JSON, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

MOST_BODY = 100_000
MOST_LISTED = 500
MOST_FOUND = 10  # pages that a search tells of
MOST_READ = 16_000  # characters of a page at once
LONGEST_ARGUMENT = 2000
_TEXT = {"type": "string"}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "search",
        "title": "Search the documentation",
        "description": f"Finds pages by words, at most {MOST_FOUND}, and tells their headings that match, "
        "with addresses. A typing error is forgiven.",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {**_TEXT, "description": "words to look for", "maxLength": 512}},
            "required": ["query"],
        },
        "annotations": mcp.READ_ONLY,
    },
    {
        "name": "read_page",
        "title": "Read a page",
        "description": "Gives a page as Markdown, by its address or its path on the site. Long pages come in "
        "parts.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": {**_TEXT, "description": "such as /guide/start", "maxLength": 2000},
                "part": {
                    "type": "integer",
                    "minimum": 1,
                    "default": 1,
                    "description": f"which part of a page of more than {MOST_READ} characters",
                },
            },
            "required": ["path"],
        },
        "annotations": mcp.READ_ONLY,
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
        "annotations": mcp.READ_ONLY,
    },
]
REPORT: dict[str, Any] = {
    "name": "report_missing",
    "title": "Report what is missing",
    "description": "Tells the writers of the documentation what could not be found in it, or what a page "
    "leaves out. Search first. Say nothing of the person you work for.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "missing": {**_TEXT, "description": "what is missing", "maxLength": LONGEST_COMMENT},
            "query": {**_TEXT, "description": "what was searched for", "maxLength": LONGEST_SEARCH},
            "path": {**_TEXT, "description": "of the page that leaves it out", "maxLength": 2000},
        },
        "required": ["missing"],
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
}
"""A tool of sites that ask visitors for feedback."""


async def respond(state: ReaderState, visit: Visit, scope: Scope, receive: Receive) -> SiteResponse:
    """Answer one message."""
    _check_origin(visit, scope)
    request = Request(scope, receive)
    asks = visit.asks_for_feedback()
    more = " Report what is missing." if asks else ""
    server = ToolServer(
        title=visit.site.title,
        instructions=f"Documentation: {one_line(visit.site.title)}. Search it, then read pages.{more}",
        tools=[*TOOLS, REPORT] if asks else TOOLS,
        call=lambda call: _called(state, visit, scope, call),
        is_public=True,
    )
    try:
        sent = await _sent(request)
    except ProtocolError as error:
        answer = mcp.refused(error)
    else:
        answer = await mcp.reply(server, sent, request.headers.get)
    return SiteResponse(EncodedBody.of(answer.body), answer.status, JSON, cache=PRIVATE)


def _check_origin(visit: Visit, scope: Scope) -> None:
    """Refuse a browser's page from elsewhere: it might use what the browser remembers."""
    origin = request_url.header(scope, b"origin")
    if origin and origin.partition("://")[2].lower() != request_url.header(scope, b"host").lower():
        raise Forbidden("Pages of other sites cannot ask this.")


async def _sent(request: Request) -> Any:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise ProtocolError(mcp.INVALID_REQUEST, "Send the message as application/json.")
    body = await body_bytes(request, MOST_BODY)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ProtocolError(mcp.PARSE_ERROR, "The message is not JSON.") from None


async def _called(state: ReaderState, visit: Visit, scope: Scope, call: ToolCall) -> ToolResult:
    tool = _TOOLS.get(call.name)
    if call.name == REPORT["name"] and visit.asks_for_feedback():
        tool = partial(_report, scope)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, "There is no such tool.")
    try:
        return ToolResult(await tool(state, visit, call.arguments))
    except (ProtocolError, Invalid, TooManyRequests) as wrong:
        return ToolResult(str(wrong), is_error=True)


async def _search(state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    query = _given(arguments, "query")[: search.LONGEST].strip()
    found = await search.find(state, visit, query, most=MOST_FOUND)
    counting.searched_by_agent(state.runtime, visit, query, is_found=bool(found.hits))
    if not found.hits:
        return "Nothing was found."
    told = [_found(visit, hit) for hit in found.hits]
    if found.count > len(found.hits):
        of = f"at least {found.count}" if found.is_partial else f"{found.count}"
        told.append(f"These are {len(found.hits)} of {of} pages. Search for more words to find fewer.")
    return "\n\n".join(told)


def _found(visit: Visit, hit: SearchHit) -> str:
    """Return a page that was found as text, with its headings below it."""
    lines = [one_line(hit.title), f"{visit.origin}{hit.href}", one_line(hit.excerpt)]
    for section in hit.sections:
        lines += [f"  › {one_line(section.heading)}: {visit.origin}{section.href}"]
        lines += [f"    {one_line(section.excerpt)}"] if section.excerpt else []
    return "\n".join(filter(None, lines))


async def _report(scope: Scope, state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    given = {"comment": _given(arguments, "missing", LONGEST_COMMENT)}
    if arguments.get("query") is not None:
        given["query"] = _given(arguments, "query", LONGEST_SEARCH)
    at: ViewedPage | str = visit.address
    if arguments.get("path") is not None:
        at = page_feedback.viewed(visit, *await _page_at(state, visit, _given(arguments, "path")))
    missing = checked(
        MissingReported, {name: value.replace("\x00", "") for name, value in given.items()}, strict=True
    )
    state.runtime.throttle.take("feedback", scope)
    reader = page_feedback.reader_of(visit, scope)
    await reports.report(visit.cx, visit.site, reader, "agent", missing, at)
    return "Thank you. The writers of this documentation can read it now."


async def _page_at(state: ReaderState, visit: Visit, path: str) -> tuple[VisibleSpace, PageVersion]:
    """Return a page by its address or path; raises ProtocolError where the visitor sees none."""
    path = path.partition("#")[0].partition("?")[0].removesuffix(".md")
    start = next((each for each in (visit.address, visit.base) if f"{path}/".startswith(f"{each}/")), "")
    path = path.removeprefix(start)
    read = request_url.parts_of({"raw_path": b"", "path": "/" + path.strip("/")})
    location = site_navigation.locate(visit.tree, read[0]) if read else None
    space = await state.spaces.at(visit, location.node) if location else None
    row = pages.page_at(space, pages.resolve_default(space, location).rest) if space and location else None
    if space is None or row is None or not pages.is_listed(space, row):
        raise ProtocolError(INVALID_PARAMS, "There is no such page. Search for it, or list the pages.")
    return space, row


async def _read_page(state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    path, part = _given(arguments, "path"), arguments.get("part", 1)
    if isinstance(part, bool) or not isinstance(part, int) or not 1 <= part < 10_000:
        raise ProtocolError(INVALID_PARAMS, "`part` must be a number from 1.")
    space, row = await _page_at(state, visit, path)
    text = await markdown_of(state, visit, space, row, await text_of(visit, row))
    parts = await workers.run(len(text), passage_parts.parts_of, text, MOST_READ)
    if not part <= len(parts):
        raise ProtocolError(INVALID_PARAMS, f"The page has {len(parts)} parts.")
    counting.read_by_agent(state.runtime, visit, space.node.row.id, space.snapshot.space_id, row.page_id)
    more = f"This is part {part} of {len(parts)}." if len(parts) > 1 else ""
    more += f" Go on with part={part + 1}." if part < len(parts) else ""
    source = f"Source: {visit.origin}{space.tree.href(row)}"
    return "\n".join(filter(None, (parts[part - 1], source, more))) + "\n"


async def _list_pages(state: ReaderState, visit: Visit, arguments: dict[str, Any]) -> str:
    after = arguments.get("after", 0)
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < 10_000_000:
        raise ProtocolError(INVALID_PARAMS, "`after` must be a number of pages.")
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


def _given(arguments: dict[str, Any], name: str, most: int = LONGEST_ARGUMENT) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        wanted = f"a text of at most {most} characters"
        raise ProtocolError(INVALID_PARAMS, f"`{name}` must be {wanted}.")
    return value.strip()


_Tool = Callable[[ReaderState, Visit, dict[str, Any]], Awaitable[str]]
_TOOLS: dict[str, _Tool] = {"search": _search, "read_page": _read_page, "list_pages": _list_pages}
