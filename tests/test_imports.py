"""Starting up, and answering over REST, loads nothing that only other paths need (architecture, Lambda)."""

from __future__ import annotations

import subprocess
import sys

import orjson
import pytest

from app.api.graphql.trusted import own
from tests.cast import Cast

LATER = [
    "strawberry", "graphql", "alembic", "httpx", "markdown_it", "lxml", "mammoth", "uvicorn", "cyclopts",
    "rich", "app.api.rest.openapi", "app.formats.markdown.parser", "app.formats.pdf", "typst", "signxml",
    "cryptography", "wasmtime", "quickjs_rs", "dns", "idna",
]  # fmt: skip

UNASKED = ["strawberry", "app.api.catalog", "app.api.graphql.schema", "app.domain.comments", "httpx"]

ASK = """
import asyncio, json, sys
from app.kit.settings import Settings
from app.main import create_app

async def ask(app, path, headers, body=b""):
    sent, asked = [], [{"type": "http.request", "body": body, "more_body": False}]
    async def receive():
        return asked.pop() if asked else await asyncio.Event().wait()  # the caller stays
    async def send(message):
        sent.append(message)
    method = "POST" if body else "GET"
    scope = {"type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
             "query_string": b"", "root_path": "", "headers": headers, "scheme": "http",
             "server": ("test", 80), "client": ("test", 1)}
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)

async def main():
    app = create_app(Settings(database=sys.argv[1], base_url="http://test", sites_url="http://sites"))
    headers = [(b"authorization", b"Bearer " + sys.argv[2].encode())]
    REQUEST
    await app.state.services.close()

asyncio.run(main())
print(*[name for name in LATER if name in sys.modules])
"""


def _asked(cast: Cast, request: str, later: list[str]) -> list[str]:
    """Return what a new process prints that makes one request, and which of these modules it has loaded."""
    code = ASK.replace("REQUEST", request).replace("LATER", repr(later))
    given = [cast.instance.settings.database, cast.ada.token]
    run = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_one_rest_request_loads_no_other_face(cast: Cast) -> None:
    assert _asked(cast, 'print((await ask(app, "/v1/orgs", headers))[0])', LATER) == ["200", ""]


@pytest.mark.parametrize("asked", ["text", "hash"])
def test_one_graphql_request_loads_what_it_asks_for(cast: Cast, asked: str) -> None:
    known = next(key for key, text in own().items() if text.startswith("query getOrganizationById("))
    variables = {"organizationId": cast.organization}
    text = {"query": own()[known].replace("query ", "query mine_"), "variables": variables}
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": known}}
    body = text if asked == "text" else {"extensions": extensions, "variables": variables}
    request = f"""
    headers.append((b"content-type", b"application/json"))
    status, answer = await ask(app, "/graphql", headers, {orjson.dumps(body)!r})
    answered = json.loads(answer)
    print(status, answered.get("errors"), answered["data"]["organization"]["restId"])"""
    assert _asked(cast, request.strip(), UNASKED) == [f"200 None {cast.organization}", ""]


@pytest.mark.parametrize("asked", ["text", "hash"])
def test_a_first_graphql_answer_builds_no_schema_and_trusted_documents_are_not_validated(
    cast: Cast, asked: str
) -> None:
    known = next(key for key, text in own().items() if text.startswith("query getOrganizationById("))
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": known}}
    sent = {"query": f"{own()[known]} # mine"} if asked == "text" else {"extensions": extensions}
    body = sent | {"variables": {"organizationId": cast.organization}}
    request = f"""
    import threading
    validated = set()
    def note(frame, event, _argument):
        if event == "call" and frame.f_globals.get("__name__") == "graphql.validation.validate":
            validated.add(frame.f_code.co_name)
    headers.append((b"content-type", b"application/json"))
    sys.setprofile(note)
    threading.setprofile(note)
    status, answer = await ask(app, "/graphql", headers, {orjson.dumps(body)!r})
    sys.setprofile(None)
    from app.api.graphql.server import _CORE
    types = _CORE.type_map
    is_small = len(types._made) * 4 < len(types)
    print(status, json.loads(answer).get("errors"), "validate" in validated, is_small)"""
    is_validated = asked == "text"
    assert _asked(cast, request.strip(), ["strawberry"]) == [f"200 None {is_validated} True", ""]


@pytest.mark.parametrize(
    "module", ["app.main", "app.api.rest", "app.domain.spaces.spaces", "app.present.spaces"]
)
def test_importing_a_module_loads_none_of_them(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {LATER!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
