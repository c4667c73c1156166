"""Calls of tools: the arguments are read into the shapes of a row, which is run as on every other face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.access import scopes
from app.access.context import Actor, Context
from app.api.mcp.answers import ResultTooLarge, result_of
from app.api.mcp.tool_words import outline_of
from app.api.mcp.tools import AFTER, ITEMS, LONGEST_ID, MOST_ITEMS, AgentTool, tools
from app.api.operation import Operation
from app.api.versions import envelope, refuse_stale_content
from app.api.writes import KEY, REVISION, Write
from app.kit.errors import Invalid, Problem
from app.kit.mcp import INVALID_PARAMS, ProtocolError, ToolCall, ToolResult
from app.models.base import Shape
from app.models.checks import checked
from app.models.content_changes import ContentChangesQuery
from app.present.shape import showing
from app.runtime import Runtime, checked_run

OF_THE_REQUEST = frozenset({401, 429, 499, 500, 502, 503})
"""The statuses of refusals that are no answers of a tool, but of the whole request."""

RUN = "docyard/run"
"""The field of a call's `_meta` in which an agent names its run; it wins over the header."""

OUTLINE = 200  # pages of an outline, unless another number is asked for


@dataclass(slots=True, frozen=True)
class Caller:
    """The caller, their address, and the approximate length of their message in characters."""

    runtime: Runtime
    actor: Actor
    address: str | None
    size: int


async def call(caller: Caller, asked: ToolCall) -> ToolResult:
    """Call a tool; what stands in the way is its result, in words that an agent can act on."""
    tool = tools().get(asked.name)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, "There is no such tool.")
    try:
        if RUN in asked.meta:
            run = checked_run(asked.meta[RUN], f"_meta.{RUN}")
            caller = replace(caller, actor=replace(caller.actor, run=run))
        return await _called(caller, tool, dict(asked.arguments))
    except Problem as problem:
        if problem.status in OF_THE_REQUEST:
            raise
        return ToolResult(_told(problem), is_error=True)


def _told(problem: Problem) -> str:
    told = "\n".join(f"{each['path']}: {each['message']}" for each in problem.details)
    return f"{problem.code}: {problem.message}" + (f"\n{told}" if len(problem.details) > 1 else "")


async def _called(caller: Caller, tool: AgentTool, given: dict[str, Any]) -> ToolResult:
    row = tool.row(given)
    scopes.permit(caller.actor, row)
    values = {name: _id(name, given.pop(name)) for name in row.parameters}
    return await (_write if row.writes else _read)(caller, tool, row, values, given)


def _id(name: str, value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_ID or "\0" in value:
        raise Invalid(f"Must be a text of 1 to {LONGEST_ID} characters.", path=name)
    return value


async def _read(
    caller: Caller, tool: AgentTool, row: Operation, values: Mapping[str, str], given: dict[str, Any]
) -> ToolResult:
    limit = given.pop("limit", None) if row.paged or tool.words.outlines else None
    after = given.pop(AFTER, 0) if tool.words.outlines else 0
    most = _whole("limit", limit if limit is not None else (ITEMS if row.paged else OUTLINE), least=1)
    passed = _whole(AFTER, after)
    cx = caller.runtime.context(caller.actor)
    while True:
        asked = {**given, "limit": min(most, MOST_ITEMS)} if row.paged else given
        shown = await _shown(cx, row, _arguments(row, values, asked))
        if tool.words.outlines:
            shown = _window(outline_of(shown), passed, most)
        try:
            return result_of(shown)
        except ResultTooLarge:
            if most == 1 or not (row.paged or tool.words.outlines):
                raise Invalid("The response is too large; request a smaller part.") from None
            most = min(most, MOST_ITEMS) // 2 if row.paged else most // 2


async def _shown(cx: Context, row: Operation, arguments: list[Any]) -> Any:
    result = await row.call(cx, *arguments)
    if row.paged:
        return await showing(result, envelope, cx, row, result)
    assert row.show is not None
    return await showing(result, row.show, cx, result)


def _window(items: list[Any], passed: int, most: int) -> dict[str, Any]:
    """Return a part of a list that is known as a whole."""
    end = passed + most
    more = {"next": {AFTER: end}} if end < len(items) else {}
    return {"count": len(items), "items": items[passed:end], **more}


def _whole(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10_000_000:
        raise Invalid(f"Must be a whole number from {least} on.", path=name)
    return value


def _arguments(row: Operation, values: Mapping[str, str], given: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of a row; raises Invalid for what neither its query nor its body has."""
    arguments = row.arguments([values[name] for name in row.parameters])
    query = _fields(row.query)
    if row.query is ContentChangesQuery:  # the answer tells what each change did
        arguments.append(ContentChangesQuery(compat=False))
    elif row.query is not None:
        asked = {name: value for name, value in given.items() if name in query}
        arguments.append(checked(row.query, asked, strict=False))
    rest = {name: value for name, value in given.items() if name not in query}
    if row.body is not None:
        arguments.append(checked(row.body, rest, strict=True))
    elif rest:
        raise Invalid("There is no such argument.", path=next(iter(rest)))
    return arguments


def _fields(shape: type[Shape] | None) -> frozenset[str]:
    fields = shape.model_fields.items() if shape else ()
    return frozenset(field.alias or name for name, field in fields)


async def _write(
    caller: Caller, tool: AgentTool, row: Operation, values: Mapping[str, str], given: dict[str, Any]
) -> ToolResult:
    asked = dict(given)
    key, expected = given.pop(KEY, None), given.pop(REVISION, None)
    if not isinstance(key, str):
        raise Invalid(
            "Give the change a key, so that it is made only once however often it is sent.", path=KEY
        )
    if expected is not None or tool.words.expects_revision:
        _id(REVISION, expected)
    arguments = _arguments(row, values, given)

    async def check(cx: Context) -> None:
        if expected is not None:
            await refuse_stale_content(cx, _content(row, arguments), expected)

    write = Write(row, values, arguments, check, asked, caller.size)
    return result_of(await write.run(caller.runtime, caller.actor, "mcp", caller.address, key))


def _content(row: Operation, arguments: list[Any]) -> Any:
    """Return the content that a row writes in: what its path names, or its space."""
    from app.domain.content.views import Where

    return arguments[0] if row.where else Where(arguments[0])
