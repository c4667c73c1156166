"""Factories for content that is written over the API, and the revisions that come of it."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Person


def place(space: str, request: int | None = None) -> str:
    """The address of a space, or of a change request of it."""
    return f"/v1/spaces/{space}" if request is None else f"/v1/spaces/{space}/change-requests/{request}"


def new_page(person: Person, space: str, request: int | None = None, **page: Any) -> str:
    """A new page; its id."""
    body = {} if "type" in page else {"document": {"markdown": ""}}
    made = make.changes(person, space, {"operation": "insert_page", **body, **page}, request=request)
    return str(made["changes"][0]["page"]["id"])


def history(person: Person, space: str, request: int | None = None, **query: Any) -> dict[str, Any]:
    """The revisions of a line."""
    answer = person.get(f"{place(space, request)}/revisions", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def latest(person: Person, space: str, request: int | None = None) -> str:
    """The id of a line's last revision."""
    return str(history(person, space, request, limit=1)["items"][0]["id"])
