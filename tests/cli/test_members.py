"""`docyard member`, for whoever runs the installation."""

from __future__ import annotations

import asyncio

import pytest

from app.access.context import Context
from app.cli import main
from app.cli.session import change
from app.models.organizations import Member


@pytest.fixture
def org(fresh_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """An organization of Ann's; Bob has an account and does not belong to it."""
    monkeypatch.setenv("DOCYARD_DATABASE", fresh_database)
    for name in ("Ann", "Bob"):
        assert main(["user", "create", f"{name.lower()}@example.org", "--name", name]) == 0
    capsys.readouterr()
    assert main(["org", "create", "Example", "--owner", "ann@example.org"]) == 0
    return capsys.readouterr().out.strip()


def members(org: str, capsys: pytest.CaptureFixture[str], *options: str) -> list[list[str]]:
    capsys.readouterr()
    assert main(["member", "list", "--org", org, *options]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["email", "name", "role", "state", "joined"]
    return [row.split()[:4] for row in rows]


def test_members_come_change_and_go(org: str, capsys: pytest.CaptureFixture[str]) -> None:
    ann = ["ann@example.org", "Ann", "admin", "active"]
    assert members(org, capsys) == [ann]
    assert main(["member", "add", "BOB@example.org", "--org", org]) == 0
    assert members(org, capsys) == [ann, ["bob@example.org", "Bob", "read", "active"]]
    for command, state in (
        (["role", "bob@example.org", "guest"], ["guest", "active"]),
        (["role", "bob@example.org", "review"], ["review", "active"]),
        (["disable", "bob@example.org"], ["review", "disabled"]),
        (["enable", "bob@example.org"], ["review", "active"]),
    ):
        assert main(["member", *command, "--org", org]) == 0
        assert members(org, capsys, "--search", "BOB") == [["bob@example.org", "Bob", *state]]
    assert members(org, capsys, "--role", "admin") == [ann]
    assert main(["member", "remove", "bob@example.org", "--org", org]) == 0
    assert members(org, capsys) == [ann]


def test_a_name_is_no_command_to_the_terminal(org: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = "Eve\x1b]0;Ann\x07\x1b[2J\nann@example.org  Ann\u202e"
    assert main(["user", "create", "eve@example.org", "--name", name]) == 0
    assert main(["member", "add", "eve@example.org", "--org", org]) == 0
    capsys.readouterr()
    for command in (["user", "list"], ["member", "list", "--org", org]):
        assert main(command) == 0
        printed = capsys.readouterr().out
        assert not {"\x1b", "\x07", "\u202e"} & set(printed)
        assert [line for line in printed.splitlines() if line.startswith("ann@")][1:] == []
        assert sum("eve@example.org" in line for line in printed.splitlines()) == 1


def test_an_invite_is_an_address_to_send(org: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["member", "invite", "bob@example.org", "--org", org, "--role", "edit"]) == 0
    first = capsys.readouterr().out
    assert first.startswith(f"/orgs/{org}/invites/")
    assert main(["member", "invite", "bob@example.org", "--org", org]) == 0
    assert capsys.readouterr().out == first


REFUSED = [
    (["role", "ann@example.org", "read"], "last administrator"),
    (["disable", "ann@example.org"], "last administrator"),
    (["remove", "ann@example.org"], "last administrator"),
    (["remove", "bob@example.org"], "docyard member list"),
    (["remove", "eve@example.org"], "There is no user eve@example.org"),
    (["add", "ann@example.org"], "docyard member list"),
    (["add", "eve@example.org"], "docyard user create eve@example.org"),
    (["invite", "ann@example.org"], "docyard member list"),
    (["invite", "nobody"], "not an e-mail address"),
]


def test_a_refusal_is_a_sentence(org: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in REFUSED:
        assert main(["member", *arguments, "--org", org]) == 1, arguments
        assert words in capsys.readouterr().err
    for arguments in (["list"], ["disable", "ann@example.org"], ["invite", "x@example.org"]):
        assert main(["member", *arguments, "--org", "unknown"]) == 1
        assert "docyard org list" in capsys.readouterr().err


def test_who_is_shut_out_is_shown_as_that_however_they_sign_in(
    org: str, fresh_database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async def tied(cx: Context) -> None:
        await cx.tx.put(Member, {"sso": True}, organization_id=org, role="read")

    assert main(["member", "add", "bob@example.org", "--org", org]) == 0
    asyncio.run(change(fresh_database, tied))
    rows = members(org, capsys, "--search", "bob")
    assert rows == [["bob@example.org", "Bob", "read", "single"]], "single sign-on"
    assert main(["member", "disable", "bob@example.org", "--org", org]) == 0
    assert members(org, capsys, "--search", "bob") == [["bob@example.org", "Bob", "read", "disabled"]]
