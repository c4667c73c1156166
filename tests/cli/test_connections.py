"""Connections of `docyard serve` that send too much, too slowly or nothing, and who is answered meanwhile."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.command import Serving, serving
from tests.timing import TIMEOUT, until

QUICK = {
    "DOCYARD_HEADER_TIMEOUT": "1",
    "DOCYARD_BODY_TIMEOUT": "1",
    "DOCYARD_KEEP_ALIVE": "3",
    "DOCYARD_HEADER_BYTES": "16000",
}
GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with little patience."""
    folder = tmp_path_factory.mktemp("connections")
    with serving("--demo", database=str(folder / "docyard.db"), log=folder / "log", **QUICK) as server:
        httpx.post(f"{server.address}/graphql", timeout=TIMEOUT)  # loads what it needs
        yield server
        assert [line for line in server.log.read_text().splitlines() if "Traceback" in line] == []


def connected(server: Serving) -> socket.socket:
    """A connection to a server."""
    parts = urlsplit(server.address)
    return socket.create_connection((parts.hostname, parts.port or 80), timeout=TIMEOUT)


def said(caller: socket.socket) -> bytes:
    """All that the server says until it closes the connection."""
    heard = bytearray()
    with contextlib.suppress(ConnectionError):
        while part := caller.recv(65_536):
            heard += part
    return bytes(heard)


def send(caller: socket.socket, *parts: bytes, pause: float = 0.0) -> None:
    """Send these one after the other, as far as the server takes them."""
    with contextlib.suppress(ConnectionError):
        for part in parts:
            caller.sendall(part)
            time.sleep(pause)


def refused(answer: bytes) -> int:
    """The status of an answer in the one form of errors that ends a connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert b"connection: close" in head
    assert b"x-content-type-options: nosniff" in head
    assert json.loads(body)["error"]["code"] == status
    return status


def memory(server: Serving) -> int:
    """Bytes of memory that a server has."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) * 1024


def healthy(server: Serving) -> float:
    """Ask for its health and return the seconds that it took."""
    began = time.monotonic()
    assert httpx.get(f"{server.address}/healthz", timeout=TIMEOUT).text == "ok\n"
    return time.monotonic() - began


