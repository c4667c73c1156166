"""`docyard user export` and `docyard user delete`, for whoever runs the installation."""

from __future__ import annotations

import json

import pytest

from app.cli import main


def test_an_operator_exports_and_deletes_an_account(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCYARD_DATABASE", fresh_database)

    def run(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main([*arguments]) == code
        shown = capsys.readouterr()
        return shown.out.strip() if code == 0 else shown.err

    for name in ("Ann", "Bob"):
        run("user", "create", f"{name.lower()}@example.org", "--name", name)
    org = run("org", "create", "Sundials", "--owner", "ann@example.org")
    run("member", "add", "bob@example.org", "--org", org)
    records = json.loads(run("user", "export", "BOB@example.org"))["records"]
    assert records["profile"][0]["email"] == "bob@example.org"
    assert records["memberships"][0]["organizationId"] == org
    assert "Sundials" in run("user", "delete", "ann@example.org", code=1)
    run("user", "delete", "bob@example.org")
    listed = run("user", "list")
    assert "bob" not in listed.lower()
    assert "Deleted user" in listed
    assert "no user" in run("user", "export", "bob@example.org", code=1)
    run("audit", "verify")
    run("user", "create", "bob@example.org", "--name", "Bob")
