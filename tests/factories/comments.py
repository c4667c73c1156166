"""Factories for discussions over the API, in a space or in a change request of it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, select

from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows, table
from app.models.comments import Comment, CommentMention, CommentReaction, CommentReply
from app.models.organizations import Member
from tests.cast import Person
from tests.factories.changes import place
from tests.instance import Instance

MEMBERS = table(Member)
_LEAVE = command(
    lambda: delete(MEMBERS).where(
        MEMBERS.c.organization_id == given("organization"), MEMBERS.c.user_id == given("user")
    )
)


def comments(space: str, request: str | int | None = None) -> str:
    """The address of the comments of a space, or of a change request."""
    return f"{place(space, request)}/comments"


def comment(
    person: Person, space: str, text: str = "Who trims it?", request: str | int | None = None, **fields: Any
) -> dict[str, Any]:
    """A comment of this person."""
    return said(person, comments(space, request), body={"markdown": text}, **fields)


def reply(
    person: Person, space: str, comment_id: str, text: str = "I do.", request: str | int | None = None
) -> dict[str, Any]:
    """A reply of this person."""
    return said(person, f"{comments(space, request)}/{comment_id}/replies", body={"markdown": text})


def change(person: Person, address: str, **fields: Any) -> dict[str, Any]:
    """A comment or reply as it is after a change."""
    answer = person.put(address, fields)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def address(said_before: dict[str, Any]) -> str:
    """Return where a comment or reply is."""
    location: str = said_before["urls"]["location"]
    return location[location.index("/v1/") :]


def again(person: Person, said_before: dict[str, Any]) -> dict[str, Any]:
    """A comment or reply as it is now."""
    answer = person.get(address(said_before))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def said(person: Person, path: str, **body: Any) -> dict[str, Any]:
    """Return what came of saying this."""
    answer = person.post(path, body)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def texts(person: Person, path: str, **query: Any) -> list[str]:
    """The bodies of a list, all of it on one page."""
    answer = person.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["count"] == len(found["items"])
    return [item["body"]["markdown"] for item in found["items"]]


def stored(instance: Instance, *said_before: dict[str, Any]) -> tuple[int, ...]:
    """Return how many comments, replies, reactions and mentions are kept of these comments and replies."""
    ids = [each["id"] for each in said_before]
    keys = [
        table(model).c[name]
        for model, name in (
            (Comment, "id"),
            (CommentReply, "id"),
            (CommentReaction, "subject_id"),
            (CommentMention, "subject_id"),
        )
    ]
    found = [rows(lambda key=key: select(key).where(among(key, "ids"))) for key in keys]  # type: ignore[misc]
    return tuple(len(instance.inside(lambda cx, each=each: cx.db.all(each, ids=ids))) for each in found)  # type: ignore[misc]


def leave(instance: Instance, organization: str, user: str) -> None:
    """Let somebody belong to an organization no longer."""
    instance.inside(lambda cx: cx.tx.run(_LEAVE, organization=organization, user=user))
