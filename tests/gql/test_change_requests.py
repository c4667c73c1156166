"""Change requests and content changes through GraphQL."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.changes import place

MADE = "changeRequest { restId number status subject description { document } createdBy { restId } }"
DONE = """revisionId space { revisionId } changeRequest { restId revisionId }
    changes { object ref pageSummary { restId urls { location } } } insertedFiles { name ref }"""
READ = """query ($space: ID!, $number: ID!, $page: ID!, $revision: ID!) { space(id: $space) {
    pages { id }
    changeRequest(id: $number) { restId outdated pages { title } page(id: $page) { id markdown links {
            nodes { status } stats { total } } }
        currentRevision { restId } files { nodes { id } } }
    revision(id: $revision) { restId page(id: $page) { id markdown } } } }"""
INSERT = {"insertPage": {"title": "Bell", "ref": "bell", "document": {"markdown": "Ding.\n"}}}


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with nothing in it."""
    return str(make.space(cast.ada, cast.organization)["id"])


def status_of(answer: dict[str, Any]) -> int:
    """REST's status for the only error of a query."""
    (error,) = answer["errors"]
    return int(error["extensions"]["status"])


def test_a_change_request_is_opened_changed_and_read(cast: Cast, space: str) -> None:
    new = {"subject": "Bells", "description": {"markdown": "Loud."}}
    made = cast.ed.mutate("createChangeRequest", MADE, space=space, **new)["changeRequest"]
    assert (made["number"], made["status"], made["createdBy"]) == (1, "DRAFT", {"restId": cast.ed.id})
    assert made["description"]["document"]["object"] == "document"
    change = {"status": "OPEN", "description": None}
    changed = cast.ed.mutate("updateChangeRequest", MADE, space=space, changeRequest="1", **change)
    assert changed["changeRequest"] == {**made, "status": "OPEN", "description": None}
    assert cast.ria.get(place(space, made["restId"])).json()["status"] == "open"


def test_they_are_searched_by_subject_and_number(cast: Cast, space: str) -> None:
    for subject in ("A brighter lamp", "Fewer rounds"):
        make.change_request(cast.ed, space, subject=subject)
    found = """query ($space: ID!, $search: String) { space(id: $space) {
        changeRequests(filter: { status: DRAFT, search: $search }) { totalCount nodes { subject } } } }"""
    for search, subject in (("LAMP", "A brighter lamp"), ("#2", "Fewer rounds")):
        listed = cast.ria.ask(found, space=space, search=search)["space"]["changeRequests"]
        assert listed == {"totalCount": 1, "nodes": [{"subject": subject}]}


def test_content_is_changed_and_read_in_it(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)["id"]
    bytes_ = b64encode(make.picture(1, 1)).decode()
    upload = {"name": "dot.png", "contentType": "image/png", "ref": "dot", "source": {"base64": bytes_}}
    batch = [
        INSERT,
        {"insertFiles": {"files": [upload]}},
        {"updatePage": {"page": "bell", "document": {"markdown": "![d](/files/dot)\n"}, "at": 0}},
    ]
    done = cast.ed.mutate("changeContent", DONE, space=space, changeRequest=opened, changes=batch)
    assert done["changeRequest"] == {"restId": opened, "revisionId": done["revisionId"]}
    assert [change["object"] for change in done["changes"]] == ["CREATED_PAGE", "UPDATED_PAGE"]
    assert done["insertedFiles"] == [{"name": "dot.png", "ref": "dot"}]
    page = done["changes"][0]["pageSummary"]
    found = cast.ria.ask(READ, space=space, number="1", page=page["restId"], revision=done["revisionId"])
    inside, then = found["space"]["changeRequest"], found["space"]["revision"]
    assert found["space"]["pages"] == []
    assert (inside["restId"], inside["outdated"], inside["pages"]) == (opened, False, [{"title": "Bell"}])
    assert inside["page"]["id"] != then["page"]["id"]
    assert inside["page"]["markdown"] == then["page"]["markdown"] == "![d](.gitbook/assets/dot.png)\n"
    assert inside["currentRevision"] == {"restId": then["restId"]} == {"restId": done["revisionId"]}
    assert inside["page"]["links"] == {"nodes": [{"status": "OK"}], "stats": {"total": 1}}
    assert len(inside["files"]["nodes"]) == 1


def test_a_space_is_changed_directly(cast: Cast, space: str) -> None:
    done = cast.ed.mutate("changeContent", DONE, space=space, changes=[INSERT])
    assert done["changeRequest"] is None
    assert cast.ria.get(f"/v1/spaces/{space}").json()["revision"] == done["revisionId"]
    assert done["space"] == {"revisionId": done["revisionId"]}
    bell = done["changes"][0]["pageSummary"]["restId"]
    null = {"updatePage": {"page": bell, "into": None, "description": None}}
    cast.ed.mutate("changeContent", space=space, changes=[null])
    assert cast.ria.get(f"{place(space)}/content/page/{bell}").json()["path"] == "bell"


