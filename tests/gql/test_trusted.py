"""Trusted documents: run by their hash alone, our own and those of a deployment's frontends."""

from __future__ import annotations

import json
from hashlib import md5, sha1, sha256
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.api.graphql.trusted import own
from app.kit.settings import Settings
from tests import make
from tests.cast import Cast, Person
from tests.contract.write_documents import TRUSTED
from tests.databases import migrated_in
from tests.instance import running

MINE = "query Mine {\n  me {\n    restId\n  }\n}"
THEIRS = "query Theirs {\n  me {\n    id: restId\n  }\n}"
INTROSPECTION = "{ __schema { queryType { name } } }"
SHA = sha256(MINE.encode()).hexdigest()
APOLLO = {
    "format": "apollo-persisted-query-manifest",
    "version": 1,
    "operations": [{"id": SHA, "name": "Mine", "type": "query", "body": MINE}],
}
MANIFESTS = {
    "Apollo": (SHA, APOLLO),
    "Relay": (md5(MINE.encode()).hexdigest(), {md5(MINE.encode()).hexdigest(): MINE}),
    "codegen": (sha1(MINE.encode()).hexdigest(), {sha1(MINE.encode()).hexdigest(): MINE}),
}
WRONG: dict[str, Any] = {
    "not JSON": "{",
    "a list": [MINE],
    "no texts": {"a": 1},
    "a manifest without bodies": {**APOLLO, "operations": [{"id": SHA}]},
    "a manifest of another version": {**APOLLO, "version": 2},
}


def by_hash(person: Person, key: str, variables: dict[str, Any] | None = None) -> Any:
    """Send a document by its hash alone."""
    asked = {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": key}}, "variables": variables}
    return person.post("/graphql", asked).json()


def test_our_own_documents_run_by_their_hash_without_having_been_sent(cast: Cast) -> None:
    named = {name: key for key, name in json.loads(TRUSTED.read_text(encoding="utf-8")).items()}
    space = make.space(cast.ada, cast.organization, title="Known")["id"]
    answer = by_hash(cast.ada, named["getSpaceById"], {"spaceId": space})
    text = {"query": own()[named["getSpaceById"]], "variables": {"spaceId": space}}
    assert answer["data"]["space"]["title"] == "Known"
    assert answer == cast.ada.post("/graphql", text).json()
    assert by_hash(cast.sol, named["getSpaceById"], {"spaceId": space})["data"] == {"space": None}
    change = by_hash(cast.ada, named["updateSpaceById"], {"input": {"space": space, "title": "Changed"}})
    assert change["data"]["updateSpace"]["userErrors"] == []
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Changed"
    asked = {
        "extensions": json.dumps({"persistedQuery": {"version": 1, "sha256Hash": named["getSpaceById"]}})
    }
    found = cast.ada.get("/graphql", params={**asked, "variables": json.dumps({"spaceId": space})})
    assert found.json()["data"]["space"]["title"] == "Changed"


def test_a_trusted_hash_with_another_text_is_refused(cast: Cast) -> None:
    key = next(iter(own()))
    asked = {"query": MINE, "extensions": {"persistedQuery": {"version": 1, "sha256Hash": key}}}
    answer = cast.ada.post("/graphql", asked)
    assert answer.status_code == 400
    assert (
        answer.json()["errors"][0]["extensions"]["details"][0]["path"]
        == "extensions.persistedQuery.sha256Hash"
    )


@pytest.mark.parametrize("kind", MANIFESTS)
def test_documents_of_a_frontend_are_trusted_in_each_format(tmp_path: Path, kind: str) -> None:
    key, manifest = MANIFESTS[kind]
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "b.json").write_text(json.dumps({"b": THEIRS}), encoding="utf-8")
    settings: dict[str, Any] = {"graphql_trusted_documents": str(folder), "graphql_trusted_only": True}
    with running(migrated_in(tmp_path), **settings) as instance:
        ada = make.cast(instance).ada
        mine = {"data": {"me": {"restId": ada.id}}}
        for found in (key, key.upper(), SHA):
            assert by_hash(ada, found)["data"] == mine["data"]
        assert by_hash(ada, "b")["data"] == {"me": {"id": ada.id}}
        assert ada.post("/graphql", {"query": MINE}).json()["data"] == mine["data"]
        assert "data" in by_hash(
            ada, next(key for key, text in own().items() if "query getServiceInformation" in text)
        )


def test_a_server_of_trusted_documents_runs_no_others(tmp_path: Path) -> None:
    with running(migrated_in(tmp_path), graphql_trusted_only=True) as instance:
        ada = make.cast(instance).ada
        hashed = {"persistedQuery": {"version": 1, "sha256Hash": SHA}}
        for asked in (
            {"query": MINE},
            {"query": INTROSPECTION},
            {"query": MINE, "extensions": hashed},
            {"extensions": hashed},
        ):
            answer = ada.post("/graphql", asked)
            assert answer.status_code == 403
            assert set(answer.json()) == {"errors"}
            assert answer.json()["errors"][0]["extensions"] == {"code": "DOCUMENT_NOT_TRUSTED", "status": 403}


@pytest.mark.parametrize("kind", WRONG)
def test_a_file_that_is_no_manifest_keeps_the_server_from_starting(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "documents.json"
    wrong = WRONG[kind]
    file.write_text(wrong if isinstance(wrong, str) else json.dumps(wrong), encoding="utf-8")
    with pytest.raises(ValidationError, match=r"documents\.json"):
        Settings(graphql_trusted_documents=str(file))


def test_a_missing_file_and_two_texts_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="cannot be read"):
        Settings(graphql_trusted_documents=str(tmp_path / "none.json"))
    with pytest.raises(ValidationError, match="there is none"):
        Settings(graphql_trusted_documents=str(tmp_path))
    (tmp_path / "a.json").write_text(json.dumps({"one": MINE}), encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps({"ONE": THEIRS}), encoding="utf-8")
    with pytest.raises(ValidationError, match="another document"):
        Settings(graphql_trusted_documents=str(tmp_path))
