"""Thousands of members, hundreds of teams: every list is right, and one statement wherever its page is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest

from app.access.context import Context
from app.access.rights import Level
from app.api.catalog import OPERATIONS
from app.domain.organizations.users import name_key
from app.kit.ids import new_id
from app.models.access import Grant
from app.models.organizations import Member
from app.models.teams import Team, TeamMember
from app.models.users import User
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call
from tests.contract.statements import counts_anew
from tests.contract.test_statements import MOST
from tests.factories import collections
from tests.instance import Instance
from tests.scale import scaled

PEOPLE, TEAMS, SPACES = scaled(2_000, full=10_000), scaled(100, full=500), 40
ROLES = ["create", "review", "edit", "comment", "read", None]
NAMES = ["Ada", "béla", "Çelik", "dora", "Émile", "Faraday"]
LISTS = {row.id: row for row in OPERATIONS if row.paged}


@pytest.fixture(scope="module")
def crowd(instance: Instance) -> Cast:
    """An organization in which everybody is in a team, every tenth team may see two hidden spaces, every
    seventh person was seen, and every hundredth was granted a hidden space themselves."""
    cast = make.cast(instance)
    hidden = [make.space(cast.ada, cast.organization, title=f"Space {n}")["id"] for n in range(SPACES)]
    for space in hidden[: SPACES // 2]:
        collections.patched(cast.ada, f"/v1/spaces/{space}", {"defaultLevel": None})

    async def fill(cx: Context) -> None:
        users, members, in_teams, grants = [], [], [], []
        teams = [new_id() for _ in range(TEAMS)]
        for n in range(PEOPLE):
            id_, name = new_id(), f"{NAMES[n % len(NAMES)]} {n:05}"
            row = {"id": id_, "email": f"m{n:05}.{cast.organization}@example.org".lower()}
            users.append(
                {
                    **row,
                    "display_name": name,
                    "name_key": name_key(name),
                    "photo_url": None,
                    "created_at": cx.now,
                }
            )
            here = {"user_id": id_, "organization_id": cast.organization}
            joined = cx.now - timedelta(minutes=n // 3)
            seen = cx.now - timedelta(seconds=n) if n % 7 == 0 else None
            role = ROLES[n % len(ROLES)]
            states = {"role": role, "disabled": n % 50 == 3, "sso": False, "granted": True}
            members.append({**here, **states, "joined_at": joined, "last_seen_at": seen})
            in_teams.append({**here, "team_id": teams[n % TEAMS], "role": "member", "joined_at": cx.now})
            if n % 100 == 0:
                grants.append({**_granted(cx, cast, hidden[2]), "grantee_id": id_, "grantee_kind": "user"})
        for n, team in enumerate(teams):
            if n % 10 == 0:
                for space in hidden[:2]:
                    grants.append({**_granted(cx, cast, space), "grantee_id": team, "grantee_kind": "team"})
        await cx.tx.add_many(User, users)
        await cx.tx.add_many(Member, members)
        await cx.tx.add_many(Team, [_team(cx, cast, id_, n) for n, id_ in enumerate(teams)])
        await cx.tx.add_many(TeamMember, in_teams)
        await cx.tx.add_many(Grant, grants)
        flush = getattr(cx.tx, "flush", None)
        if flush is not None:
            await flush()

    instance.inside(fill)
    return cast


def _granted(cx: Context, cast: Cast, space: str) -> dict[str, Any]:
    here = {"object_id": space, "organization_id": cast.organization, "object_kind": "space"}
    return {**here, "level": int(Level.EDIT), "created_at": cx.now}


def _team(cx: Context, cast: Cast, id_: str, n: int) -> dict[str, Any]:
    title = f"Team {n:03}"
    names = {"id": id_, "organization_id": cast.organization, "title": title, "title_key": name_key(title)}
    return {**names, "member_count": PEOPLE // TEAMS, "created_at": cx.now}


def pages(cast: Cast, limit: int, person: Person | None = None, **query: Any) -> list[dict[str, Any]]:
    """The whole list, page by page, as this person or as Ria gets it."""
    found: list[dict[str, Any]] = []
    asked: dict[str, Any] = {**query, "limit": limit}
    while True:
        answer = (person or cast.ria).get(f"/v1/orgs/{cast.organization}/members", params=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["items"]
        if "next" not in page:
            assert page["count"] == len(found)
            return found
        asked["page"] = page["next"]["page"]


def key(member: dict[str, Any], sort: str) -> Any:
    if sort == "name":
        return name_key(member["user"]["displayName"]).encode(), member["id"]
    return member[sort], member["id"]


@pytest.mark.parametrize("sort", ["joinedAt", "lastSeenAt", "name"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_every_order_is_right_over_all_pages(crowd: Cast, sort: str, order: str) -> None:
    found = pages(crowd, 1000, sort=sort, order=order)
    seen = [n for n in range(PEOPLE) if n % 7 == 0 and n % 50 != 3]  # the others are disabled
    assert len(found) == (len(seen) if sort == "lastSeenAt" else PEOPLE + 7)
    assert len({member["id"] for member in found}) == len(found)
    keys = [key(member, sort) for member in found]
    assert keys == sorted(keys, reverse=order == "desc")


def test_filters_and_searches_find_all_there_are_and_no_more(crowd: Cast) -> None:
    assert len(pages(crowd, 1000, role="guest")) == len([n for n in range(PEOPLE) if n % 6 == 5]) + 1
    assert len(pages(crowd, 100, search="BÉLA", role="review")) == len(
        [n for n in range(PEOPLE) if n % 6 == 1]
    )
    assert [m["user"]["displayName"] for m in pages(crowd, 1, search="M00042.")] == ["Ada 00042"]
    assert pages(crowd, 50, search="0004_") == []


def test_the_numbers_of_everybody_are_right(crowd: Cast) -> None:
    shown = SPACES // 2
    for person in (crowd.ada, crowd.ria):
        for member in pages(crowd, 1000, person, search=f".{crowd.organization}@"):
            n = int(member["user"]["displayName"].split()[1])
            hidden = 2 * (n % TEAMS % 10 == 0) + (n % 100 == 0) if person is crowd.ada else 0
            expected = 0 if n % 50 == 3 else hidden if member["role"] is None else shown + hidden
            assert (member["spaces"], member["teams"]) == (expected, 1), member


@pytest.mark.parametrize(
    "query",
    [{}, {"sort": "name"}, {"sort": "lastSeenAt", "order": "asc"}, {"role": "edit", "search": "çel"}],
    ids=str,
)
def test_a_page_costs_the_same_wherever_it_is(crowd: Cast, query: dict[str, Any]) -> None:
    path = {"organizationId": crowd.organization}
    asked = {**query, "limit": 60}
    calls = [Call(path, asked)]
    for _ in range(3):
        answer = crowd.ada.get(f"/v1/orgs/{crowd.organization}/members", params=calls[-1].query).json()
        calls.append(Call(path, {**asked, "page": answer["next"]["page"]}))
        assert len(answer["items"]) == 60
    costs = counts_anew(crowd, LISTS["listMembersInOrganizationById"], *calls)
    assert max(costs) <= MOST


def test_what_a_member_sees_is_told_in_one_statement(crowd: Cast) -> None:
    (member,) = pages(crowd, 1, search="m00100.")
    path = {"organizationId": crowd.organization, "userId": member["id"]}
    for id_, expected in (("listSpacesForOrganizationMember", 23), ("listTeamsForOrganizationMember", 1)):
        row = LISTS[id_]
        answer = crowd.ada.get("/v1" + row.path.format(**path)).json()
        assert answer["count"] == expected
        assert max(counts_anew(crowd, row, Call(path), Call(path, {"limit": 1}))) <= MOST


def test_two_administrators_cannot_leave_each_other_alone(instance: Instance) -> None:
    for _ in range(5):
        cast = make.cast(instance)
        collections.patched(
            cast.ada, f"/v1/orgs/{cast.organization}/members/{cast.cleo.id}", {"role": "admin"}
        )
        path = f"/v1/orgs/{cast.organization}/members"
        start = Barrier(2)

        def leave(person: Person, path: str = path, start: Barrier = start) -> int:
            start.wait()
            return person.delete(f"{path}/{person.id}").status_code

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(leave, (cast.ada, cast.cleo))) == [204, 409]
