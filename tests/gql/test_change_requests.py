"""Change requests and content changes through GraphQL."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.batches import place
from tests.cast import Cast

CREATE = """mutation ($space: ID!, $new: ChangeRequestCreateInput!) {
    createChangeRequest(space: $space, new: $new) {
        id number status subject description createdBy { id } } }"""
UPDATE = """mutation ($space: ID!, $id: ID!, $change: ChangeRequestUpdateInput!) {
    updateChangeRequest(space: $space, id: $id, change: $change) { status subject description } }"""
CHANGE = """mutation ($space: ID!, $in: ID!, $changes: [ContentChangeInput!]!) {
    changeContentInChangeRequest(space: $space, changeRequest: $in, changes: $changes) {
        revision changeRequest { id revision } changes { object ref page { id urls { location } } }
        insertedFiles { name ref } } }"""
CHANGE_SPACE = """mutation ($space: ID!, $changes: [ContentChangeInput!]!) {
    changeContent(space: $space, changes: $changes) {
        revision changeRequest { id } changes { ref page { id } } } }"""
INSERT = {"operation": "INSERT_PAGE", "title": "Bell", "ref": "bell", "document": {"markdown": "Ding.\n"}}


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with nothing in it."""
    return str(make.space(cast.ada, cast.organization)["id"])


def status_of(answer: dict[str, Any]) -> int:
    """REST's status for the only error of an answer."""
    (error,) = answer["errors"]
    return int(error["extensions"]["status"])


def test_a_change_request_is_opened_changed_and_read(cast: Cast, space: str) -> None:
    new = {"subject": "Bells", "description": {"markdown": "Loud."}}
    made = cast.ed.ask(CREATE, space=space, new=new)["createChangeRequest"]
    assert (made["number"], made["status"], made["createdBy"]) == (1, "DRAFT", {"id": cast.ed.id})
    assert made["description"]["object"] == "document"
    change = {"status": "OPEN", "description": None}
    changed = cast.ed.ask(UPDATE, space=space, id="1", change=change)["updateChangeRequest"]
    assert changed == {"status": "OPEN", "subject": "Bells", "description": None}
    assert cast.ria.get(place(space, made["id"])).json()["status"] == "open"


def test_content_is_changed_and_read_in_it(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)["id"]
    upload = make.upload("dot.png", make.picture(1, 1), ref="dot")
    batch = [
        INSERT,
        {"operation": "INSERT_FILES", "files": [upload]},
        {"operation": "UPDATE_PAGE", "page": "bell", "document": {"markdown": "![d](/files/dot)\n"}, "at": 0},
    ]
    done = cast.ed.ask(CHANGE, space=space, changes=batch, **{"in": opened})["changeContentInChangeRequest"]
    assert done["changeRequest"] == {"id": opened, "revision": done["revision"]}
    assert [change["object"] for change in done["changes"]] == ["CREATED_PAGE", "UPDATED_PAGE"]
    assert done["insertedFiles"] == [{"name": "dot.png", "ref": "dot"}]
    found = cast.ria.ask(
        """query ($space: ID!, $number: ID!, $page: ID!, $revision: ID!) { space(id: $space) {
            pages { id }
            changeRequest(id: $number) { id outdated pages { title } page(id: $page) { markdown }
                content { id } files { nodes { id } }
                pageLinks(page: $page) { nodes { status } stats { total } } }
            at(revision: $revision) { revision page(id: $page) { markdown } content { id } } } }""",
        space=space,
        number="1",
        page=done["changes"][0]["page"]["id"],
        revision=done["revision"],
    )["space"]
    inside, then = found["changeRequest"], found["at"]
    assert found["pages"] == []
    assert (inside["id"], inside["outdated"], inside["pages"]) == (opened, False, [{"title": "Bell"}])
    assert inside["page"] == then["page"] == {"markdown": "![d](.gitbook/assets/dot.png)\n"}
    assert inside["content"] == then["content"] == {"id": done["revision"]}
    assert inside["pageLinks"] == {"nodes": [{"status": "OK"}], "stats": {"total": 1}}
    assert len(inside["files"]["nodes"]) == 1


