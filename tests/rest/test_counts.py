"""Numbers count what the caller may see, and nothing besides: of members, teams, sites and installations.

Three spaces: `Open` is for members, `Lent` for whom it was granted to, `Hidden` for administrators and the
team. Everything that is counted here has all three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, comments, grants, sites
from tests.factories.integrations import PublishedIntegration


@dataclass
class Counted:
    """What is counted, by ids; Rhea and Tom are in the team, Gus was granted the space that is lent."""

    cast: Cast
    spaces: dict[str, str]
    team: str
    site: str
    integration: str
    installation: str

    def read(self, person: Person, path: str) -> Any:
        """Return the count that somebody reads there, or the status with which they are refused."""
        answer = person.get(path)
        return answer.json() if answer.status_code == 200 else answer.status_code

    def number(self, person: Person, path: str, name: str) -> Any:
        """The number of this name that somebody reads there, or the status with which they are refused."""
        found = self.read(person, f"/v1/{path}")
        return found[name] if isinstance(found, dict) else found

    def asked(self, person: Person, field: str, shown: str) -> Any:
        """Return what somebody reads of an organization's field in GraphQL; None where that is refused."""
        query = f"query ($id: ID!) {{ organization(id: $id) {{ found: {field} {{ {shown} }} }} }}"
        organization = person.gql(query, id=self.cast.organization)["data"]["organization"]
        return organization and organization["found"]


@pytest.fixture
def counted(cast: Cast) -> Counted:
    spaces = {}
    for title, level in (("Open", "inherit"), ("Lent", None), ("Hidden", None)):
        spaces[title] = make.space(cast.ada, cast.organization, title=title)["id"]
        collections.patched(cast.ada, f"/v1/spaces/{spaces[title]}", {"defaultLevel": level})
    team = grants.team(cast.ada, cast.organization, members=[cast.rhea, cast.tom])
    site = sites.site(cast.ada, cast.organization, spaces=list(spaces.values()))["id"]
    integration = PublishedIntegration(cast)
    installation = integration.install()
    for space in spaces.values():
        grants.grant(cast.ada, f"/v1/spaces/{space}", "comment", teams=[team])
        integration.on_space(installation, space)
    for place in (f"/v1/spaces/{spaces['Lent']}", sites.base(cast, site)):
        grants.grant(cast.ada, place, "read", users=[cast.gus])
    comments.comment(cast.rhea, spaces["Lent"])
    return Counted(cast, spaces, team, site, integration.name, installation)


def test_spaces_of_a_member_are_those_that_both_see(counted: Counted) -> None:
    cast = counted.cast
    path = f"orgs/{cast.organization}/members/{cast.rhea.id}"
    seen = {"ada": 3, "rhea": 3, "tom": 3, "ed": 1, "ria": 1, "gus": 403, "sol": 404}
    for name, number in seen.items():
        person = getattr(cast, name)
        assert counted.number(person, path, "spaces") == number, name
        listed = counted.asked(person, f'member(id: "{cast.rhea.id}")', "spaces { totalCount }")
        assert listed == ({"spaces": {"totalCount": number}} if number < 400 else None), name
    assert counted.number(cast.gus, f"orgs/{cast.organization}/members/{cast.gus.id}", "spaces") == 1
    assert counted.number(cast.ria, f"orgs/{cast.organization}/members/{cast.gus.id}", "spaces") == 0


def test_lists_of_members_count_what_the_caller_sees(counted: Counted) -> None:
    cast = counted.cast
    team = f"/v1/orgs/{cast.organization}/teams/{counted.team}/members"
    everybody = f"/v1/orgs/{cast.organization}/members"
    for name, number in {"ada": 3, "tom": 3, "ria": 1}.items():
        person = getattr(cast, name)
        listed = {item["id"]: item["spaces"] for item in grants.items(person, everybody)}
        in_team = {
            item["organization"]["id"]: item["organization"]["spaces"] for item in grants.items(person, team)
        }
        assert listed[cast.rhea.id] == in_team[cast.rhea.id] == number, name
        assert listed[cast.ada.id] == number, name


def test_guests_learn_of_commenters_no_more_than_they_see(counted: Counted) -> None:
    cast = counted.cast
    for name, numbers in {"ada": (3, 1), "tom": (3, 1), "gus": (1, 0)}.items():
        (said,) = grants.items(getattr(cast, name), f"/v1/spaces/{counted.spaces['Lent']}/commenters")
        assert (said["id"], said["spaces"], said["teams"]) == (cast.rhea.id, *numbers), name


def test_who_is_in_a_team_knows_how_many_they_are_in(counted: Counted) -> None:
    cast = counted.cast
    grants.team(cast.ada, cast.organization, "Visitors", [cast.gus])
    path = f"orgs/{cast.organization}/members/{cast.gus.id}"
    for name in ("ada", "ria", "gus"):
        assert counted.number(getattr(cast, name), path, "teams") == 1, name


