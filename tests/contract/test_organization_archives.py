"""Archives of organizations: every read of the API answers the same in the installation that imported one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.models.tables import METADATA
from tests import make
from tests.cast import Cast, Person
from tests.contract.import_sources import routes
from tests.contract.recipes import RECIPES
from tests.contract.test_backups import (
    ADDRESSED,
    READS,
    SEARCHES,
    Answers,
    Question,
    answers,
    found_by,
    quiet,
    taken,
)
from tests.databases import asked_all, migrated_in, migrated_on
from tests.instance import running
from tests.local_server import port_of, serve
from tests.timing import on_one_day

# What people have themselves, or that opens something, stays where it was made.
CREDENTIALS = {
    "getOAuthApplicationById", "getOAuthGrantById", "getPasskeyById", "getSessionById", "getTokenById",
    "getTokenInOrganization", "listOAuthApplications", "listOAuthGrants", "listPasskeysForAuthenticatedUser",
    "listSessionsForAuthenticatedUser", "listSessionsForOrganizationMember", "listTokensForAuthenticatedUser",
    "listTokensInOrganization",
}  # fmt: skip
KEYS = {
    "secret": "the-secret-of-the-other-installation",
    "audit_key": "the-key-of-the-other-installation-is-long",
}
ELSEWHERE = {f"DOCYARD_{name.upper()}": key for name, key in KEYS.items()}
USED = ("listCommentsInSpace", "getIntegrationByName", "listTeamsInOrganizationById")
"""What is made for other organizations: recipes of these reads."""
ENGINES = ["sqlite", "postgresql"]
Rows = dict[str, set[str]]


class Origin(NamedTuple):
    """An installation with an organization to move and others, and what it answered."""

    database: str
    cast: Cast
    questions: list[Question]
    answers: Answers


@pytest.fixture(scope="module")
def origin(new_database: Callable[[], str]) -> Origin:
    """An installation with something in one organization for every operation that reads."""
    database = new_database()
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        with running(database, outbound_allow=allowed, import_timeout=100.0) as instance:
            cast, other = make.cast(instance), make.cast(instance)
            questions = []
            for operation in READS:
                call = RECIPES[operation.id](cast)
                questions.append(Question(operation, call.caller or cast.ada, call))
            make.filled_space(other)
            for name in USED:
                RECIPES[name](other)
    with quiet(database) as instance:
        found = on_one_day(lambda: answers(instance, questions))
    return Origin(database, cast, questions, found)


@pytest.fixture(scope="module")
def passphrase(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a passphrase."""
    file = tmp_path_factory.mktemp("passphrase") / "passphrase"
    file.write_text("nobody guesses these words\n")
    return file


@pytest.fixture(scope="module")
def archive(origin: Origin, passphrase: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The archive of the organization, with its secrets."""
    folder = str(tmp_path_factory.mktemp("archive"))
    return taken(
        origin.database,
        "org",
        "export",
        origin.cast.organization,
        folder,
        "--passphrase-file",
        str(passphrase),
    )


def other_installation(engine: str, server: str, folder: Path) -> str:
    """A database of an installation with other keys, in which there is nothing yet."""
    return migrated_on(server, **KEYS) if engine == "postgresql" else migrated_in(folder, **KEYS)


def inhabited(database: str) -> None:
    """Fill another installation with an organization of its own."""
    with running(database, **KEYS) as it:
        cast = make.cast(it)
        make.filled_space(cast, {"README.md": "# Home\n\nA quokka.", "a.bin": b"bytes"})
        for name in USED:
            RECIPES[name](cast)


def everything(database: str) -> Rows:
    """All rows of a database, by table."""
    found = asked_all(database, [f'SELECT * FROM "{name}"' for name in METADATA.tables])
    return {name: set(map(repr, rows)) for name, rows in zip(METADATA.tables, found, strict=True)}


def answered_by(database: str, origin: Origin) -> Answers:
    """What the other installation answers to the same questions of the same people, who have new tokens."""
    tokens: dict[str, str] = {}
    for _, person, _ in origin.questions:
        if person.email and person.id not in tokens:
            tokens[person.id] = taken(database, "token", "create", "--user", person.email, **ELSEWHERE)
    with quiet(database, **KEYS) as instance:
        questions = [
            Question(operation, Person(instance, who.id, who.email, tokens.get(who.id, "")), call)
            for operation, who, call in origin.questions
        ]
        return on_one_day(lambda: answers(instance, questions))


def same(name: str, before: tuple[int, Any], after: tuple[int, Any]) -> bool:
    """Whether two installations gave the same answer: what their keys signed, and engines rank, aside."""
    if name in SEARCHES:
        return found_by(before) == found_by(after)
    return _unsigned(before) == _unsigned(after)


def _unsigned(answer: tuple[int, Any]) -> str:
    text = re.sub(r"\.[\w-]{16}(?=[./\"])", ".SIGNATURE", json.dumps(answer, sort_keys=True))
    return re.sub(r"\b[0-9a-f]{8}:[0-9a-f]{64}\b", "SIGNATURE", text)  # of an audit event


@pytest.mark.parametrize("is_inhabited", [False, True], ids=["empty", "inhabited"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_read_answers_the_same_where_it_was_imported(
    origin: Origin, archive: str, passphrase: Path, engine: str, is_inhabited: bool,
    postgres_server: str, tmp_path: Path,
) -> None:  # fmt: skip
    target = other_installation(engine, postgres_server, tmp_path)
    if is_inhabited:
        inhabited(target)
    before = everything(target)
    imported = taken(target, "org", "import", archive, "--passphrase-file", str(passphrase), **ELSEWHERE)
    assert imported == origin.cast.organization
    after = everything(target)
    assert {name: rows - after[name] for name, rows in before.items() if rows - after[name]} == {}
    found = answered_by(target, origin)
    differing = {name for name, answer in found.items() if not same(name, origin.answers[name], answer)}
    assert differing <= CREDENTIALS, differing - CREDENTIALS
    assert {name for name, answer in found.items() if answer[0] != 200} <= ADDRESSED | CREDENTIALS
    assert "valid" in taken(target, "audit", "verify", **ELSEWHERE)