def test_a_space_is_changed_directly(cast: Cast, space: str) -> None:
    done = cast.ed.ask(CHANGE_SPACE, space=space, changes=[INSERT])["changeContent"]
    assert done["changeRequest"] is None
    assert cast.ria.get(f"/v1/spaces/{space}").json()["revision"] == done["revision"]
    bell = done["changes"][0]["page"]["id"]
    null = {"operation": "UPDATE_PAGE", "page": bell, "into": None, "description": None}
    cast.ed.ask(CHANGE_SPACE, space=space, changes=[null])
    assert cast.ria.get(f"{place(space)}/content/page/{bell}").json()["path"] == "bell"


def test_what_is_refused_changes_nothing(cast: Cast, space: str) -> None:
    bad = {"operation": "DELETE_PAGE", "page": "nothing"}
    for person, changes, status in (
        (cast.ed, [INSERT, bad], 400),
        (cast.ed, [], 400),
        (cast.ed, [INSERT] * 51, 400),
        (cast.ria, [INSERT], 403),
        (cast.sol, [INSERT], 404),
    ):
        assert status_of(person.gql(CHANGE_SPACE, space=space, changes=changes)) == status
    error = cast.ed.gql(CHANGE_SPACE, space=space, changes=[INSERT, bad])["errors"][0]
    assert error["extensions"]["details"][0]["path"] == "changes.1.page"
    assert cast.ria.get(f"{place(space)}/content/pages").json()["pages"] == []
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    assert status_of(cast.ed.gql(CHANGE_SPACE, space=space, changes=[INSERT])) == 409


def test_lists_have_the_filters_of_rest(cast: Cast, space: str) -> None:
    first = make.change_request(cast.ed, space, subject="first")["id"]
    make.change_request(cast.rhea, space, subject="second")
    cast.ed.patch(place(space, first), {"status": "open"})
    query = """query ($organization: ID!, $space: ID!, $ed: ID!) {
        space(id: $space) {
            changeRequests changeRequestsOpen
            open: changeRequestList { totalCount nodes { subject } }
            all: changeRequestList(status: [DRAFT, OPEN], first: 1) { totalCount nodes { subject } }
            drafts: changeRequestList(status: [DRAFT], creator: $ed) { totalCount } }
        organization(id: $organization) {
            changeRequests(status: [DRAFT, OPEN], space: $space, orderBy: CREATED_AT) {
                nodes { subject space } } } }"""
    found = cast.ria.ask(query, organization=cast.organization, space=space, ed=cast.ed.id)
    assert found["space"] == {
        "changeRequests": 2,
        "changeRequestsOpen": 1,
        "open": {"totalCount": 1, "nodes": [{"subject": "first"}]},
        "all": {"totalCount": 2, "nodes": [{"subject": "second"}]},
        "drafts": {"totalCount": 0},
    }
    nodes = found["organization"]["changeRequests"]["nodes"]
    assert nodes == [{"subject": "second", "space": space}, {"subject": "first", "space": space}]


def test_what_is_not_there_is_not_found(cast: Cast, space: str) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    theirs = make.change_request(cast.ed, other)["id"]
    revision = cast.ed.get(f"/v1/spaces/{other}").json()["revision"]
    asked = "query ($space: ID!, $id: ID!) { space(id: $space) { changeRequest(id: $id) { id } } }"
    at = "query ($space: ID!, $id: ID!) { space(id: $space) { at(revision: $id) { pages { id } } } }"
    assert status_of(cast.ada.gql(asked, space=space, id=theirs)) == 404
    assert status_of(cast.ada.gql(at, space=space, id=revision)) == 404
    assert status_of(cast.ada.gql(UPDATE, space=space, id=theirs, change={"subject": "Ours"})) == 404
    assert status_of(cast.ria.gql(UPDATE, space=other, id=theirs, change={"subject": "Ours"})) == 403
