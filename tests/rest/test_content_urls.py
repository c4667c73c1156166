"""Resolution of URLs: content of this installation, and pages of the web that content embeds."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.contract.recipes_content import page
from tests.factories.changes import insert, send
from tests.factories.integrations import PublishedIntegration
from tests.factories.sites import answered
from tests.local_server import Neighbour, html, sent

PLACES = """query($url: String!) { contentAtUrl(url: $url) {
    collection { restId } space { restId } changeRequest { restId } revisionId
    revision { restId } page { restId path } } }"""


def at(person: Person, url: str) -> Any:
    """Return what is at an address of the application, as both faces say."""
    found = answered(person.get("/v1/urls/content", params={"url": url}))
    told = person.ask(PLACES, url=url)["contentAtUrl"]
    revision = told.pop("revisionId")
    assert revision == found.get("revision")
    assert {name: part for name, part in told.items() if part} == {
        name: {"restId": part}
        if name == "revision"
        else {key: part["id" if key == "restId" else key] for key in told[name]}
        for name, part in found.items()
    }
    return found


def refused(person: Person, url: str) -> int:
    """Return how the question for an address is refused."""
    return person.get("/v1/urls/content", params={"url": url}).status_code


def test_every_address_of_the_application_leads_to_its_content(cast: Cast) -> None:
    shelf = answered(cast.ada.post(f"/v1/orgs/{cast.organization}/collections", {"title": "Library"}), 201)
    assert at(cast.ria, shelf["urls"]["app"]) == {
        "collection": answered(cast.ria.get(f"/v1/collections/{shelf['id']}"))
    }
    space = make.space(cast.ada, cast.organization)
    assert send(cast.ada, space["id"], insert("Äther & Öl", "words")).status_code == 200
    here = answered(cast.ria.get(f"/v1/spaces/{space['id']}"))
    assert at(cast.ria, here["urls"]["app"]) == {"space": here}
    oil = page(cast, space["id"], "Äther & Öl")
    found = at(cast.ria, oil["urls"]["app"])
    assert (found["space"]["id"], found["page"]["id"], found["page"]["urls"]) == (
        here["id"],
        oil["id"],
        oil["urls"],
    )
    request = make.change_request(cast.ed, space["id"])
    assert at(cast.ria, request["urls"]["app"])["changeRequest"]["id"] == request["id"]
    both = at(cast.ria, f"{request['urls']['app']}/{oil['path']}/")
    assert (both["changeRequest"]["number"], both["page"]["id"]) == (request["number"], oil["id"])
    now = f"{here['urls']['app']}/~/revisions/{here['revision']}"
    assert at(cast.ria, now)["revision"] == here["revision"]


def test_an_address_tells_nothing_to_who_may_not_see_its_content(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    url = space["urls"]["app"]
    assert refused(cast.gus, url) == 404
    assert refused(cast.ria, url.replace(f"/o/{cast.organization}/", f"/o/{cast.elsewhere}/")) == 404
    for unknown in ("/no-page", "/~/changes/77", "/~/revisions/none"):
        assert refused(cast.ria, url + unknown) == 404
    assert refused(cast.ria, url.partition("/o/")[0] + "/o/") == 404
    for wrong in ("https://example.org/o/a/s/b", "nonsense", "http://[", f"{url}/%00"):
        answer = cast.ria.get("/v1/urls/content", params={"url": wrong})
        assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "url")


@pytest.mark.parametrize("where", ["/v1/urls/embed", "/v1/spaces/{}/embed"])
def test_an_embedded_page_is_told_as_it_tells_itself(cast: Cast, neighbour: Neighbour, where: str) -> None:
    path = where.format(make.space(cast.ada, cast.organization)["id"])
    head = '<meta property="og:description" content="How it  burns"><link rel="shortcut icon" href="/i.png">'
    url = neighbour.shows("/lamp", html(head, title="The lamp &amp; its oil"))
    assert answered(cast.ria.get(path, params={"url": url})) == {
        "type": "link", "url": url, "title": "The lamp & its oil", "site": "127.0.0.1",
        "description": "How it burns", "icon": f"{neighbour.base}/i.png",
    }  # fmt: skip
    drawing = neighbour.shows("/plans/drawing.pdf", sent(b"%PDF", "application/pdf"))
    assert answered(cast.ria.get(path, params={"url": drawing}))["title"] == "drawing.pdf"
    for wrong in ("http://169.254.169.254/", "ftp://example.org/", "x", f"{neighbour.base}/nothing"):
        answer = cast.ria.get(path, params={"url": wrong})
        assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, "url")


def test_an_address_that_a_block_unfurls_is_shown_by_it_in_its_spaces_only(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    block = {"id": "drawing", "title": "Drawing", "urlUnfurl": ["https://draw.example.org/file"]}
    made = PublishedIntegration(cast, blocks=[block])
    made.on_space(made.install(), space)
    url = "https://draw.example.org/file/7"
    found = answered(cast.ria.get(f"/v1/spaces/{space}/embed", params={"url": url}))
    assert found == {
        "type": "integration", "url": url, "title": "Drawing", "site": "draw.example.org",
        "integration": made.name, "block": "drawing",
    }  # fmt: skip
    asked = """query($id: ID!, $url: String!) {
        space(id: $id) { embed(url: $url) { type integrationId block } } }"""
    told = cast.ria.ask(asked, id=space, url=url)["space"]["embed"]
    assert told == {"type": "INTEGRATION", "integrationId": made.name, "block": "drawing"}
    assert cast.gus.get(f"/v1/spaces/{space}/embed", params={"url": url}).status_code == 404
