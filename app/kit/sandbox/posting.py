"""An event as the multipart form it is posted as."""

from __future__ import annotations

import json
import secrets

from app.kit.sandbox.shapes import Event, ScriptRequest


def posted(event: Event, url: str) -> ScriptRequest:
    """The request with the parts `event`, `environment` and, for a fetch event with a body, `fetch-body`."""
    boundary = f"event-{secrets.token_hex(16)}"
    parts = [
        _part(boundary, 'name="event"', _json(event.event)),
        _part(boundary, 'name="environment"', _json(event.environment)),
    ]
    if event.body is not None:
        head = 'name="fetch-body"; filename="fetch-body"\r\nContent-Type: application/octet-stream'
        parts.append(_part(boundary, head, event.body))
    body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
    return ScriptRequest(
        url, headers=[("content-type", f"multipart/form-data; boundary={boundary}")], body=body
    )


def _part(boundary: str, head: str, content: bytes) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + content + b"\r\n"


def _json(value: dict[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
