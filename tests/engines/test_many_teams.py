"""Hundreds of teams and thousands of members: every list is walked page by page, each for the same few
statements."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from app.access.context import Context
from app.domain.organizations import users as people
from app.kit.ids import new_id
from app.main import create_app
from app.models.access import Grant
from app.models.organizations import Member
from app.models.teams import Team, TeamMember
from app.models.users import User
from tests import make
from tests.cast import Cast
from tests.contract.statements import noting
from tests.contract.test_statements import MOST
from tests.scale import scaled

PEOPLE, TEAMS, IN_TEAM = scaled(4_000, full=10_000), scaled(200, full=500), 40


@pytest.fixture
def crowd(cast: Cast) -> tuple[Cast, str, list[str]]:
    """A crowded organization, a space that every tenth team was granted, and the teams."""
    space = make.space(cast.ada, cast.organization)["id"]

    async def fill(cx: Context) -> list[str]:
        users, teams = [new_id() for _ in range(PEOPLE)], [new_id() for _ in range(TEAMS)]
        here, at = {"organization_id": cast.organization}, {"created_at": cx.now}
        person = {"photo_url": None, **at}
        await cx.tx.add_many(
            User,
            [
                {
                    "id": id_,
                    "email": f"{id_}@example.org".lower(),
                    "display_name": f"P {n}",
                    "name_key": f"p {n}",
                    **person,
                }
                for n, id_ in enumerate(users)
            ],
        )
        belongs = {
            "disabled": False,
            "sso": False,
            "granted": True,
            "joined_at": cx.now,
            "last_seen_at": None,
        }
        await cx.tx.add_many(
            Member,
            [
                {"user_id": id_, "role": "read" if n % 2 else None, **here, **belongs}
                for n, id_ in enumerate(users)
            ],
        )
        await cx.tx.add_many(
            Team,
            [
                {
                    "id": id_,
                    "title": f"Team {n}",
                    "title_key": people.name_key(f"Team {n}"),
                    "member_count": PEOPLE if n == 0 else IN_TEAM,
                    **here,
                    **at,
                }
                for n, id_ in enumerate(teams)
            ],
        )
        member = {"role": "member", "joined_at": cx.now, **here}
        for n, team in enumerate(teams):
            inside = users if n == 0 else [users[(n * IN_TEAM + m) % PEOPLE] for m in range(IN_TEAM)]
            await cx.tx.add_many(
                TeamMember, [{"team_id": team, "user_id": user, **member} for user in inside]
            )
        kinds = {"object_kind": "space", "grantee_kind": "team", "level": 3}
        await cx.tx.add_many(
            Grant, [{"object_id": space, "grantee_id": team, **kinds, **here, **at} for team in teams[1::10]]
        )
        return teams

    return cast, space, cast.instance.inside(fill)


def test_every_list_is_walked_in_few_statements(crowd: tuple[Cast, str, list[str]]) -> None:
    cast, space, teams = crowd
    there, on_space = f"/v1/orgs/{cast.organization}/teams", f"/v1/spaces/{space}/permissions"
    edit = PEOPLE // 10  # in a team that was granted it (two such teams share each person); half are guests
    cases: list[tuple[str, dict[str, str], int]] = [
        (there, {}, TEAMS),
        (there, {"title": "TEAM 12"}, 11),
        (there, {"owner": cast.ada.id}, TEAMS),
        (f"{there}/{teams[0]}/members", {}, PEOPLE),
        (f"{there}/{teams[7]}/members", {}, IN_TEAM),
        (f"{on_space}/teams", {}, TEAMS // 10),
        (f"{on_space}/aggregate", {"role": "edit"}, edit + 1),  # Ed is an editor by his role
        (f"{on_space}/aggregate", {}, PEOPLE // 2 + edit // 2 + 6),
    ]
    for path, query, expected in cases:
        items, most = asyncio.run(walked(cast, path, query))
        assert len(set(items)) == len(items) == expected, (path, query)
        assert most <= MOST, (path, query)


async def walked(cast: Cast, path: str, query: dict[str, str]) -> tuple[list[str], int]:
    """All items of a list, page by page, and how many statements the dearest page cost."""
    app = create_app(cast.instance.settings)
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", headers=headers)
    items: list[str] = []
    most, page = 0, dict[str, str]()
    try:
        await app.state.services.ready()
        while True:
            with noting() as ran:
                answer = await client.get(path, params={**query, "limit": "300", **page})
            assert answer.status_code == 200, answer.text
            items += [str(item) for item in answer.json()["items"]]
            most = max(most, len(ran))
            if "next" not in answer.json():
                assert answer.json()["count"] == len(items)
                return items, most
            page = answer.json()["next"]
    finally:
        await client.aclose()
        await app.state.services.close()
