"""`docyard login` and what works at a server afterwards; `docyard oauth-application` for operators."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest

from app.cli import main
from tests import make
from tests.cast import Cast, Person
from tests.cli.command import environment
from tests.cli.fork_server import Forked
from tests.factories.imports import tree
from tests.oauth.client import me
from tests.oauth.test_devices import answered
from tests.timing import TIMEOUT, until

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a person's configuration, in an environment that names no database."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("DOCYARD_DATABASE", raising=False)
    return tmp_path


def log_in(cast: Cast, person: Person, config: Path, decision: str = "allow") -> tuple[int | None, str]:
    """Return how `docyard login` ended when somebody entered its code and answered, and what it said."""
    out, err = config / "out", config / "err"
    err.touch()
    given = ["login", cast.instance.base]
    ran = Forked(
        "app.cli", given, environment=environment(XDG_CONFIG_HOME=str(config)), stdout=out, stderr=err
    )
    try:
        shown = re.compile(r"^[A-Z]{4}-[A-Z]{4}$", re.MULTILINE)
        (code,) = until(lambda: shown.findall(err.read_text()), "no code is shown")
        answered(person, code, decision)
        return ran.wait(TIMEOUT), err.read_text()
    finally:
        ran.kill()


@pytest.fixture
def logged_in(cast: Cast, config: Path) -> Path:
    """The file of the tokens after Cleo has logged in."""
    code, said = log_in(cast, cast.cleo, config)
    assert code == 0, said
    return config / "docyard" / "login.json"


def ran(capsys: Captured, *command: str) -> list[str]:
    """The lines that a command printed."""
    capsys.readouterr()
    assert main(command) == 0
    return capsys.readouterr().out.splitlines()


def test_commands_work_at_the_server(cast: Cast, logged_in: Path, tmp_path: Path, capsys: Captured) -> None:
    assert stat.S_IMODE(logged_in.stat().st_mode) == 0o600
    assert ran(capsys, "whoami") == [cast.cleo.email]
    assert any(line.startswith(cast.organization) for line in ran(capsys, "org", "list"))

    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "README.md").write_text("# Lighthouse\n\nIt shines.\n")
    (space,) = ran(capsys, "import", str(folder), "--org", cast.organization, "--title", "Lights")
    assert tree(cast.ada, space)
    listed = ran(capsys, "space", "list", "--org", cast.organization)
    assert any(space in line and "Lights" in line for line in listed)
    assert main(["export", str(tmp_path / "exported"), "--space", space]) == 0
    assert (tmp_path / "exported" / "README.md").read_text() == "# Lighthouse\n\nIt shines.\n"
    assert main(["export", str(tmp_path / "exported"), "--space", space]) == 1, "it is not empty"
    assert main(["import", str(folder), "--space", space, "--replace"]) == 1
    assert main(["token", "list", "--database", str(tmp_path / "own.db")]) == 0

    book = tmp_path / "book"
    for language in ("en", "de"):
        (book / language).mkdir(parents=True)
        (book / language / "README.md").write_text(f"# {language}\n\n[lost](lost.md)\n")
        (book / language / "SUMMARY.md").write_text("* [Home](README.md)\n")
    (book / "LANGS.md").write_text("* [English](en)\n* [Deutsch](de)\n")
    asked = ["import", str(book), "--org", cast.organization, "--site", "Lamp book"]
    said = json.loads("\n".join(ran(capsys, *asked, "--json")))
    assert [(space["language"], space["pages"]) for space in said["spaces"]] == [("en", 1), ("de", 1)]
    assert said["report"]["causes"][0]["places"] == ["en/README.md:3", "de/README.md:3"]
    assert cast.ada.get(f"/v1/orgs/{cast.organization}/sites/{said['site']}").json()["published"] is False
    assert main(asked) == 1
    assert "has this site already" in capsys.readouterr().err
    assert main([*asked[:-1], "Other book", "--publish"]) == 1, "an administrator publishes"
    assert "was created and is not published" in capsys.readouterr().err

    held = logged_in.read_text()
    access = re.findall(r"dco_[\w-]+", held)[0]
    logged_in.write_text(re.sub(r'"expires_at": [0-9.]+', '"expires_at": 0', held))
    assert ran(capsys, "whoami") == [cast.cleo.email]
    assert access not in logged_in.read_text(), "it was refreshed"

    access = re.findall(r"dco_[\w-]+", logged_in.read_text())[0]
    assert main(["logout"]) == 0
    assert not logged_in.exists()
    assert me(cast.instance, access).status_code == 401
    assert main(["whoami"]) == 1


def test_nobody_is_logged_in_who_refuses(cast: Cast, config: Path) -> None:
    code, said = log_in(cast, cast.ed, config, "deny")
    assert (code, "You are not logged in" in said) == (1, True)
    assert not (config / "docyard").exists()


@pytest.mark.parametrize(
    "url", ["http://docs.example.org", "docs.example.org", "ftp://x", "http://127.0.0.1:9"]
)
def test_an_unsafe_or_silent_server_is_refused(config: Path, url: str, capsys: Captured) -> None:
    assert main(["login", url]) == 1
    assert capsys.readouterr().err.startswith("docyard: ")


def test_operators_manage_applications(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("DOCYARD_DATABASE", fresh_database)
    assert main(["user", "create", "ann@example.org", "--name", "Ann"]) == 0
    create = ["oauth-application", "create", "Wick", "--owner", "ann@example.org", "--redirect"]
    new = [*create, "https://app.example.org/back", "--confidential"]
    made, secret = ran(capsys, *new)
    assert secret.startswith("dcc_")
    (renewed,) = ran(capsys, "oauth-application", "rotate-secret", made)
    assert renewed != secret
    assert any(made in line and "confidential" in line for line in ran(capsys, "oauth-application", "list"))
    assert main([*create, "http://x"]) == 1
    assert main(["oauth-application", "delete", "docyard-cli"]) == 1
    assert main(["oauth-application", "delete", made]) == 0
    assert not any(made in line for line in ran(capsys, "oauth-application", "list"))


def test_people_are_managed_at_the_server(cast: Cast, config: Path, capsys: Captured) -> None:
    assert log_in(cast, cast.ada, config)[0] == 0
    org = ("--org", cast.organization)
    (found,) = [line for line in ran(capsys, "member", "list", *org, "--role", "edit") if "@" in line]
    assert cast.ed.email in found
    for change, shown in (("disable", "disabled"), ("enable", "active")):
        assert main(["member", change, cast.ed.email, *org]) == 0
        assert any(shown in line for line in ran(capsys, "member", "list", *org, "--search", cast.ed.email))
    assert main(["member", "role", cast.ed.email, "comment", *org]) == 0
    assert any("comment" in line for line in ran(capsys, "member", "list", *org, "--search", cast.ed.email))
    (invite,) = ran(capsys, "member", "invite", f"new.{cast.ed.email}", *org)
    assert invite.startswith(f"/orgs/{cast.organization}/invites/")
    assert main(["member", "add", cast.sol.email, *org]) == 1
    assert main(["member", "remove", cast.sol.email, *org]) == 1, "Sol does not belong"

    (team,) = ran(capsys, "team", "create", "Keepers", *org)
    assert main(["team", "add", team, cast.tom.email, *org, "--owner"]) == 0
    members = cast.ada.get(f"/v1/orgs/{cast.organization}/teams/{team}/members").json()["items"]
    assert [(each["organization"]["id"], each["team"]["role"]) for each in members] == [
        (cast.tom.id, "owner")
    ]
    assert any("Keepers" in line for line in ran(capsys, "team", "list", *org))
    space = make.space(cast.ada, cast.organization)["id"]
    people = ("--user", cast.gus.email, "--team", team)
    assert main(["grant", "read", *org, "--space", space, *people]) == 0
    assert cast.gus.get(f"/v1/spaces/{space}").status_code == 200
    assert main(["team", "remove", team, cast.tom.email, *org]) == 0
    assert main(["member", "remove", cast.tom.email, *org]) == 0
    assert cast.tom.get(f"/v1/orgs/{cast.organization}").status_code == 404


def test_specifications_and_integrations_are_published_at_the_server(
    cast: Cast, config: Path, tmp_path: Path, capsys: Captured
) -> None:
    assert log_in(cast, cast.ada, config)[0] == 0
    org = ("--org", cast.organization)
    file = tmp_path / "pets.yaml"
    file.write_text("openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}\n")
    publish = ["openapi", "publish", str(file), *org, "--slug", "pets"]
    (version,) = ran(capsys, *publish)
    latest = cast.ada.get(f"/v1/orgs/{cast.organization}/openapi/pets/versions/latest").json()
    assert latest["id"] == version
    file.write_text("openapi: nothing")
    assert main(publish) == 1
    assert "was not published" in capsys.readouterr().err

    manifest = {"title": "Wick", "description": "Trims.", "scopes": [], "script": "wick.js"}
    (tmp_path / "integration.json").write_text(json.dumps(manifest))
    (tmp_path / "wick.js").write_text("export default { fetch: () => new Response() };")
    name = f"wick{cast.organization.lower()}"
    assert ran(capsys, "integration", "publish", str(tmp_path), *org, "--name", name) == [name]
    assert cast.ada.get(f"/v1/integrations/{name}").json()["title"] == "Wick"
