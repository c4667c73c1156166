"""Texts as typed blocks through GraphQL: of pages, reusable contents and comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql.execution import Executor

from app.api.graphql.execution import Direct
from app.api.graphql.server import COSTS
from graphql import GraphQLField, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, parse
from tests import make
from tests.cast import Cast
from tests.contract.second_process import Stage, staged
from tests.contract.statements import noting
from tests.instance import Instance

RUNS = """fragment Runs on Run { __typename
  ... on TextRun { text marks }
  ... on LinkRun { target { ...Target } runs { ... on TextRun { text } } }
  ... on ImageRun { source { ...Target } alt }
  ... on MentionRun { user { restId } text }
}
fragment Target on LinkTarget { kind status href url anchor space { restId } file { id name }
  page { id title changeRequest { restId } } reusableContent { title } }
"""
BLOCKS = """fragment Blocks on Block { __typename
  ... on Heading { level anchor runs { ...Runs } }
  ... on Paragraph { key runs { ...Runs } }
  ... on Hint { style blocks { __typename ... on Paragraph { runs { ...Runs } } } }
  ... on List { kind items { checked blocks { __typename ... on Paragraph { runs { ...Runs } } } } }
  ... on Image { source { ...Target } }
  ... on ReusableContentBlock { target { ...Target } }
  ... on OpenAPIOperation { path specification { slug } blocks { __typename } }
}
"""
PAGE = (
    """query ($space: ID!, $path: String!, $evaluated: Boolean! = false) { space(id: $space) {
  page(path: $path) { id blocks(evaluated: $evaluated) { ...Blocks } } } }
"""
    + BLOCKS
    + RUNS
)
TEXT = """# Start