def test_spaces_of_a_team_are_those_that_the_caller_sees(counted: Counted) -> None:
    cast = counted.cast
    path = f"orgs/{cast.organization}/teams/{counted.team}"
    seen = {"ada": 3, "rhea": 3, "ed": 1, "ria": 1, "gus": 403, "sol": 404}
    for name, number in seen.items():
        person = getattr(cast, name)
        assert counted.number(person, path, "spaces") == number, name
        team = counted.asked(person, f'team(id: "{counted.team}")', "spaces { totalCount }")
        assert team == ({"spaces": {"totalCount": number}} if number < 400 else None), name
        if number < 400:
            listed = grants.items(person, f"/v1/orgs/{cast.organization}/teams")
            joined = f"/v1/orgs/{cast.organization}/members/{cast.rhea.id}/teams"
            theirs = [item["team"] for item in grants.items(person, joined)]
            assert [team["spaces"] for team in [*listed, *theirs]] == [number, number], name


def test_who_grants_on_one_space_learns_of_no_other(counted: Counted) -> None:
    cast, place = counted.cast, f"/v1/spaces/{counted.spaces['Lent']}"
    grants.grant(cast.ada, place, "admin", users=[cast.gus])
    for name, number in {"ada": 3, "gus": 1}.items():
        (granted,) = grants.items(getattr(cast, name), f"{place}/permissions/teams")
        assert granted["team"]["spaces"] == number, name


def test_spaces_of_a_site_are_those_that_the_caller_sees(counted: Counted) -> None:
    cast, path = counted.cast, sites.base(counted.cast, counted.site).removeprefix("/v1/")
    seen = {"ada": 3, "rhea": 3, "ed": 1, "ria": 1, "gus": 1, "sol": 404}
    for name, number in seen.items():
        person = getattr(cast, name)
        assert counted.number(person, path, "siteSpaces") == number, name
        site = counted.asked(person, f'site(id: "{counted.site}")', "siteSpaces { totalCount }")
        assert site == ({"siteSpaces": {"totalCount": number}} if number < 400 else None), name
        if number < 400:
            listed = grants.items(person, f"/v1/orgs/{cast.organization}/sites")
            assert [site["siteSpaces"] for site in listed] == [number], name


def test_a_public_site_tells_strangers_no_number(counted: Counted) -> None:
    cast, path = counted.cast, sites.base(counted.cast, counted.site)
    sites.answered(cast.ada.post(f"{path}/publish"), 200)
    assert "siteSpaces" not in counted.read(cast.sol, path)
    assert "siteSpaces" not in counted.read(cast.sol, f"{path}/published")["site"]
    for name, number in {"ada": 3, "ria": 1, "gus": 1}.items():
        shown = counted.read(getattr(cast, name), f"{path}/published")["site"]
        assert shown["siteSpaces"] == number, name


def test_spaces_of_an_installation_are_those_that_the_caller_sees(counted: Counted) -> None:
    cast = counted.cast
    path = f"integrations/{counted.integration}/installations/{counted.installation}"
    field = "installations { nodes { spaceInstallations { totalCount } } }"
    seen = {"ada": 3, "rhea": 3, "ed": 1, "ria": 1, "gus": 403, "sol": 404}
    for name, number in seen.items():
        person = getattr(cast, name)
        assert counted.number(person, path, "spaces") == number, name
        found = person.gql(
            f"query ($id: ID!) {{ organization(id: $id) {{ {field} }} }}", id=cast.organization
        )["data"]["organization"]
        if number < 400:
            (node,) = found["installations"]["nodes"]
            assert node == {"spaceInstallations": {"totalCount": number}}, name
            for place in (f"integrations/{counted.integration}", f"orgs/{cast.organization}"):
                listed = grants.items(person, f"/v1/{place}/installations")
                assert [each["spaces"] for each in listed] == [number], name
        else:
            assert not (found and found["installations"]), name


def test_deleted_spaces_are_counted_nowhere(counted: Counted) -> None:
    cast = counted.cast
    assert cast.ada.delete(f"/v1/spaces/{counted.spaces['Open']}").status_code == 205
    here = f"orgs/{cast.organization}"
    installation = f"integrations/{counted.integration}/installations/{counted.installation}"
    for path, name in (
        (f"{here}/members/{cast.rhea.id}", "spaces"),
        (f"{here}/teams/{counted.team}", "spaces"),
        (f"{here}/sites/{counted.site}", "siteSpaces"),
        (installation, "spaces"),
    ):
        assert counted.number(cast.ada, path, name) == 2, path
        assert counted.number(cast.ria, path, name) == 0, path
