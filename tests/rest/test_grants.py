"""Roles granted on spaces and collections: who gives them, how far they reach, how they end."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.domain.organizations.grants import withdraw_all
from app.kit.database.statements import given, query, table
from app.main import create_app
from app.models.access import Grant
from tests import make
from tests.cast import Cast
from tests.factories import collections, grants
from tests.factories.grants import items, level

GRANTS = table(Grant)
ALL = query(Grant, lambda: select(*GRANTS.c).where(GRANTS.c.organization_id == given("organization")))


def space(cast: Cast, **fields: Any) -> str:
    return f"/v1/spaces/{make.space(cast.ada, cast.organization, **fields)['id']}"


def collection(cast: Cast, **fields: Any) -> str:
    return f"/v1/collections/{collections.collection(cast.ada, cast.organization, **fields)['id']}"


def id_of(place: str) -> str:
    return place.rpartition("/")[2]


def granted(cast: Cast, place: str) -> dict[str, str]:
    """Return the grants there, by the id of the person or the team."""
    users = items(cast.ada, f"{place}/permissions/users")
    teams = items(cast.ada, f"{place}/permissions/teams")
    return {
        **{item["user"]["id"]: item["permission"] for item in users},
        **{item["team"]["id"]: item["permission"] for item in teams},
    }


def audience(cast: Cast, place: str, **query: Any) -> dict[str, str]:
    """Return the roles of everybody there, by id."""
    found = items(cast.ada, f"{place}/permissions/aggregate", limit=1000, **query)
    return {item["user"]["id"]: item["permission"] for item in found}


@pytest.mark.parametrize("place", [space, collection])
def test_a_role_is_granted_changed_and_withdrawn(cast: Cast, place: Any) -> None:
    here = place(cast)
    team = grants.team(cast.ada, cast.organization, members=[cast.tom])
    grants.grant(cast.ada, here, "edit", users=[cast.gus, cast.ria, cast.gus], teams=[team])
    assert granted(cast, here) == {cast.gus.id: "edit", cast.ria.id: "edit", team: "edit"}
    grants.grant(cast.ada, here, "review", users=[cast.gus])
    user, of_team = f"{here}/permissions/users/{cast.ria.id}", f"{here}/permissions/teams/{team}"
    assert cast.ada.patch(user, {"role": "comment"}).status_code == 204
    assert cast.ada.patch(of_team, {"role": "admin"}).status_code == 204
    assert granted(cast, here) == {cast.gus.id: "review", cast.ria.id: "comment", team: "admin"}
    for path in (user, of_team):
        assert cast.ada.delete(path).status_code == 205
        assert cast.ada.delete(path).status_code == 404
        assert cast.ada.patch(path, {"role": "read"}).status_code == 404
    assert granted(cast, here) == {cast.gus.id: "review"}


@pytest.mark.parametrize("place", [space, collection])
@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"users": ["gus"]}, "role"),
        ({"role": None, "users": ["gus"]}, "role"),
        ({"role": "owner", "users": ["gus"]}, "role"),
        ({"role": "inherit", "users": ["gus"]}, "role"),
        ({"role": "read"}, ""),
        ({"role": "read", "users": [], "teams": []}, ""),
        ({"role": "read", "users": None, "teams": ["team"]}, "users"),
        ({"role": "read", "users": ["gus", "sol"]}, "users.1"),
        ({"role": "read", "users": ["team"]}, "users.0"),
        ({"role": "read", "users": ["gus"], "teams": ["team", "theirs"]}, "teams.1"),
        ({"role": "read", "teams": ["gus"]}, "teams.0"),
    ],
)
def test_a_bad_grant_is_refused_and_nothing_is_done(
    cast: Cast, place: Any, body: dict[str, Any], where: str
) -> None:
    here = place(cast)
    known = {
        "gus": cast.gus.id,
        "sol": cast.sol.id,
        "team": grants.team(cast.ada, cast.organization),
        "theirs": grants.team(cast.sol, cast.elsewhere),
    }
    for name in ("users", "teams"):
        if body.get(name):
            body = {**body, name: [known[one] for one in body[name]]}
    answer = cast.ada.post(f"{here}/permissions", body)
    assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, where)
    assert granted(cast, here) == {}


@pytest.mark.parametrize("place", [space, collection])
def test_only_who_administrates_an_object_grants_on_it(cast: Cast, place: Any) -> None:
    here = place(cast)
    grants.grant(cast.ada, here, "create", users=[cast.gus])
    body = {"role": "read", "users": [cast.gus.id]}
    for person in (cast.cleo, cast.ria, cast.gus):
        assert person.post(f"{here}/permissions", body).status_code == 403
        for one in (f"{here}/permissions/users/{cast.gus.id}", f"{here}/permissions/teams/x"):
            assert person.patch(one, {"role": "admin"}).status_code == 403
            assert person.delete(one).status_code == 403
        for listed in ("users", "teams", "aggregate"):
            assert person.get(f"{here}/permissions/{listed}").status_code == 403
    assert cast.sol.post(f"{here}/permissions", body).status_code == 404
    grants.grant(cast.ada, here, "admin", users=[cast.gus])
    grants.grant(cast.gus, here, "comment", users=[cast.ria])
    assert granted(cast, here) == {cast.gus.id: "admin", cast.ria.id: "comment"}


def test_a_guest_who_administrates_a_space_does_not_learn_who_belongs_to_the_organization(cast: Cast) -> None:
    here = space(cast)
    grants.grant(cast.ada, here, "admin", users=[cast.gus])
    assert cast.gus.get(f"{here}/permissions/aggregate").status_code == 403
    grants.grant(cast.ada, here, "admin", users=[cast.ria])
    assert cast.ria.get(f"{here}/permissions/aggregate").status_code == 200


def test_the_highest_of_all_that_gives_a_level_counts(cast: Cast) -> None:
    shelf = collection(cast)
    here = space(cast, parent=id_of(shelf))
    low, high = (grants.team(cast.ada, cast.organization, t, [cast.ria]) for t in ("Low", "High"))
    assert level(cast.ria, here) == "read"
    grants.grant(cast.ada, here, "comment", users=[cast.ria])
    assert level(cast.ria, here) == "comment"
    grants.grant(cast.ada, shelf, "edit", teams=[low])
    assert level(cast.ria, here) == "edit"
    grants.grant(cast.ada, here, "review", teams=[high])
    assert level(cast.ria, here) == "review"
    grants.grant(cast.ada, here, "read", users=[cast.ria])
    assert level(cast.ria, here) == "review"
    collections.patched(cast.ada, here, {"defaultLevel": "create"})
    assert level(cast.ria, here) == "create"
    grants.grant(cast.ada, here, "read", users=[cast.cleo])
    assert level(cast.cleo, here) == "create"


def test_grants_on_a_collection_reach_all_below_whatever_its_default_level(cast: Cast) -> None:
    outer = collection(cast, defaultLevel=None)
    inner = collection(cast, parent=id_of(outer))
    own = collection(cast, parent=id_of(outer), defaultLevel="comment")
    spaces = {
        name: space(cast, parent=id_of(at)) for name, at in (("outer", outer), ("inner", inner), ("own", own))
    }
    closed = space(cast, parent=id_of(inner))
    collections.patched(cast.ada, closed, {"defaultLevel": None})
    grants.grant(cast.ada, outer, "edit", users=[cast.gus, cast.ria])
    assert {name: level(cast.gus, at) for name, at in spaces.items()} == {
        "outer": "edit",
        "inner": "edit",
        "own": "edit",
    }
    assert level(cast.gus, closed) == level(cast.ria, closed) == "edit"
    assert {name: level(cast.ria, at) for name, at in spaces.items()} == {
        "outer": "edit",
        "inner": "edit",
        "own": "edit",
    }
    assert cast.gus.get(inner).json()["permissions"]["view"]
    assert cast.gus.get(own).json()["permissions"]["view"]
    assert level(cast.tom, spaces["inner"]) is None
    assert level(cast.tom, spaces["own"]) == "comment"
    collections.patched(cast.ada, inner, {"defaultLevel": "create"})
    assert level(cast.gus, closed) == "edit"
    assert level(cast.ria, spaces["inner"]) == "create"


def test_what_is_moved_takes_on_the_grants_of_where_it_goes(cast: Cast) -> None:
    here, there = collection(cast), collection(cast)
    inner = collection(cast, parent=id_of(here))
    moved = space(cast, parent=id_of(inner))
    grants.grant(cast.ada, here, "edit", users=[cast.gus])
    grants.grant(cast.ada, there, "comment", users=[cast.gus])
    assert level(cast.gus, moved) == "edit"
    assert cast.ada.post(f"{inner}/move", {"parent": id_of(there)}).status_code == 200
    assert level(cast.gus, moved) == "comment"
    assert cast.ada.post(f"{moved}/move", {"parent": None}).status_code == 200
    assert level(cast.gus, moved) is None


def test_grants_on_a_deleted_collection_go_to_what_was_in_it(cast: Cast) -> None:
    outer = collection(cast)
    inner = collection(cast, parent=id_of(outer))
    deep = collection(cast, parent=id_of(inner))
    here, below = space(cast, parent=id_of(inner)), space(cast, parent=id_of(deep))
    team = grants.team(cast.ada, cast.organization, members=[cast.ria])
    grants.grant(cast.ada, outer, "read", users=[cast.gus])
    grants.grant(cast.ada, inner, "edit", users=[cast.gus], teams=[team])
    grants.grant(cast.ada, here, "comment", users=[cast.gus])
    grants.grant(cast.ada, deep, "review", teams=[team])
    for place in (here, deep, below):
        collections.patched(cast.ada, place, {"defaultLevel": None})
    before = {place: (level(cast.gus, place), level(cast.ria, place)) for place in (here, below)}
    assert before == {here: ("edit", "edit"), below: ("edit", "review")}
    assert cast.ada.delete(inner).status_code == 205
    assert {place: (level(cast.gus, place), level(cast.ria, place)) for place in (here, below)} == before
    assert level(cast.tom, here) is level(cast.tom, below) is None
    assert cast.ada.delete(outer).status_code == 205
    assert {place: (level(cast.gus, place), level(cast.ria, place)) for place in (here, below)} == before
    assert stored(cast) == sorted([id_of(here)] * 2 + [id_of(deep)] * 2)
    outsider = space(cast)
    assert level(cast.gus, outsider) is None


def stored(cast: Cast, organization: str | None = None) -> list[str]:
    """The objects of all grants that are kept for the organization."""

    async def read(cx: Any) -> list[str]:
        found = await cx.db.all(ALL, organization=organization or cast.organization)
        return sorted(grant.object_id for grant in found)

    return cast.instance.inside(read)


def test_a_transfer_ends_what_was_granted(cast: Cast) -> None:
    for person in (cast.ada, cast.gus):
        collections.joins(cast, person, cast.elsewhere, "admin" if person is cast.ada else None)
    shelf = collection(cast)
    inner = collection(cast, parent=id_of(shelf))
    inside, alone = space(cast, parent=id_of(inner)), space(cast)
    for place in (shelf, inner, inside, alone):
        grants.grant(cast.ada, place, "edit", users=[cast.gus])
    for place in (shelf, alone):
        assert cast.ada.post(f"{place}/transfer", {"organization": cast.elsewhere}).status_code == 200
    assert [level(cast.gus, place) for place in (inside, alone)] == [None, None]
    assert stored(cast) == stored(cast, cast.elsewhere) == []


def test_grants_wait_while_a_space_is_deleted(cast: Cast) -> None:
    here = space(cast)
    grants.grant(cast.ada, here, "edit", users=[cast.gus])
    assert cast.ada.delete(here).status_code == 205
    assert level(cast.gus, here) is None
    assert items(cast.gus, f"/v1/orgs/{cast.organization}/spaces") == []
    body = {"role": "admin", "users": [cast.gus.id]}
    assert cast.ada.post(f"{here}/permissions", body).status_code == 409
    assert cast.ada.post(f"{here}/restore").status_code == 200
    assert level(cast.gus, here) == "edit"


def test_who_is_removed_and_comes_back_has_nothing(cast: Cast) -> None:
    here = space(cast)
    grants.grant(cast.ada, here, "edit", users=[cast.gus])
    assert cast.ada.delete(f"/v1/orgs/{cast.organization}/members/{cast.gus.id}").status_code == 204
    assert level(cast.gus, here) is None
    assert stored(cast) == []
    collections.joins(cast, cast.gus, cast.organization, None)
    assert level(cast.gus, here) is None


def test_a_disabled_member_may_do_nothing_and_is_nobody_of_the_audience(cast: Cast) -> None:
    here = space(cast)
    grants.grant(cast.ada, here, "admin", users=[cast.ed])
    assert audience(cast, here)[cast.ed.id] == "admin"
    member = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}"
    collections.patched(cast.ada, member, {"disabled": True})
    assert level(cast.ed, here) is None
    assert cast.ed.id not in audience(cast, here)
    collections.patched(cast.ada, member, {"disabled": False})
    assert level(cast.ed, here) == "admin"


def test_everybody_with_access_is_listed_with_what_they_may_do(cast: Cast) -> None:
    shelf = collection(cast, defaultLevel="comment")
    here = space(cast, parent=id_of(shelf))
    team = grants.team(cast.ada, cast.organization, members=[cast.ria, cast.gus])
    grants.grant(cast.ada, shelf, "edit", teams=[team])
    grants.grant(cast.ada, here, "review", users=[cast.tom])
    expected = {
        cast.ada.id: "admin",
        cast.cleo.id: "comment",
        cast.rhea.id: "comment",
        cast.ed.id: "comment",
        cast.tom.id: "review",
        cast.ria.id: "edit",
        cast.gus.id: "edit",
    }
    assert audience(cast, here) == expected
    assert audience(cast, here, role="edit") == {cast.ria.id: "edit", cast.gus.id: "edit"}
    assert audience(cast, here, role="read") == {}
    assert audience(cast, shelf) == {**expected, cast.tom.id: "comment"}
    collections.patched(cast.ada, here, {"defaultLevel": None})
    granted = {cast.tom.id: "review", cast.ria.id: "edit", cast.gus.id: "edit"}
    assert audience(cast, here) == {cast.ada.id: "admin", **granted}


def test_an_audience_follows_roles_where_content_inherits_from_the_organization(cast: Cast) -> None:
    here = space(cast)
    own = {person.id: role for role, person in cast.members.items() if role != "guest"}
    assert audience(cast, here) == own
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"defaultRole": "edit"})
    assert audience(cast, here) == {**own, cast.tom.id: "edit", cast.ria.id: "edit"}


def test_a_grant_counts_from_the_next_request_in_every_process(cast: Cast) -> None:
    here = space(cast)

    async def seen_elsewhere() -> list[int]:
        """Return the answers of a second instance, which was asked before, after each change."""
        app = create_app(cast.instance.settings)
        headers = {"Authorization": f"Bearer {cast.gus.token}"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            await app.state.services.ready()
            answers = [(await client.get(here)).status_code]
            grants.grant(cast.ada, here, "read", users=[cast.gus])
            answers.append((await client.get(here)).status_code)
            listed = await client.get(f"/v1/orgs/{cast.organization}/spaces")
            answers.append(listed.json()["count"])
            cast.ada.delete(f"{here}/permissions/users/{cast.gus.id}")
            answers.append((await client.get(here)).status_code)
            listed = await client.get(f"/v1/orgs/{cast.organization}/spaces")
            answers.append(listed.json()["count"])
        await app.state.services.close()
        return answers

    assert asyncio.run(seen_elsewhere()) == [404, 200, 1, 404, 0]


def test_nobody_withdraws_more_than_what_is_named(cast: Cast) -> None:
    """`withdraw_all` is of one organization: the other one's grants to the same person stay."""
    collections.joins(cast, cast.gus, cast.elsewhere, None)
    theirs = f"/v1/spaces/{make.space(cast.sol, cast.elsewhere)['id']}"
    here = space(cast)
    grants.grant(cast.ada, here, "edit", users=[cast.gus])
    grants.grant(cast.sol, theirs, "edit", users=[cast.gus])
    cast.instance.inside(lambda cx: withdraw_all(cx, cast.organization, cast.gus.id))
    assert [level(cast.gus, place) for place in (here, theirs)] == [None, "edit"]