FLOODS = {
    "one endless header": itertools.chain([GET + b"A: "], itertools.repeat(b"x" * 100_000, 320)),
    "endlessly many headers": itertools.chain([GET], itertools.repeat(b"A: " + b"x" * 994 + b"\r\n", 32_000)),
    "an endless path": itertools.chain([b"GET /"], itertools.repeat(b"x" * 100_000, 320)),
    "a name without end": itertools.chain([GET], itertools.repeat(b"x" * 100_000, 320)),
    "empty lines": itertools.repeat(b"\r\n" * 50_000, 320),
    "trailers": itertools.chain(
        [POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"],
        itertools.repeat(b"A: " + b"x" * 994 + b"\r\n", 32_000),
    ),
    "extensions of a chunk": itertools.chain(
        [POST + b"Transfer-Encoding: chunked\r\n\r\n1;a="], itertools.repeat(b"x" * 100_000, 320)
    ),
}  # fmt: skip


BODIES = ("trailers", "extensions of a chunk")  # their requests may be answered before they are whole


@pytest.mark.parametrize("name", FLOODS)
def test_32_megabytes_of_headers_are_refused(server: Serving, name: str) -> None:
    healthy(server)
    before = memory(server)
    with connected(server) as caller:
        send(caller, *FLOODS[name])
        answer = said(caller)
    if name not in BODIES or not answer.startswith(b"HTTP/1.1 401 "):
        assert refused(answer) == 431, answer
    assert memory(server) - before < 8_000_000
    healthy(server)


@pytest.mark.parametrize(("size", "status"), [(16_000, 200), (16_001, 431)])
def test_headers_may_have_so_many_bytes(server: Serving, size: int, status: int) -> None:
    head = GET + b"Connection: close\r\nA: \r\n\r\n"
    head = head.replace(b"A: ", b"A: " + b"x" * (size - len(head)))
    for begun, step in ((0, len(head)), (0, 1_000), (len(head) - 140, 7)):  # all of it by 7 would take long
        with connected(server) as caller:
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            send(caller, head[:begun], *(head[n : n + step] for n in range(begun, len(head), step)))
            assert int(said(caller).split()[1]) == status, step


def test_a_header_a_second_is_too_slow(server: Serving) -> None:
    with connected(server) as caller:
        send(caller, GET, *(f"A{n}: x\r\n".encode() for n in range(4)), pause=0.5)
        assert refused(said(caller)) == 408


def test_who_sends_nothing_is_told_nothing(server: Serving) -> None:
    with connected(server) as silent, connected(server) as answered:
        send(answered, GET + b"\r\n")
        answer = b""
        while not answer.endswith(b"ok\n"):  # head and body may come one after the other
            answer += answered.recv(1000)
        assert b"200 OK" in answer
        assert said(silent) == b""
        assert said(answered) == b""


@pytest.mark.parametrize("kind", [b"Content-Length: 1000000", b"Transfer-Encoding: chunked"])
@pytest.mark.parametrize("token", ["", "admin"])
def test_a_body_that_drips_is_refused(server: Serving, kind: bytes, token: str) -> None:
    """Somebody with a token is waited for by the application, others were answered before."""
    who = f"Authorization: Bearer {server.token(token)}\r\n".encode() if token else b""
    with connected(server) as caller:
        send(caller, POST + who + kind + b"\r\n\r\n", *(b"1\r\nx\r\n" for _ in range(8)), pause=0.25)
        answer = said(caller)
    assert b"401 Unauthorized" in answer if not token else refused(answer) == 408


def test_a_body_that_comes_as_fast_as_it_should_is_taken(server: Serving) -> None:
    query = json.dumps({"query": "{ me { id } }" + " " * 40_000}).encode()
    head = (
        POST + f"Authorization: Bearer {server.token('admin')}\r\nContent-Length: {len(query)}\r\n".encode()
    )
    parts = (query[n : n + 4_000] for n in range(0, len(query), 4_000))
    with connected(server) as caller:
        send(caller, head + b"Connection: close\r\n\r\n", *parts, pause=0.2)
        assert b'"data":{"me":{' in said(caller)


def test_who_does_not_read_is_not_waited_for(server: Serving) -> None:
    def held() -> list[str]:
        return [line for line in server.log.read_text().splitlines() if "read answers too slowly" in line]

    callers = []
    for _ in range(3):
        caller = socket.socket()
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        caller.connect((urlsplit(server.address).hostname, urlsplit(server.address).port))
        send(caller, b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 10)
        callers.append(caller)
    until(held, "it still waits for them")
    for caller in callers:
        caller.close()


def test_requests_in_one_go_are_answered_in_their_order(server: Serving) -> None:
    asked = b"".join(
        f"GET /v1/nothing-{n} HTTP/1.1\r\nHost: x\r\nX-Request-Id: number-{n}\r\n\r\n".encode()
        for n in range(12)
    )
    for step in (len(asked), 100, 33):
        with connected(server) as caller:
            send(
                caller,
                *(asked[n : n + step] for n in range(0, len(asked), step)),
                GET + b"Connection: close\r\n\r\n",
            )
            answers = said(caller)
        assert re.findall(rb"x-request-id: number-(\d+)", answers) == [str(n).encode() for n in range(12)]
        assert answers.endswith(b"ok\n")


@pytest.mark.parametrize(
    ("request_line", "status", "has_body"),
    [
        (b"GET /healthz HTTP/1.1\r\nConnection: close", 200, True),
        (b"GET /healthz HTTP/1.0", 200, True),
        (b"HEAD /healthz HTTP/1.1\r\nConnection: close", 200, False),
        (b"GET /v1/nothing HTTP/1.0", 404, True),
    ],
)
def test_a_response_is_whole_whichever_way_it_is_asked_for(
    server: Serving, request_line: bytes, status: int, has_body: bool
) -> None:
    with connected(server) as caller:
        caller.sendall(request_line + b"\r\nHost: x\r\n\r\n")
        head, _, body = said(caller).partition(b"\r\n\r\n")
    assert int(head.split()[1]) == status
    length = re.search(rb"content-length: (\d+)", head)
    assert length
    assert len(body) == (int(length[1]) if has_body else 0)


def test_thousands_of_requests_in_one_go_are_not_kept(server: Serving) -> None:
    before = memory(server)
    with connected(server) as caller:
        send(caller, *itertools.repeat((GET + b"\r\n") * 2_000, 20))
        answers = said(caller)
    assert answers.count(b"200 OK") < 40_000
    assert memory(server) - before < 20_000_000
    healthy(server)


def test_the_next_request_coming_slowly_does_not_cut_off_the_answer(server: Serving) -> None:
    with connected(server) as caller:
        send(caller, b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" + GET + b"A: " + b"x" * 20_000)
        head, _, body = said(caller).partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length
    assert json.loads(body[: int(length[1])])["openapi"]


@pytest.mark.parametrize("sent", [b"G", GET, POST + b"Content-Length: 10\r\n\r\n{", GET + b"\r\n" + GET])
def test_callers_may_go_away_at_any_time(server: Serving, sent: bytes) -> None:
    for abruptly in (False, True):
        caller = connected(server)
        if abruptly:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        send(caller, sent)
        caller.close()
    healthy(server)


def test_another_protocol_is_not_spoken(server: Serving) -> None:
    with connected(server) as caller:
        send(
            caller,
            GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            *itertools.repeat(b"x" * 1000, 50),
        )
        answer = said(caller)
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"ok\n")


def test_nonsense_is_refused_in_the_form_of_errors(server: Serving) -> None:
    for nonsense in (
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
        b"GET / HTTP/9\r\n\r\n",
        b"GET / HTTP/1.1\r\nA b: c\r\n\r\n",
    ):
        with connected(server) as caller:
            send(caller, nonsense)
            assert refused(said(caller)) == 400


DRIPPING = POST + b"Content-Length: 100\r\nAuthorization: Bearer %s\r\n\r\n{"


def test_where_there_is_no_room_only_health_is_answered(tmp_path: Path) -> None:
    """Two callers have a request on its way, so neither makes room; once one is gone there is."""
    log = tmp_path / "log"
    with serving("--demo", database=str(tmp_path / "d.db"), log=log, DOCYARD_MAX_CONNECTIONS="2") as server:
        sent = DRIPPING.replace(b"%s", server.token("admin").encode())
        with connected(server) as first, connected(server) as second:
            for caller in (first, second):
                send(caller, sent)
            healthy(server)
            refusal = httpx.get(f"{server.address}/v1/", timeout=TIMEOUT)
            assert (refusal.status_code, refusal.headers["retry-after"]) == (503, "1")
            assert refusal.json()["error"]["code"] == 503
        assert until(
            lambda: httpx.get(f"{server.address}/v1/", timeout=TIMEOUT).status_code == 200, "no room"
        )
        with connected(server) as first, connected(server) as second, connected(server) as third:
            assert said(first) == b""
            for caller in (second, third):
                send(caller, GET + b"Connection: close\r\n\r\n")
                assert said(caller).endswith(b"ok\n")


HALF_OPEN = {
    "silent": b"",
    "in their headers": GET,
    "in their bodies": DRIPPING,
    "idle": GET + b"\r\n",
}


@pytest.mark.parametrize(
    ("handles", "kinds"), [("1024", list(HALF_OPEN)), ("", ["in their headers", "in their bodies"])]
)
def test_1100_half_open_connections_do_not_keep_health_checks_out(
    tmp_path: Path, handles: str, kinds: list[str]
) -> None:
    """Where there are 1,024 handles the oldest make room; otherwise all of them stay."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))
    log, database = tmp_path / "log", str(tmp_path / "docyard.db")
    with contextlib.ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = stack.enter_context(serving("--demo", database=database, log=log, handles=handles))
        token = server.token("admin").encode()
        for kind in kinds:
            callers = [stack.enter_context(connected(server)) for _ in range(1_100)]
            for caller in callers:
                send(caller, HALF_OPEN[kind].replace(b"%s", token))
            healthy(server)  # by then they stand
            assert max(healthy(server) for _ in range(3)) < 2, kind
            for caller in callers:
                caller.close()
    assert "Traceback" not in log.read_text()
