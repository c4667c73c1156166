"""Outbound requests: only public addresses, checked where the connection is made; bounded in every way.

Threats 25 to 29: private addresses in every spelling, names that lead inside, rebinding, redirects inwards,
endless, slow and bombed answers, errors that tell nothing of the inside.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import httpcore
import pytest

from app.kit.http.outbound import Outbound, OutboundError, OutboundResponse
from app.kit.http.pinning import is_public
from tests.local_server import (
    HTML,
    Answer,
    Request,
    endless,
    gzip_bomb,
    gzipped,
    html,
    port_of,
    redirect,
    serve,
    slow,
)

# Made for these tests alone; it opens nothing.
CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0yn1PcSEE/RJwJy7
ai3IGgJ44tGKqkMPNAHN+UfPbvihRANCAAT3rC7UznaSuDzwDGt4l/Y4RjaOXJXf
Wry0xAASAByYEvsgvQoYrF2+RU4vg35MsdW0VW6NbkC5lprb5FxMYa3x
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBjjCCATWgAwIBAgIUTzOo3/n9tBN3rGBFoZC3RoI+R0MwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRZG9jcy5leGFtcGxlLnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgP
MjEyMDAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEWRvY3MuZXhhbXBsZS50ZXN0MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE96wu1M52krg88AxreJf2OEY2jlyV31q8
tMQAEgAcmBL7IL0KGKxdvkVOL4N+TLHVtFVujW5AuZaa2+RcTGGt8aNTMFEwHAYD
VR0RBBUwE4IRZG9jcy5leGFtcGxlLnRlc3QwEgYDVR0TAQH/BAgwBgEB/wIBADAd
BgNVHQ4EFgQU59Hx/P/uRwdJ6fI0fLj3M0ppLYEwCgYIKoZIzj0EAwIDRwAwRAIg
O3iFVDa08CWVsI3WBh0IdBAx79ebHu/zCsFVRqFqqmkCIDH8MVR6Mucf0/oIJm4t
ihVJb/bwMgJrDmMwbxlfKkBv
-----END CERTIFICATE-----
"""


def allowing(*bases: str, **settings: object) -> Outbound:
    allow = frozenset(("127.0.0.1", port_of(base)) for base in bases)
    return Outbound(allow=allow, **settings)  # type: ignore[arg-type]


def fetch(outbound: Outbound, url: str, **wishes: object) -> OutboundResponse:
    return asyncio.run(outbound.fetch(url, **wishes))  # type: ignore[arg-type]


def failure(outbound: Outbound, url: str, **wishes: object) -> OutboundError:
    with pytest.raises(OutboundError) as caught:
        fetch(outbound, url, **wishes)
    return caught.value


class Resolver:
    """Gives the answers one after the other, the last one for ever, and counts."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Diverted(httpcore.AsyncNetworkBackend):
    """Real connections to a local server, whatever address was asked for; remembers what was."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reached: list[str] = []
        self.real = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.reached.append(host)
        return await self.real.connect_tcp("127.0.0.1", self.port, timeout, local_address, socket_options)


def test_a_page_is_fetched_with_its_type_and_character_set() -> None:
    with serve({"/a": (200, {"Content-Type": 'Text/HTML; charset="ISO-8859-1"'}, b"caf\xe9")}) as base:
        page = fetch(allowing(base), f"{base}/a#part")
    assert (page.status, page.content_type, page.charset, page.body) == (
        200,
        "text/html",
        "iso-8859-1",
        b"caf\xe9",
    )
    assert page.url == f"{base}/a"
    assert page.headers["content-type"] == 'Text/HTML; charset="ISO-8859-1"'


def test_requests_say_who_asks_and_what_they_want() -> None:
    seen: list[Request] = []

    def remember(request: Request) -> Answer:
        seen.append(request)
        return html("ok")

    with serve({"/": remember}) as base:
        fetch(allowing(base), base, accept="text/html", headers={"X-Sign": "1", "Host": "evil.example"})
        fetch(allowing(base), base, method="POST", content=b"{}")
    assert seen[0].headers["user-agent"].startswith("Docyard/")
    assert seen[0].headers["accept"] == "text/html"
    assert seen[0].headers["x-sign"] == "1"
    assert seen[0].headers["host"] == base.removeprefix("http://")
    assert (seen[1].method, seen[1].body) == ("POST", b"{}")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "localhost", "localhost.",
        "LOCALHOST", "127.0.0.1.", "0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[::127.0.0.1]", "１２７.0.0.1", "ⓛocalhost",
    ],
)  # fmt: skip
def test_this_machine_is_refused_in_every_spelling(host: str) -> None:
    with serve({"/": html("inside")}) as base:
        error = failure(Outbound(timeout=120), f"http://{host}:{port_of(base)}/")
    assert error.code == "FETCH_ERROR"
    assert "inside" not in error.message


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.1.2.3", "192.0.0.8",
        "192.0.2.1", "198.51.100.1", "203.0.113.9", "198.18.0.1", "192.88.99.1", "224.0.0.1", "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1",
        "2002:a00:1::1",
        "2001:0:1::1", "2001:db8::1", "3fff::1", "fc00::1", "fd00::1", "fe80::1", "fe80::1%eth0", "fec0::1",
        "ff02::1",
        "100::1", "2606:4700::1111%1", "example.com", "", "1.1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)
    error = failure(Outbound(resolve=Resolver([address])), "http://docs.example.test/")
    assert error.code == "FETCH_ERROR"
    assert error.message == "docs.example.test does not lead to a public address."


@pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


def test_one_private_address_among_public_ones_refuses_the_host() -> None:
    with serve({"/": html("inside")}) as base:
        diverted = Diverted(port_of(base))
        outbound = Outbound(resolve=Resolver(["93.184.216.34", "10.0.0.1"]), backend=diverted)
        assert failure(outbound, "http://docs.example.test/").code == "FETCH_ERROR"
    assert diverted.reached == []


def test_a_name_is_resolved_once_and_the_connection_goes_to_the_checked_address() -> None:
    """DNS rebinding: the second answer would lead inside, and is never asked for."""
    seen: list[str] = []

    def remember(request: Request) -> Answer:
        seen.append(request.headers["host"])
        return html("outside")

    resolver = Resolver(["93.184.216.34"], ["127.0.0.1"])
    with serve({"/": remember}) as base:
        diverted = Diverted(port_of(base))
        page = fetch(Outbound(resolve=resolver, backend=diverted), "http://docs.example.test/")
    assert b"outside" in page.body
    assert resolver.asked == ["docs.example.test"]
    assert diverted.reached == ["93.184.216.34"]
    assert seen == ["docs.example.test"]


def test_a_redirect_resolves_anew_so_rebinding_between_hops_is_refused() -> None:
    resolver = Resolver(["93.184.216.34"], ["127.0.0.1"])
    with serve({"/": redirect("/next"), "/next": html("inside")}) as base:
        diverted = Diverted(port_of(base))
        error = failure(Outbound(resolve=resolver, backend=diverted), "http://docs.example.test/")
    assert error.message == "docs.example.test does not lead to a public address."
    assert diverted.reached == ["93.184.216.34"]


def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    with serve({"/": html("ok")}) as base:
        port = port_of(base)
        outbound = Outbound(
            allow=frozenset({("docs.example.test", port)}), resolve=Resolver(["127.0.0.2", "127.0.0.1"])
        )
        assert b"ok" in fetch(outbound, f"http://docs.example.test:{port}/").body


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "gopher://127.0.0.1/", "ftp://example.com/", "//example.com/", "example.com",
        "",
        "http://",
        "http:///x", "http://user:pass@example.com/", "http://user@example.com/", "http://exa mple.com/",
        "http://[::1/",
        "http://example.com:99999/", "http://example.com:x/", "javascript:alert(1)",
        "http://" + "a" * 100_000,
        "http://\x00/", "http://xn--/", "http://a..b/", "http://" + "a" * 300 + ".com/",
    ],
)  # fmt: skip
def test_addresses_that_make_no_sense_are_refused(url: str) -> None:
    assert failure(Outbound(resolve=Resolver(["10.0.0.1"])), url).code == "FETCH_ERROR"


