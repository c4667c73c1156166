"""A file of 100 MB: uploaded, used and downloaded again, without the server ever holding it in memory."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from app.kit.settings import Settings
from app.models.files import LARGEST_UPLOAD
from tests import make
from tests.cli.command import serving
from tests.factories.uploads import announced, insertion, sent, space_of
from tests.instance import Instance
from tests.timing import TIMEOUT

PART = 1_000_000  # bytes
MEMORY = 60_000_000  # bytes: SQLite keeps pages of 32 MB by setting; the rest are pieces


def parts() -> Iterator[bytes]:
    """The bytes of the file: every part is another one."""
    for number in range(LARGEST_UPLOAD // PART):
        yield hashlib.shake_128(b"%d" % number).digest(1000) * (PART // 1000)


def memory(process: int) -> int:
    """The bytes that a process has taken, without files that it looks into."""
    found = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def peak(process: int, call: Callable[[], None]) -> int:
    """The most bytes that a process has taken while something was done."""
    done, seen = threading.Event(), [memory(process)]

    def watch() -> None:
        while not done.wait(0.02):
            seen.append(memory(process))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        call()
    finally:
        done.set()
        watching.join()
    return max(seen)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True, scope="session")
def test_the_largest_file_goes_through_without_being_in_memory(fresh_database: str, tmp_path: Path) -> None:
    with (
        serving(database=fresh_database, log=tmp_path / "log") as server,
        httpx.Client(base_url=server.address, timeout=TIMEOUT) as client,
    ):
        settings = Settings(database=fresh_database, base_url=server.address, sites_url=server.sites)
        cast = make.cast(Instance(server.address, settings, client))
        space, digest = space_of(cast), hashlib.sha256()

        def goes_through(size: int) -> None:
            upload = announced(cast.ed, cast.organization, "film.mp4", size)
            content = (part for number, part in enumerate(parts()) if number < size // PART)
            assert sent(upload, content).status_code == 200
            made = make.changes(cast.ed, space, insertion(("film.mp4", upload["id"])))
            with client.stream("GET", made["insertedFiles"][0]["downloadURL"]) as answer:
                for part in answer.iter_bytes():
                    digest.update(part)

        goes_through(PART)  # loads what is needed
        before, digest = memory(server.process.pid), hashlib.sha256()
        most = peak(server.process.pid, lambda: goes_through(LARGEST_UPLOAD))
        assert digest.hexdigest() == hashlib.sha256(b"".join(parts())).hexdigest()
        assert most - before < MEMORY
