"""Factories for teams and grants, and what people may do by what they see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.cast import Person


def team(person: Person, organization: str, title: str = "Keepers", members: Iterable[Person] = ()) -> str:
    """A team made by this person."""
    body = {"title": title, "members": [member.id for member in members]}
    answer = person.put(f"/v1/orgs/{organization}/teams", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def grant(
    person: Person, place: str, role: str, *, users: Iterable[Person] = (), teams: Iterable[str] = ()
) -> None:
    """A role granted by this person; `place` is the path of a space or a collection."""
    body: dict[str, Any] = {"role": role}
    if found := [user.id for user in users]:
        body["users"] = found
    if named := list(teams):
        body["teams"] = named
    answer = person.post(f"{place}/permissions", body)
    assert answer.status_code == 204, answer.text


def level(person: Person, place: str) -> str | None:
    """The level that a person has on a space, told from the rights they see; None where they see nothing."""
    answer = person.get(place)
    if answer.status_code == 404:
        return None
    assert answer.status_code == 200, answer.text
    rights = answer.json()["permissions"]
    known = {"admin": "admin", "merge": "review", "edit": "edit", "comment": "comment", "view": "read"}
    held = next(role for right, role in known.items() if rights[right])
    if held != "review":
        return held
    answer = person.get(f"{place}/permissions/explain", params={"action": "view"})
    return str(answer.json()["permission"])  # `create` has no right of its own on a space


def items(person: Person, path: str, **params: Any) -> list[dict[str, Any]]:
    """The items of a list."""
    answer = person.get(path, params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found
