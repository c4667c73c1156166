"""`docyard serve`: how it starts, what it logs, how it ends."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import asyncpg
import httpx
import pytest

from tests.cli.command import Serving, docyard, serving
from tests.timing import TIMEOUT

# Addresses that open something by themselves, so that their signatures are not for the log.
OPENING = (
    "/files/739900.sesame/space/file/a.png", "/pdf/1790000000.sesame/space/revision/a.pdf",
    "/exports/1790000000.sesame/space/a.zip",
    "/openapi/739900.sesame/version/api.json", "/sites/~files/739900.lsesame.sesame/site/space/file/a.png",
    "/sites/acme/guide/~/preview/sesame/start", "/v1/orgs/acme/link-invites/sesame",
)  # fmt: skip


def test_a_request_that_has_begun_is_answered_before_the_end(fresh_database: str, tmp_path: Path) -> None:
    with serving("--demo", database=fresh_database, log=tmp_path / "log") as server:
        ending, ended = Event(), []

        def end() -> None:
            ending.set()
            ended.append(server.end())

        def slow_body() -> Iterator[bytes]:
            yield b'{"title": "'
            Thread(target=end).start()
            ending.wait()
            _until_refused(server)
            yield b'slowly"}'

        headers = {"Authorization": f"Bearer {server.token('admin')}", "Content-Type": "application/json"}
        answer = httpx.patch(server.first_space, content=slow_body(), headers=headers, timeout=TIMEOUT)
        assert (answer.status_code, answer.json()["title"]) == (200, "slowly")
        server.process.wait(TIMEOUT)
        while not ended:
            time.sleep(0.01)
        assert ended == [0]
    assert json.loads(server.log.read_text().splitlines()[-1])["message"] == "stopped"


def test_nobody_who_has_connected_is_cut_off(tmp_path: Path) -> None:
    seen: list[str] = []

    def call_until_refused(address: str) -> None:
        with suppress(httpx.ConnectError):
            while True:
                time.sleep(0.2)
                try:
                    # Reading certificates between connecting and asking would take the others' processor.
                    seen.append(str(httpx.get(address, timeout=TIMEOUT, verify=False).status_code))
                except (httpx.ReadError, httpx.RemoteProtocolError) as error:
                    seen.append(repr(error))

    with serving(database=str(tmp_path / "docyard.db"), log=tmp_path / "log") as server:
        callers = [Thread(target=call_until_refused, args=(f"{server.address}/healthz",)) for _ in range(12)]
        for caller in callers:
            caller.start()
        while len(seen) < 50:
            time.sleep(0.01)
        assert server.end() == 0
        for caller in callers:
            caller.join()
    assert set(seen) == {"200"}


def _until_refused(server: Serving) -> None:
    host, _, port = server.address.removeprefix("http://").partition(":")
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), timeout=TIMEOUT).close()
        except ConnectionError:
            return
        time.sleep(0.01)
    pytest.fail("the server goes on accepting")


def test_the_log_has_a_line_per_request_without_secrets(fresh_database: str, tmp_path: Path) -> None:
    with serving(database=fresh_database, log=tmp_path / "log") as server:
        answer = httpx.get(
            f"{server.address}/v1/spaces/some?shareKey=sesame",
            headers={"Authorization": "Bearer sesame", "X-Request-Id": "abc-1", "Cookie": "a=sesame"},
            timeout=TIMEOUT,
        )
        assert answer.headers["x-request-id"] == "abc-1"
        made_up = httpx.get(
            f"{server.address}/healthz", headers={"X-Request-Id": 'x" forged'}, timeout=TIMEOUT
        )
        for path in OPENING:
            assert httpx.get(server.address + path, timeout=TIMEOUT).status_code in (308, 401, 404)
        assert re.fullmatch("[0-9A-Za-z]{20}", made_up.headers["x-request-id"])
        assert server.end() == 0
    text = server.log.read_text()
    assert "sesame" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    first, second, *rest = (line for line in lines if "status" in line)
    assert {name: first[name] for name in ("level", "request", "method", "path", "status")} == {
        "level": "info", "request": "abc-1", "method": "GET", "path": "/v1/spaces/some", "status": 401,
    }  # fmt: skip
    assert first["milliseconds"] >= 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"])
    assert (second["path"], second["status"]) == ("/healthz", 200)
    assert [line["path"] for line in rest] == [
        re.sub(r"[^/]*sesame[^/]*", "***", path, count=1) for path in OPENING
    ]


def test_a_port_in_use_and_a_newer_database_are_refused_in_a_sentence(
    fresh_database: str, tmp_path: Path
) -> None:
    with serving(database=fresh_database, log=tmp_path / "log", DOCYARD_ACCESS_LOG="false") as server:
        port = server.address.rpartition(":")[2]
        taken = docyard("serve", "--port", port, database=fresh_database)
        assert (taken.returncode, taken.stdout) == (1, "")
        assert f"port {port}: address already in use. Choose another with --port" in taken.stderr
        assert httpx.get(f"{server.address}/healthz", timeout=TIMEOUT).text == "ok\n"
        assert server.end() == 0
    assert "healthz" not in server.log.read_text()

    nowhere = docyard("serve", "--host", "nowhere.invalid", database=fresh_database)
    assert nowhere.returncode == 1
    assert "Cannot serve at nowhere.invalid" in nowhere.stderr
    assert "unknown error" not in nowhere.stderr

    _set_version(fresh_database, "9999")
    before = _content(fresh_database, tmp_path)
    newer = docyard("serve", "--port", "0", database=fresh_database)
    assert (newer.returncode, newer.stdout) == (1, "")
    assert "9999" in newer.stderr
    assert "Traceback" not in newer.stderr
    assert len(newer.stderr.splitlines()) == 1
    assert _content(fresh_database, tmp_path) == before


def test_sites_have_a_port_of_their_own(tmp_path: Path) -> None:
    with serving("--demo", database=str(tmp_path / "docyard.db"), log=tmp_path / "log") as server:
        assert server.sites.rpartition(":")[0] == server.address.rpartition(":")[0]
        assert server.sites != server.address
        organization = server.get("/v1/orgs", server.token("admin")).json()["items"][0]["id"]
        listed = server.get(f"/v1/orgs/{organization}/sites", server.token("admin")).json()["items"]
        url = listed[0]["urls"]["published"]
        assert url.startswith(f"{server.sites}/")
        assert httpx.get(url, timeout=TIMEOUT).status_code == 200
        path = url.removeprefix(server.sites)
        assert httpx.get(f"{server.address}{path}", timeout=TIMEOUT).status_code == 404
        moved = httpx.get(f"{server.address}/sites{path}", timeout=TIMEOUT)
        assert (moved.status_code, moved.headers["location"]) == (308, url)
        assert httpx.get(f"{server.sites}/v1/orgs", timeout=TIMEOUT).status_code == 404
        # On this machine the server may be reached by other names, too.
        other = url.replace("127.0.0.1", "localhost")
        assert httpx.get(other, timeout=TIMEOUT).status_code == 200


def test_a_public_address_without_one_for_sites_is_refused_in_a_sentence(tmp_path: Path) -> None:
    database, public = str(tmp_path / "docyard.db"), "https://docs.example.org"
    for sites in ("", public, f"{public}/sites"):
        refused = docyard(
            "serve", "--port", "0", database=database, DOCYARD_BASE_URL=public, DOCYARD_SITES_URL=sites
        )
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "Set DOCYARD_SITES_URL" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    for chosen in (
        {"DOCYARD_SHARED_ORIGIN": "true"},
        {"DOCYARD_SITES_URL": "https://sites.example.org"},
        {"DOCYARD_SITES_URL": "https://sites.example.org", "DOCYARD_SITES_PORT": str(free_port())},
    ):
        with serving(database=database, log=tmp_path / "log", DOCYARD_BASE_URL=public, **chosen) as server:
            assert httpx.get(f"{server.address}/healthz", timeout=TIMEOUT).status_code == 200
            host = {"host": "sites.example.org"}
            shared = "DOCYARD_SHARED_ORIGIN" in chosen
            there = httpx.get(f"{server.address}/v1/", headers=host, timeout=TIMEOUT)
            assert there.status_code == (200 if shared else 404)
            if port := chosen.get("DOCYARD_SITES_PORT"):
                assert server.sites == "https://sites.example.org"
                assert httpx.get(f"http://127.0.0.1:{port}/v1/", timeout=TIMEOUT).status_code == 404
            server.end()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _set_version(database: str, version: str) -> None:
    async def on_server() -> None:
        connection = await asyncpg.connect(database)
        await connection.execute("UPDATE alembic_version SET version_num = $1", version)
        await connection.close()

    if database.startswith("postgresql"):
        asyncio.run(on_server())
        return
    connection = sqlite3.connect(database)
    connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.commit()
    connection.close()


def _content(database: str, folder: Path) -> object:
    """Return what is in the database: the file's bytes, or every table with its number of rows."""
    if not database.startswith("postgresql"):
        return Path(shutil.copy(database, folder / "copy")).read_bytes()

    async def on_server() -> object:
        connection = await asyncpg.connect(database)
        names = await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        )
        counts = [await connection.fetchval(f'SELECT count(*) FROM "{name[0]}"') for name in names]
        version = await connection.fetchval("SELECT version_num FROM alembic_version")
        await connection.close()
        return names, counts, version

    return asyncio.run(on_server())


def test_a_hang_up_does_not_end_the_server(tmp_path: Path) -> None:
    with serving("--demo", database=str(tmp_path / "docyard.db"), log=tmp_path / "log") as server:
        server.process.send_signal(signal.SIGHUP)
        assert server.get("/v1/user", server.token("admin")).status_code == 200
        assert server.end() == 0
