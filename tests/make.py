"""Factories: what a test needs to exist, made through the product itself."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain import organizations, people
from app.kit.ids import new_id
from app.models.organizations import OrganizationCreate
from tests.cast import Cast, Person
from tests.house import House

ROLES: dict[str, str | None] = {
    "ada": "admin",
    "cleo": "create",
    "rhea": "review",
    "ed": "edit",
    "tom": "comment",
    "ria": "read",
    "gus": None,
}


def cast(house: House) -> Cast:
    """A fresh organization with its people, apart from all others in the same database."""

    async def build(cx: Context) -> Cast:
        made = {name: await _person(house, cx, name) for name in [*ROLES, "sol"]}
        ours = await organizations.found(cx, made["ada"].id, OrganizationCreate(title="Analytical Engines"))
        theirs = await organizations.found(cx, made["sol"].id, OrganizationCreate(title="Sundials"))
        for name, role in ROLES.items():
            if name != "ada":
                await organizations.add_member(cx, ours.id, made[name].id, role)
        return Cast(house, ours.id, **made, elsewhere=theirs.id)

    return house.inside(build)


async def _person(house: House, cx: Context, name: str) -> Person:
    email = f"{name}.{new_id()}@example.org".lower()
    user = await people.create(cx, email, name.title())
    return Person(house, user.id, email, await people.create_token(cx, user))


def token(person: Person, **narrowing: Any) -> Person:
    """The same person with another token, narrowed as `people.create_token` takes it."""

    async def build(cx: Context) -> str:
        return await people.create_token(cx, await people.by_email(cx, person.email), **narrowing)

    return Person(person.house, person.id, person.email, person.house.inside(build))


def space(person: Person, organization: str, **fields: Any) -> dict[str, Any]:
    """A space made by this person."""
    answer = person.post(f"/v1/orgs/{organization}/spaces", {"title": "Handbook", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made
