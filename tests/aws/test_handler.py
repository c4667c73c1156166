"""The Lambda handler under the real runtime client, fed with events of an HTTP API (format 2.0)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.kit.settings import Settings
from tests import make
from tests.aws.lambda_events import Gateway, event
from tests.aws.lambda_runtime import BASE, ROOT, SITES, Api, function
from tests.cast import Cast
from tests.cli.command import environment
from tests.databases import migrated_in
from tests.factories.changes import new_page
from tests.factories.sites import ManagedSite
from tests.instance import Instance
from tests.timing import TIMEOUT


@pytest.fixture
def settings(fresh_database: str) -> Settings:
    """Settings of a function on a database with tables and nothing else."""
    return Settings(database=fresh_database, base_url=BASE, sites_url=SITES, purge_after_days=0)


@pytest.fixture
def api(settings: Settings, tmp_path: Path) -> Iterator[Api]:
    """A cold environment of the function."""
    given = {name: getattr(settings, name) for name in ("database", "base_url", "purge_after_days")}
    variables = {f"DOCYARD_{name.upper()}": str(value) for name, value in given.items()}
    with function(tmp_path / "log", **variables) as api:
        yield api


@pytest.fixture
def cast_of_function(api: Api, settings: Settings) -> Iterator[Cast]:
    """People whose calls reach the function through its gateway."""
    with httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client:
        yield make.cast(Instance(BASE, settings, client))


def test_rest_and_graphql_are_answered_cold_and_warm(cast_of_function: Cast, tmp_path: Path) -> None:
    ada = cast_of_function.ada
    space = make.space(ada, cast_of_function.organization, title="Größe 文書 🚀")
    path = f"/v1/spaces/{space['id']}"
    assert space["title"] == "Größe 文書 🚀"
    assert space["urls"]["location"] == BASE + path

    read = ada.get(path, headers={"Cookie": "a=1; b=2"})
    assert read.json() == space
    assert ada.get(path, headers={"If-None-Match": read.headers["etag"]}).status_code == 304
    assert ada.patch(path, {"title": "Maße"}, headers={"If-Match": read.headers["etag"]}).status_code == 200
    assert ada.ask("query($id: ID!) { space(id: $id) { title } }", id=space["id"]) == {
        "space": {"title": "Maße"}
    }
    assert cast_of_function.sol.get(path).status_code == 404
    assert ada.get("/v1/spaces/unknown").json()["error"]["code"] == 404

    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"method": "GET", "path": path, "status": 304}.items() <= lines[2].items()


def test_queries_and_bodies_arrive_as_they_were_sent(cast_of_function: Cast) -> None:
    ada = cast_of_function.ada
    search = f"/v1/orgs/{cast_of_function.organization}/search"
    assert ada.get(search, params={"query": "ß" * 512}).status_code == 200
    assert ada.get(search, params={"query": "ß" * 513}).status_code == 400

    patch = ada.instance.http.build_request(
        "PATCH",
        f"/v1/spaces/{make.space(ada, cast_of_function.organization)['id']}",
        content='{"title": "Maße"}'.encode(),
        headers={"Authorization": f"Bearer {ada.token}", "Content-Type": "Application/JSON"},
    )
    assert event(patch)["isBase64Encoded"]
    assert ada.instance.http.send(patch).json()["title"] == "Maße"

    page = ada.get("/graphql").text
    script = next(part for part in page.split('"') if part.endswith("/graphiql.js"))
    zipped = ada.get(f"/{script}", headers={"Accept-Encoding": "gzip"})
    assert zipped.headers["content-encoding"] == "gzip"
    assert zipped.text == (ROOT / "app" / "static" / "graphiql.js").read_text()
    assert ada.get("/static/0/icon.svg").content == (ROOT / "app" / "static" / "icon.svg").read_bytes()


WATCH = "subscription ($id: ID!) { spaceChanged(space: $id) { position } }"


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json, text/event-stream"])
def test_a_subscription_is_told_to_poll(cast_of_function: Cast, accept: str) -> None:
    """A function ends with its answer, so it says what to do instead: in words, and by a code."""
    ada = cast_of_function.ada
    space = make.space(ada, cast_of_function.organization)["id"]
    sent = {"query": WATCH, "variables": {"id": space}}
    answer = ada.call("POST", "/graphql", json=sent, headers={"Accept": accept})
    if accept == "text/event-stream":  # a client of events reads nothing else
        assert (answer.status_code, answer.headers["content-type"]) == (
            200,
            "text/event-stream; charset=utf-8",
        )
        first, ended, *_ = answer.text.split("\n\n")
        assert ended.startswith("event: complete")
        told = json.loads(first.removeprefix("event: next\ndata: "))
    else:
        assert answer.status_code == 412
        told = answer.json()
    (error,) = told["errors"]
    assert "data" not in told
    assert error["extensions"] == {"code": "PRECONDITION_FAILED", "status": 412}
    assert "poll" in error["message"]
    assert ada.ask("query ($id: ID!) { space(id: $id) { title } }", id=space)["space"]["title"]


def test_the_schedule_does_the_work_that_is_due(api: Api, cast_of_function: Cast) -> None:
    ada = cast_of_function.ada
    path = f"/v1/spaces/{make.space(ada, cast_of_function.organization)['id']}"
    assert api.invoke({"docyard": "work"}) == {"tried": 0}
    assert ada.delete(path).status_code == 205
    assert "deletedAt" in ada.get(path).json()
    assert api.invoke({"docyard": "work"}) == {"tried": 1}
    assert ada.get(path).status_code == 404


def test_visits_of_sites_are_counted_with_the_event_that_brings_them(cast_of_function: Cast) -> None:
    site = ManagedSite(cast_of_function, visibility="public")
    space = make.space(cast_of_function.ada, cast_of_function.organization)["id"]
    site.post("/site-spaces", {"spaceId": space})
    new_page(cast_of_function.ada, space, title="Start")
    site.post("/publish", status=200)
    published = site.get()["urls"]["published"]
    browser = {"User-Agent": "Mozilla/5.0 (a browser)"}
    http = cast_of_function.instance.http
    assert http.get(published, headers=browser, follow_redirects=True).status_code == 200
    assert http.get(f"{published}/gone", headers=browser).status_code == 404
    totals = site.get("/statistics")["totals"]
    assert (totals["views"], totals["visitors"], totals["brokenUrls"]) == (1, 1, 1)


def test_the_first_event_brings_an_empty_database_up(empty_database: str, tmp_path: Path) -> None:
    with function(tmp_path / "log", DOCYARD_DATABASE=empty_database) as api:
        request = httpx.Request("GET", f"{BASE}/v1/user", headers={"Authorization": "Bearer unknown"})
        assert Gateway(api).handle_request(request).status_code == 401


def test_on_a_network_volume_no_memory_is_shared(tmp_path: Path) -> None:
    database = tmp_path / "docyard.db"
    with function(tmp_path / "log", DOCYARD_DATABASE=str(database), DOCYARD_JOURNAL="truncate") as api:
        with httpx.Client(base_url=BASE, transport=Gateway(api)) as client:
            assert client.get("/v1/user", headers={"Authorization": "Bearer unknown"}).status_code == 401
        names = {path.name for path in tmp_path.iterdir()}
    assert names - {"docyard.db-journal"} == {"docyard.db", "log"}


NOT_FOR_A_READ = {
    "alembic", "asyncpg", "cyclopts", "graphql", "httpx", "lxml", "mammoth", "markdown_it", "markdownify",
    "rich", "selectolax", "strawberry", "uvicorn", "yaml",
}  # fmt: skip
OURS = re.compile(r"app\.(models|domain|present|api|web)\.([\w.]+)")
FOR_A_SPACE = {
    "models": {
        "access", "base", "checks", "collections", "organizations", "queries", "service", "site_features",
        "sites", "spaces", "teams", "texts", "translations",
    },
    "domain": {
        "infrastructure", "infrastructure.service", "integrations", "integrations.integration_urls",
        "site_addresses", "site_addresses.addresses", "site_addresses.own_origins",
        "site_addresses.site_hosts", "spaces",
        "spaces.collections", "spaces.parents", "spaces.sibling_order", "spaces.spaces",
    },
    "present": {"links", "shape", "spaces"},
    "api": {
        "naming", "operation", "operations", "operations.spaces", "rest", "rest.adapter", "rest.errors",
        "rest.reading", "rest.routing", "versions",
    },
    "web": {"large_responses", "monitoring", "origins", "pages", "refusals", "steps"},
}  # fmt: skip
COLD_READ = """
import json, os, sys
from app.aws import handler
answer = handler(json.loads(sys.argv[1]), None)
print(json.dumps([answer["statusCode"], *sys.modules]), flush=True)
os._exit(0)  # as Lambda ends an environment: nothing is closed
"""


def test_a_cold_read_loads_only_what_it_needs(tmp_path: Path) -> None:
    database = migrated_in(tmp_path)
    request = httpx.Request("GET", f"{BASE}/v1/spaces/some", headers={"Authorization": "Bearer unknown"})
    ran = subprocess.run(
        [sys.executable, "-c", COLD_READ, json.dumps(event(request))],
        cwd=ROOT, env=environment(DOCYARD_DATABASE=database, DOCYARD_BASE_URL=BASE, DOCYARD_SITES_URL=SITES),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    status, *loaded = json.loads(ran.stdout)
    assert status == 401
    assert not NOT_FOR_A_READ & {name.partition(".")[0] for name in loaded}
    ours = [found.groups() for name in loaded if (found := OURS.fullmatch(name))]
    assert {layer: {name for part, name in ours if part == layer} for layer in FOR_A_SPACE} == FOR_A_SPACE
