"""Reviews through REST: who gives them, what makes them outdated, who is asked, and who had a hand in it."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import insert, place, send
from tests.factories.comments import comment


@pytest.fixture
def request_(cast: Cast, space: str) -> str:
    """The address of a change request of Ed's, with a page in it, that is open."""
    made = make.change_request(cast.ed, space, subject="Bells")
    assert send(cast.ed, space, insert("Bell"), request=made["id"]).status_code == 200
    assert cast.ed.patch(place(space, made["id"]), {"status": "open"}).status_code == 200
    return place(space, made["id"])


def review(person: Person, request: str, status: str = "approved", **fields: Any) -> dict[str, Any]:
    """A review of this person."""
    answer = person.post(f"{request}/reviews", {"status": status, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def ask(person: Person, request: str, *people: Person, **fields: Any) -> Any:
    """The answer to asking these people for a review."""
    return person.post(f"{request}/requested-reviewers", {"users": [each.id for each in people], **fields})


def asked(person: Person, request: str) -> list[str]:
    """The ids of everybody who is asked."""
    found = person.get(f"{request}/requested-reviewers").json()
    return [each["id"] for each in found["items"]]


def test_a_review_is_of_the_change_request_as_it_is_now(cast: Cast, request_: str) -> None:
    now = cast.ria.get(request_).json()
    made = review(cast.rhea, request_, "changes-requested", comment={"markdown": "Louder, *please*."})
    assert made["object"] == "review"
    assert (made["changeRequest"], made["revision"]) == (now["id"], now["revision"])
    assert (made["status"], made["outdated"]) == ("changes-requested", False)
    assert made["reviewer"]["id"] == cast.rhea.id
    assert "requestedBy" not in made
    assert made["comment"] == {"markdown": "Louder, *please*."}
    assert cast.ria.get(f"{request_}/reviews/{made['id']}").json() == made
    (said,) = cast.ria.get(f"{request_}/comments").json()["items"]
    assert said["target"]["review"] == made["id"]
    silent = review(cast.cleo, request_)
    assert "comment" not in silent
    assert [each["id"] for each in cast.ria.get(f"{request_}/reviews").json()["items"]] == [
        made["id"],
        silent["id"],
    ]


def test_it_is_outdated_once_the_change_request_goes_on(cast: Cast, space: str, request_: str) -> None:
    before = review(cast.rhea, request_)
    number = cast.ed.get(request_).json()["number"]
    assert send(cast.ed, space, insert("Horn"), request=number).status_code == 200
    after = review(cast.rhea, request_, "changes-requested")
    assert cast.ria.get(f"{request_}/reviews/{before['id']}").json() == {**before, "outdated": True}

    def found(**query: str) -> list[str]:
        return [each["id"] for each in cast.ria.get(f"{request_}/reviews", params=query).json()["items"]]

    assert found(outdated="true") == [before["id"]]
    assert found(outdated="false") == [after["id"]]
    assert found() == [before["id"], after["id"]]


def test_the_comment_is_shown_in_the_form_that_is_asked_for(cast: Cast, request_: str) -> None:
    made = review(cast.rhea, request_, comment={"markdown": "Fine."})
    shown = cast.ria.get(f"{request_}/reviews/{made['id']}", params={"format": "document"}).json()
    assert shown["comment"]["document"]["object"] == "document"
    (listed,) = cast.ria.get(f"{request_}/reviews", params={"format": "document"}).json()["items"]
    assert listed["comment"] == shown["comment"]
    assert cast.ria.get(f"{request_}/reviews", params={"format": "latin"}).status_code == 400


def test_nobody_reviews_their_own_and_only_who_has_the_right(cast: Cast, space: str, request_: str) -> None:
    expected = {"admin": 201, "create": 201, "review": 201, "edit": 403, "comment": 403, "read": 403}
    for role, status in {**expected, "guest": 404}.items():
        answer = cast.members[role].post(f"{request_}/reviews", {"status": "approved"})
        assert answer.status_code == status, role
    assert cast.sol.post(f"{request_}/reviews", {"status": "approved"}).status_code == 404
    own = make.change_request(cast.rhea, space)["id"]
    refused = cast.rhea.post(f"{place(space, own)}/reviews", {"status": "approved"})
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        409,
        "You cannot review your own change request.",
    )
    assert cast.ria.get(f"{place(space, own)}/reviews").json()["count"] == 0


@pytest.mark.parametrize("status", ["archived", "merged"])
def test_what_is_settled_is_not_reviewed(cast: Cast, space: str, request_: str, status: str) -> None:
    if status == "merged":
        assert cast.rhea.post(f"{request_}/merge").status_code == 200
    else:
        assert cast.ed.patch(request_, {"status": "archived"}).status_code == 200
    for person, path, body in (
        (cast.rhea, "reviews", {"status": "approved"}),
        (cast.rhea, "requested-reviewers", {"users": [cast.cleo.id]}),
    ):
        answer = person.post(f"{request_}/{path}", body)
        assert (answer.status_code, status in answer.json()["error"]["message"]) == (409, True)
    assert cast.ria.get(f"{request_}/reviews").json()["count"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "status"),
        ({"status": "rejected"}, "status"),
        ({"status": "approved", "comment": {"markdown": "a", "document": {}}}, "comment"),
    ],
)
def test_a_wrong_review_names_its_field(cast: Cast, request_: str, body: dict[str, Any], field: str) -> None:
    answer = cast.rhea.post(f"{request_}/reviews", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == field
    assert cast.ria.get(f"{request_}/reviews").json()["count"] == 0


def test_reviewers_are_asked_once_and_a_review_answers(cast: Cast, request_: str) -> None:
    first = ask(cast.ed, request_, cast.rhea, cast.cleo)
    assert first.status_code == 200
    assert {each["id"] for each in first.json()["users"]} == {cast.rhea.id, cast.cleo.id}
    again = ask(cast.ed, request_, cast.rhea, cast.ada, cast.ada)
    everybody = sorted([cast.rhea.id, cast.cleo.id, cast.ada.id])
    assert sorted(each["id"] for each in again.json()["users"]) == everybody
    assert asked(cast.ria, request_) == everybody
    assert review(cast.rhea, request_)["requestedBy"]["id"] == cast.ed.id
    assert cast.rhea.id not in asked(cast.ria, request_)
    mine = f"/v1/orgs/{cast.organization}/change-requests"
    found = cast.cleo.get(mine, params={"requestedReviewer": cast.cleo.id}).json()["items"]
    assert [each["subject"] for each in found] == ["Bells"]


def test_asking_opens_a_draft_and_may_say_what_it_is_about(cast: Cast, space: str) -> None:
    draft = place(space, make.change_request(cast.ed, space)["id"])
    described = {"subject": "Horns", "description": {"markdown": "They are *louder*."}}
    assert ask(cast.ed, draft, cast.rhea, **described).status_code == 200
    now = cast.ria.get(draft).json()
    assert (now["status"], now["subject"]) == ("open", "Horns")
    assert now["description"]["object"] == "document"


def test_who_is_asked_belongs_may_review_and_is_not_the_author(cast: Cast, space: str, request_: str) -> None:
    for people, status, path in (
        ((cast.rhea, cast.sol), 400, "users.1"),
        ((cast.ed,), 409, "users.0"),
        ((cast.cleo, cast.tom), 409, "users.1"),
        ((cast.gus,), 409, "users.0"),
    ):
        answer = ask(cast.ed, request_, *people)
        assert answer.status_code == status
        assert answer.json()["error"]["details"][0]["path"] == path
    assert cast.ed.post(f"{request_}/requested-reviewers", {"users": []}).status_code == 400
    assert asked(cast.ria, request_) == []
    grant = {"role": "review", "users": [cast.gus.id]}
    assert cast.ada.post(f"/v1/spaces/{space}/permissions", grant).status_code < 300
    assert ask(cast.ed, request_, cast.gus).status_code == 200


def test_its_author_whoever_may_review_and_who_was_asked_withdraw(cast: Cast, request_: str) -> None:
    def withdrawn(person: Person, of: Person) -> int:
        return person.delete(f"{request_}/requested-reviewers/{of.id}").status_code

    for person, status in ((cast.ed, 205), (cast.cleo, 205), (cast.rhea, 205), (cast.tom, 403)):
        assert ask(cast.ed, request_, cast.rhea).status_code == 200
        assert withdrawn(person, cast.rhea) == status
    assert withdrawn(cast.ed, cast.rhea) == 205
    assert withdrawn(cast.ed, cast.rhea) == 404
    assert withdrawn(cast.sol, cast.rhea) == 404


def test_who_only_edits_withdraws_no_request_for_the_review_of_others(cast: Cast, space: str) -> None:
    request = place(space, make.change_request(cast.cleo, space)["id"])
    assert ask(cast.cleo, request, cast.rhea).status_code == 200
    assert cast.ed.delete(f"{request}/requested-reviewers/{cast.rhea.id}").status_code == 403
    assert asked(cast.cleo, request) == [cast.rhea.id]


def test_contributors_are_who_edited_and_who_commented(cast: Cast, space: str, request_: str) -> None:
    number = cast.ed.get(request_).json()["number"]
    assert send(cast.rhea, space, insert("Horn"), request=number).status_code == 200
    review(cast.cleo, request_, comment={"markdown": "Good."})
    for _ in range(2):
        comment(cast.tom, space, "Loud.", request=number)
    found = cast.ria.get(f"{request_}/contributors").json()["items"]
    counted = {(each["user"]["id"], each["actionType"]): each["count"] for each in found}
    assert counted == {
        (cast.ed.id, "edit"): 1,
        (cast.rhea.id, "edit"): 1,
        (cast.cleo.id, "comment"): 1,
        (cast.tom.id, "comment"): 2,
    }


def test_reviews_of_another_change_request_are_not_found(cast: Cast, space: str, request_: str) -> None:
    other = place(space, make.change_request(cast.ed, space)["id"])
    theirs = review(cast.rhea, request_)["id"]
    assert cast.ada.get(f"{other}/reviews/{theirs}").status_code == 404
    assert cast.ada.get(f"{request_}/reviews/nothing").status_code == 404
    elsewhere = make.space(cast.sol, cast.elsewhere)["id"]
    away = place(elsewhere, make.change_request(cast.sol, elsewhere)["id"])
    assert cast.sol.get(f"{away}/reviews/{theirs}").status_code == 404
