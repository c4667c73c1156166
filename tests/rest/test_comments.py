"""Comments through REST: who may what, bodies, reactions, resolving, lists and their filters."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.organizations import organizations
from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import place
from tests.factories.comments import address, again, change, comment, comments, reply, texts

SCRIPT = "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)> {{ 7*7 }}"


def counted(person: Person, space: str, request_id: str | None) -> int:
    """The open comments that the place counts."""
    found: int = person.get(place(space, request_id)).json()["comments"]
    return found


def test_a_comment_says_who_when_where_and_what(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, "Is it *lit*?", request_id)
    revision = cast.ria.get(place(space, request_id)).json()["revision"]
    assert (made["object"], made["status"], made["replies"], made["reactions"]) == ("comment", "open", 0, [])
    assert made["postedBy"]["id"] == cast.tom.id
    assert made["body"] == {"markdown": "Is it *lit*?"}
    request = {"changeRequest": request_id} if request_id else {}
    assert made["target"] == {"space": space, "revision": revision, **request}
    assert made["permissions"] == {"view": True, "edit": True, "reply": True, "delete": True}
    assert made.keys().isdisjoint({"editedAt", "resolvedAt", "resolvedBy"})
    assert made["urls"]["location"].startswith(f"{cast.instance.base}{comments(space, request_id)}/")
    assert {**again(cast.ria, made), "permissions": None} == {**made, "permissions": None}


@pytest.mark.parametrize(
    ("role", "status"), [("admin", 200), ("edit", 200), ("comment", 200), ("read", 403), ("guest", 404)]
)
def test_commenting_needs_the_level_comment(
    cast: Cast, space: str, request_id: str | None, role: str, status: int
) -> None:
    body = {"body": {"markdown": "Hm."}}
    path = comments(space, request_id)
    assert cast.members[role].post(path, body).status_code == status
    made = address(comment(cast.tom, space, request=request_id))
    assert cast.members[role].post(f"{made}/replies", body).status_code == status
    assert cast.members[role].get(path).status_code == (404 if role == "guest" else 200)
    assert cast.sol.get(path).status_code == 404
    assert cast.sol.post(path, body).status_code == 404


def test_only_its_author_edits_a_comment(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, "First", request_id)
    for other in (cast.ada, cast.ed, cast.ria):
        assert other.put(address(made), {"body": {"markdown": "Mine"}}).status_code == 403
    same = change(cast.tom, address(made), body={"markdown": "First"})
    assert "editedAt" not in same
    edited = change(cast.tom, address(made), body={"markdown": "Second"})
    assert edited["body"] == {"markdown": "Second"}
    assert edited["editedAt"] >= edited["postedAt"] == made["postedAt"]


def test_its_author_and_administrators_delete_a_comment(
    cast: Cast, space: str, request_id: str | None
) -> None:
    for person in (cast.tom, cast.ada):
        made = comment(cast.tom, space, request=request_id)
        for other in (cast.ed, cast.rhea, cast.ria):
            assert other.delete(address(made)).status_code == 403
            assert again(other, made)["permissions"]["delete"] is False
        assert person.delete(address(made)).status_code == 205
        assert person.get(address(made)).status_code == 404
        assert person.delete(address(made)).status_code == 404


def test_resolving_says_who_and_when_and_may_be_taken_back(
    cast: Cast, space: str, request_id: str | None
) -> None:
    made = comment(cast.tom, space, request=request_id)
    assert counted(cast.ria, space, request_id) == 1
    assert cast.ria.put(address(made), {"resolved": True}).status_code == 403
    resolved = change(cast.ed, address(made), resolved=True)
    assert (resolved["status"], resolved["resolvedBy"]["id"]) == ("resolved", cast.ed.id)
    assert resolved["resolvedAt"] >= made["postedAt"]
    assert counted(cast.ria, space, request_id) == 0
    assert change(cast.rhea, address(made), resolved=True)["resolvedBy"]["id"] == cast.ed.id
    opened = change(cast.tom, address(made), resolved=False)
    assert opened["status"] == "open"
    assert opened.keys().isdisjoint({"resolvedAt", "resolvedBy", "editedAt"})
    assert counted(cast.ria, space, request_id) == 1
    change(cast.tom, address(made), resolved=True)
    assert cast.tom.delete(address(made)).status_code == 205
    assert counted(cast.ria, space, request_id) == 0


def test_somebody_elses_comment_is_not_resolved_by_who_only_comments(cast: Cast, space: str) -> None:
    made = comment(cast.ed, space)
    assert cast.tom.put(address(made), {"resolved": True}).status_code == 403
    assert again(cast.tom, made)["status"] == "open"


def test_reactions_are_each_users_own_and_come_once(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, request=request_id)
    for emoji in ("1f44d", "\U0001f44d", "1F44D"):
        change(cast.ria, address(made), addedReactions=[emoji, emoji])
    change(cast.ed, address(made), addedReactions=["\u2764\ufe0f", "1f44d"])
    thumbs, heart = sorted(again(cast.tom, made)["reactions"], key=lambda each: each["emoji"])
    assert (thumbs["emoji"], thumbs["count"], heart["emoji"], heart["count"]) == ("1f44d", 2, "2764", 1)
    assert [each["user"]["id"] for each in thumbs["users"]] == [cast.ria.id, cast.ed.id]
    assert all(each["reactedAt"] >= made["postedAt"] for each in thumbs["users"])
    change(cast.tom, address(made), removedReactions=["1f44d", "1f389"])
    left = change(cast.ed, address(made), removedReactions=["1f44d", "2764"], addedReactions=["1f389"])
    assert [(each["emoji"], each["count"]) for each in left["reactions"]] == [("1f44d", 1), ("1f389", 1)]
    assert "editedAt" not in left


def test_a_list_gives_structure_to_so_much_and_leaves_the_rest_markdown(cast: Cast, space: str) -> None:
    long = [comment(cast.tom, space, str(n) * 99_000) for n in range(6)]
    listed = cast.ria.get(comments(space), params={"format": "document", "limit": 6}).json()["items"]
    assert [each["id"] for each in listed] == [each["id"] for each in reversed(long)]
    assert [list(each["body"]) for each in listed] == [["document"]] * 5 + [["markdown"]]
    assert listed[5]["body"] == {"markdown": "0" * 99_000}
    alone = cast.ria.get(address(long[0]), params={"format": "document"}).json()
    assert list(alone["body"]) == ["document"]


@pytest.mark.parametrize("wrong", ["", "a", "1", "31", ":thumbsup:", "1f44d 1f44d", "\U0001f44d" * 2, "<b>"])
def test_what_is_no_emoji_is_no_reaction(cast: Cast, space: str, wrong: str) -> None:
    made = comment(cast.tom, space)
    for field in ("addedReactions", "removedReactions"):
        answer = cast.tom.put(address(made), {"resolved": True, field: ["1f44d", wrong]})
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][0]["path"] == f"{field}.1"
    assert again(cast.tom, made) == made


def test_there_are_at_most_fifty_different_reactions(cast: Cast, space: str) -> None:
    made = comment(cast.tom, space)
    change(cast.tom, address(made), addedReactions=[f"{0x1F600 + n:x}" for n in range(50)])
    assert cast.ria.put(address(made), {"addedReactions": ["1f44d"]}).status_code == 409
    assert len(change(cast.ria, address(made), addedReactions=["1f600"])["reactions"]) == 50


@pytest.mark.parametrize(
    "body", [None, {}, "text", {"markdown": ""}, {"markdown": " \n\t"}, {"markdown": "x" * 100_001},
             {"markdown": "x" * 1_000_001}, {"markdown": "a", "document": {}}, {"markdown": "[" * 3000}]
)  # fmt: skip
def test_a_body_says_something_and_not_too_much(cast: Cast, space: str, body: Any) -> None:
    made = comment(cast.tom, space)
    for method, path in (
        ("POST", comments(space)),
        ("PUT", address(made)),
        ("POST", f"{address(made)}/replies"),
    ):
        answer = cast.tom.call(method, path, json={"body": body})
        assert answer.status_code == 400, path
        assert answer.json()["error"]["details"][0]["path"].startswith("body")
    assert texts(cast.tom, comments(space)) == ["Who trims it?"]


@pytest.mark.parametrize("field", ["addedReactions", "removedReactions"])
def test_a_change_names_at_most_fifty_reactions(cast: Cast, space: str, field: str) -> None:
    made = comment(cast.tom, space, "Good.")
    many = cast.tom.put(address(made), {field: ["1f44d"] * 51})
    assert many.status_code == 400
    assert many.json()["error"]["details"][0]["path"] == field


def test_a_comment_needs_a_body(cast: Cast, space: str) -> None:
    answer = cast.tom.post(comments(space), {"page": "p"})
    assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "body")


def test_bodies_travel_in_both_forms(cast: Cast, space: str, request_id: str | None) -> None:
    made = comment(cast.tom, space, "Is it **lit**?", request_id)
    document = cast.ria.get(address(made), params={"format": "document"}).json()["body"]["document"]
    assert document["object"] == "document"
    answer = cast.tom.post(comments(space, request_id), {"body": {"document": document}})
    assert answer.json()["body"]["markdown"].strip() == "Is it **lit**?"
    listed = cast.ria.get(comments(space, request_id), params={"format": "document"}).json()["items"]
    assert all(item["body"]["document"]["nodes"] for item in listed)
    assert cast.ria.get(address(made), params={"format": "html"}).status_code == 400


def test_html_and_scripts_are_text(cast: Cast, space: str) -> None:
    made = comment(cast.tom, space, SCRIPT)
    answer = cast.ria.get(address(made))
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["body"] == {"markdown": SCRIPT}


def test_lists_are_filtered_and_ordered(cast: Cast, space: str, request_id: str | None) -> None:
    made = [comment(who, space, name, request_id) for who, name in (
        (cast.tom, "a"), (cast.ed, "b"), (cast.tom, "c"), (cast.ada, "d"))]  # fmt: skip
    change(cast.ada, address(made[1]), resolved=True)
    path = comments(space, request_id)
    assert texts(cast.ria, path) == ["d", "c", "b", "a"]
    assert texts(cast.ria, path, order="asc") == ["a", "b", "c", "d"]
    assert texts(cast.ria, path, status="all") == ["d", "c", "b", "a"]
    assert texts(cast.ria, path, status="open", order="asc") == ["a", "c", "d"]
    assert texts(cast.ria, path, status="resolved") == ["b"]
    assert texts(cast.ria, path, authors=cast.tom.id) == ["c", "a"]
    assert texts(cast.ria, path, authors=[cast.tom.id, cast.ed.id]) == ["c", "b", "a"]
    assert texts(cast.ria, path, authors=f"{cast.tom.id},{cast.ed.id}", status="open") == ["c", "a"]
    assert texts(cast.ria, path, authors=cast.sol.id) == []
    for wrong in ({"order": "up"}, {"status": "closed"}, {"format": "html"}, {"limit": "-1"}):
        assert cast.ria.get(path, params=wrong).status_code == 400


def test_a_list_goes_on_from_page_to_page(cast: Cast, space: str, request_id: str | None) -> None:
    for n in range(7):
        comment(cast.tom, space, str(n), request_id)
    for query in ({}, {"order": "asc"}, {"status": "open"}, {"authors": cast.tom.id}):
        found: list[str] = []
        page: dict[str, str] = {}
        while True:
            asked = {"limit": 3, **query, **page}
            answer = cast.ria.get(comments(space, request_id), params=asked).json()
            assert answer["count"] == 7
            found += [item["body"]["markdown"] for item in answer["items"]]
            if "next" not in answer:
                break
            page = {"page": answer["next"]["page"]}
        assert found == sorted("0123456", reverse="order" not in query)
        wrong = {"limit": 3, **page, "status": "resolved"}
        assert cast.ria.get(comments(space, request_id), params=wrong).status_code == 400


def test_each_place_has_comments_of_its_own(cast: Cast, space: str) -> None:
    first, second = (make.change_request(cast.ed, space)["id"] for _ in range(2))
    places = {None: "space", first: "first", second: "second"}
    made = {where: comment(cast.tom, space, name, where) for where, name in places.items()}
    for where, name in places.items():
        assert texts(cast.ria, comments(space, where)) == [name]
        assert counted(cast.ria, space, where) == 1
        for other, theirs in made.items():
            status = 200 if other == where else 404
            assert cast.ria.get(f"{comments(space, where)}/{theirs['id']}").status_code == status


def test_a_comment_of_another_space_is_not_found(cast: Cast, space: str, request_id: str | None) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    elsewhere = make.space(cast.sol, cast.elsewhere)["id"]
    for person, strange in ((cast.ada, other), (cast.sol, elsewhere)):
        theirs = comment(person, strange)
        answered = reply(person, strange, theirs["id"])
        wrong = f"{comments(space, request_id)}/{theirs['id']}"
        answer = {"body": {"markdown": "Ours"}}
        body = {**answer, "resolved": True, "addedReactions": ["1f44d"]}
        calls = [
            cast.ada.get(wrong),
            cast.ada.put(wrong, body),
            cast.ada.delete(wrong),
            cast.ada.get(f"{wrong}/replies"),
            cast.ada.post(f"{wrong}/replies", answer),
            cast.ada.get(f"{wrong}/replies/{answered['id']}"),
            cast.ada.put(f"{wrong}/replies/{answered['id']}", body),
            cast.ada.delete(f"{wrong}/replies/{answered['id']}"),
        ]
        assert [call.status_code for call in calls] == [404] * len(calls)
        assert again(person, theirs)["replies"] == 1
        assert again(person, answered) == answered


def test_comments_of_a_deleted_space_wait_for_its_return(cast: Cast, space: str) -> None:
    made = comment(cast.tom, space)
    assert cast.ada.delete(f"/v1/spaces/{space}").status_code == 205
    assert cast.tom.get(comments(space)).status_code == 404
    assert texts(cast.ada, comments(space)) == ["Who trims it?"]
    for body in ({"addedReactions": ["1f44d"]}, {"resolved": True}):
        assert cast.ada.put(address(made), body).status_code == 409
    assert cast.ada.delete(address(made)).status_code == 409
    assert cast.ada.post(comments(space), {"body": {"markdown": "a"}}).status_code == 409
    assert cast.ada.post(f"/v1/spaces/{space}/restore").status_code == 200
    assert again(cast.tom, made) == made


def test_a_discussion_goes_on_after_a_merge(cast: Cast, space: str) -> None:
    request = make.change_request(cast.ed, space)["id"]
    page = {"operation": "insert_page", "title": "Lamp", "document": {"markdown": "Oil.\n"}}
    page_id = make.changes(cast.ed, space, page, request=request)["changes"][0]["page"]["id"]
    before = comment(cast.tom, space, "Before", request, page=page_id, node="0")
    assert cast.rhea.post(f"{place(space, request)}/merge").json()["result"] == "merge"
    assert again(cast.tom, before) == before
    comment(cast.tom, space, "After", request, page=page_id)
    assert texts(cast.ria, comments(space, request)) == ["After", "Before"]
    assert counted(cast.ria, space, request) == 2
    closed = make.change_request(cast.ed, space)["id"]
    cast.ed.patch(place(space, closed), {"status": "archived"})
    comment(cast.tom, space, "Pity", closed)


def test_who_comments_on_a_change_request_has_a_hand_in_it(cast: Cast, space: str) -> None:
    request = make.change_request(cast.ed, space)["id"]
    made = comment(cast.tom, space, request=request)
    reply(cast.tom, space, made["id"], request=request)
    found = cast.ria.get(f"{place(space, request)}/contributors").json()["items"]
    assert [(each["user"]["id"], each["actionType"], each["count"]) for each in found] == [
        (cast.tom.id, "comment", 2)
    ]


def test_a_copy_has_no_comments_and_a_handed_over_space_keeps_them(cast: Cast, space: str) -> None:
    made = comment(cast.tom, space, f"[@Ed](mention://{cast.ed.id})")
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()
    assert (copy["comments"], texts(cast.ada, comments(copy["id"]))) == (0, [])
    added = organizations.add_member
    cast.instance.inside(lambda cx: added(cx, cast.elsewhere, cast.ada.id, "admin"))
    assert cast.ada.post(f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere}).status_code == 200
    moved = again(cast.sol, made)
    assert (moved["body"], moved["mentions"]) == (made["body"], [])
