"""A published site through the Lambda handler, which is told of paths only as they read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from app.kit.settings import Settings
from tests import make
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, SITES, function
from tests.cast import Cast
from tests.instance import Instance
from tests.timing import TIMEOUT
from tests.visitors import PublishedSite


@pytest.fixture
def client(fresh_database: str, tmp_path: Path) -> Iterator[httpx.Client]:
    """Calls that reach a cold function through its gateway."""
    with (
        function(tmp_path / "log", DOCYARD_DATABASE=fresh_database) as api,
        httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client,
    ):
        yield client


def test_a_site_is_read_through_a_function(client: httpx.Client, fresh_database: str) -> None:
    cast: Cast = make.cast(
        Instance(BASE, Settings(database=fresh_database, base_url=BASE, sites_url=SITES), client)
    )
    site = PublishedSite(cast)
    site.page(title="日本語", document={"markdown": "About it"})
    start = client.get(site.url)
    assert start.status_code == 200
    assert "Welcome aboard" in start.text
    assert "About it" in client.get(f"{site.url}/{quote('日本語')}").text
    assert client.get(f"{site.url}/guide/").headers["location"] == f"{site.base}/guide"
    again = client.get(f"{site.url}/guide", headers={"accept-encoding": "gzip"})
    assert again.headers["content-encoding"] == "gzip"
    assert "All about it" in again.text
    assert (
        client.get(f"{site.url}/guide", headers={"if-none-match": again.headers["etag"]}).status_code == 304
    )
    (picture,) = re.findall(r'src="([^"]+lamp.png)"', start.text)
    assert client.get(picture).content == make.picture(3, 2)
    assert client.get(f"{site.url}/nothing").status_code == 404
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert len(client.post(f"{site.url}/~/mcp", json=asked).json()["result"]["tools"]) == 3
