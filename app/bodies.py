"""Bodies of requests, for every face: within their limit, and JSON whose every text can be stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from app.kit.errors import Invalid, NotJson, TooLarge

MOST_PARTS = 300_000  # values in some JSON, commas in its texts counted among them
LONGEST_PLACE = 200  # characters of the path of a value that an error names
BROKEN_OFF = "The body ended too early."
PER_CHARACTER = 10  # bytes of JSON that cost what a character of Markdown does


async def body_bytes(request: Request, limit: int) -> bytes:
    """Return the body; raises TooLarge as soon as it is known to exceed the limit,
    Invalid where it breaks off.
    """
    if declared_length(request) > limit:
        raise TooLarge(f"The body may have at most {limit} bytes.")
    parts, size, goes_on = [], 0, True
    while goes_on:  # as `body_parts` does, without its two generators, which small bodies would pay for
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Invalid(BROKEN_OFF, path="body")
        part, goes_on = message.get("body", b""), message.get("more_body", False)
        size += len(part)
        if size > limit:
            raise TooLarge(f"The body may have at most {limit} bytes.")
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def declared_length(request: Request) -> int:
    """Return how many bytes a request says that its body has; 0 where it does not say."""
    declared = request.headers.get("content-length", "0")
    return int(declared) if declared.isdigit() else 0


async def body_parts(request: Request) -> AsyncIterator[bytes]:
    """Yield the body as it arrives; raises Invalid where it breaks off."""
    try:
        async for part in request.stream():
            yield part
    except ClientDisconnect:  # nobody hears this; it is no failure of ours either
        raise Invalid(BROKEN_OFF, path="body") from None


def cost_of(raw: bytes) -> int:
    """Return what some JSON counts for in the worker pool."""
    return len(raw) // PER_CHARACTER


def json_of(raw: bytes, content_type: str) -> Any:
    """Return the body as JSON whose every text can be stored; raises NotJson or Invalid."""
    media, _, rest = content_type.partition(";")
    if media.strip().lower() != "application/json":
        raise NotJson("Send the body as application/json.")
    if "charset" in rest.lower() and "utf-8" not in rest.lower():
        raise NotJson("Send the body in UTF-8.")
    return json_value(raw, "body")


def json_value(raw: bytes, path: str) -> Any:
    """Parse JSON whose every text can be stored; raises Invalid, naming where it came from, and TooLarge."""
    if sum(map(raw.count, (b",", b"[", b"{"))) > MOST_PARTS:  # reading it takes as long as those are many
        raise TooLarge(f"The {path} may have at most {MOST_PARTS:,} values.")
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Invalid(f"The {path} is not JSON: {error}.", path=path) from None
    if b"\\u0000" in raw and (parts := _place_of_nul(value)) is not None:
        place = ".".join(parts if path == "body" else (path, *parts))
        raise Invalid("Text may not contain the NUL character.", path=place[:LONGEST_PLACE] or path)
    return value


Steps = tuple["Steps", str] | None
"""The way to a value in some JSON: the last step, and those before."""


def _place_of_nul(value: Any) -> list[str] | None:
    """Return the keys and positions that lead to a text with NUL; None where there is none."""
    waiting: list[tuple[Steps, Any]] = [(None, value)]
    while waiting:
        steps, item = waiting.pop()
        if isinstance(item, str) and "\x00" in item:
            return _parts(steps)
        if isinstance(item, dict):
            if any("\x00" in name for name in item):
                return _parts(steps)
            waiting.extend(((steps, name), inner) for name, inner in item.items())
        elif isinstance(item, list):
            waiting.extend(((steps, str(at)), inner) for at, inner in enumerate(item))
    return None


def _parts(steps: Steps) -> list[str]:
    found: list[str] = []
    while steps is not None:
        steps, part = steps
        found.append(part)
    return found[::-1]
