"""A page of another origin announces a file, sends it and uses it, in a real browser."""

from __future__ import annotations

import json

import httpx

from tests import make
from tests.browser.browser import Browser
from tests.factories.uploads import space_of
from tests.instance import running
from tests.local_server import Neighbour, html
from tests.timing import TIMEOUT

UPLOAD = """
(async ([api, token, organization, space, size]) => {
  const bytes = new Uint8Array(size).map((_, at) => at % 251);
  const post = async (path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(`${api}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return await answer.json();
  };
  const upload = await post(`/orgs/${organization}/uploads`, { name: "a.bin", size });
  const headers = Object.fromEntries(upload.headers.map(({ name, value }) => [name, value]));
  const sent = await fetch(upload.uploadURL, { method: upload.method, headers, body: new Blob([bytes]) });
  const files = [{ name: "a.bin", upload: upload.id }];
  const changes = [{ operation: "insert_files", files }];
  const made = await post(`/spaces/${space}/content?compat=false`, { changes });
  return [sent.status, sent.headers.get("etag"), made.insertedFiles[0].downloadURL];
})
"""


def test_a_page_of_another_origin_uploads(
    browser: Browser, fresh_database: str, neighbour: Neighbour
) -> None:
    neighbour.shows("/app", html("<h1>Application</h1>"))
    with running(fresh_database, cors_origins=neighbour.base) as instance, browser.page() as page:
        cast, size = make.cast(instance), 3_000_000
        page.go(f"{neighbour.base}/app")
        given = json.dumps([instance.base, cast.ed.token, cast.organization, space_of(cast), size])
        status, tag, url = page.run(f"{UPLOAD}({given})")
        assert status == 200
        downloaded = httpx.get(url, timeout=TIMEOUT)
        assert downloaded.headers["etag"] == tag
        assert downloaded.content == bytes(at % 251 for at in range(size))
