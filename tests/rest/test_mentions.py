"""Mentions: everybody finds the comments and replies that name them, as long as they may see them."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast, Person


def said(person: Person, path: str, text: str) -> str:
    """Post a comment or a reply and return its id."""
    answer = person.post(path, {"body": {"markdown": text}})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def mentions(person: Person, organization: str, **query: Any) -> list[dict[str, Any]]:
    """List the mentions of somebody."""
    answer = person.get(f"/v1/orgs/{organization}/mentions", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_comments_and_replies_that_name_somebody_are_listed_for_them(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    request = make.change_request(cast.ed, space, subject="Lamps")
    name = f"[@Ed](mention://{cast.ed.id})"
    comments = f"/v1/spaces/{space}/comments"
    first = said(cast.tom, comments, f"Who trims it, {name}?")
    reply = said(cast.rhea, f"{comments}/{first}/replies", f"{name} does.")
    inside = said(
        cast.tom, f"/v1/spaces/{space}/change-requests/{request['id']}/comments", f"{name} {'x' * 400}"
    )
    newest, second, oldest = mentions(cast.ed, cast.organization)
    assert [each["id"] for each in (newest, second, oldest)] == [inside, reply, first]
    assert (second["comment"], second["text"], second["postedBy"]["id"]) == (first, "@Ed does.", cast.rhea.id)
    assert oldest["space"] == space
    assert "changeRequest" not in oldest
    assert (newest["changeRequest"], len(newest["text"])) == (request["id"], 300)
    here = f"{cast.instance.base}/o/{cast.organization}/s/{space}/~"
    assert oldest["urls"]["app"] == second["urls"]["app"] == f"{here}/comments?comment={first}"
    assert newest["urls"]["app"] == f"{here}/changes/{request['number']}/~/comments?comment={inside}"
    assert mentions(cast.ada, cast.organization) == []
    cast.tom.put(f"{comments}/{first}", {"resolved": True})
    assert [each["id"] for each in mentions(cast.ed, cast.organization, status="open")] == [inside]
    assert [each["id"] for each in mentions(cast.ed, cast.organization, status="resolved")] == [reply, first]
    assert mentions(cast.ed, cast.organization, limit=1) == [newest]


def test_what_somebody_may_not_see_any_more_mentions_them_no_longer(cast: Cast) -> None:
    closed, deleted = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    for space in (closed, deleted):
        said(cast.ada, f"/v1/spaces/{space}/comments", f"[@Ed](mention://{cast.ed.id})")
    assert len(mentions(cast.ed, cast.organization)) == 2
    assert cast.ada.patch(f"/v1/spaces/{closed}", {"defaultLevel": None}).status_code == 200
    assert [each["space"] for each in mentions(cast.ed, cast.organization)] == [deleted]
    cast.ada.delete(f"/v1/spaces/{deleted}")
    assert mentions(cast.ed, cast.organization) == []
    assert cast.sol.get(f"/v1/orgs/{cast.organization}/mentions").status_code == 404


def test_a_mention_that_was_taken_back_is_not_listed(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    comments = f"/v1/spaces/{space}/comments"
    comment = said(cast.tom, comments, f"[@Ed](mention://{cast.ed.id})")
    cast.tom.put(f"{comments}/{comment}", {"body": {"markdown": "Nobody."}})
    assert mentions(cast.ed, cast.organization) == []


def test_whoever_is_disabled_is_not_mentioned(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    member, comments = f"/v1/orgs/{cast.organization}/members/{cast.ed.id}", f"/v1/spaces/{space}/comments"
    for is_disabled in (True, False):
        assert cast.ada.patch(member, {"disabled": is_disabled}).status_code in {200, 204}
        newest = said(cast.tom, comments, f"[@Ed](mention://{cast.ed.id})")
    assert [each["id"] for each in mentions(cast.ed, cast.organization)] == [newest]
