"""Discussions through GraphQL: comments with their replies in one query, and what that costs."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.batches import insert, update
from tests.cast import Cast
from tests.discussed import address, again, change, comment, reply
from tests.gql.test_together import counted

DISCUSSION = """query ($space: ID!) { space(id: $space) { comments commentList { totalCount nodes {
    id body replies postedBy { displayName } reactions { emoji users { user { id } } } mentions { id }
    target { page { path outdated } node { id } }
    replyList { totalCount nodes { id body postedBy { displayName } reactions { emoji } } } } } } }"""
OF_REQUEST = """query ($space: ID!, $request: ID!) { space(id: $space) { commentList { totalCount }
    changeRequest(id: $request) { comments commentList(order: ASC, status: OPEN) { nodes { id
    replyList(first: 1) { totalCount nodes { body } } commentReply(id: "none") { id } } } } } }"""
POST = """mutation ($space: ID!, $request: ID, $new: CommentCreateInput!) {
    postComment(space: $space, changeRequest: $request, new: $new) { id target { changeRequest } } }"""


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
    return told["space"]["commentList"]["nodes"], ran


def test_comments_and_their_replies_cost_the_same_however_many(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = make.changes(cast.ed, space, insert("Lamp"))["changes"][0]["page"]["id"]
    discussed(cast, space, page, 3)
    _, few = asked(cast, space)
    discussed(cast, space, page, 9)
    nodes, many = asked(cast, space)
    token = cast.house.engine == "postgresql"  # is asked for there in the same way
    assert few == many <= 3 + token  # the space, its comments, all their replies
    assert len(nodes) == 12
    for node in nodes:
        number = int(node["body"]["markdown"].split()[1])
        assert node["replies"] == node["replyList"]["totalCount"] == number % 3
        said = [each["body"]["markdown"] for each in node["replyList"]["nodes"]]
        assert said == [f"Reply {m} to {number}" for m in range(number % 3)]
        assert [each["id"] for each in node["mentions"]] == [cast.ed.id]
        assert node["reactions"][0]["users"][0]["user"]["id"] == cast.ria.id


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
    told = {node["target"]["page"]["path"]: node["target"] for node in nodes}
    assert {path: each["page"]["outdated"] for path, each in told.items()} == {
        f"lamp-{n}": n == 0 for n in range(4)
    }
    assert {each["node"]["id"] for path, each in told.items() if path != "lamp-0"} == {"1"}


def test_a_change_request_is_discussed_by_the_same_mutations(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    request = make.change_request(cast.ed, space)["id"]
    new = {"body": {"markdown": "Good."}}
    made = cast.tom.ask(POST, space=space, request=request, new=new)["postComment"]
    assert made["target"] == {"changeRequest": request}
    assert cast.tom.ask(POST, space=space, new=new)["postComment"]["target"] == {"changeRequest": None}
    for word in ("One", "Two"):
        reply(cast.ed, space, made["id"], word, request)
    told = cast.ria.gql(OF_REQUEST, space=space, request=request)
    assert [error["extensions"]["status"] for error in told["errors"]] == [404]
    assert told["data"]["space"]["commentList"]["totalCount"] == 1
    found = told["data"]["space"]["changeRequest"]
    (node,) = found["commentList"]["nodes"]
    assert (found["comments"], node["id"], node["commentReply"]) == (1, made["id"], None)
    assert node["replyList"] == {"totalCount": 2, "nodes": [{"body": {"markdown": "One"}}]}


def test_a_body_that_says_nothing_is_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for body in ({}, {"markdown": "  "}):
        told = cast.tom.gql(POST, space=space, new={"body": body})
        assert told["errors"][0]["extensions"]["status"] == 400
    assert again(cast.tom, comment(cast.tom, space))["replies"] == 0
