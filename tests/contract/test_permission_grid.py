"""The truth of `permissions`: every right of every kind of object, for everybody in it.

Members of each role, guests who were granted something, owners of teams and who created the object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest

from app.access.rights import READ_PUBLISHED, TABLES
from app.kit.ids import new_id
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants, sites
from tests.factories.integrations import PublishedIntegration

Attempt = Callable[[Person], httpx.Response]
ROLES = ["admin", "create", "review", "edit", "comment", "read", "guest"]


def _page(title: str) -> dict[str, Any]:
    return {"operation": "insert_page", "title": title, "document": {"markdown": "Words.\n"}}


class Grid:
    """An object, and for each of its rights a call that takes it."""

    kind: str
    path: str

    def __init__(self, cast: Cast, by: Person | None = None) -> None:
        self.cast, self.by = cast, by or cast.ada
        self.organization = f"/v1/orgs/{cast.organization}"
        self.begin()

    def begin(self) -> None:
        """Make the object, as somebody who may."""

    def attempts(self) -> Mapping[str, Attempt]:
        """The call that each right opens; what ends the object comes last."""
        raise NotImplementedError

    def happened(self, right: str, answer: httpx.Response) -> bool:
        """Tell whether a call did what the right says; then it is as if it had not."""
        return answer.status_code < 300

    def check(self, person: Person) -> None:
        """Compare what is stated with what happens."""
        seen = person.get(self.path)
        stated = seen.json().get("permissions", {}) if seen.status_code == 200 else {}
        attempts = self.attempts()
        assert attempts.keys() == TABLES[self.kind].keys() - {READ_PUBLISHED}  # which is stated nowhere
        assert not stated or stated.keys() <= attempts.keys()
        for right, attempt in attempts.items():
            answer = attempt(person)
            said = (right, stated.get(right), answer.status_code, answer.text)
            assert answer.status_code not in (400, 422) or not stated, said
            assert stated.get(right, False) == self.happened(right, answer), said

    def link(self, what: str, id_: str) -> str:
        """A link that invites to an object."""
        collections.patched(self.cast.ada, self.organization, {"inviteLinks": True})
        answer = self.cast.ada.post(f"{self.organization}/link-invites", {"level": "read", what: id_})
        assert answer.status_code == 201, answer.text
        return f"{self.organization}/link-invites/{answer.json()['id']}"


class Installing(Grid):
    """An object on which an integration may be installed."""

    def begin(self) -> None:
        self.integration = PublishedIntegration(self.cast)
        self.installed = self.integration.install()

    def install(self, places: str, body: dict[str, str]) -> Attempt:
        """The call that puts the installation on an object."""
        path = f"{self.integration.path}/installations/{self.installed}/{places}"
        return lambda p: p.post(path, body)


class SpaceGrid(Installing):
    """A space; its calls may be repeated, but for the one that deletes it."""

    kind = "space"

    def begin(self) -> None:
        super().begin()
        self.space = make.space(self.by, self.cast.organization)["id"]
        self.path = f"/v1/spaces/{self.space}"

    def attempts(self) -> dict[str, Attempt]:
        name = new_id()
        request = make.change_request(self.cast.ed, self.space)["id"]
        make.changes(self.cast.ed, self.space, _page(f"In request {name}"), request=request)
        of_request, link = f"{self.path}/change-requests/{request}", self.link("space", self.space)
        url = "https://git.invalid/lamps.git"
        return {
            "view": lambda p: p.get(self.path),
            "access": lambda p: p.get(f"{self.path}/content"),
            "comment": lambda p: p.post(f"{self.path}/comments", {"body": {"markdown": "Fine."}}),
            "edit": lambda p: p.post(f"{self.path}/content", {"changes": [_page(f"Page {name}")]}),
            "triggerGitSync": lambda p: p.post(f"{self.path}/git/import", {"url": url, "ref": "main"}),
            "review": lambda p: p.post(f"{of_request}/reviews", {"status": "approved"}),
            "merge": lambda p: p.post(f"{of_request}/merge"),
            "admin": lambda p: p.patch(self.path, {"defaultLevel": "inherit"}),
            "viewInviteLinks": lambda p: p.get(link),
            "installIntegration": self.install("spaces", {"space": self.space}),
            "restore": lambda p: p.post(f"{self.path}/restore"),
            "delete": lambda p: p.delete(self.path),
        }

    def happened(self, right: str, answer: httpx.Response) -> bool:
        done = super().happened(right, answer)
        if right == "triggerGitSync" and answer.status_code == 409 and "sync" in answer.text:
            return True  # one runs already
        if done and right == "installIntegration":
            here = f"{self.integration.path}/installations/{self.installed}/spaces/{self.space}"
            assert self.cast.ada.delete(here).status_code == 205
        if done and right == "delete":
            assert self.cast.ada.post(f"{self.path}/restore").status_code == 200
        return done


class CollectionGrid(Grid):
    """A collection."""

    kind = "collection"

    def begin(self) -> None:
        self.id = collections.collection(self.by, self.cast.organization)["id"]
        self.path = f"/v1/collections/{self.id}"

    def attempts(self) -> dict[str, Attempt]:
        link = self.link("collection", self.id)
        inside = {"title": "Inside", "parent": self.id}
        return {
            "view": lambda p: p.get(self.path),
            "create": lambda p: p.post(f"{self.organization}/spaces", inside),
            "edit": lambda p: p.patch(self.path, {"title": "Renamed"}),
            "admin": lambda p: p.patch(self.path, {"defaultLevel": "inherit"}),
            "viewInviteLinks": lambda p: p.get(link),
            "delete": lambda p: p.delete(self.path),
        }


class SiteGrid(Installing):
    """A site."""

    kind = "site"

    def begin(self) -> None:
        super().begin()
        self.id = sites.site(self.by, self.cast.organization, title="Manual")["id"]
        self.path = sites.base(self.cast, self.id)

    def attempts(self) -> dict[str, Attempt]:
        schema = {"jsonSchema": self.cast.ada.get(f"{self.path}/adaptive-schema").json()["jsonSchema"]}
        link = {"title": "Elsewhere", "url": "https://example.org/"}
        return {
            "view": lambda p: p.get(self.path),
            "access": lambda p: p.get(f"{self.path}/structure"),
            "viewAdaptiveSchema": lambda p: p.get(f"{self.path}/adaptive-schema"),
            "edit": lambda p: p.patch(self.path, {"title": "Guide"}),
            "create": lambda p: p.post(f"{self.path}/external-links", link),
            "editAdaptiveSchema": lambda p: p.put(f"{self.path}/adaptive-schema", schema),
            "admin": lambda p: p.patch(self.path, {"visibility": "unlisted"}),
            "installIntegration": self.install("sites", {"siteId": self.id}),
            "delete": lambda p: p.delete(self.path),
        }


class OrganizationGrid(Grid):
    """The organization of the cast."""

    kind = "organization"

    def begin(self) -> None:
        self.path = self.organization
        self.integration = PublishedIntegration(self.cast)

    def attempts(self) -> dict[str, Attempt]:
        here, name = self.organization, new_id()
        of_integration = f"{self.integration.path}/installations"
        spec = {"slug": f"lamps-{name.lower()}", "source": {"text": '{"openapi": "3.1.0"}'}}
        return {
            "view": lambda p: p.get(here),
            "access": lambda p: p.get(f"{here}/spaces"),
            "admin": lambda p: p.patch(here, {"title": "Acme"}),
            "ownTeam": lambda p: p.put(f"{here}/teams", {"title": f"Team {name}"}),
            "createContent": lambda p: p.post(f"{here}/spaces", {"title": "New"}),
            "createOpenAPISpec": lambda p: p.post(f"{here}/openapi", spec),
            "listMembers": lambda p: p.get(f"{here}/members"),
            "listTeams": lambda p: p.get(f"{here}/teams"),
            "listIntegrations": lambda p: p.get(f"{here}/integrations"),
            "listInstallations": lambda p: p.get(f"{here}/installations"),
            "installIntegration": lambda p: p.post(of_integration, {"organization": self.cast.organization}),
            "delete": self._delete,
            "restore": lambda p: p.post(f"{here}/restore"),
        }

    def _delete(self, person: Person) -> httpx.Response:
        """Have somebody delete the organization, and restore it."""
        title = self.cast.ada.get(self.organization).json()["title"]
        answer = person.post(f"{self.organization}/delete", {"title": title})
        if answer.status_code == 200:
            assert self.cast.ada.post(f"{self.organization}/restore").status_code == 200
        return answer


class TeamGrid(Grid):
    """A team."""

    kind = "team"

    def begin(self) -> None:
        self.team = grants.team(self.cast.ada, self.cast.organization, members=[self.cast.ria])
        self.path = f"{self.organization}/teams/{self.team}"

    def attempts(self) -> dict[str, Attempt]:
        member = f"{self.path}/members/{self.cast.ed.id}"
        return {
            "view": lambda p: p.get(f"{self.path}/members"),
            "admin": lambda p: p.put(member, {"role": "member"}),
        }


OF_CONTENT: list[type[Grid]] = [SpaceGrid, CollectionGrid, SiteGrid]
ALL: list[type[Grid]] = [*OF_CONTENT, OrganizationGrid, TeamGrid]


@pytest.mark.parametrize("grid", ALL)
def test_what_is_stated_is_what_happens_for_every_role(cast: Cast, grid: type[Grid]) -> None:
    for role in ROLES:
        grid(cast).check(cast.members[role])
    grid(cast).check(cast.sol)


def test_what_is_stated_of_a_locked_space_is_what_happens(cast: Cast) -> None:
    grid = SpaceGrid(cast)
    assert cast.ada.patch(grid.path, {"editMode": "locked"}).status_code == 200
    for role in ROLES:
        grid.check(cast.members[role])


@pytest.mark.parametrize("grid", OF_CONTENT)
def test_it_is_for_who_created_it(cast: Cast, grid: type[Grid]) -> None:
    grid(cast, by=cast.cleo).check(cast.cleo)


@pytest.mark.parametrize("grid", OF_CONTENT)
def test_it_is_for_guests_and_members_who_were_granted_something(cast: Cast, grid: type[Grid]) -> None:
    for granted in ("admin", "create", "review", "comment", "read"):
        for person in (cast.gus, cast.ria):
            made = grid(cast)
            grants.grant(cast.ada, made.path, granted, users=[person])
            made.check(person)


@pytest.mark.parametrize("grid", [*OF_CONTENT, OrganizationGrid])
def test_it_is_for_who_owns_a_team(cast: Cast, grid: type[Grid]) -> None:
    for granted in ("admin", "comment"):
        made, of_team = grid(cast), TeamGrid(cast)
        owner = f"{of_team.path}/members/{cast.ria.id}"
        assert cast.ada.put(owner, {"role": "owner"}).status_code == 204
        if grid is not OrganizationGrid:
            grants.grant(cast.ada, made.path, granted, teams=[of_team.team])
        made.check(cast.ria)
        of_team.check(cast.ria)
        assert cast.ria.put(f"{of_team.path}/members/{cast.gus.id}", {"role": "member"}).status_code == 204
        of_team.check(cast.gus)
        if grid is not OrganizationGrid:
            another = grid(cast)
            grants.grant(cast.ada, another.path, granted, teams=[of_team.team])
            another.check(cast.gus)
