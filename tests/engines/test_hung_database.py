"""A database that does not answer: callers are told so in time, others go on, and the server can end."""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

import asyncpg
import httpx
import pytest

from tests import make
from tests.cast import Cast
from tests.cli.command import serving
from tests.databases import migrated_on
from tests.instance import Instance, running

SHORT = {"statement_timeout": 0.5, "connection_timeout": 0.5, "lock_timeout": 0.5}
READERS = 2
MONITORING = "a token of monitoring"


@dataclass
class Way:
    """A proxy before a database, and whether it passes anything on."""

    address: str
    is_open: Event = field(default_factory=Event)


@contextmanager
def way_to(database: str) -> Iterator[Way]:
    """A proxy through which a database can be cut off without a word, as a server that is frozen."""
    server = urlsplit(database)
    listener = socket.create_server(("127.0.0.1", 0))
    way = Way(database.replace(server.netloc, f"{server.username}@127.0.0.1:{listener.getsockname()[1]}"))
    way.is_open.set()

    def serve() -> None:
        with suppress(OSError):
            while True:
                caller, _ = listener.accept()
                Thread(target=forward, args=(caller,), daemon=True).start()

    def forward(caller: socket.socket) -> None:
        with closing(caller), socket.create_connection((server.hostname, server.port)) as onward:
            other = {caller: onward, onward: caller}
            with suppress(OSError):
                while True:
                    for source in select.select(list(other), [], [])[0]:
                        if not (sent := source.recv(65536)):
                            return
                        way.is_open.wait()
                        other[source].sendall(sent)

    Thread(target=serve, daemon=True).start()
    try:
        yield way
    finally:
        way.is_open.set()
        listener.close()


@contextmanager
def holding(database: str, statement: str) -> Iterator[None]:
    """A transaction of somebody else, open until the block ends, that has locked what its statement names."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(database))
        runner.run(connection.execute(f"BEGIN; {statement}"))
        yield
        runner.run(connection.close())


@pytest.fixture(scope="module")
def way(postgres_server: str) -> Iterator[Way]:
    with way_to(migrated_on(postgres_server)) as way:
        yield way


@pytest.fixture(scope="module")
def impatient(way: Way) -> Iterator[Instance]:
    """A server that does not wait long for its database."""
    with running(
        way.address, read_connections=READERS, write_connections=READERS, monitoring_token=MONITORING, **SHORT
    ) as instance:
        yield instance


@pytest.fixture
def cast(impatient: Instance) -> Cast:
    return make.cast(impatient)


def test_monitoring_is_told_of_a_database_that_does_not_answer(way: Way, impatient: Instance) -> None:
    def asked(path: str) -> httpx.Response:
        return impatient.http.get(path, headers={"Authorization": f"Bearer {MONITORING}"})

    assert asked("/readyz").status_code == 200
    way.is_open.clear()
    try:
        ready, metrics = asked("/readyz"), asked("/metrics")
    finally:
        way.is_open.set()
    assert ready.status_code == 503
    assert ready.json()["checks"]["database"]["status"] == "failed"
    assert "database" in ready.json()["checks"]["database"]["reason"]
    assert "docyard_database_up 0.0" in metrics.text.splitlines()
    assert asked("/readyz").status_code == 200


def test_a_database_that_does_not_answer_is_a_503_until_it_does(way: Way, cast: Cast) -> None:
    space = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"
    way.is_open.clear()
    try:
        answers = [cast.ada.get(space), cast.ada.call("PATCH", space, json={"title": "New"})]
    finally:
        way.is_open.set()
    assert [answer.status_code for answer in answers] == [503, 503]
    assert {answer.headers["retry-after"] for answer in answers}
    assert "database" in answers[0].json()["error"]["message"]
    assert cast.ada.call("PATCH", space, json={"title": "Newer"}).status_code == 200
    assert cast.ada.get(space).json()["title"] == "Newer"


def test_writers_who_wait_keep_nobody_from_reading(way: Way, cast: Cast) -> None:
    held, free = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    refused: list[int] = []
    writers = [Thread(target=lambda: refused.append(rename(cast, held))) for _ in range(2 * READERS)]
    with holding(way.address, f"SELECT FROM space WHERE id = '{held}' FOR UPDATE"):
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            assert cast.ada.get(f"/v1/spaces/{free}").status_code == 200
        assert refused == [503] * len(writers)
    assert rename(cast, held) == 200


def rename(cast: Cast, space: str) -> int:
    return cast.ada.call("PATCH", f"/v1/spaces/{space}", json={"title": "New"}).status_code


def test_a_server_ends_while_its_database_does_not_answer(postgres_server: str, tmp_path: Path) -> None:
    with way_to(migrated_on(postgres_server)) as way:
        short = {"DOCYARD_STATEMENT_TIMEOUT": "2", "DOCYARD_CONNECTION_TIMEOUT": "3"}
        with serving("--demo", database=way.address, log=tmp_path / "log", **short) as server:
            way.is_open.clear()
            token = server.token("admin")
            assert server.get("/v1/user", token).status_code == 503
            assert server.end() == 0
