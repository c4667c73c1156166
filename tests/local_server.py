"""A small real HTTP server for tests: routes are data, misbehaviour is a body.

    with serve({"/": (200, {"content-type": "text/html"}, b"<p>hello</p>")}) as base:
        ...  # base is "http://127.0.0.1:PORT"

A route is an answer, or a function from Request to an answer. A route ending in `*` takes every address that
starts so. A body is bytes, or an iterable of bytes sent as it comes, ended by closing the connection.
"""

from __future__ import annotations

import gzip
import io
import itertools
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Body = bytes | Iterable[bytes]
Answer = tuple[int, Mapping[str, str], Body]
HTML = {"content-type": "text/html; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Request:
    """What the server was asked."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


Handler = Callable[[Request], Answer]
Routes = Mapping[str, Answer | Handler]


@contextmanager
def serve(routes: Routes, *, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve the routes on a free port of 127.0.0.1 until the block ends; gives the base address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.routes = routes
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def port_of(base: str) -> int:
    """The port in an address that `serve` gave."""
    port = urlsplit(base).port
    assert port is not None
    return port


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A server whose routes each test sets for itself; `address` is what an allow list names."""

    base: str
    routes: dict[str, Answer | Handler]

    @property
    def address(self) -> str:
        """Its host and port."""
        return urlsplit(self.base).netloc

    def shows(self, path: str, answer: Answer | Handler) -> str:
        """Answer so at this path; gives the whole address of it."""
        self.routes[path] = answer
        return self.base + path


def sent(body: bytes | str, content_type: str = "application/octet-stream") -> Answer:
    """An answer with this body."""
    return 200, {"content-type": content_type}, body.encode() if isinstance(body, str) else body


def html(body: str, *, title: str = "") -> Answer:
    """A page whose body is the given HTML."""
    head = f"<head><title>{title}</title></head>" if title else ""
    return 200, HTML, f"<!doctype html><html>{head}<body>{body}</body></html>".encode()


def redirect(to: str, status: int = 302) -> Answer:
    """An answer that sends the caller elsewhere."""
    return status, {"location": to, "content-length": "0"}, b""


def endless(chunk: bytes = b"x" * 65536) -> Answer:
    """A body that never ends, as fast as it is taken."""
    return 200, HTML, itertools.repeat(chunk)


def slow(seconds: float, chunk: bytes = b"x") -> Handler:
    """A body that never ends, one chunk each so many seconds."""

    def answer(_request: Request) -> Answer:
        return 200, HTML, _drip(seconds, chunk)

    return answer


def gzipped(body: bytes, content_type: str = HTML["content-type"]) -> Answer:
    """The body, compressed."""
    return 200, {"content-type": content_type, "content-encoding": "gzip"}, gzip.compress(body, mtime=0)


def gzip_bomb(expanded: int) -> Answer:
    """A small body that decompresses to `expanded` zero bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:
        for _ in range(expanded // 1_000_000):
            stream.write(bytes(1_000_000))
    return 200, {**HTML, "content-encoding": "gzip"}, packed.getvalue()


def _drip(seconds: float, chunk: bytes) -> Iterator[bytes]:
    while True:
        time.sleep(seconds)
        yield chunk


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # callers who are not accepted at once would try again only after seconds
    routes: Routes

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.stopping = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Callers hang up on us on purpose; that is no news, while a handler that fails is, or a socket that
        is not ours any more."""
        if not isinstance(sys.exception(), ConnectionError | ssl.SSLError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _answer(self) -> None:
        self.close_connection = True
        parts = urlsplit(self.path)
        length = int(self.headers.get("content-length") or 0)
        request = Request(
            self.command,
            parts.path,
            parts.query,
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
        )
        route = self._route(parts.path)
        self._send(*(route(request) if callable(route) else route))

    do_GET = do_POST = do_HEAD = do_PUT = _answer

    def _route(self, path: str) -> Answer | Handler:
        routes = dict(self.server.routes)  # a test may show something else meanwhile
        if path in routes:
            return routes[path]
        for pattern, route in routes.items():
            if pattern.endswith("*") and path.startswith(pattern[:-1]):
                return route
        return 404, HTML, b"no such page"

    def _send(self, status: int, headers: Mapping[str, str], body: Body) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        names = {name.lower() for name in headers}
        if isinstance(body, bytes) and "content-length" not in names:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        for chunk in [body] if isinstance(body, bytes) else body:
            if self.server.stopping.is_set():
                return
            self.wfile.write(chunk)

    def log_message(self, format: str, *args: object) -> None:
        """Tests are quiet."""
