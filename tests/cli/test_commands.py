"""The commands that administrate an installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from tests.cli.command import docyard, serving


def test_the_first_steps_work_beside_a_running_server(empty_database: str, tmp_path: Path) -> None:
    with serving(database=empty_database, log=tmp_path / "log") as server:
        user = docyard("user", "create", "Ann@Example.org", "--name", "Ann", database=empty_database)
        assert user.returncode == 0
        assert len(user.stdout.strip()) == 20
        assert "docyard token create --user ann@example.org" in user.stderr
        made = docyard("org", "create", "Example", "--owner", "ann@example.org", database=empty_database)
        organization = made.stdout.strip()
        token = docyard(
            "token", "create", "--user", "ann@example.org", "--org", organization, "--read-only",
            "--expires", "3", "--name", "laptop", database=empty_database,
        ).stdout  # fmt: skip
        assert token.startswith("dcy_")
        assert token.count("\n") == 1
        assert server.get("/v1/spaces/unknown", token.strip()).status_code == 404

        listed = docyard("token", "list", database=empty_database).stdout.splitlines()
        assert len(listed) == 2
        assert all(fact in listed[1] for fact in ("ann@example.org", "laptop", organization))
        assert token.strip() not in listed[1]
        agent = docyard(
            "token", "create", "--user", "ann@example.org", "--agent", "--scope", "read", "--scope",
            "space:content:write", database=empty_database,
        ).stdout  # fmt: skip
        assert server.get("/v1/user", agent.strip()).status_code == 200
        shown = docyard("token", "list", database=empty_database).stdout.splitlines()[2]
        assert "agent" in shown
        assert "read, space:content:write" in shown
        revoked = docyard("token", "revoke", listed[1].split()[0], database=empty_database)
        assert (revoked.returncode, revoked.stdout) == (0, "")
        assert server.get("/v1/spaces/unknown", token.strip()).status_code == 401


@pytest.fixture
def furnished(
    empty_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """A database with Ann and Bob, and an organization of Ann's, whose id it returns."""
    monkeypatch.setenv("DOCYARD_DATABASE", empty_database)
    assert main(["user", "create", "ann@example.org", "--name", "Ann"]) == 0
    assert main(["user", "create", "bob@example.org", "--name", "Bob"]) == 0
    capsys.readouterr()
    assert main(["org", "create", "Example", "--owner", "ann@example.org"]) == 0
    return capsys.readouterr().out.strip()


def test_lists_show_what_was_made(furnished: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["user", "list"]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["id", "email", "name", "created"]
    assert [row.split()[1:3] for row in rows] == [["ann@example.org", "Ann"], ["bob@example.org", "Bob"]]
    assert main(["org", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == [furnished, "Example", "1"]


REFUSED = [
    (["user", "create", "ann@example.org", "--name", "Ann"], "docyard user list"),
    (["user", "create", "nobody", "--name", "Ann"], "is not an e-mail address"),
    (["user", "create", "new@example.org", "--name", " "], "A name has"),
    (["org", "create", "Other", "--owner", "eve@example.org"], "docyard user create eve@example.org"),
    (["org", "create", "O", "--owner", "ann@example.org"], "title"),
    (["token", "create", "--user", "eve@example.org"], "docyard user create eve@example.org"),
    (["token", "create", "--user", "ann@example.org", "--org", "unknown"], "docyard org list"),
    (["token", "create", "--user", "bob@example.org", "--org", "ORGANIZATION"], "docyard org list"),
    (["token", "create", "--user", "ann@example.org", "--space", "unknown"], "the last part of its URL"),
    (["token", "revoke", "unknown"], "docyard token list"),
]


def test_a_refusal_is_one_sentence_with_a_next_step(
    furnished: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, advice in REFUSED:
        code = main([furnished if word == "ORGANIZATION" else word for word in arguments])
        shown = capsys.readouterr()
        assert (code, shown.out) == (1, ""), arguments
        assert advice in shown.err
        assert shown.err.startswith("docyard: ")
        assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["dance"],
        ["user", "create"],
        ["token", "create", "--user", "ann@example.org", "--expires", "0"],
        ["token", "create", "--user", "ann@example.org", "--expires", "9999999999999"],
        ["serve", "--port", "65536"],
        ["user", "create", "\udcff", "--name", "Ann"],
    ],
)
def test_a_wrong_call_ends_with_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "address", ["FOLDER/none/docyard.db", "FOLDER", "FOLDER/text", "postgresql://ann:pass@127.0.0.1:1/x"]
)
def test_what_is_no_database_is_refused(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("This is a letter, and a long one, but not a database." * 10)
    assert main(["migrate", "--database", address.replace("FOLDER", str(tmp_path))]) == 1
    shown = capsys.readouterr().err
    assert "cannot be used as the database" in shown
    assert shown.count("\n") == 1
    assert "pass@" not in shown


def test_settings_show_every_variable_and_no_secret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.kit.settings import Settings

    monkeypatch.setenv("DOCYARD_SECRET", "open sesame")
    monkeypatch.setenv("DOCYARD_DEMO_TOKEN", "open-sesame-please")
    monkeypatch.setenv("DOCYARD_BASE_URL", "https://docs.example.org")
    assert main(["settings", "--database", "postgresql://ann:sesame@db.example.org/docs"]) == 0
    shown = capsys.readouterr().out
    assert "sesame" not in shown
    assert "postgresql://ann:***@db.example.org/docs" in shown
    assert "https://docs.example.org" in shown
    lines = shown.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [f"DOCYARD_{n.upper()}" for n in Settings.model_fields]
    assert all(len(line.split()) > 2 for line in lines)


def test_a_wrong_setting_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCYARD_BODY_LIMIT", "sesame")
    assert main(["user", "list"]) == 1
    shown = capsys.readouterr().err
    assert "DOCYARD_BODY_LIMIT" in shown
    assert "sesame" not in shown
    monkeypatch.setenv("DOCYARD_BODY_LIMIT", "1000")
    monkeypatch.setenv("DOCYARD_BASE_URL", "docs.example.org")
    assert main(["user", "list"]) == 1
    assert capsys.readouterr().err.startswith("docyard: DOCYARD_BASE_URL: must begin with http:// or")


def test_the_version_and_the_help_need_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip()
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("serve", "settings", "user", "org", "token", "migrate"))
    assert list(tmp_path.iterdir()) == []
