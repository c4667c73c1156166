"""Writes the heads of responses.

Uvicorn searches the name and the value of every header by a regular expression of its own. Here names are
checked once in the life of the process, and the values of a response together.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HEADER_RE, STATUS_LINE, RequestResponseCycle

MOST_NAMES = 500  # that are remembered; an application has a few dozen
BODILESS = frozenset({204, 304})
"""Statuses of responses that have no body, and need not say so."""
_CONTROL = bytes(byte for byte in (*range(0x20), 0x7F) if byte != 0x09)
"""The bytes that no value of a header may have."""
_LENGTH = b"\r\ncontent-length: "
_SPECIAL = frozenset({_LENGTH, b"\r\ntransfer-encoding: ", b"\r\nconnection: "})
_STATUS = {status: line.removesuffix(b"\r\n") for status, line in STATUS_LINE.items()}
_END = b"\r\n\r\n"
_beginnings: dict[bytes, bytes] = {}


class ResponseCycle(RequestResponseCycle):
    """Uvicorn's request and response, where what is usual costs less.

    That is: a head whose length is known, or that no body follows, and a body that comes whole. Anything else
    is left to uvicorn.
    """

    async def send(self, message: Any) -> None:
        if self.disconnected or self.flow.write_paused or self.access_log:
            await super().send(message)
        elif not self.response_started:
            head = self._head(message) if message["type"] == "http.response.start" else None
            if head is None:
                await super().send(message)
                return
            self.response_started, self.waiting_for_100_continue = True, False
            self.transport.write(head)
        elif self._is_whole(message):
            self.transport.write(message.get("body", b""))
            self.expected_content_length = 0
            self.response_complete = True
            self.message_event.set()
            self.on_response()
        else:
            await super().send(message)

    def _head(self, message: Any) -> bytes | None:
        """Return the head of a response; None where it says more of the connection than a length."""
        if not self.keep_alive:
            return None
        length = b"0" if message["status"] in BODILESS and self.scope["method"] != "HEAD" else None
        parts = [_STATUS[message["status"]]]
        for name, value in (*self.default_headers, *message.get("headers", ())):
            beginning = _beginnings.get(name) or _beginning(name)
            if beginning in _SPECIAL:
                if beginning != _LENGTH:
                    return None
                length = value
            parts += (beginning, value)
        breaks = len(parts) // 2 + 2  # lines of the head, with the empty one at its end
        parts.append(_END)
        head = b"".join(parts)
        if length is None or len(head) - len(head.translate(None, _CONTROL)) != 2 * breaks:
            return None  # there is a control character in a value
        self.expected_content_length, self.chunked_encoding = int(length), False
        return head

    def _is_whole(self, message: Any) -> bool:
        """Tell whether this is all of a body, and as long as was announced."""
        return (
            not self.response_complete
            and self.keep_alive
            and message["type"] == "http.response.body"
            and not message.get("more_body", False)
            and not self.chunked_encoding
            and self.scope["method"] != "HEAD"
            and len(message.get("body", b"")) == self.expected_content_length
        )


def _beginning(name: bytes) -> bytes:
    """Return how the line of a header begins, with the end of the line before it; raises RuntimeError."""
    if HEADER_RE.search(name):
        raise RuntimeError("Invalid HTTP header name.")
    beginning = b"\r\n" + name.lower() + b": "
    if len(_beginnings) < MOST_NAMES:
        _beginnings[name] = beginning
    return beginning
