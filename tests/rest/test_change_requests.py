"""Change requests through REST: who may what, numbers, statuses and counters, lists and their filters."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import sites
from tests.factories.changes import insert, place, send


def counters(person: Person, space_id: str) -> tuple[int, int, int]:
    """All change requests of a space, those that are open, and the drafts."""
    found = person.get(f"/v1/spaces/{space_id}").json()
    return found["changeRequests"], found["changeRequestsOpen"], found["changeRequestsDraft"]


def listed(person: Person, path: str, **query: Any) -> list[str]:
    """The subjects of the change requests in a list."""
    answer = person.get(f"{path}/change-requests", params=query)
    assert answer.status_code == 200, answer.text
    assert answer.json()["count"] == len(answer.json()["items"])
    return [item["subject"] for item in answer.json()["items"]]


def test_a_change_request_begins_as_a_draft_at_the_current_revision(cast: Cast, space: str) -> None:
    revision = cast.ed.get(f"/v1/spaces/{space}").json()["revision"]
    description = {"markdown": "Because *of the fog*."}
    made = make.change_request(cast.ed, space, subject="Bells", description=description, agentTaskId="t-1")
    assert made["object"] == "change-request"
    assert (made["number"], made["status"], made["subject"]) == (1, "draft", "Bells")
    assert made["createdBy"]["id"] == cast.ed.id
    assert made["revision"] == made["revisionInitial"] == revision
    assert (made["space"], made["comments"], made["outdated"]) == (space, 0, False)
    assert made["agentTaskId"] == "t-1"
    assert made["description"]["object"] == "document"
    assert made.keys().isdisjoint({"revisionMerged", "revisionMergedAncestor", "mergedAt", "mergedBy"})
    assert cast.ria.get(place(space, made["id"])).json() == made
    location = made["urls"]["location"].removeprefix(cast.instance.base)
    assert cast.ria.get(location).json() == made


def test_numbers_count_up_in_each_space_and_find_as_ids_do(cast: Cast, space: str) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    made = [make.change_request(cast.ed, space) for _ in range(3)]
    assert [request["number"] for request in made] == [1, 2, 3]
    assert make.change_request(cast.ed, other)["number"] == 1
    for request in made:
        assert cast.ed.get(place(space, request["number"])).json() == request
        assert cast.ed.get(place(space, request["id"])).json() == request


@pytest.mark.parametrize(
    "name", ["0", "4", "-1", "007x", "9" * 9, "9" * 40, "1.0", "\u0661", "%201", "x" * 300]
)
def test_what_names_no_change_request_is_not_found(cast: Cast, space: str, name: str) -> None:
    make.change_request(cast.ed, space)
    for below in ("", "/content", "/content/pages"):
        assert cast.ed.get(f"{place(space, name)}{below}").status_code == 404
    assert cast.ed.patch(place(space, name), {"subject": "Mine"}).status_code == 404
    assert send(cast.ed, space, insert("Bell"), request=name).status_code == 404


def test_the_change_request_of_another_space_is_not_found(cast: Cast, space: str) -> None:
    elsewhere = make.space(cast.sol, cast.elsewhere)["id"]
    for person, other in ((cast.ada, make.space(cast.ada, cast.organization)["id"]), (cast.sol, elsewhere)):
        theirs = make.change_request(person, other)["id"]
        revision = person.get(f"/v1/spaces/{other}").json()["revision"]
        for path in (
            place(space, theirs),
            f"{place(space, theirs)}/content",
            f"/v1/spaces/{space}/revisions/{revision}",
        ):
            assert cast.ada.get(path).status_code == 404
        assert cast.ada.patch(place(space, theirs), {"subject": "Ours"}).status_code == 404
        assert send(cast.ada, space, insert("Bell"), request=theirs).status_code == 404
        assert person.get(place(other, theirs)).json()["subject"] == ""


def test_who_may_open_one_and_who_may_see_it(cast: Cast, space: str) -> None:
    expected = {
        "admin": 201,
        "create": 201,
        "review": 201,
        "edit": 201,
        "comment": 403,
        "read": 403,
        "guest": 404,
    }
    for role, person in cast.members.items():
        assert person.post(f"/v1/spaces/{space}/change-requests", {}).status_code == expected[role]
    assert cast.sol.post(f"/v1/spaces/{space}/change-requests", {}).status_code == 404
    assert counters(cast.ada, space) == (4, 0, 4)
    made = make.change_request(cast.ed, space)["id"]
    seen = {role: person.get(place(space, made)).status_code for role, person in cast.members.items()}
    assert seen == {**dict.fromkeys(expected, 200), "guest": 404}
    assert cast.sol.get(place(space, made)).status_code == 404


def test_its_author_may_change_it_and_whoever_may_review(cast: Cast, space: str) -> None:
    of_ed, of_rhea = (make.change_request(person, space)["id"] for person in (cast.ed, cast.rhea))
    for person in (cast.ed, cast.rhea, cast.cleo, cast.ada):
        assert person.patch(place(space, of_ed), {"subject": person.email[:9]}).status_code == 200
    assert cast.ed.patch(place(space, of_rhea), {"subject": "Mine"}).status_code == 403
    for person, status in ((cast.tom, 403), (cast.ria, 403), (cast.gus, 404), (cast.sol, 404)):
        assert person.patch(place(space, of_ed), {"status": "archived"}).status_code == status
    assert cast.ria.get(place(space, of_ed)).json()["status"] == "draft"


def test_what_is_not_sent_stays_and_null_clears(cast: Cast, space: str) -> None:
    made = make.change_request(cast.ed, space, subject="Bells", description={"markdown": "Loud."})
    changed = cast.ed.patch(place(space, made["id"]), {"subject": "Horns"}).json()
    assert (changed["subject"], changed["description"]) == ("Horns", made["description"])
    assert changed["updatedAt"] > made["updatedAt"]
    assert "description" not in cast.ed.patch(place(space, made["id"]), {"description": None}).json()
    for wrong in ({"subject": None}, {"subject": "x" * 101}, {"status": "merged"}, {"status": None}):
        answer = cast.ed.patch(place(space, made["id"]), wrong)
        assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, *wrong)
    both = {"description": {"markdown": "a", "document": {}}}
    assert cast.ed.patch(place(space, made["id"]), both).status_code == 400
    assert cast.ed.patch(place(space, made["id"]), {"description": {"markdown": "a\0"}}).status_code == 400


def test_statuses_interchange_and_the_space_counts_them(cast: Cast, space: str) -> None:
    first, second = (make.change_request(cast.ed, space)["id"] for _ in range(2))
    assert counters(cast.ria, space) == (2, 0, 2)
    for status, expected in (
        ("open", (2, 1, 1)),
        ("open", (2, 1, 1)),
        ("archived", (2, 0, 1)),
        ("draft", (2, 0, 2)),
        ("archived", (2, 0, 1)),
        ("open", (2, 1, 1)),
    ):
        assert cast.ed.patch(place(space, first), {"status": status}).json()["status"] == status
        assert counters(cast.ria, space) == expected
    cast.ed.patch(place(space, second), {"status": "open"})
    assert counters(cast.ria, space) == (2, 2, 0)


def test_it_is_outdated_when_the_space_goes_on(cast: Cast, space: str) -> None:
    made = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, insert("Bell"), request=made)
    assert cast.ria.get(place(space, made)).json()["outdated"] is False
    make.changes(cast.ed, space, insert("Horn"))
    assert cast.ria.get(place(space, made)).json()["outdated"] is True


def test_a_space_lists_the_open_ones_unless_asked_otherwise(cast: Cast, space: str) -> None:
    path = f"/v1/spaces/{space}"
    for subject, status in (("a", "draft"), ("b", "open"), ("c", "open"), ("d", "archived")):
        made = make.change_request(cast.ed, space, subject=subject)["id"]
        cast.ed.patch(place(space, made), {"status": status})
    assert listed(cast.ria, path) == ["c", "b"]
    assert listed(cast.ria, path, status="draft") == ["a"]
    assert listed(cast.ria, path, status=["archived", "draft"]) == ["d", "a"]
    assert listed(cast.ria, path, status="archived,open") == ["d", "c", "b"]
    assert listed(cast.ria, path, status="merged") == []
    assert cast.ria.get(f"{path}/change-requests", params={"status": "closed"}).status_code == 400
    assert cast.gus.get(f"{path}/change-requests").status_code == 404


def test_lists_are_filtered_by_who_made_and_who_changed(cast: Cast, space: str) -> None:
    path, drafts = f"/v1/spaces/{space}", {"status": "draft"}
    of_ed = make.change_request(cast.ed, space, subject="ed's")["id"]
    make.change_request(cast.rhea, space, subject="rhea's")
    make.changes(cast.cleo, space, insert("Bell"), request=of_ed)
    make.changes(cast.cleo, space, insert("Horn"), request=of_ed)
    assert listed(cast.ria, path, **drafts, creator=cast.ed.id) == ["ed's"]
    assert listed(cast.ria, path, **drafts, creator=cast.rhea.id) == ["rhea's"]
    assert listed(cast.ria, path, **drafts, contributor=cast.cleo.id) == ["ed's"]
    assert listed(cast.ria, path, **drafts, contributor=cast.cleo.id, creator=cast.rhea.id) == []
    assert listed(cast.ria, path, **drafts, creator="nobody") == []
    assert listed(cast.ria, path, creator=cast.ed.id) == []


def test_lists_are_searched_by_subject_in_any_case_and_by_number(cast: Cast, space: str) -> None:
    first = make.change_request(cast.ed, space, subject="Große Lampe 100%")["id"]
    make.change_request(cast.ed, space, subject="Fewer rounds")
    for path in (f"/v1/spaces/{space}", f"/v1/orgs/{cast.organization}"):
        drafts = {"status": "draft", **({} if "spaces" in path else {"space": space})}
        for text in ("GROSSE", "lampe 1", "100%", " große "):
            assert listed(cast.ria, path, **drafts, search=text) == ["Große Lampe 100%"]
        for text in ("2", "#2"):
            assert listed(cast.ria, path, **drafts, search=text) == ["Fewer rounds"]
        for text in ("gro%e", "r_unds", "#", "9" * 128, "-1"):
            assert listed(cast.ria, path, **drafts, search=text) == []
        assert len(listed(cast.ria, path, **drafts, search="")) == 2
        assert cast.ria.get(f"{path}/change-requests", params={"search": "x" * 129}).status_code == 400
    cast.ed.patch(place(space, first), {"subject": "Small"})
    assert listed(cast.ria, f"/v1/spaces/{space}", status="draft", search="small") == ["Small"]
    assert listed(cast.ria, f"/v1/spaces/{space}", status="draft", search="lampe") == []


def test_an_organization_lists_what_the_caller_can_see(cast: Cast, space: str) -> None:
    path, drafts = f"/v1/orgs/{cast.organization}", {"status": "draft"}
    hidden = make.space(cast.ada, cast.organization)["id"]
    gone = make.space(cast.ada, cast.organization)["id"]
    first = make.change_request(cast.ed, space, subject="first")["id"]
    for where, subject in ((space, "second"), (hidden, "hidden"), (gone, "gone")):
        make.change_request(cast.ada, where, subject=subject)
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    assert cast.ada.delete(f"/v1/spaces/{gone}").status_code == 205
    assert listed(cast.ada, path, **drafts) == ["hidden", "second", "first"]
    assert listed(cast.ria, path, **drafts) == ["second", "first"]
    assert listed(cast.gus, path, **drafts) == []
    assert cast.sol.get(f"{path}/change-requests").status_code == 404
    cast.ed.patch(place(space, first), {"description": {"markdown": "Later."}})
    assert listed(cast.ria, path, **drafts) == ["first", "second"]
    assert listed(cast.ria, path, **drafts, orderBy="createdAt") == ["second", "first"]
    assert listed(cast.ria, path, **drafts, space=space, creator=cast.ed.id) == ["first"]
    assert listed(cast.ria, path, **drafts, space=hidden) == []
    assert listed(cast.ria, path, **drafts, requestedReviewer=cast.rhea.id) == []
    assert listed(cast.ria, path) == []


def test_an_organization_lists_those_of_a_site(cast: Cast, space: str) -> None:
    path, drafts = f"/v1/orgs/{cast.organization}", {"status": "draft"}
    elsewhere = str(make.space(cast.ada, cast.organization)["id"])
    shown = sites.site(cast.ada, cast.organization, spaces=[space])["id"]
    empty = sites.site(cast.ada, cast.organization)["id"]
    make.change_request(cast.ed, space, subject="shown")
    make.change_request(cast.ed, elsewhere, subject="elsewhere")
    assert listed(cast.ria, path, **drafts) == ["elsewhere", "shown"]
    assert listed(cast.ria, path, **drafts, site=shown) == ["shown"]
    assert listed(cast.ria, path, **drafts, site=shown, space=elsewhere) == []
    assert listed(cast.ria, path, **drafts, site=empty) == []
    assert listed(cast.ria, path, **drafts, site="nothing") == []
    granted = {"role": "read", "users": [cast.gus.id]}
    assert cast.ada.post(f"/v1/spaces/{space}/permissions", granted).status_code == 204
    assert listed(cast.gus, path, **drafts) == ["shown"]
    assert listed(cast.gus, path, **drafts, site=shown) == [], "a site that they do not see"


def test_pages_of_a_list_follow_each_other(cast: Cast, space: str) -> None:
    for number in range(5):
        make.change_request(cast.ed, space, subject=str(number))
    for path in (f"/v1/spaces/{space}", f"/v1/orgs/{cast.organization}"):
        found: list[str] = []
        query = {"status": "draft", "limit": 2}
        while True:
            answer = cast.ria.get(f"{path}/change-requests", params=query).json()
            assert answer["count"] == 5
            found += [item["subject"] for item in answer["items"]]
            if "next" not in answer:
                break
            query["page"] = answer["next"]["page"]
        assert found == ["4", "3", "2", "1", "0"]


def test_opening_one_costs_the_space_nothing(cast: Cast) -> None:
    filled = make.filled_space(cast)
    before = cast.ria.get(f"/v1/spaces/{filled}/content").json()
    made = make.change_request(cast.ed, filled)["id"]
    assert cast.ria.get(f"/v1/spaces/{filled}/content").json() == before
    inside = cast.ria.get(f"{place(filled, made)}/content").json()
    assert inside["id"] == before["id"]
    assert [file["id"] for file in inside["files"]] == [file["id"] for file in before["files"]]
    assert inside["variables"] == before["variables"]
    assert inside["reusableContents"] == before["reusableContents"]
