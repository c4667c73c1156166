"""What `permissions` state is what happens: every right of a space, for members, guests and team owners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests import make, rights
from tests.cast import Cast, Person
from tests.integrated import Integrated

Attempt = Callable[[Person], httpx.Response]
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def _page(title: str) -> dict[str, Any]:
    return {"operation": "insert_page", "title": title, "document": {"markdown": "Words.\n"}}


class Grid:
    """A space, and for each of its rights a call that takes it and that may be repeated."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.space = make.space(cast.ada, cast.organization)["id"]
        self.path = f"/v1/spaces/{self.space}"
        self.integration = Integrated(cast)
        self.installed = self.integration.install()
        self._number = 0

    def attempts(self) -> dict[str, Attempt]:
        """The call that each right opens."""
        self._number += 1
        number = self._number
        request = make.change_request(self.cast.ed, self.space)["id"]
        make.changes(self.cast.ed, self.space, _page(f"In request {number}"), request=request)
        of_request = f"{self.path}/change-requests/{request}"
        placements = f"{self.integration.path}/installations/{self.installed}/spaces"
        url = "https://git.invalid/lamps.git"
        return {
            "view": lambda p: p.get(self.path),
            "access": lambda p: p.get(f"{self.path}/content"),
            "comment": lambda p: p.post(f"{self.path}/comments", {"body": {"markdown": "Fine."}}),
            "edit": lambda p: p.post(f"{self.path}/content", {"changes": [_page(f"Page {number}")]}),
            "triggerGitSync": lambda p: p.post(f"{self.path}/git/import", {"url": url, "ref": "main"}),
            "review": lambda p: p.post(f"{of_request}/reviews", {"status": "approved"}),
            "merge": lambda p: p.post(f"{of_request}/merge"),
            "admin": lambda p: p.patch(self.path, {"defaultLevel": "inherit"}),
            "installIntegration": lambda p: p.post(placements, {"space": self.space}),
            "restore": lambda p: p.post(f"{self.path}/restore"),
        }

    def check(self, person: Person) -> None:
        """Compare what is stated with what happens."""
        seen = person.get(self.path)
        stated = seen.json().get("permissions", {}) if seen.status_code == 200 else {}
        for right, attempt in self.attempts().items():
            answer = attempt(person)
            happened = answer.status_code < 300
            if right == "triggerGitSync" and answer.status_code == 409 and "sync" in answer.text:
                happened = True  # one runs already
            if happened and right == "installIntegration":
                here = f"{self.integration.path}/installations/{self.installed}/spaces/{self.space}"
                assert self.cast.ada.delete(here).status_code == 205
            assert stated.get(right, False) == happened, (right, stated.get(right), answer.text)


@on_sqlite
@pytest.mark.parametrize("role", ["admin", "create", "review", "edit", "comment", "read", "guest"])
def test_what_is_stated_of_a_space_is_what_happens(cast: Cast, role: str) -> None:
    grid = Grid(cast)
    grid.check(cast.members[role])
    assert cast.ada.patch(grid.path, {"editMode": "locked"}).status_code == 200
    grid.check(cast.members[role])


@on_sqlite
@pytest.mark.parametrize("granted", ["admin", "review", "comment"])
def test_it_is_for_guests_and_for_who_owns_a_team(cast: Cast, granted: str) -> None:
    grid = Grid(cast)
    rights.grant(cast.ada, grid.path, granted, users=[cast.gus])
    grid.check(cast.gus)
    team = rights.team(cast.ada, cast.organization, members=[cast.ria])
    owner = f"/v1/orgs/{cast.organization}/teams/{team}/members/{cast.ria.id}"
    assert cast.ada.put(owner, {"role": "owner"}).status_code == 204
    rights.grant(cast.ada, grid.path, granted, teams=[team])
    grid.check(cast.ria)
    assert cast.ria.get(owner.rpartition("/members")[0]).json()["permissions"]["admin"]
    guest = f"/v1/orgs/{cast.organization}/teams/{team}/members/{cast.gus.id}"
    assert cast.ria.put(guest, {"role": "member"}).status_code == 204
    assert cast.gus.get(owner.rpartition("/members")[0]).status_code in (403, 404)
