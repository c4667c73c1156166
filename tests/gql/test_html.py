"""Texts as HTML through GraphQL: of pages, reusable contents, comments and descriptions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.formats.markdown.passages import DEEPEST_INCLUDED
from tests import make
from tests.cast import Cast, Person
from tests.contract.second_process import Stage, staged
from tests.contract.statements import noting
from tests.factories import grants
from tests.factories.openapi import left_alone, spec
from tests.factories.site_blocks import Lamps, with_shown
from tests.instance import Instance
from tests.reader.rendering import browsed, parsed

PAGE = "query ($space: ID!, $path: String!) { space(id: $space) { page(path: $path) { id html } } }"
TEXT = """# Lighthouse

## Start

Look at [the **notes**](notes/README.md), [the wick](machinery/lamp.md#the-wick), [gone](gone.md) and
[a site](https://example.org/).[^1]

{% hint style="warning" %}
Mind the height: <code class="expression">space.vars.height</code>.
{% endhint %}

{% if visitor.claims.beta %}
Secret
{% endif %}

{% include ".gitbook/includes/oil.md" %}

{% content-ref url="machinery/lamp.md" %}
[lamp.md](machinery/lamp.md)
{% endcontent-ref %}

![](.gitbook/assets/lamp.png)

[^1]: A note.
"""
OIL = "Whale oil for [the lamp](../../machinery/lamp.md).\n"
HOSTILE = """# Start

<script>alert(1)</script><img src=x onerror=alert(1)><iframe src="https://example.org/film"></iframe>

[a](javascript:alert(1)) [b](data:text/html;base64,PHNjcmlwdD4=) <a href="vbscript:x">c</a> [d](https://ok.example/"onclick="x)

<div style="background:url(javascript:x)" onclick="x">kept</div>

{% unknown-thing source="<b onmouseover=x>" %}
"""


@pytest.fixture(scope="module")
def stage(instance: Instance) -> Iterator[Stage]:
    with staged(instance) as stage:
        yield stage


def html_of(person: Person, space: str, path: str = "readme") -> str:
    found: str = person.ask(PAGE, space=space, path=path)["space"]["page"]["html"]
    return found


def test_a_page_is_shown_as_its_readers_see_it(cast: Cast) -> None:
    space = make.filled_space(cast, make.repository({"README.md": TEXT, ".gitbook/includes/oil.md": OIL}))
    shown = html_of(cast.ria, space)
    tree = browsed(shown)
    hrefs = {link.all_text: link.attributes.get("href") for link in tree.every("a")}
    organization = cast.ria.get(f"/v1/spaces/{space}").json()["organization"]
    app = f"{cast.instance.settings.app_base}/o/{organization}/s/{space}"
    assert hrefs["the notes"] == f"{app}/notes"
    assert hrefs["the wick"] == f"{app}/machinery/lamp#the-wick"
    assert hrefs["a site"] == "https://example.org/"
    assert "gone" not in hrefs
    assert '<span class="broken">gone</span>' in shown
    assert hrefs["the lamp"] == f"{app}/machinery/lamp"  # in the reusable content
    assert "Mind the height: 40." in tree.all_text
    assert "Secret" not in shown
    assert "<h1" not in shown
    assert "A note." in shown
    assert "<strong>The lamp</strong>" in shown  # the card has the title of its page
    (lamp,) = tree.every("img")
    assert (lamp.attributes.get("width"), lamp.attributes.get("height")) == ("3", "2")
    assert httpx.get(str(lamp.attributes.get("src"))).content == make.picture(3, 2)


def test_an_operation_of_a_specification_is_shown_to_who_may_read_specifications(cast: Cast) -> None:
    with left_alone():
        spec(cast)
    text = '# API\n\n{% openapi-operation spec="kennel" path="/pets" method="get" %}\n'
    text += "Inside\n{% endopenapi-operation %}\n"
    space = make.filled_space(cast, make.repository({"README.md": text}))
    grants.grant(cast.ada, f"/v1/spaces/{space}", "read", users=[cast.gus])
    assert "List pets" in html_of(cast.ria, space)
    summary = html_of(cast.gus, space)
    assert "List pets" not in summary
    assert "/pets" in summary


def test_drafts_and_past_revisions_have_their_own_html(cast: Cast) -> None:
    space = make.filled_space(cast)
    before = cast.ada.get(f"/v1/spaces/{space}").json()["revision"]
    request = make.change_request(cast.ed, space)
    home = cast.ada.get(f"/v1/spaces/{space}/content/path/readme").json()["id"]
    text = "A draft: [notes](notes/README.md) ![](.gitbook/assets/lamp.png)\n"
    change = {"operation": "update_page", "page": home, "document": {"markdown": text}}
    make.changes(cast.ed, space, change, request=request["id"])
    make.changes(cast.ada, space, {**change, "document": {"markdown": "Newer.\n"}})
    asked = """query ($space: ID!, $request: ID!, $revision: ID!, $page: ID!) { space(id: $space) {
        page(id: $page) { html } revision(id: $revision) { page(id: $page) { html } }
        changeRequest(id: $request) { number page(id: $page) { html } } } }"""
    found = cast.ria.ask(asked, space=space, request=request["id"], revision=before, page=home)["space"]
    draft = found["changeRequest"]["page"]["html"]
    assert "A draft" in draft
    assert f"/~/changes/{found['changeRequest']['number']}/notes" in draft
    assert found["page"]["html"] == "<p>Newer.</p>"
    past = found["revision"]["page"]["html"]
    assert "Read the" in past
    assert f"/~/revisions/{before}/notes" in past
    for each in (draft, past):
        assert httpx.get(str(next(browsed(each).every("img")).attributes.get("src"))).status_code == 200


def test_what_is_hidden_or_hostile_does_not_come_out(cast: Cast) -> None:
    hidden = make.filled_space(cast)
    page = cast.ada.get(f"/v1/spaces/{hidden}/content/path/notes").json()["id"]
    text = f"{HOSTILE}\n\n[secret](/spaces/{hidden}/pages/{page})\n"
    space = make.filled_space(cast, make.repository({"README.md": text}))
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    shown = html_of(cast.ria, space)
    tree = browsed(shown)
    assert not {element.name for element in tree.every()} & {"script", "iframe", "style", "object"}
    for element in tree.every():
        assert not any(name.startswith("on") or name == "style" for name in element.attributes)
    links = [str(link.attributes.get("href")) for link in tree.every("a")]
    assert all(link.startswith(("https://", "#")) for link in links), links
    assert "kept" in shown
    assert "unknown-thing" in shown
    assert hidden not in shown
    (found,) = [link for link in browsed(html_of(cast.ada, space)).every("a") if link.all_text == "secret"]
    assert hidden in str(found.attributes.get("href"))
    assert cast.sol.gql(PAGE, space=space, path="readme")["data"] == {"space": None}


def test_reusable_contents_include_each_other_and_end(cast: Cast) -> None:
    include = '{{% include "./{}.md" %}}\n'
    files = {".gitbook/includes/oil.md": "Oil 0.\n\n" + include.format("part1")}
    for number in range(1, DEEPEST_INCLUDED + 2):
        text = f"Oil {number}. {{{{ space.vars.keeper }}}}\n\n" + include.format(f"part{number + 1}")
        files[f".gitbook/includes/part{number}.md"] = text + include.format("oil")
    files["README.md"] = '{% include ".gitbook/includes/oil.md" %}\n'
    space = make.filled_space(cast, make.repository(files))
    shown = html_of(cast.ria, space)
    assert [shown.count(f"Oil {number}.") for number in range(DEEPEST_INCLUDED + 1)] == [
        *[1] * DEEPEST_INCLUDED,
        0,
    ]
    asked = "query ($id: ID!) { space(id: $id) { reusableContents { title html } } }"
    found = {each["html"] for each in cast.ria.ask(asked, id=space)["space"]["reusableContents"]}
    assert any(each.startswith("<p>Oil 0.</p><p>Oil 1.") for each in found)


def test_what_people_write_is_html_whose_links_lead_to_what_the_reader_sees(cast: Cast) -> None:
    space, hidden = make.filled_space(cast), make.filled_space(cast)
    ids = [cast.ada.get(f"/v1/spaces/{each}/content/path/notes").json()["id"] for each in (space, hidden)]
    (file,) = cast.ada.get(f"/v1/spaces/{space}/content/files").json()["items"]
    text = (
        f"*See* [here](/pages/{ids[0]}#top), [there](/spaces/{hidden}/pages/{ids[1]}), "
        f"[lamp](/files/{file['id']}) <script>x</script>"
    )
    assert cast.tom.post(f"/v1/spaces/{space}/comments", {"body": {"markdown": text}}).status_code == 200
    make.change_request(cast.ed, space, description={"markdown": text})
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    asked = """query ($id: ID!) { space(id: $id) { comments { nodes { body { html } } }
        changeRequests { nodes { description { html } } } } }"""
    found = cast.ria.ask(asked, id=space)["space"]
    comment = found["comments"]["nodes"][0]["body"]["html"]
    draft = found["changeRequests"]["nodes"][0]["description"]["html"]
    for shown in (comment, draft):
        links = {link.all_text: str(link.attributes.get("href")) for link in browsed(shown).every("a")}
        assert "<em>See</em>" in shown
        assert "<script" not in shown
        assert hidden not in shown
        assert links["here"].endswith("/notes#top")
        assert "there" not in links
        assert httpx.get(links["lamp"]).status_code == 200
    assert "/~/changes/" in draft
    assert "/~/changes/" not in comment
    everything = cast.ada.ask(asked, id=space)["space"]["comments"]["nodes"][0]["body"]["html"]
    assert f"/s/{hidden}/notes" in everything


def test_lists_of_html_take_as_many_statements_as_one(cast: Cast, stage: Stage) -> None:
    include = '{% include "../.gitbook/includes/oil.md" %}\n'
    files = {f"pages/p{n}.md": f"# Page {n}\n\n[next](p{n + 1}.md)\n\n{include}" for n in range(20)}
    space = make.filled_space(cast, {**files, ".gitbook/includes/oil.md": OIL})
    for number in range(12):
        body = {"body": {"markdown": f"{number} [a](/spaces/{space}/pages/{number}) [b](/files/{number})"}}
        assert cast.tom.post(f"/v1/spaces/{space}/comments", body).status_code == 200
    for field in ("pageList(first: $first) { nodes { title html } }",
                  "comments(first: $first) { nodes { body { html } } }"):  # fmt: skip
        asked = f"query ($id: ID!, $first: Int!) {{ space(id: $id) {{ {field} }} }}"
        counts = []
        for first in (2, 12):
            query: dict[str, Any] = {"query": asked, "variables": {"id": space, "first": first}}
            with noting() as ran:
                answer = stage.send(cast.ria.token, "POST", "/graphql", json=query)
            assert b'"errors"' not in answer.content, answer.text
            counts.append(len(set(ran)))  # SQLite reads rows by their keys one by one
        assert counts[0] == counts[1], (field, counts)
        assert answer.text.count("html") == 12


def test_a_body_that_is_too_large_is_refused_by_itself(cast: Cast) -> None:
    long = "Many words. " * 83_000  # almost a megabyte
    space = make.filled_space(cast, make.repository({"README.md": long, "notes/README.md": long * 2}))
    asked = """query ($id: ID!) { space(id: $id) { page(path: "notes") { title html }
        start: page(path: "readme") { html } } }"""
    answer: dict[str, Any] = cast.ria.gql(asked, id=space)
    assert answer["data"]["space"]["page"] == {"title": "Notes", "html": None}
    (error,) = answer["errors"]
    assert error["path"] == ["space", "page", "html"]
    assert error["extensions"]["code"] == "BAD_REQUEST"
    assert "read it as Markdown" in error["message"]
    assert "path" not in error["extensions"]


PREVIEW = """query ($space: ID!, $markdown: Markdown!, $page: ID) {
    space(id: $space) { preview(markdown: $markdown, page: $page) } }"""


def test_a_text_that_is_not_saved_is_shown_as_it_would_be(cast: Cast) -> None:
    space = make.filled_space(
        cast, make.repository({"notes/README.md": "# Notes\n\n[the lamp](../machinery/lamp.md)\n"})
    )
    notes = cast.ada.get(f"/v1/spaces/{space}/content/path/notes").json()["id"]
    text = TEXT.replace("](notes/README.md)", "](rounds.md)").replace("](machinery/", "](../machinery/")
    text = text.replace('url="machinery/', 'url="../machinery/').replace('include ".', 'include "../.')
    text = text.replace("](.gitbook", "](../.gitbook") + f"\n[by its id](/pages/{notes}#notes)\n"
    shown = cast.ed.ask(PREVIEW, space=space, markdown=text, page=notes)["space"]["preview"]
    tree = browsed(shown)
    hrefs = {link.all_text: link.attributes.get("href") for link in tree.every("a")}
    app = f"{cast.instance.settings.app_base}/o/{cast.organization}/s/{space}"
    assert hrefs["the notes"] == f"{app}/notes/rounds"
    assert hrefs["the wick"] == f"{app}/machinery/lamp#the-wick"
    assert hrefs["by its id"] == "#notes"
    assert '<span class="broken">gone</span>' in shown
    assert "Whale oil." in shown
    assert "Mind the height: 40." in tree.all_text
    assert "Secret" not in shown
    (lamp,) = tree.every("img")
    assert httpx.get(str(lamp.attributes.get("src"))).content == make.picture(3, 2)
    unsaved = cast.ed.ask(PREVIEW, space=space, markdown="[start](README.md)\n", page=None)["space"]
    assert f'href="{app}' in unsaved["preview"]
    assert "Secret" not in str(
        cast.ada.get(f"/v1/spaces/{space}/content/page/{notes}?format=markdown").json()
    )


def test_a_preview_is_for_who_may_write(cast: Cast) -> None:
    space = make.filled_space(cast)
    request = make.change_request(cast.ed, space)
    answer = cast.ria.gql(PREVIEW, space=space, markdown="Text")
    assert answer["data"]["space"]["preview"] is None
    assert [each["extensions"]["code"] for each in answer["errors"]] == ["FORBIDDEN"]
    asked = """query ($space: ID!, $request: ID!, $markdown: Markdown!, $page: ID) { space(id: $space) {
        changeRequest(id: $request) { preview(markdown: $markdown, page: $page) } } }"""
    found = cast.ed.ask(asked, space=space, request=request["id"], markdown=HOSTILE)["space"]
    for wrong in ("<script", "onerror", '="javascript:', "vbscript:"):
        assert wrong not in found["changeRequest"]["preview"]
    for page, code in (("no-such-page", "NOT_FOUND"), ("", "BAD_REQUEST")):
        answer = cast.ed.gql(PREVIEW, space=space, markdown="Text", page=page)
        assert [each["extensions"]["code"] for each in answer["errors"]] == [code]
    answer = cast.ed.gql(PREVIEW, space=space, markdown="x" * 1_000_001)
    assert [each["extensions"]["code"] for each in answer["errors"]] == ["BAD_REQUEST"]


def test_a_block_of_an_integration_is_named_for_who_draws_it(cast: Cast) -> None:
    lamps = Lamps(cast, with_shown({"type": "divider"}) + "\n\n```lamp\non\n```\n", installed=False)
    space, asked = (
        lamps.site.spaces[0],
        'query ($space: ID!) { space(id: $space) { page(path: "lamps") { html } } }',
    )
    assert "data-integration" not in cast.ria.ask(asked, space=space)["space"]["page"]["html"]
    lamps.made.on_space(lamps.installation, space)
    tree = parsed(cast.ria.ask(asked, space=space)["space"]["page"]["html"])
    given = [each.attributes for each in tree.every("div") if "data-integration" in each.attributes]
    assert [(each["data-integration"], each["data-component"]) for each in given] == [
        (lamps.made.name, "lamp")
    ] * 2
    assert json.loads(str(given[1]["data-props"])) == {"content": "on"}
    endpoint = lamps.made.published["urls"]["publicContentEndpoint"]
    assert endpoint.startswith(str(given[0]["data-frames"]))
