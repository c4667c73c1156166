"""Factories for where content stands: collections, memberships elsewhere, and the order that callers see."""

from __future__ import annotations

from typing import Any

from app.domain.organizations import organizations
from tests.cast import Cast, Person


def collection(person: Person, organization: str, **fields: Any) -> dict[str, Any]:
    """A collection made by this person; `defaultLevel` is set after that."""
    level = {"defaultLevel": fields.pop("defaultLevel")} if "defaultLevel" in fields else {}
    answer = person.post(f"/v1/orgs/{organization}/collections", {"title": "Folder", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return patched(person, f"/v1/collections/{made['id']}", level) if level else made


def patched(person: Person, path: str, change: dict[str, Any]) -> dict[str, Any]:
    """An object after a change that must succeed."""
    answer = person.patch(path, change)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


def titles(person: Person, path: str, **params: Any) -> list[str]:
    """The titles of a list, in its order."""
    answer = person.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return [item["title"] for item in answer.json()["items"]]


def spaces_in(person: Person, collection_id: str) -> list[str]:
    """The titles of the spaces of a collection, in their order."""
    return titles(person, f"/v1/collections/{collection_id}/spaces", limit=1000)


def before(kind: str, id: str) -> dict[str, Any]:
    """The body of a move to right before a sibling."""
    return {"position": {"before": {"type": kind, kind: id}}}


def after(kind: str, id: str) -> dict[str, Any]:
    """The body of a move to right after a sibling."""
    return {"position": {"after": {"type": kind, kind: id}}}


def joins(cast: Cast, person: Person, organization: str, role: str | None) -> None:
    """Let one of the cast belong to another organization too."""
    cast.instance.inside(lambda cx: organizations.add_member(cx, organization, person.id, role))
