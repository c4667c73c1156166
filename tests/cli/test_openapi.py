"""`docyard openapi publish`: what a pipeline calls, and what it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import docyard
from tests.factories import openapi
from tests.local_server import Neighbour, sent


@pytest.fixture
def organization(fresh_database: str) -> str:
    """A fresh organization's id."""
    made = docyard("user", "create", "ann@example.org", "--name", "Ann", database=fresh_database)
    assert made.returncode == 0, made.stderr
    made = docyard("org", "create", "Sundials", "--owner", "ann@example.org", database=fresh_database)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def test_a_file_is_published_and_published_again(
    fresh_database: str, organization: str, tmp_path: Path
) -> None:
    file = tmp_path / "api.json"
    wanted = ("--org", organization, "--slug", "kennel")
    file.write_text(openapi.as_text(openapi.document()))
    first = docyard("openapi", "publish", str(file), *wanted, database=fresh_database)
    assert first.returncode == 0, first.stderr
    assert "“kennel” has a new version." in first.stderr
    again = docyard("openapi", "publish", str(file), *wanted, database=fresh_database)
    assert again.stdout == first.stdout
    assert "“kennel” has not changed." in again.stderr
    file.write_text('{"openapi": "3.1.0", "info": {"title": "T"}, "paths": {}}')
    faulty = docyard("openapi", "publish", str(file), *wanted, database=fresh_database)
    assert faulty.returncode == 0, faulty.stderr
    assert "is a required property" in faulty.stderr
    assert "“kennel” has a new version." in faulty.stderr
    file.write_text('{"openapi": "3.1.0", "info": [')
    broken = docyard("openapi", "publish", str(file), *wanted, database=fresh_database)
    assert (broken.returncode, broken.stdout) == (1, "")
    assert "PARSE_ERROR" in broken.stderr


def test_an_address_is_published(fresh_database: str, organization: str, neighbour: Neighbour) -> None:
    url = neighbour.shows("/api.json", sent(openapi.as_text(openapi.document()), "application/json"))
    wanted = ("openapi", "publish", url, "--org", organization, "--slug", "kennel")
    done = docyard(*wanted, database=fresh_database, DOCYARD_OUTBOUND_ALLOW=neighbour.address)
    assert done.returncode == 0, done.stderr
    refused = docyard(*wanted, database=fresh_database)
    assert refused.returncode == 1
    assert "FETCH_ERROR" in refused.stderr
    assert "does not lead to a public address" in refused.stderr


def test_wrong_calls_are_told_in_a_sentence(fresh_database: str, organization: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty.yaml"
    empty.write_text("")
    odd = tmp_path / "odd.json"
    odd.write_bytes(b"\xff\xfe\x00")
    good = tmp_path / "good.json"
    good.write_text(openapi.as_text(openapi.document()))
    for source, org, slug, told in (
        ("nowhere.yaml", organization, "a", "There is no file nowhere.yaml"),
        (str(empty), organization, "a", "is empty"),
        (str(odd), organization, "a", "cannot be read as text"),
        (str(good), organization, "Big One", "is not a valid slug"),
        (str(good), "nowhere", "a", "docyard org list"),
    ):
        done = docyard("openapi", "publish", source, "--org", org, "--slug", slug, database=fresh_database)
        assert done.returncode == 1, source
        assert told in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
