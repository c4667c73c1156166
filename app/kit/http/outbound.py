"""The one way out: every request Docyard makes to somebody else's server.

Rules that live here: only http and https, no credentials in the address; a name is resolved once per
connection, every address it has must be public, and the connection goes to an address that was checked; each
redirect is a new address under the same rules and gets no headers or body meant for another origin; time,
bytes (counted after decompression) and redirects are bounded; what went wrong is told without the answer's
text or inner addresses.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal

from app.kit import workers
from app.kit.http.decompression import BadEncoding, Unpacker, unpacker

if TYPE_CHECKING:
    import ssl

    import httpcore
    import httpx

MB = 1_000_000
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SENSITIVE = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding"})
DEFAULT_PORTS = {"http": 80, "https": 443}

Resolve = Callable[[str, int], Awaitable[list[str]]]
Take = Callable[[bytes], object]
Code = Literal["FETCH_TIMEOUT", "FETCH_ERROR"]


class OutboundError(Exception):
    """A fetch that failed: a code for programs, a sentence for people, the status if there was one.

    `outage`: the server cannot be reached, takes too long, or fails; asking it again soon is of no use.
    """

    def __init__(self, code: Code, message: str, *, status: int | None = None, outage: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.outage = outage or code == "FETCH_TIMEOUT" or (status is not None and status >= 500)


class ResponseTooLarge(OutboundError):
    """The body passed the limit."""


@dataclass(frozen=True, slots=True)
class OutboundResponse:
    """The response of the last address: header names are lower case, `body` is decompressed.

    `body` is empty when the caller had it written elsewhere.
    """

    url: str
    status: int
    headers: dict[str, str]
    content_type: str
    charset: str | None
    body: bytes


@dataclass(slots=True)
class _OutboundCall:
    """One request as it stands at the current hop."""

    method: str
    url: httpx.URL
    headers: dict[str, str]
    content: bytes | None
    into: Take | None = None
    any_status: bool = False
    any_redirect: bool = False

    @property
    def host(self) -> str:
        return self.url.host[:100]

    @property
    def port(self) -> int:
        return self.url.port or DEFAULT_PORTS[self.url.scheme]


@dataclass(slots=True)
class Outbound:
    """Fetches from public addresses, and from the private `host:port` pairs in `allow`.

    `timeout` is the total for one fetch in seconds, `max_bytes` the size of one decompressed body.
    `resolve`, `backend` and `tls` replace the system's resolver, sockets and certificate store. `marks` are
    headers that nobody who fetches can change, sent to every address on the way.
    """

    allow: frozenset[tuple[str, int]] = frozenset()
    timeout: float = 20
    max_bytes: int = 50 * MB
    resolve: Resolve | None = None
    backend: httpcore.AsyncNetworkBackend | None = None
    tls: ssl.SSLContext | None = None
    marks: Mapping[str, str] = field(default_factory=dict)

    async def fetch(
        self,
        url: str,
        *,
        accept: str | None = None,
        max_bytes: int | None = None,
        headers: Mapping[str, str] | None = None,
        deadline: float | None = None,
        method: str = "GET",
        content: bytes | None = None,
        max_redirects: int = 5,
        into: Take | None = None,
        any_status: bool = False,
        any_redirect: bool = False,
    ) -> OutboundResponse:
        """Fetch an address, following redirects. `deadline` is a moment of `time.monotonic()`.

        With `into`, the decompressed body is given to it piece by piece and never held whole. With
        `any_status` a status of 400 or more is an answer like others, with `any_redirect` a redirect is one
        too, without its body.
        Raises OutboundError: FETCH_TIMEOUT when time is up, FETCH_ERROR for a refused or unreachable address,
        a status of 400 or more, a body that is too large (ResponseTooLarge) or broken.
        """
        await load_client()
        own = {
            name.lower(): value for name, value in (headers or {}).items() if name.lower() not in SENSITIVE
        }
        call = _OutboundCall(method, _checked(url), own, content, into, any_status, any_redirect)
        ends = min(time.monotonic() + self.timeout, deadline if deadline is not None else float("inf"))
        limit = self.max_bytes if max_bytes is None else min(max_bytes, self.max_bytes)
        try:
            async with asyncio.timeout(max(0.0, ends - time.monotonic())):
                return await self._follow(call, accept, limit, max_redirects)
        except TimeoutError:
            raise OutboundError("FETCH_TIMEOUT", f"{call.host} took too long to answer.") from None

    async def _follow(
        self, call: _OutboundCall, accept: str | None, limit: int, redirects: int
    ) -> OutboundResponse:
        for _ in range(redirects + 1):
            answer = await self._hop(call, accept, limit)
            if answer.status not in REDIRECTS or call.any_redirect:
                return answer
            _redirect(call, answer)
        raise OutboundError("FETCH_ERROR", f"{call.host} redirects too many times.")

    async def _hop(self, call: _OutboundCall, accept: str | None, limit: int) -> OutboundResponse:
        """Return one request to one address. No connection is kept:
        the next hop is resolved and checked anew.
        """
        import httpcore

        from app.kit.http.pinning import certificates

        tls = self.tls or await certificates()
        try:
            async with httpcore.AsyncConnectionPool(
                ssl_context=tls, network_backend=self._pinned(call), max_connections=1
            ) as pool:
                return await self._exchange(pool, call, accept, limit)
        except (httpcore.TimeoutException, TimeoutError):
            raise OutboundError("FETCH_TIMEOUT", f"{call.host} took too long to answer.") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise _unreachable(call.host, error) from None

    async def _exchange(
        self, pool: httpcore.AsyncConnectionPool, call: _OutboundCall, accept: str | None, limit: int
    ) -> OutboundResponse:
        import httpcore

        target = httpcore.URL(
            scheme=call.url.raw_scheme, host=call.url.raw_host, port=call.url.port, target=call.url.raw_path
        )
        headers = {
            "user-agent": _user_agent(),
            **call.headers,
            **self.marks,
            "host": call.url.netloc.decode("ascii"),
            "accept": accept or "*/*",
            "accept-encoding": "gzip, deflate",
            "connection": "close",
        }
        async with pool.stream(
            call.method, target, headers=list(headers.items()), content=call.content
        ) as response:
            answered = _header_dict(response.headers)
            if response.status >= 400 and not call.any_status:
                raise OutboundError(
                    "FETCH_ERROR",
                    f"{call.host} answered with status {response.status}.",
                    status=response.status,
                )
            body = bytearray()
            if response.status not in REDIRECTS:
                await _read(response, answered, call.host, limit, call.into or body.extend)
            kind, charset = _media_type(answered.get("content-type", ""))
            return OutboundResponse(str(call.url), response.status, answered, kind, charset, bytes(body))

    def _pinned(self, call: _OutboundCall) -> httpcore.AsyncNetworkBackend:
        from app.kit.http.pinning import PinnedBackend

        allowed = (call.host, call.port) in self.allow
        return PinnedBackend(self.resolve or _system_resolve, allowed=allowed, inner=self.backend)


async def load_client() -> None:
    """Import what addresses are read and asked with, apart from the event loop.

    It brings a command of its own, with a library that highlights what that shows; importing all of it takes
    the event loop as long as hundreds of requests.
    """
    await workers.load("httpx", "app.kit.http.pinning")


async def _system_resolve(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _checked(url: str | httpx.URL) -> httpx.URL:
    """Return the address as parsed by what will connect to it, or OutboundError."""
    import httpx

    try:
        parsed = httpx.URL(url)
        host = parsed.host
    except (httpx.InvalidURL, ValueError):
        raise OutboundError("FETCH_ERROR", "The address is not a valid URL.") from None
    if parsed.scheme not in DEFAULT_PORTS:
        raise OutboundError("FETCH_ERROR", "Only http and https addresses can be fetched.")
    if parsed.userinfo:
        raise OutboundError("FETCH_ERROR", "The address may not contain a user name or password.")
    if not host:
        raise OutboundError("FETCH_ERROR", "The address names no host.")
    return parsed.copy_with(fragment=None)


def _redirect(call: _OutboundCall, answer: OutboundResponse) -> None:
    """Point the call at where the answer sends it, without what was meant for another origin."""
    import httpx

    try:
        target = _checked(call.url.join(answer.headers["location"]))
    except (KeyError, httpx.InvalidURL, ValueError):
        raise OutboundError("FETCH_ERROR", f"{call.host} redirects without a valid address.") from None
    if answer.status == 303 or (answer.status in (301, 302) and call.method == "POST"):
        call.method, call.content = ("HEAD" if call.method == "HEAD" else "GET"), None
    before, call.url = (call.url.scheme, call.host, call.port), target
    if before != (call.url.scheme, call.host, call.port):
        call.headers = {}
        if call.content is not None:
            raise OutboundError("FETCH_ERROR", f"{before[1]} redirects to another host.")


async def _read(
    response: httpcore.Response, headers: dict[str, str], host: str, limit: int, take: Take
) -> None:
    too_large = ResponseTooLarge("FETCH_ERROR", f"{host} sent more than {limit} bytes.")
    declared = headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 20 and int(declared) > limit:
        raise too_large
    try:
        unpack: Unpacker = unpacker(headers.get("content-encoding", ""))
        size = raw = 0
        async for chunk in response.aiter_stream():
            raw += len(chunk)
            piece = unpack(chunk, limit - size + 1)
            size += len(piece)
            if size > limit or raw > limit:
                raise too_large
            take(piece)
        take(unpack(b"", 1))
    except BadEncoding:
        raise OutboundError("FETCH_ERROR", f"{host} sent a body that cannot be read.") from None


def _header_dict(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    named: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        named[name] = f"{named[name]}, {value}" if name in named else value
    return named


def _media_type(header: str) -> tuple[str, str | None]:
    """Split `text/html; charset=utf-8` into ("text/html", "utf-8")."""
    kind, *parameters = header.split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return kind.strip().lower(), value.strip().strip("\"'").lower() or None
    return kind.strip().lower(), None


def _unreachable(host: str, error: Exception) -> OutboundError:
    from app.kit.http.pinning import NotPublic

    if isinstance(error, NotPublic):
        return OutboundError("FETCH_ERROR", f"{host} does not lead to a public address.")
    return OutboundError("FETCH_ERROR", f"{host} could not be reached: {_reason(error)}.", outage=True)


def _reason(error: Exception) -> str:
    """Return why a server could not be reached, in words for whoever gave the address."""
    import ssl

    import httpcore

    from app.kit.http.pinning import NotResolved

    if isinstance(error, NotResolved):
        return "its name cannot be resolved"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "its certificate is not trusted"
        if isinstance(cause, ssl.SSLError):
            return "TLS failed"
        if isinstance(cause, ConnectionRefusedError):
            return "it refuses connections"
        if isinstance(cause, ConnectionResetError | BrokenPipeError):
            return "it broke off the connection"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore.ConnectError):
        return "no connection could be made"
    if isinstance(error, httpcore.LocalProtocolError):
        return "the request is not valid HTTP"
    if isinstance(error, httpcore.RemoteProtocolError):
        return "the connection was closed" if "disconnected" in str(error) else "its answer is not valid HTTP"
    return "the connection failed"


@cache
def _user_agent() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"Docyard/{version('docyard')}"
    except PackageNotFoundError:
        return "Docyard/dev"
