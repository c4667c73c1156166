"""`docyard team` and `docyard grant`, for whoever runs the installation."""

from __future__ import annotations

import asyncio

import pytest

from app.cli import main
from app.cli.session import acting_in, change
from app.domain.spaces import spaces
from app.models.spaces import SpaceCreate


@pytest.fixture
def org(fresh_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """An organization of Ann's, to which Bob belongs."""
    monkeypatch.setenv("DOCYARD_DATABASE", fresh_database)
    for name in ("Ann", "Bob"):
        assert main(["user", "create", f"{name.lower()}@example.org", "--name", name]) == 0
    capsys.readouterr()
    assert main(["org", "create", "Example", "--owner", "ann@example.org"]) == 0
    organization = capsys.readouterr().out.strip()
    assert main(["member", "add", "bob@example.org", "--org", organization]) == 0
    return organization


def made(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    capsys.readouterr()
    assert main(list(command)) == 0
    return capsys.readouterr().out.strip()


def teams(capsys: pytest.CaptureFixture[str], org: str) -> list[list[str]]:
    heading, *rows = made(capsys, "team", "list", "--org", org).splitlines()
    assert heading.split() == ["id", "title", "members", "spaces"]
    return [row.split()[1:] for row in rows]


def test_a_team_is_made_filled_granted_something_and_emptied(
    org: str, capsys: pytest.CaptureFixture[str]
) -> None:
    team = made(capsys, "team", "create", "Keepers", "--org", org)
    assert teams(capsys, org) == [["Keepers", "0", "0"]]
    people = ["ann@example.org", "Bob@example.org"]
    assert main(["team", "add", team, *people, "new@example.org", "--org", org]) == 0
    assert main(["team", "add", team, "ann@example.org", "--owner", "--org", org]) == 0
    assert teams(capsys, org) == [["Keepers", "2", "0"]]
    shelf = _space(org)
    assert main(["grant", "edit", "--space", shelf, "--team", team, "--user", people[1], "--org", org]) == 0
    assert teams(capsys, org) == [["Keepers", "2", "1"]]
    assert main(["team", "remove", team, *people, "--org", org]) == 0
    assert teams(capsys, org) == [["Keepers", "0", "1"]]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["team", "add", "nothing", "ann@example.org"], "There is no such team."),
        (["team", "list"], None),
        (["grant", "edit", "--user", "bob@example.org"], "Give either --space or --collection."),
        (["grant", "edit", "--space", "x"], "Give people with --user, or teams with --team."),
        (["grant", "edit", "--space", "x", "--user", "bob@example.org"], "There is no such space."),
        (["grant", "edit", "--collection", "x", "--team", "y"], "There is no such collection."),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    org: str, capsys: pytest.CaptureFixture[str], command: list[str], sentence: str | None
) -> None:
    capsys.readouterr()
    code = main([*command, "--org", org if sentence else "nowhere"])
    assert code == 1
    assert (sentence or "There is no such organization.") in capsys.readouterr().err


def _space(org: str) -> str:
    async def make() -> str:
        return (await change(None, lambda cx: spaces.create(acting_in(cx, org), org, SpaceCreate()))).id

    return asyncio.run(make())