def test_an_international_name_is_asked_for_in_its_ascii_form() -> None:
    resolver = Resolver(["10.0.0.1"])
    failure(Outbound(resolve=resolver), "http://bücher.example/")
    assert resolver.asked == ["xn--bcher-kva.example"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_the_last_address_is_told(status: int) -> None:
    with serve({"/old": redirect("new?x=1", status), "/new": html("there")}) as base:
        page = fetch(allowing(base), f"{base}/old")
    assert page.url == f"{base}/new?x=1"
    assert b"there" in page.body


@pytest.mark.parametrize(
    "inside", ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/"]
)
def test_a_redirect_from_an_allowed_server_to_a_private_one_is_refused(inside: str) -> None:
    with serve({"/": html("inside")}) as other:
        target = inside.format(port=port_of(other))
        with serve({"/": redirect(target)}) as base:
            error = failure(allowing(base), base)
    assert error.code == "FETCH_ERROR"
    assert "inside" not in error.message


@pytest.mark.parametrize(
    "to", ["file:///etc/passwd", "gopher://x/", "http://u:p@127.0.0.1/", "javascript:1", "http://[::1", ""]
)
def test_a_redirect_to_something_else_than_a_web_address_is_refused(to: str) -> None:
    with serve({"/": redirect(to)}) as base:
        assert failure(allowing(base), base).code == "FETCH_ERROR"


def test_a_redirect_loop_ends() -> None:
    with serve({"/*": redirect("/again")}) as base:
        assert failure(allowing(base), base).message == "127.0.0.1 redirects too many times."
        assert failure(allowing(base), base, max_redirects=0).code == "FETCH_ERROR"


def test_credentials_do_not_follow_to_another_origin() -> None:
    seen: list[Request] = []

    def remember(request: Request) -> Answer:
        seen.append(request)
        return html("ok")

    secrets = {"Authorization": "Bearer t", "Cookie": "s=1", "X-Signature": "abc"}
    with (
        serve({"/": remember}) as other,
        serve({"/": redirect(other), "/here": redirect("/end"), "/end": remember}) as base,
    ):
        fetch(allowing(base, other), base, headers=secrets)
        fetch(allowing(base, other), f"{base}/here", headers=secrets)
    assert not {"authorization", "cookie", "x-signature"} & seen[0].headers.keys()
    assert seen[1].headers["authorization"] == "Bearer t"


@pytest.mark.parametrize("names", ["ada:secret@", "ada@", ":secret@"])
def test_an_address_with_a_user_name_is_refused_at_first_and_on_the_way(names: str) -> None:
    seen: list[Request] = []

    def remember(request: Request) -> Answer:
        seen.append(request)
        return html("ok")

    with serve({"/": remember}) as base:
        named = base.replace("://", f"://{names}")
        with serve({"/": redirect(named)}) as other:
            for address in (named, other):
                assert "user name" in str(failure(allowing(base, other), address))
    assert seen == []


def test_a_body_is_not_sent_on_to_another_origin() -> None:
    seen: list[Request] = []

    def remember(request: Request) -> Answer:
        seen.append(request)
        return html("ok")

    with (
        serve({"/": remember}) as other,
        serve({"/": redirect(other, 307), "/see": redirect(other, 303)}) as base,
    ):
        assert failure(allowing(base, other), base, method="POST", content=b"secret").code == "FETCH_ERROR"
        fetch(allowing(base, other), f"{base}/see", method="POST", content=b"secret")
    assert [(request.method, request.body) for request in seen] == [("GET", b"")]


def test_a_refusal_tells_the_status_and_nothing_of_the_body() -> None:
    with serve({"/": (503, HTML, b"AWS_SECRET_ACCESS_KEY=1")}) as base:
        error = failure(allowing(base), base)
    assert (error.code, error.status, error.message) == (
        "FETCH_ERROR",
        503,
        "127.0.0.1 answered with status 503.",
    )


def test_whoever_asks_gets_any_status_and_any_redirect_as_an_answer() -> None:
    routes = {"/missing": (404, HTML, b"not here"), "/away": redirect("http://169.254.169.254/latest", 307)}
    with serve(routes) as base:
        missing = fetch(allowing(base), f"{base}/missing", any_status=True)
        away = fetch(allowing(base), f"{base}/away", any_redirect=True)
        failure(allowing(base), f"{base}/away", any_status=True)
    assert (missing.status, missing.body) == (404, b"not here")
    assert (away.status, away.headers["location"], away.body) == (307, "http://169.254.169.254/latest", b"")


def test_a_closed_port_and_an_unknown_name_are_fetch_errors_that_say_so_without_addresses() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # it does not listen, and nobody else can meanwhile
        base = f"http://127.0.0.1:{closed.getsockname()[1]}"
        refused = failure(allowing(base), base)
        assert refused.message == "127.0.0.1 could not be reached: it refuses connections."

    async def unknown(host: str, port: int) -> list[str]:
        raise OSError(-2, "Name or service not known at 10.0.0.53")

    assert (
        failure(Outbound(resolve=unknown), "http://nowhere.test/").message
        == "nowhere.test could not be reached: its name cannot be resolved."
    )


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "bare"])
def test_compressed_bodies_are_decompressed(encoding: str) -> None:
    import gzip
    import zlib

    text = b"hello " * 10_000
    bare = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(text[:30_000]) + gzip.compress(text[30_000:]),
        "x-gzip": gzip.compress(text),
        "deflate": zlib.compress(text),
        "bare": bare.compress(text) + bare.flush(),
    }[encoding]
    headers = {"content-encoding": "deflate" if encoding == "bare" else encoding}
    pieces = [packed[start : start + 50] for start in range(0, len(packed), 50)]
    with serve({"/": (200, headers, pieces)}) as base:
        assert fetch(allowing(base), base).body == text


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_a_coding_nobody_asked_for_is_refused(encoding: str) -> None:
    with serve({"/": (200, {"content-encoding": encoding}, b"xxxx")}) as base:
        assert failure(allowing(base), base).message == "127.0.0.1 sent a body that cannot be read."