Look at [the **notes**](notes/README.md), [gone](gone.md) and [a site](https://example.org/).

{% hint style="warning" %}
Mind [the wick](machinery/lamp.md#the-wick).
{% endhint %}

* [x] Trim it

{% include ".gitbook/includes/oil.md" %}

![](.gitbook/assets/lamp.png)
"""


@pytest.fixture(scope="module")
def stage(instance: Instance) -> Iterator[Stage]:
    with staged(instance) as stage:
        yield stage


def test_a_page_is_told_as_blocks_whose_links_are_objects(cast: Cast) -> None:
    space = make.filled_space(cast, make.repository({"README.md": TEXT}))
    page = cast.ria.ask(PAGE, space=space, path="readme")["space"]["page"]
    heading, words, hint, tasks, oil, lamp = page["blocks"]
    assert (heading["__typename"], heading["level"], heading["runs"][0]["text"]) == ("Heading", 1, "Start")
    links = [run for run in words["runs"] if run["__typename"] == "LinkRun"]
    assert [(link["target"]["kind"], link["target"]["status"]) for link in links] == [
        ("PAGE", "OK"),
        ("PAGE", "BROKEN"),
        ("URL", "OK"),
    ]
    assert links[0]["target"]["page"]["title"] == "Notes"
    assert (links[1]["target"]["page"], links[2]["target"]["url"]) == (None, "https://example.org/")
    (inside,) = hint["blocks"]
    assert (hint["style"], inside["runs"][1]["target"]["anchor"]) == ("WARNING", "the-wick")
    assert (tasks["kind"], tasks["items"][0]["checked"]) == ("TASKS", True)
    assert oil["target"]["reusableContent"]["title"]
    assert lamp["source"]["file"]["name"] == "lamp.png"
    whole = cast.ria.ask("query ($id: ID!) { node(id: $id) { id ... on Page { title } } }",
                         id=links[0]["target"]["page"]["id"])  # fmt: skip
    assert whole["node"]["title"] == "Notes"


def test_links_of_a_draft_lead_into_the_draft_and_those_elsewhere_out_of_it(cast: Cast) -> None:
    other, space = make.filled_space(cast), make.filled_space(cast)
    request = make.change_request(cast.ed, space)
    home = _page(cast, space, "readme")
    text = f"[here](notes/README.md) [there](/spaces/{other}/pages/{_page(cast, other, 'notes')})\n"
    change = {"operation": "update_page", "page": home, "document": {"markdown": text}}
    make.changes(cast.ed, space, change, request=request["id"])
    asked = f"""query ($space: ID!, $request: ID!, $page: ID!) {{ space(id: $space) {{
        changeRequest(id: $request) {{ page(id: $page) {{ blocks {{ ...Blocks }} }} }} }} }}
        {BLOCKS} {RUNS}"""
    found = cast.ria.ask(asked, space=space, request=request["id"], page=home)
    ((words,),) = [found["space"]["changeRequest"]["page"]["blocks"]]
    here, _, there = words["runs"]
    assert here["target"]["page"]["changeRequest"] == {"restId": request["id"]}
    assert (there["target"]["space"], there["target"]["page"]["changeRequest"]) == ({"restId": other}, None)


def test_a_hidden_space_is_not_told_by_links_into_it(cast: Cast) -> None:
    hidden = make.filled_space(cast)
    text = f"# Start\n\n[a](/spaces/{hidden}/pages/{_page(cast, hidden, 'notes')})\n"
    space = make.filled_space(cast, make.repository({"README.md": text}))
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    told = cast.ria.ask(PAGE, space=space, path="readme")["space"]["page"]["blocks"][1]["runs"][0]["target"]
    assert (told["status"], told["page"], told["space"], told["url"]) == ("BROKEN", None, None, None)
    refused = cast.sol.gql(PAGE, space=space, path="readme")
    assert refused["data"] == {"space": None}


def test_reusable_contents_and_comments_have_blocks_too(cast: Cast) -> None:
    oil = "{% if visitor.claims.beta %}\nSecret\n{% endif %}\n\nSee [the lamp](../../machinery/lamp.md).\n"
    space = make.filled_space(cast, make.repository({".gitbook/includes/oil.md": oil}))
    asked = f"""query ($id: ID!) {{ space(id: $id) {{ reusableContents {{ documentId markdown document
        blocks {{ __typename }} known: blocks(evaluated: true) {{ ...Blocks }} }} }} }} {BLOCKS} {RUNS}"""
    (found,) = cast.ria.ask(asked, id=space)["space"]["reusableContents"]
    assert (found["markdown"], found["document"]["object"]) == (oil, "document")
    assert [each["__typename"] for each in found["blocks"]] == ["Conditional", "Paragraph"]
    assert [each["__typename"] for each in found["known"]] == ["Paragraph"]
    assert found["known"][0]["runs"][1]["target"]["page"]["title"] == "The lamp"
    body = {"body": {"markdown": "A *word*."}}
    assert cast.tom.post(f"/v1/spaces/{space}/comments", body).status_code == 200
    told = "query ($id: ID!) { space(id: $id) { comments { nodes { body { blocks { ...Blocks } } } } } }"
    (comment,) = cast.ria.ask(f"{told} {BLOCKS} {RUNS}", id=space)["space"]["comments"]["nodes"]
    assert comment["body"]["blocks"][0]["runs"][1] == {
        "__typename": "TextRun",
        "text": "word",
        "marks": ["ITALIC"],
    }


def test_all_pages_of_a_list_take_as_many_statements_as_one(cast: Cast, stage: Stage) -> None:
    space = make.filled_space(cast)
    asked = """query ($id: ID!, $first: Int!) { space(id: $id) { pageList(first: $first) { nodes {
        title blocks { ... on Paragraph { runs { ... on LinkRun { target { status href } } } } } } } } }"""
    counts = []
    for first in (1, 8):
        body = {"query": asked, "variables": {"id": space, "first": first}}
        with noting() as ran:
            answer = stage.send(cast.ria.token, "POST", "/graphql", json=body)
        assert b'"errors"' not in answer.content, answer.text
        counts.append((len(set(ran)), sum("far_space" in text for text in ran)))
    assert counts[0] == counts[1] == (counts[0][0], 1)
    assert answer.text.count('"status":"OK"') >= 4


def _page(cast: Cast, space: str, path: str) -> str:
    """Return the id of a page."""
    found: str = cast.ada.get(f"/v1/spaces/{space}/content/path/{path}").json()["id"]
    return found


TEXT_RUN = {"type": "text", "text": "a", "marks": ["bold"]}
QUOTE = {"type": "quote", "blocks": [{"type": "paragraph", "key": "b", "runs": [TEXT_RUN]}]}


@pytest.mark.parametrize(
    "source",
    [
        [QUOTE, {"type": "divider"}],
        [],
        None,
        [QUOTE, {"type": "tomorrow"}],
        [{"type": "quote", "blocks": [None]}],
        [{"type": "quote"}],
        ["text"],
        [{"type": "paragraph", "runs": [{**TEXT_RUN, "marks": ["loud"]}]}],
        [{"type": ["quote"], "blocks": []}],
    ],
)
def test_unions_are_completed_as_the_library_completes_them(source: Any) -> None:
    document = parse("""{ blocks { __typename ... on Paragraph { key runs { ...Text } } ... on Divider { key }
        ... on Quote { blocks { __typename ... on Paragraph { runs { ... on TextRun { text } } } } } } }
        fragment Text on Run { ... on TextRun { text marks __typename } }""")
    field = GraphQLField(
        GraphQLList(GraphQLNonNull(COSTS.schema.type_map["Block"])),
        resolve=lambda source, _info: source["blocks"],
    )
    own = GraphQLSchema(GraphQLObjectType("Query", {"blocks": field}))
    answers = []
    for kind in (Direct, Executor):
        executor: Any = kind.build(own, document, root_value={"blocks": source})
        result: Any = executor.execute_operation()
        answers.append((result.data, [(each.message, each.path) for each in result.errors or ()]))
    assert answers[0] == answers[1]
