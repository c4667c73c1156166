"""Discussions through GraphQL: comments with their replies in one query, and what that costs."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.factories.changes import insert, new_page, update
from tests.factories.comments import address, again, change, comment, reply
from tests.gql.test_together import counted

DISCUSSION = """query ($space: ID!) { space(id: $space) { comments { totalCount nodes {
    id body { markdown } postedBy { displayName }
    reactions { emoji users { user { restId } } } mentions { restId }
    target { pageSummary { path outdated } node { restId } }
    replies { totalCount nodes {
        id body { markdown } postedBy { displayName } reactions { emoji } } } } } } }"""
OF_REQUEST = """query ($space: ID!, $request: ID!) { space(id: $space) { comments { totalCount }
    changeRequest(id: $request) { comments(orderBy: {direction: ASC}, filter: {status: OPEN}) {
    totalCount nodes { id restId replies(first: 1) { totalCount nodes { body { markdown } } }
        reply(id: "none") { id } } } } } }"""
POSTED = """comment { restId target { changeRequest { restId } } }
    space { comments { totalCount } } changeRequest { comments { totalCount } }"""


def discussed(cast: Cast, space: str, page: str, many: int) -> None:
    """Comments of everybody, each with a reaction and some replies."""
    for n in range(many):
        made = comment(cast.tom, space, f"Comment {n} [@Ed](mention://{cast.ed.id})", page=page, node="0")
        change(cast.ria, address(made), addedReactions=["1f44d"])
        for m in range(n % 3):
            answered = reply(cast.ed, space, made["id"], f"Reply {m} to {n}")
            change(cast.ria, address(answered), addedReactions=["1f44d"])


def asked(cast: Cast, space: str) -> tuple[list[dict[str, Any]], int]:
    told, ran = counted(cast.ria, DISCUSSION, space=space)
    return told["space"]["comments"]["nodes"], ran


def test_comments_and_their_replies_cost_the_same_however_many(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = make.changes(cast.ed, space, insert("Lamp"))["changes"][0]["page"]["id"]
    discussed(cast, space, page, 3)
    _, few = asked(cast, space)
    discussed(cast, space, page, 9)
    nodes, many = asked(cast, space)
    token = cast.instance.engine == "postgresql"  # is asked for there in the same way
    assert few == many <= 3 + token  # the space, its comments, all their replies
    assert len(nodes) == 12
    for node in nodes:
        number = int(node["body"]["markdown"].split()[1])
        assert node["replies"]["totalCount"] == number % 3
        said = [each["body"]["markdown"] for each in node["replies"]["nodes"]]
        assert said == [f"Reply {m} to {number}" for m in range(number % 3)]
        assert [each["restId"] for each in node["mentions"]] == [cast.ed.id]
        assert node["reactions"][0]["users"][0]["user"]["restId"] == cast.ria.id


def test_changed_pages_are_looked_at_once_for_all_their_comments(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    pages = []
    for n in range(4):
        page = make.changes(cast.ed, space, insert(f"Lamp {n}"))["changes"][0]["page"]["id"]
        discussed(cast, space, page, 2)
        pages.append(page)
    _, unchanged = asked(cast, space)
    for n, page in enumerate(pages):
        make.changes(cast.ed, space, update(page, f"New in {space}.\n\nLamp {n}.\n" if n else f"{space}.\n"))
    nodes, first = asked(cast, space)
    assert first <= unchanged + 1
    _, again_ = asked(cast, space)
    assert again_ == unchanged
    told = {node["target"]["pageSummary"]["path"]: node["target"] for node in nodes}
    assert {path: each["pageSummary"]["outdated"] for path, each in told.items()} == {
        f"lamp-{n}": n == 0 for n in range(4)
    }
    assert {each["node"]["restId"] for path, each in told.items() if path != "lamp-0"} == {"1"}


def test_a_change_request_is_discussed_by_the_same_mutations(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    request = make.change_request(cast.ed, space)["id"]
    body = {"markdown": "Good."}
    made = cast.tom.mutate("postComment", POSTED, space=space, changeRequest=request, body=body)
    assert made["comment"]["target"] == {"changeRequest": {"restId": request}}
    assert made["changeRequest"] == {"comments": {"totalCount": 1}}
    beside = cast.tom.mutate("postComment", POSTED, space=space, body=body)
    assert beside["comment"]["target"] == {"changeRequest": None}
    assert (beside["space"], beside["changeRequest"]) == ({"comments": {"totalCount": 1}}, None)
    for word in ("One", "Two"):
        reply(cast.ed, space, made["comment"]["restId"], word, request)
    told = cast.ria.gql(OF_REQUEST, space=space, request=request)
    assert [error["extensions"]["status"] for error in told["errors"]] == [404]
    assert told["data"]["space"]["comments"]["totalCount"] == 1
    found = told["data"]["space"]["changeRequest"]["comments"]
    (node,) = found["nodes"]
    assert (found["totalCount"], node["restId"], node["reply"]) == (1, made["comment"]["restId"], None)
    assert node["replies"] == {"totalCount": 2, "nodes": [{"body": {"markdown": "One"}}]}


def test_a_body_that_says_nothing_is_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    assert cast.tom.refused("postComment", space=space, body={"markdown": "  "}) == "BAD_REQUEST"
    post = "mutation ($input: PostCommentInput!) { postComment(input: $input) { comment { id } } }"
    (error,) = cast.tom.gql(post, input={"space": space, "body": {}})["errors"]
    assert error["extensions"]["code"] == "GRAPHQL_INVALID"
    assert again(cast.tom, comment(cast.tom, space))["replies"] == 0


def test_comments_of_a_space_are_filtered_by_their_page(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    one, two = (new_page(cast.ed, space, title=title) for title in ("One", "Two"))
    for page in (one, one, two):
        comment(cast.tom, space, "Words", page=page)
    query = "query ($s: ID!, $p: ID) { space(id: $s) { comments(filter: {page: $p}) { totalCount } } }"
    found = cast.ria.ask("query ($s: ID!) { space(id: $s) { pageList { nodes { id restId } } } }", s=space)
    ids = {node["restId"]: node["id"] for node in found["space"]["pageList"]["nodes"]}
    for name in (one, ids[one]):
        assert cast.ria.ask(query, s=space, p=name)["space"]["comments"]["totalCount"] == 2
    refused = cast.ria.gql(query, s=space, p="x" * 101)["errors"][0]
    assert refused["message"].startswith("page: "), refused
