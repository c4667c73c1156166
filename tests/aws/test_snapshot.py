"""A function in an environment that is restored from a snapshot: what takes long was done before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.kit.settings import Settings
from tests import make
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, SITES, SNAP_START, Api, function
from tests.cast import Cast
from tests.factories.changes import insert
from tests.instance import Instance
from tests.timing import TIMEOUT

TOLD = {**SNAP_START, "PYTHONPROFILEIMPORTTIME": "1"}
IMPORTED = re.compile(r"^import time: +\d+ \| +\d+ \| +(\S+)$", re.MULTILINE)
TITLE = "query($id: ID!) { space(id: $id) { title organization { title } } }"


class Snapshot:
    """A function of which a snapshot is taken, and what it loads after that."""

    def __init__(self, api: Api, log: Path) -> None:
        self._log = log
        api.restore()
        self._since = len(log.read_text())
        self.api = api

    def loaded_since(self) -> list[str]:
        """The product's modules that were loaded after the snapshot."""
        names = IMPORTED.findall(self._log.read_text()[self._since :])
        return [name for name in names if name.partition(".")[0] == "app"]


@pytest.fixture
def snapshot(fresh_database: str, tmp_path: Path) -> Iterator[Snapshot]:
    with function(tmp_path / "log", DOCYARD_DATABASE=fresh_database, **TOLD) as api:
        yield Snapshot(api, tmp_path / "log")


@pytest.fixture
def cast(snapshot: Snapshot, fresh_database: str) -> Iterator[Cast]:
    settings = Settings(database=fresh_database, base_url=BASE, sites_url=SITES)
    with httpx.Client(base_url=BASE, transport=Gateway(snapshot.api), timeout=TIMEOUT) as client:
        yield make.cast(Instance(BASE, settings, client))


def test_requests_after_a_snapshot_load_nothing_more(snapshot: Snapshot, cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Gnomons")["id"]
    make.changes(cast.ada, space, insert("Noon", "*At noon*"))
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Gnomons"
    assert cast.ada.get(f"/v1/spaces/{space}/content").status_code == 200
    assert cast.ada.ask(TITLE, id=space)["space"]["title"] == "Gnomons"
    assert snapshot.loaded_since() == []


def test_nothing_is_connected_before_the_snapshot(tmp_path: Path) -> None:
    """What is connected then would be dead in the environments that are restored."""
    database = tmp_path / "docyard.db"
    with function(tmp_path / "log", DOCYARD_DATABASE=str(database), **SNAP_START) as api:
        api.snapshots.get(timeout=TIMEOUT)
        assert not database.exists()
        api.restored.set()
        with httpx.Client(base_url=BASE, transport=Gateway(api)) as client:
            assert client.get("/v1/user", headers={"Authorization": "Bearer unknown"}).status_code == 401
        assert database.exists()
