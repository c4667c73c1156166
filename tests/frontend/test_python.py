"""Python clients: `gql` reads the schema from the server, `ariadne-codegen` makes a typed client of it."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path
from typing import Any

import gql
import httpx
import pytest
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXTransport

from tests import make
from tests.cast import Cast

PROGRAMS = Path(gql.__file__).parents[4] / "bin"
READ = "query ReadSpace($id: ID!) { space(id: $id) { id title visibility pages { id title } } }"
RENAME = """
mutation RenameSpace($input: UpdateSpaceInput!) {
  updateSpace(input: $input) { space { id title } userErrors { code message path } }
}
"""
CONFIGURATION = """
[tool.ariadne-codegen]
remote_schema_url = "{base}/graphql"
remote_schema_headers = {{ Authorization = "Bearer {token}" }}
queries_path = "documents.graphql"
target_package_name = "docyard_client"
async_client = false
"""


def test_gql_reads_the_schema_and_runs_documents(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    transport = HTTPXTransport(url=f"{cast.ada.base}/graphql", headers=headers)
    with gql.Client(transport=transport, fetch_schema_from_transport=True) as session:
        found = session.execute(gql.GraphQLRequest(READ, variable_values={"id": space}))["space"]
        rename = {"input": {"space": found["id"], "title": "Manual"}}
        changed = session.execute(gql.GraphQLRequest(RENAME, variable_values=rename))
        assert changed["updateSpace"] == {"space": {"id": found["id"], "title": "Manual"}, "userErrors": []}
        with pytest.raises(TransportQueryError):
            session.execute(gql.GraphQLRequest(READ, variable_values={"id": "none"}))


def test_a_generated_client_is_typed(cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    configuration = CONFIGURATION.format(base=cast.ada.base, token=cast.ada.token)
    (tmp_path / "pyproject.toml").write_text(configuration)
    (tmp_path / "documents.graphql").write_text(READ + RENAME)
    made = subprocess.run(
        [PROGRAMS / "ariadne-codegen"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr

    monkeypatch.syspath_prepend(str(tmp_path))
    client: Any = importlib.import_module("docyard_client")
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    with httpx.Client(headers=headers) as http:
        api = client.Client(url=f"{cast.ada.base}/graphql", http_client=http)
        found = api.read_space(id=space).space
        assert (found.title, found.visibility) == ("Handbook", client.SpaceVisibility.PRIVATE)
        changed = api.rename_space(input=client.UpdateSpaceInput(space=found.id, title="Manual")).update_space
        assert (changed.space.title, changed.user_errors) == ("Manual", [])
