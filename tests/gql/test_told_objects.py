"""Items that only refer to an object, such as search results, lead to the object."""

from __future__ import annotations

from tests import make
from tests.cast import Cast

PAGE = "restId page { id restId path changeRequest { restId } }"
FOUND = f"""query ($space: ID!, $organization: ID!) {{
    space(id: $space) {{ search(query: "wick") {{ nodes {{ {PAGE} }} }} }}
    organization(id: $organization) {{ search(query: "wick") {{ nodes {{
        space {{ restId }} pages {{ {PAGE} }} }} }} }} }}"""
CHANGED = """query ($space: ID!, $request: ID!) { space(id: $space) { changeRequest(id: $request) {
    changes { changes { type pageSummary { restId title }
        page { id restId path changeRequest { restId } } } } } } }"""
INSERTED = """insertedReusableContents { restId reusableContent { restId title markdown } }
    changes { pageSummary { restId } page { restId title markdown } }"""
COMMENTS = """query ($id: ID!) { space(id: $id) { comments { nodes { target {
    page { path } pageSummary { title outdated } } } } } }"""
LINKS = """query ($id: ID!) { space(id: $id) { links { nodes {
    targetReference { reusableContent { restId title } reusableContentSummary { title } } } } } }"""


def test_items_of_searches_lead_to_pages_and_spaces(cast: Cast) -> None:
    space = make.filled_space(cast)
    found = cast.ria.ask(FOUND, space=space, organization=cast.organization)
    (item, *_) = found["space"]["search"]["nodes"]
    assert (item["page"]["restId"], item["page"]["changeRequest"]) == (item["restId"], None)
    (here,) = (each for each in found["organization"]["search"]["nodes"] if each["space"]["restId"] == space)
    assert item["page"]["id"] in [each["page"]["id"] for each in here["pages"]]


def test_changed_pages_are_those_of_the_change_request_and_null_once_deleted(cast: Cast) -> None:
    space = make.filled_space(cast)
    request = make.change_request(cast.ed, space)
    ids = {
        path: cast.ada.get(f"/v1/spaces/{space}/content/path/{path}").json()["id"]
        for path in ("notes", "machinery/lamp")
    }
    batch = (
        {"operation": "update_page", "page": ids["notes"], "document": {"markdown": "New.\n"}},
        {"operation": "delete_page", "page": ids["machinery/lamp"]},
    )
    make.changes(cast.ed, space, *batch, request=request["id"])
    told = cast.ria.ask(CHANGED, space=space, request=request["id"])["space"]["changeRequest"]["changes"]
    pages = {each["pageSummary"]["restId"]: each["page"] for each in told["changes"] if each["pageSummary"]}
    assert pages[ids["notes"]]["changeRequest"] == {"restId": request["id"]}
    assert pages[ids["machinery/lamp"]] is None


def test_links_to_reusable_contents_and_comments_lead_to_the_objects(cast: Cast) -> None:
    text = '# Start\n\n{% include ".gitbook/includes/oil.md" %}\n'
    space = make.filled_space(cast, make.repository({"README.md": text}))
    nodes = cast.ria.ask(LINKS, id=space)["space"]["links"]["nodes"]
    told = [each["targetReference"] for each in nodes if each["targetReference"]["reusableContentSummary"]]
    titles = [each["reusableContentSummary"]["title"] for each in told]
    assert titles == [each["reusableContent"]["title"] for each in told] != []
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/notes").json()["id"]
    body = {"body": {"markdown": "Why?"}, "page": page}
    assert cast.tom.post(f"/v1/spaces/{space}/comments", body).status_code == 200
    (comment,) = cast.ria.ask(COMMENTS, id=space)["space"]["comments"]["nodes"]
    summary = {"title": "Notes", "outdated": False}
    assert comment["target"] == {"page": {"path": "notes"}, "pageSummary": summary}
    deleted = [{"deletePage": {"page": page}}]
    cast.ada.mutate("changeContent", space=space, changes=deleted)
    (comment,) = cast.ria.ask(COMMENTS, id=space)["space"]["comments"]["nodes"]
    assert comment["target"] == {"page": None, "pageSummary": {"title": "Notes", "outdated": True}}


def test_a_batch_shows_what_it_inserted(cast: Cast) -> None:
    space = make.filled_space(cast)
    inserted = [
        {"insertPage": {"type": "DOCUMENT", "title": "Fog", "document": {"markdown": "Thick.\n"}}},
        {"insertReusableContent": {"title": "Tar", "document": {"markdown": "Sticky.\n"}}},
    ]
    payload = cast.ada.tried("changeContent", INSERTED, space=space, changes=inserted)
    assert payload["userErrors"] == []
    (tar,), (fog,) = payload["insertedReusableContents"], payload["changes"]
    assert tar["reusableContent"] == {"restId": tar["restId"], "title": "Tar", "markdown": "Sticky.\n"}
    assert fog["page"] == {"restId": fog["pageSummary"]["restId"], "title": "Fog", "markdown": "Thick.\n"}
