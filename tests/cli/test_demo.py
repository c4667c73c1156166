"""`docyard serve --demo`: something to look at, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.kit.settings import Settings
from tests.cli.command import Serving, docyard, serving

PRESET = "not-a-secret-at-all"
ROLES = {
    "admin": "Ada",
    "create": "Cleo",
    "review": "Rhea",
    "edit": "Edda",
    "comment": "Tomas",
    "read": "Ria",
}


def test_the_demo_has_somebody_in_every_role_and_is_made_once(empty_database: str, tmp_path: Path) -> None:
    with serving(
        "--demo", database=empty_database, log=tmp_path / "log", DOCYARD_DEMO_TOKEN=PRESET
    ) as server:
        first_space = server.first_space.removeprefix(server.address)
        assert server.token("admin") == PRESET
        for role in ROLES:
            space = server.get(first_space, server.token(role))
            assert space.status_code == 200, role
            assert space.json()["permissions"]["admin"] is (role == "admin")
            assert space.json()["permissions"]["edit"] is (role not in ("comment", "read"))
        guest = server.get(first_space, server.token("guest"))  # the space is published for everybody
        assert guest.json()["permissions"]["comment"] is False
        assert server.get(first_space, PRESET).json()["urls"]["location"] == server.address + first_space
        pages = server.get(f"{first_space}/content/pages", server.token("read")).text
        assert all(f'"{title}"' in pages for title in ("Quick start", "Backup and restore", "Glossary"))
        assert_something_to_review(server, first_space)
        assert_something_to_discuss(server, first_space)
        assert server.end() == 0
    assert PRESET not in server.log.read_text()

    with serving("--demo", database=empty_database, log=tmp_path / "log") as server:
        assert "The demo exists already" in server.printed
        assert "docyard token create --user ada@example.com --database " in server.printed
        assert server.get(first_space, PRESET).status_code == 200
        assert server.end() == 0
    listed = docyard("user", "list", database=empty_database).stdout.splitlines()[1:]
    assert len(listed) == len(ROLES) + 1
    assert all("@example.com" in line for line in listed)


def assert_something_to_discuss(server: Serving, first_space: str) -> None:
    """Two comments on a page, one resolved; on a change request a review's, and one that names its author."""
    token = server.token("read")
    open_, resolved = server.get(f"{first_space}/comments", token).json()["items"]
    assert [(each["status"], each["replies"]) for each in (open_, resolved)] == [("open", 1), ("resolved", 1)]
    assert resolved["target"]["node"]["preview"]
    assert not resolved["target"]["page"]["outdated"]
    found = server.get(f"{first_space}/change-requests/1/comments", token).json()["items"]
    (said,) = [each for each in found if "review" not in each["target"]]
    assert len(found) == 2
    assert [person["displayName"] for person in said["mentions"]] == ["Edda Holm"]


def assert_something_to_review(server: Serving, first_space: str) -> None:
    """One change request waits for a second reviewer, another is a draft; both would merge as they are."""
    token = server.token("review")
    address = f"{first_space}/change-requests"
    draft, opened = server.get(f"{address}?status=open&status=draft", token).json()["items"]
    assert [(each["status"], each["outdated"]) for each in (draft, opened)] == [
        ("draft", False),
        ("open", False),
    ]
    moved = server.get(f"{address}/{draft['number']}/changes", token).json()["changes"]
    assert {"page_moved", "page_edited"} <= {change["type"] for change in moved}
    written = server.get(f"{address}/{opened['number']}/changes", token).json()["changes"]
    assert {change["page"]["title"]: change["type"] for change in written} == {
        "Common questions": "page_created",
        "Quick start": "page_edited",
    }
    links = server.get(f"{address}/{opened['number']}/content/page/{written[0]['page']['id']}/links", token)
    assert links.json()["stats"]["broken"]["total"] == 0
    (review,) = server.get(f"{address}/{opened['number']}/reviews", token).json()["items"]
    assert (review["reviewer"]["displayName"], review["status"]) == ("Rhea Menon", "changes-requested")
    (asked,) = server.get(f"{address}/{opened['number']}/requested-reviewers", token).json()["items"]
    assert asked["displayName"] == "Cleo Brandt"


def test_the_demo_leaves_a_database_in_use_alone(empty_database: str) -> None:
    assert (
        docyard("user", "create", "ann@example.org", "--name", "Ann", database=empty_database).returncode == 0
    )
    refused = docyard("serve", "--demo", "--port", "0", database=empty_database)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "only fills an empty one" in refused.stderr
    assert len(docyard("user", "list", database=empty_database).stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "token", ["short", "has spaces in the middle", "ünicode-is-no-header", "line\nbreak-in-the-token"]
)
def test_a_preset_token_that_is_weak_or_cannot_be_sent_is_refused(token: str) -> None:
    from app.demo.cast import refuse_weak
    from app.kit.errors import Invalid

    with pytest.raises(Invalid, match="16 printable"):
        refuse_weak(token)
    refuse_weak(Settings(demo_token=PRESET).demo_token)
