"""Messages between the server and the process that reads a specification: a line of JSON, then bytes.

The bytes go as they are. In JSON they would be several times as long, and parsing them would hold up all
threads of the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

_PARTS = "parts"


def written(head: Mapping[str, Any], parts: Mapping[str, bytes]) -> bytes:
    """Return a message of JSON values, and bytes by their names."""
    sizes = [[name, len(data)] for name, data in parts.items()]
    return b"".join([orjson.dumps({**head, _PARTS: sizes}), b"\n", *parts.values()])


def read(message: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the JSON values of a message, and its bytes by their names."""
    at = message.index(b"\n") + 1
    head: dict[str, Any] = orjson.loads(message[:at])
    parts = {}
    for name, size in head.pop(_PARTS):
        parts[name] = message[at : at + size]
        at += size
    return head, parts


def text_name(format_: str) -> str:
    """Return what the file of a specification that was sent as a text is called."""
    return f"openapi.{format_}"
