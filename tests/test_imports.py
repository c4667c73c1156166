"""Starting up, and answering over REST, loads nothing that only other paths need (architecture, Lambda)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cast import Cast

LATER = [
    "strawberry", "graphql", "alembic", "httpx", "markdown_it", "lxml", "mammoth", "uvicorn", "cyclopts",
    "rich", "app.api.rest.openapi", "app.formats.markdown.parser", "app.formats.pdf", "typst", "signxml",
    "cryptography", "wasmtime", "quickjs_rs", "dns", "idna",
]  # fmt: skip

REST = """
import asyncio, sys
from app.kit.settings import Settings
from app.main import create_app

async def ask(app, path, headers):
    sent = []
    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}
    async def send(message):
        sent.append(message)
    scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": path, "raw_path": path.encode(),
             "query_string": b"", "root_path": "", "headers": headers, "scheme": "http",
             "server": ("test", 80), "client": ("test", 1)}
    await app(scope, receive, send)
    return sent[0]["status"]

async def main():
    app = create_app(Settings(database=sys.argv[1], base_url="http://test", sites_url="http://sites"))
    print(await ask(app, "/v1/orgs", [(b"authorization", b"Bearer " + sys.argv[2].encode())]))
    await app.state.services.close()

asyncio.run(main())
print(*[name for name in LATER if name in sys.modules])
"""


def test_one_rest_request_loads_no_other_face(cast: Cast) -> None:
    code = REST.replace("LATER", repr(LATER))
    given = [cast.house.settings.database, cast.ada.token]
    run = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["200", ""]


@pytest.mark.parametrize(
    "module", ["app.main", "app.api.rest", "app.domain.spaces.spaces", "app.present.spaces"]
)
def test_importing_a_module_loads_none_of_them(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {LATER!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
