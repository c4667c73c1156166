"""The configurations of nginx and Caddy in the guide, in front of `docyard serve`; only TLS is left out."""

from __future__ import annotations

import re
import socket
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.command import ROOT, Serving, serving
from tests.timing import TIMEOUT, until

INSTALL = ROOT / "app/demo/guide/operating/install.md"
DOCS, SITES = "docs.example.com", "sites.example.com"
NGINX = """daemon off; master_process off; pid {folder}/pid; error_log {folder}/proxy.log;
events {{ }}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
fastcgi_temp_path {folder}/f; scgi_temp_path {folder}/s; uwsgi_temp_path {folder}/u;
{site} }}"""


class Front:
    """A proxy with a server behind it, asked by the names of its hosts from any address of this machine."""

    def __init__(self, port: int, server: Serving) -> None:
        self.port, self.server = port, server
        self.token = server.token("admin")

    def ask(
        self, method: str, path: str, *, host: str = DOCS, source: str = "127.0.0.1", **options: Any
    ) -> httpx.Response:
        """The answer of a host to somebody."""
        who = {"Host": f"{host}:{self.port}", "Authorization": f"Bearer {self.token}"}
        headers = {**who, **options.pop("headers", {})}
        with httpx.Client(
            transport=httpx.HTTPTransport(local_address=source), timeout=TIMEOUT, trust_env=False
        ) as client:
            return client.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, **options)

    def path_of(self, url: str) -> tuple[str, str]:
        """The host and path of an address that an answer names, which must be the proxy's."""
        found = re.fullmatch(rf"http://({DOCS}|{SITES}):{self.port}(/.*)", url)
        assert found, url
        return found[1], found[2]


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A proxy as the guide has it."""
    folder = tmp_path_factory.mktemp(request.param)
    port = _free_port()
    settings = {
        "DOCYARD_BASE_URL": f"http://{DOCS}:{port}",
        "DOCYARD_SITES_URL": f"http://{SITES}:{port}",
        "DOCYARD_PROXIES": "1",
    }
    with serving("--demo", database=str(folder / "docyard.db"), log=folder / "log", **settings) as server:
        start = _nginx if request.param == "nginx" else _caddy
        with start(folder, port, server.address.removeprefix("http://")):
            yield Front(port, server)


@contextmanager
def _nginx(folder: Path, port: int, behind: str) -> Iterator[None]:
    site, changed = re.subn(r"listen 443 ssl http2;", f"listen 127.0.0.1:{port};", _guide("nginx"))
    assert changed == 1
    site = re.sub(r"(?m)^ *ssl_certificate.*$", "", site).replace("127.0.0.1:8000", behind)
    (folder / "conf").write_text(NGINX.format(folder=folder, site=site))
    with _running(["nginx", "-p", str(folder), "-c", str(folder / "conf")], folder, port):
        yield


@contextmanager
def _caddy(folder: Path, port: int, behind: str) -> Iterator[None]:
    site, changed = re.subn(
        f"{DOCS}, {SITES} {{", f"http://{DOCS}:{port}, http://{SITES}:{port} {{", _guide("caddyfile")
    )
    assert changed == 1
    options = (
        "{\n    admin off\n    auto_https off\n    storage file_system {\n root " + str(folder) + "\n}\n}\n"
    )
    (folder / "conf").write_text(options + site.replace("127.0.0.1:8000", behind))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "conf")]
    with _running(command, folder, port):
        yield


@contextmanager
def _running(command: list[str], folder: Path, port: int) -> Iterator[None]:
    with (folder / "proxy.out").open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        until(lambda: process.poll() is not None or _answers(port), "the proxy does not start")
        assert process.poll() is None, (folder / "proxy.out").read_text()
        yield
    finally:
        process.kill()
        process.wait(TIMEOUT)


def _guide(language: str) -> str:
    found: list[str] = re.findall(rf"(?ms)^```{language}\n(.*?)^```$", INSTALL.read_text(encoding="utf-8"))
    assert len(found) == 1
    return found[0]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    return False


def _space(front: Front) -> dict[str, Any]:
    found: dict[str, Any] = front.ask(
        "GET", front.server.first_space.removeprefix(front.server.address)
    ).json()
    return found


def test_the_api_answers_at_its_host(front: Front) -> None:
    assert front.ask("GET", "/healthz").text == "ok\n"
    host, path = front.path_of(_space(front)["urls"]["location"])
    assert host == DOCS
    assert front.ask("GET", path).status_code == 200
    assert front.ask("POST", "/graphql", json={"query": "{ me { id } }"}).json()["data"]["me"]["id"]


def test_sites_answer_at_the_second_host_and_nothing_else_does(front: Front) -> None:
    site = re.search(r"Site +(http\S+)", front.server.printed)
    assert site
    host, path = front.path_of(site[1])
    assert host == SITES
    answer = front.ask("GET", path, host=SITES)
    while answer.is_redirect:
        host, path = front.path_of(str(httpx.URL(site[1]).join(answer.headers["location"])))
        answer = front.ask("GET", path, host=host)
    assert (answer.status_code, host) == (200, SITES)
    assert "<h1>" in answer.text
    assert front.ask("GET", "/v1/user", host=DOCS).status_code == 200
    assert front.ask("GET", "/v1/user", host=SITES).status_code == 404
    assert front.ask("GET", path, host=DOCS).status_code == 404


@pytest.mark.parametrize("forged", [{}, {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": SITES}])
def test_what_the_proxy_saw_counts_and_not_what_callers_say(front: Front, forged: dict[str, str]) -> None:
    space = _space(front)
    changed = front.ask(
        "PATCH", f"/v1/spaces/{space['id']}", json={"title": "Seen"}, source="127.0.0.7", headers=forged
    )
    assert changed.status_code == 200
    events = front.ask("GET", f"/v1/orgs/{space['organization']}/audit-events?limit=1").json()
    assert [event["address"] for event in events["items"]] == ["127.0.0.7"]


def test_paths_arrive_as_they_were_sent(front: Front) -> None:
    """An encoded slash stays one: the page with this path is looked for, not one in a folder."""
    space = _space(front)
    pages = front.ask("GET", f"/v1/spaces/{space['id']}/content/pages").json()["pages"]
    nested = next(below for page in pages for below in page.get("pages", []) if "/" in below["path"])
    path = nested["path"].replace("/", "%2F")
    found = front.ask("GET", f"/v1/spaces/{space['id']}/content/path/{path}")
    assert (found.status_code, found.json().get("id")) == (200, nested["id"])


@pytest.mark.parametrize(("size", "status"), [(9_900_000, 400), (12_000_000, 413)])
def test_bodies_have_a_limit(front: Front, size: int, status: int) -> None:
    """What is not too large reaches Docyard, which says that it is no query."""
    accept = {"Accept": "application/graphql-response+json"}
    answer = front.ask("POST", "/graphql", json={"query": "x" * size}, headers=accept)
    assert answer.status_code == status


def test_files_stream_both_ways(front: Front) -> None:
    space = _space(front)
    data = bytes(range(256)) * 3_900  # as large as a file in a request may be
    upload = {
        "name": "large.bin",
        "contentType": "application/octet-stream",
        "base64": b64encode(data).decode(),
    }
    made = front.ask(
        "POST",
        f"/v1/spaces/{space['id']}/content",
        json={"changes": [{"operation": "insert_files", "files": [upload]}]},
    )
    assert made.status_code == 200, made.text
    file = made.json()["insertedFiles"][0]
    host, path = front.path_of(file["downloadURL"])
    assert front.ask("GET", path, host=host).content == data
    part = front.ask("GET", path, host=host, headers={"Range": "bytes=700000-700999"})
    assert (part.status_code, part.content) == (206, data[700_000:701_000])


def test_a_body_of_unknown_length_arrives(front: Front) -> None:
    parts = (b'{"query": "{ me ', b'{ id } }"', b"}")
    answer = front.ask("POST", "/graphql", content=iter(parts), headers={"Content-Type": "application/json"})
    assert answer.json()["data"]["me"]["id"]


def test_uploads_may_be_larger_than_other_bodies(front: Front) -> None:
    space, data = _space(front), bytes(range(256)) * 50_000  # 12.8 MB
    announced = {"name": "large.bin", "size": len(data)}
    upload = front.ask("POST", f"/v1/orgs/{space['organization']}/uploads", json=announced).json()
    host, path = front.path_of(upload["uploadURL"])
    assert front.ask("PUT", path, host=host, content=data).status_code == 200
    assert front.ask("PUT", path, host=host, content=bytes(101 << 20)).status_code == 413
