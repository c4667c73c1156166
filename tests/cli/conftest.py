"""Fixtures shared by the tests of commands that run in this process."""

from __future__ import annotations

import pytest

from app.cli import main
from tests.cli.command import Run


@pytest.fixture
def run(fresh_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on a fresh database; give its exit code, stdout and stderr."""
    monkeypatch.setenv("DOCYARD_DATABASE", fresh_database)

    def command(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out = capsys.readouterr()
        return code, out.out.strip(), out.err

    return command


@pytest.fixture
def organization(run: Run) -> str:
    """The id of an organization in that database."""
    run("user", "create", "ann@example.org", "--name", "Ann")
    return run("org", "create", "Example", "--owner", "ann@example.org")[1]