def test_what_is_refused_changes_nothing(cast: Cast, space: str) -> None:
    bad = {"deletePage": {"page": "nothing"}}
    for person, changes, code, path in (
        (cast.ed, [INSERT, bad], "BAD_REQUEST", ["changes", "1", "deletePage", "page"]),
        (cast.ed, [], "BAD_REQUEST", ["changes"]),
        (cast.ed, [INSERT] * 51, "BAD_REQUEST", ["changes"]),
        (cast.ria, [INSERT], "FORBIDDEN", None),
        (cast.sol, [INSERT], "NOT_FOUND", None),
    ):
        (error,) = person.tried("changeContent", space=space, changes=changes)["userErrors"]
        assert (error["code"], error["path"]) == (code, path)
    assert cast.ria.get(f"{place(space)}/content/pages").json()["pages"] == []
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    assert cast.ed.refused("changeContent", space=space, changes=[INSERT]) == "CONFLICT"


def test_lists_are_filtered_and_ordered(cast: Cast, space: str) -> None:
    first = make.change_request(cast.ed, space, subject="first")["id"]
    make.change_request(cast.rhea, space, subject="second")
    cast.ed.patch(place(space, first), {"status": "open"})
    query = """query ($organization: ID!, $space: ID!, $ed: ID!) {
        space(id: $space) {
            counted: changeRequests(filter: {status: [OPEN]}) { totalCount }
            open: changeRequests(filter: {status: [OPEN]}) { totalCount nodes { subject } }
            all: changeRequests(first: 1) { totalCount nodes { subject } }
            drafts: changeRequests(filter: {status: [DRAFT], creator: $ed}) { totalCount } }
        organization(id: $organization) {
            changeRequests(filter: {space: $space}, orderBy: {field: CREATED_AT}) {
                nodes { subject space { restId } } } } }"""
    found = cast.ria.ask(query, organization=cast.organization, space=space, ed=cast.ed.id)
    assert found["space"] == {
        "counted": {"totalCount": 1},
        "open": {"totalCount": 1, "nodes": [{"subject": "first"}]},
        "all": {"totalCount": 2, "nodes": [{"subject": "second"}]},
        "drafts": {"totalCount": 0},
    }
    nodes = found["organization"]["changeRequests"]["nodes"]
    assert nodes == [{"subject": each, "space": {"restId": space}} for each in ("second", "first")]


def test_what_is_not_there_is_not_found(cast: Cast, space: str) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    theirs = make.change_request(cast.ed, other)["id"]
    revision = cast.ed.get(f"/v1/spaces/{other}").json()["revision"]
    asked = "query ($space: ID!, $id: ID!) { space(id: $space) { changeRequest(id: $id) { id } } }"
    at = "query ($space: ID!, $id: ID!) { space(id: $space) { revision(id: $id) { pages { id } } } }"
    assert status_of(cast.ada.gql(asked, space=space, id=theirs)) == 404
    assert status_of(cast.ada.gql(at, space=space, id=revision)) == 404
    change = {"changeRequest": theirs, "subject": "Ours"}
    assert cast.ada.refused("updateChangeRequest", space=space, **change) == "NOT_FOUND"
    assert cast.ria.refused("updateChangeRequest", space=other, **change) == "FORBIDDEN"


def test_a_conflict_leads_to_what_it_is_in(cast: Cast, space: str) -> None:
    inside = "page { restId title changeRequest { restId } } pageId field"
    inside += " file { restId } reusableContent { restId }"
    asked = f"""query ($space: ID!, $opened: ID!) {{ space(id: $space) {{ changeRequest(id: $opened) {{
        conflicts {{ conflicts {{ {inside} }} }} }} }} }}"""
    made = cast.ed.mutate("changeContent", DONE, space=space, changes=[INSERT])
    bell = made["changes"][0]["pageSummary"]["restId"]
    opened = make.change_request(cast.ed, space)["id"]
    for title, place_of in (("Ours", {"changeRequest": opened}), ("Theirs", {})):
        renamed = {"updatePage": {"page": bell, "title": title}}
        cast.ed.mutate("changeContent", space=space, changes=[renamed], **place_of)
    told = cast.ria.ask(asked, space=space, opened=opened)["space"]["changeRequest"]["conflicts"]
    (conflict,) = [each for each in told["conflicts"] if each["field"] == "title"]
    assert conflict == {
        "page": {"restId": bell, "title": "Ours", "changeRequest": {"restId": opened}},
        "pageId": bell,
        "field": "title",
        "file": None,
        "reusableContent": None,
    }
    shown = f"conflicts {{ {inside} }}"
    merged = cast.rhea.tried("mergeChangeRequest", shown, space=space, changeRequest=opened)
    assert conflict in merged["conflicts"]