def test_a_broken_or_cut_off_compressed_body_is_refused() -> None:
    whole = gzipped(b"hello " * 1000)[2]
    assert isinstance(whole, bytes)
    with serve({
        "/cut": (200, {"content-encoding": "gzip"}, whole[:-20]),
        "/broken": (200, {"content-encoding": "gzip"}, b"not gzip at all"),
    }) as base:  # fmt: skip
        assert "cannot be read" in failure(allowing(base), f"{base}/cut").message
        assert "cannot be read" in failure(allowing(base), f"{base}/broken").message


def test_a_bomb_is_stopped_while_it_expands() -> None:
    with serve({"/": gzip_bomb(200_000_000)}) as base:
        error = failure(allowing(base, max_bytes=1_000_000), base)
    assert error.message == "127.0.0.1 sent more than 1000000 bytes."


def test_an_endless_body_is_stopped_by_its_size() -> None:
    with serve({"/": endless()}) as base:
        assert "more than 300000" in failure(allowing(base), base, max_bytes=300_000).message


def test_a_declared_size_over_the_limit_is_refused_before_reading() -> None:
    with serve({"/": (200, {"content-length": "99999999"}, b"")}) as base:
        assert "more than 1000" in failure(allowing(base), base, max_bytes=1000).message


def test_exactly_the_limit_is_accepted() -> None:
    with serve({"/": gzipped(b"x" * 1000), "/plain": html("")}) as base:
        assert len(fetch(allowing(base), base, max_bytes=1000).body) == 1000
        assert "more than 999" in failure(allowing(base), base, max_bytes=999).message


def test_a_body_that_drips_is_stopped_by_the_total_time() -> None:
    """Every single read is quick; only the sum is too long."""
    with serve({"/": slow(0.02)}) as base:
        error = failure(allowing(base, timeout=0.4), base)
    assert (error.code, error.message) == ("FETCH_TIMEOUT", "127.0.0.1 took too long to answer.")


def test_a_deadline_that_has_passed_is_a_timeout() -> None:
    with serve({"/": html("ok")}) as base:
        assert failure(allowing(base), base, deadline=time.monotonic() - 1).code == "FETCH_TIMEOUT"


def test_endless_headers_are_refused() -> None:
    with serve({"/": (200, {f"x-{number}": "y" * 1000 for number in range(300)}, b"")}) as base:
        assert failure(allowing(base), base).code == "FETCH_ERROR"


def test_encrypted_connections_are_checked_against_the_name_in_the_address(tmp_path: Path) -> None:
    pem = tmp_path / "server.pem"
    pem.write_text(CERTIFICATE)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    trusting = ssl.create_default_context(cadata=CERTIFICATE.partition("-----END PRIVATE KEY-----\n")[2])
    with serve({"/": html("private line")}, tls=server) as base:
        port = port_of(base)
        names = frozenset({("docs.example.test", port), ("other.example.test", port)})
        outbound = Outbound(allow=names, resolve=Resolver(["127.0.0.1"]), tls=trusting)
        assert b"private line" in fetch(outbound, f"https://docs.example.test:{port}/").body
        untrusted = "could not be reached: its certificate is not trusted."
        assert untrusted in failure(outbound, f"https://other.example.test:{port}/").message
        distrusting = Outbound(allow=names, resolve=Resolver(["127.0.0.1"]))
        assert untrusted in failure(distrusting, f"https://docs.example.test:{port}/").message
        plain = Outbound(allow=frozenset({("127.0.0.1", port)}))
        assert failure(plain, f"http://127.0.0.1:{port}/").message.startswith(
            "127.0.0.1 could not be reached: "
        )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(b"", "the connection was closed"), (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "its answer is not valid HTTP")],
)
def test_a_server_that_does_not_speak_http_is_told_from_one_that_hangs_up(answer: bytes, reason: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            caller, _ = server.accept()
            with caller:
                caller.recv(65536)
                caller.sendall(answer)

        thread = threading.Thread(target=hang_up)
        thread.start()
        base = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert failure(allowing(base), base).message == f"127.0.0.1 could not be reached: {reason}."
        thread.join()


def test_a_proxy_in_the_environment_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with serve({"/": html("straight")}) as base:
        assert b"straight" in fetch(allowing(base), base).body


def test_starting_up_does_not_load_the_http_client() -> None:
    code = (
        "import sys, app.kit.http.outbound; sys.exit(bool({'httpx', 'httpcore', 'anyio'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
