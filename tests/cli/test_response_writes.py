"""Responses as they go over the wire: what an application says of them is checked, whichever way they go."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from app.cli.connections import ConnectionLimits, Connections

LIMITS = ConnectionLimits(10, 16_000, 5.0, 5.0, 1_000)
Headers = Sequence[tuple[bytes, bytes]]
LENGTH = (b"Content-Length", b"5")


def answered(headers: Headers, *bodies: bytes, asked: str = "GET", status: int = 200, more: str = "") -> str:
    """What a caller hears of a response that an application sends in these parts."""

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for n, body in enumerate(bodies, 1):
            await send({"type": "http.response.body", "body": body, "more_body": n < len(bodies)})

    async def scenario() -> bytes:
        config = uvicorn.Config(app, access_log=False, server_header=False, date_header=False, ws="none")
        config.load()
        given: dict[str, Any] = {"config": config, "server_state": ServerState(), "app_state": {}}
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        loop, connections = asyncio.get_running_loop(), Connections(LIMITS)
        transport, _ = await loop.connect_accepted_socket(lambda: connections.protocol(**given), ours)
        await loop.sock_sendall(theirs, f"{asked} / HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode())
        heard = b""
        try:
            async with asyncio.timeout(0.3 if "close" not in more else 5):
                while part := await loop.sock_recv(theirs, 65_536):
                    heard += part
        except TimeoutError:
            pass  # the connection is kept
        transport.abort()
        theirs.close()
        return heard

    return asyncio.run(scenario()).decode("latin-1")


CLOSES = "Connection: close\r\n"


@pytest.mark.parametrize("closing", ["", CLOSES], ids=["kept", "closed"])
def test_a_response_is_written_as_it_was_given(closing: str) -> None:
    heard = answered([LENGTH, (b"X-Name", b"caf\xe9\tau lait")], b"hello", more=closing)
    head, _, body = heard.partition("\r\n\r\n")
    assert head.split("\r\n")[:3] == ["HTTP/1.1 200 OK", "content-length: 5", "x-name: caf\xe9\tau lait"]
    assert body == "hello"
    assert ("connection: close" in head) == bool(closing)


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: b", b"a\nb", b"a\rb", b"a\x00b", b"a\x7fb"])
def test_no_header_brings_another_one_along(value: bytes) -> None:
    assert answered([LENGTH, (b"x-name", value)], b"hello") == ""


@pytest.mark.parametrize("name", [b"x name", b"x:y", b"x\r\ny"])
def test_no_header_has_a_name_that_is_none(name: bytes) -> None:
    assert answered([LENGTH, (name, b"value")], b"hello").startswith("HTTP/1.1 500 ")


def test_a_body_that_is_shorter_or_longer_than_announced_ends_the_connection() -> None:
    assert answered([LENGTH], b"hell", more=CLOSES).endswith("hell")
    assert answered([LENGTH], b"hello!", more=CLOSES).endswith("\r\n\r\n")


def test_a_body_without_a_length_comes_in_chunks() -> None:
    heard = answered([], b"hello", b"", b" you")
    assert "\r\ntransfer-encoding: chunked\r\n" in heard
    assert heard.endswith("\r\n\r\n5\r\nhello\r\n4\r\n you\r\n0\r\n\r\n")


def test_a_body_in_parts_is_whole() -> None:
    assert answered([LENGTH], b"hel", b"lo").endswith("\r\n\r\nhello")


def test_a_head_that_is_asked_for_alone_has_the_length_of_the_body() -> None:
    heard = answered([LENGTH], b"hello", asked="HEAD")
    assert "content-length: 5" in heard
    assert heard.endswith("\r\n\r\n")


@pytest.mark.parametrize("closing", ["", CLOSES], ids=["kept", "closed"])
@pytest.mark.parametrize(("status", "phrase"), [(204, "No Content"), (304, "Not Modified")])
def test_what_has_no_body_ends_with_its_head(status: int, phrase: str, closing: str) -> None:
    heard = answered([(b"etag", b'"a"')], b"", status=status, more=closing)
    assert heard == f'HTTP/1.1 {status} {phrase}\r\netag: "a"\r\n{CLOSES.lower() if closing else ""}\r\n'


def test_what_has_no_body_gets_none() -> None:
    assert answered([], b"hello", status=304, more=CLOSES).endswith("\r\n\r\n")
