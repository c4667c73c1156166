"""Replies to comments, mentions, and who comments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.access.context import Context
from app.domain.organizations import organizations
from app.domain.spaces.purge import purge_space
from app.models.spaces import Space
from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import place
from tests.factories.comments import address, again, change, comment, comments, leave, reply, stored, texts


def mention(person: Person) -> str:
    return f"[@{person.email}](mention://{person.id})"


async def purge(cx: Context, space: str) -> None:
    """Do what happens eight days after a deletion."""
    await cx.tx.change(Space, {"deleted_at": cx.now - timedelta(days=8)}, id=space)
    await purge_space(cx, space)


def commenters(person: Person, space: str, request: str | None = None) -> set[str]:
    answer = person.get(f"{place(space, request)}/commenters")
    assert answer.status_code == 200, answer.text
    assert answer.json()["count"] == len(answer.json()["items"])
    return {member["id"] for member in answer.json()["items"]}


def test_replies_are_counted_and_listed_oldest_first(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    first, second = (reply(cast.ed, space, made["id"], name, request_id) for name in ("one", "two"))
    assert (first["object"], first["postedBy"]["id"]) == ("comment-reply", cast.ed.id)
    assert first["body"] == {"markdown": "one"}
    assert first["permissions"] == {"view": True, "edit": True, "reply": True, "delete": True}
    assert again(cast.ed, first) == first
    assert again(cast.ria, made)["replies"] == 2
    assert texts(cast.ria, f"{address(made)}/replies") == ["one", "two"]
    assert cast.ed.delete(address(first)).status_code == 205
    assert cast.ed.delete(address(first)).status_code == 404
    assert again(cast.ria, made)["replies"] == 1
    assert texts(cast.ria, f"{address(made)}/replies") == ["two"]
    page = cast.ria.get(f"{address(made)}/replies", params={"limit": 1, "format": "document"}).json()
    assert "next" not in page
    assert page["items"][0]["body"]["document"]["object"] == "document"
    assert again(cast.ed, second) == second


def test_replies_come_page_by_page(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    for n in range(5):
        reply(cast.tom, space, made["id"], str(n), request_id)
    found: list[str] = []
    page: dict[str, Any] = {}
    for _ in range(3):
        answer = cast.ria.get(f"{address(made)}/replies", params={"limit": 2, **page}).json()
        assert answer["count"] == 5
        found += [item["body"]["markdown"] for item in answer["items"]]
        page = {"page": answer["next"]["page"]} if "next" in answer else {}
    assert (found, page) == (list("01234"), {})


def test_replies_are_changed_as_comments_are(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    answered = reply(cast.ed, space, made["id"], request=request_id)
    assert cast.tom.put(address(answered), {"body": {"markdown": "Mine"}}).status_code == 403
    assert cast.tom.delete(address(answered)).status_code == 403
    edited = change(cast.ed, address(answered), body={"markdown": "We do."}, addedReactions=["1f44d"])
    assert (edited["body"], "editedAt" in edited) == ({"markdown": "We do."}, True)
    change(cast.ria, address(answered), addedReactions=["1f44d"])
    assert again(cast.tom, answered)["reactions"][0]["count"] == 2
    assert again(cast.tom, made)["reactions"] == []
    assert cast.ada.delete(address(answered)).status_code == 205


def test_a_reply_resolves_and_reopens_its_comment(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    answered = reply(cast.ed, space, made["id"], request=request_id)
    change(cast.ed, address(answered), resolved=True)
    found = again(cast.ria, made)
    assert (found["status"], found["resolvedBy"]["id"]) == ("resolved", cast.ed.id)
    assert cast.ria.get(place(space, request_id)).json()["comments"] == 0
    change(cast.tom, address(answered), resolved=False)
    assert again(cast.ria, made)["status"] == "open"
    assert cast.ria.get(place(space, request_id)).json()["comments"] == 1
    assert cast.ria.put(address(answered), {"resolved": True}).status_code == 403


def test_a_reply_to_another_comment_is_not_found(cast: Cast, space: str, request_id: str | None) -> None:
    first, second = (comment(cast.tom, space, request=request_id) for _ in range(2))
    answered = reply(cast.ed, space, first["id"], request=request_id)
    wrong = f"{address(second)}/replies/{answered['id']}"
    assert cast.ed.get(wrong).status_code == 404
    assert cast.ed.put(wrong, {"body": {"markdown": "x"}}).status_code == 404
    assert cast.ed.delete(wrong).status_code == 404
    assert again(cast.ed, first)["replies"] == 1


def test_deleting_a_comment_leaves_nothing_of_it(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, mention(cast.ed), request_id)
    answered = reply(cast.ed, space, made["id"], mention(cast.tom), request_id)
    for each in (made, answered):
        change(cast.ria, address(each), addedReactions=["1f44d"])
    assert stored(cast.instance, made, answered) == (1, 1, 2, 2)
    assert cast.tom.delete(address(made)).status_code == 205
    assert cast.ed.get(address(answered)).status_code == 404
    assert stored(cast.instance, made, answered) == (0, 0, 0, 0)
    assert cast.ria.get(place(space, request_id)).json()["comments"] == 0
    assert commenters(cast.ria, space, request_id) == set()


def test_deleting_a_reply_takes_what_hangs_on_it(cast: Cast, space: str) -> None:
    made = comment(cast.tom, space, mention(cast.ed))
    answered = reply(cast.ed, space, made["id"], mention(cast.tom))
    change(cast.ria, address(answered), addedReactions=["1f44d"])
    assert cast.ed.delete(address(answered)).status_code == 205
    assert stored(cast.instance, made, answered) == (1, 0, 0, 1)


def test_members_are_mentioned_and_nobody_else(cast: Cast, space: str, request_id: str | None) -> None:
    text = f"{mention(cast.ed)} {mention(cast.sol)} {mention(cast.ada)} {mention(cast.ed)} [@x](mention://x)"
    made = comment(cast.tom, space, text, request_id)
    assert [person["id"] for person in made["mentions"]] == [cast.ed.id, cast.ada.id]
    assert cast.sol.email not in str(again(cast.ria, made)["mentions"])
    answered = reply(cast.ed, space, made["id"], f"{mention(cast.tom)}", request_id)
    assert [person["id"] for person in answered["mentions"]] == [cast.tom.id]
    edited = change(cast.tom, address(made), body={"markdown": f"Only {mention(cast.rhea)}"})
    assert [person["id"] for person in edited["mentions"]] == [cast.rhea.id]
    assert again(cast.ria, answered)["mentions"] == answered["mentions"]
    plain = change(cast.tom, address(made), body={"markdown": f"`{mention(cast.rhea)}`"})
    assert plain["mentions"] == []


def test_who_left_is_mentioned_no_longer(cast: Cast, space: str) -> None:
    added = organizations.add_member
    cast.instance.inside(lambda cx: added(cx, cast.organization, cast.sol.id, "read"))
    made = comment(cast.tom, space, mention(cast.sol))
    assert [person["id"] for person in made["mentions"]] == [cast.sol.id]
    leave(cast.instance, cast.organization, cast.sol.id)
    assert again(cast.tom, made)["mentions"] == []


def test_commenters_are_members_who_commented_or_replied_there(cast: Cast, space: str) -> None:
    request = make.change_request(cast.ed, space)["id"]
    made = comment(cast.tom, space)
    comment(cast.tom, space)
    reply(cast.ed, space, made["id"])
    comment(cast.rhea, space, request=request)
    assert commenters(cast.ria, space) == {cast.tom.id, cast.ed.id}
    assert commenters(cast.ria, space, request) == {cast.rhea.id}
    assert cast.gus.get(f"{place(space)}/commenters").status_code == 404
    (tom,) = [
        member
        for member in cast.ria.get(f"{place(space)}/commenters").json()["items"]
        if member["id"] == cast.tom.id
    ]
    assert (tom["object"], tom["role"], tom["disabled"], tom["sso"]) == ("member", "comment", False, False)
    assert tom["user"]["displayName"] == "Tom"
    assert (tom["spaces"], tom["teams"]) == (1, 0)
    leave(cast.instance, cast.organization, cast.tom.id)
    assert commenters(cast.ria, space) == {cast.ed.id}


def test_a_deleted_spaces_comments_are_purged_with_it(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, mention(cast.ed), request_id)
    answered = reply(cast.ed, space, made["id"], mention(cast.tom), request_id)
    change(cast.ria, address(made), addedReactions=["1f44d"])
    assert cast.ada.delete(place(space)).status_code == 205
    cast.instance.inside(lambda cx: purge(cx, space))
    assert stored(cast.instance, made, answered) == (0, 0, 0, 0)
    assert cast.ada.get(comments(space, request_id)).status_code == 404


def test_what_a_review_says_is_a_comment_that_is_answered(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    request = cast.ed.post(f"/v1/spaces/{space}/change-requests", {"subject": "Lamps"}).json()["id"]
    path = place(space, request)
    said = {"status": "changes-requested", "comment": {"markdown": "Trim the wick."}}
    review = cast.rhea.post(f"{path}/reviews", said)
    assert review.status_code == 201, review.text
    silent = cast.ada.post(f"{path}/reviews", {"status": "approved"})
    assert silent.status_code == 201
    (made,) = cast.ed.get(f"{path}/comments").json()["items"]
    assert made["target"]["review"] == review.json()["id"]
    assert (made["body"], made["postedBy"]["id"]) == ({"markdown": "Trim the wick."}, cast.rhea.id)
    assert cast.ed.get(path).json()["comments"] == 1
    reply(cast.ed, space, made["id"], "Done.", request)
    assert change(cast.ed, address(made), resolved=True)["status"] == "resolved"
