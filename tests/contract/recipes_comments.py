"""Calls about discussions, in a space and in a change request alike (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call

Recipe = Callable[[Cast], Call]
TEXT = "Is it *always* lit?\n"
PAGE = {"operation": "insert_page", "title": "Lamp", "emoji": "1f4a1", "document": {"markdown": TEXT}}
Place = Callable[[Cast], tuple[dict[str, str], str]]


def _space(cast: Cast) -> tuple[dict[str, str], str]:
    """A space with a page."""
    made = str(make.space(cast.ada, cast.organization)["id"])
    page = make.changes(cast.ada, made, PAGE)["changes"][0]["page"]["id"]
    return {"spaceId": made}, str(page)


def _request(cast: Cast) -> tuple[dict[str, str], str]:
    """A change request with a page of its own."""
    made = str(make.space(cast.ada, cast.organization)["id"])
    opened = str(make.change_request(cast.ed, made, subject="Lamps")["id"])
    page = make.changes(cast.ed, made, PAGE, request=opened)["changes"][0]["page"]["id"]
    return {"spaceId": made, "changeRequestId": opened}, str(page)


def _address(path: dict[str, str]) -> str:
    request = path.get("changeRequestId")
    return f"/v1/spaces/{path['spaceId']}" + (f"/change-requests/{request}" if request else "")


def _said(person: Person, path: str, body: dict[str, Any], method: str = "POST") -> str:
    answer = person.call(method, path, json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def _body(cast: Cast, text: str = "Who trims it?") -> dict[str, Any]:
    return {"markdown": f"{text} [@Ed](mention://{cast.ed.id})"}


def _comment(place: Place, cast: Cast) -> Call:
    """A comment with everything: a block of a page, an edit, reactions, a resolution, a mention, a reply."""
    path, page = place(cast)
    comments = f"{_address(path)}/comments"
    comment = _said(cast.tom, comments, {"body": {"markdown": "First"}, "page": page, "node": "0"})
    change = {"body": _body(cast), "addedReactions": ["1f44d", "2764"], "resolved": True}
    _said(cast.tom, f"{comments}/{comment}", change, "PUT")
    _said(cast.ria, f"{comments}/{comment}", {"addedReactions": ["1f44d"]}, "PUT")
    _said(cast.ada, comments, {"body": _body(cast, "And the glass?")})
    return Call({**path, "commentId": comment})


def _reply(place: Place, cast: Cast) -> Call:
    path = _comment(place, cast).path
    replies = f"{_address(path)}/comments/{path['commentId']}/replies"
    reply = _said(cast.ed, replies, {"body": {"markdown": "Me."}})
    _said(cast.ed, f"{replies}/{reply}", {"body": _body(cast, "I do."), "addedReactions": ["1f389"]}, "PUT")
    _said(cast.ada, replies, {"body": _body(cast, "Thanks.")})
    return Call({**path, "commentReplyId": reply})


def _in_place(place: Place, cast: Cast) -> dict[str, str]:
    path = dict(_reply(place, cast).path)
    return {name: path[name] for name in ("spaceId", "changeRequestId") if name in path}


def _list(place: Place, cast: Cast) -> Call:
    authors = [cast.tom.id, cast.ada.id]
    query = {"order": "asc", "status": "all", "format": "document", "authors": authors}
    return Call(_in_place(place, cast), query)


def _commenters(place: Place, cast: Cast) -> Call:
    return Call(_in_place(place, cast))


def _post(place: Place, cast: Cast) -> Call:
    path, page = place(cast)
    return Call(path, body={"body": _body(cast), "page": page, "node": "0"})


def _get(place: Place, cast: Cast) -> Call:
    return Call(_comment(place, cast).path, {"format": "document"})


def _update(place: Place, cast: Cast) -> Call:
    """Everything that a comment's administrator may change; its body is its author's."""
    path, page = place(cast)
    body = {"body": {"markdown": "First"}, "page": page}
    comment = _said(cast.ada, f"{_address(path)}/comments", body)
    reactions = {"addedReactions": ["1f44d"], "removedReactions": ["2764"]}
    change = {"body": _body(cast), "resolved": True, **reactions}
    return Call({**path, "commentId": comment}, body=change)


def _replies(place: Place, cast: Cast) -> Call:
    path = dict(_reply(place, cast).path)
    del path["commentReplyId"]
    return Call(path, {"format": "document"})


def _post_reply(place: Place, cast: Cast) -> Call:
    return Call(_comment(place, cast).path, body={"body": _body(cast)})


def _get_reply(place: Place, cast: Cast) -> Call:
    return Call(_reply(place, cast).path, {"format": "document"})


def _update_reply(place: Place, cast: Cast) -> Call:
    path = _comment(place, cast).path
    replies = f"{_address(path)}/comments/{path['commentId']}/replies"
    reply = _said(cast.ada, replies, {"body": {"markdown": "Me."}})
    return Call({**path, "commentReplyId": reply}, body=_update(place, cast).body)


def _mentions(cast: Cast) -> Call:
    """Mentions of the administrator in a comment and in a reply."""
    path, _page = _request(cast)
    body = {"body": {"markdown": f"Ask [@Ada](mention://{cast.ada.id})."}}
    comments = f"{_address(path)}/comments"
    _said(cast.tom, f"{comments}/{_said(cast.tom, comments, body)}/replies", body)
    return Call({"organizationId": cast.organization}, {"status": "open"})


OF_ONE: dict[str, Callable[[Place, Cast], Call]] = {
    "listComments": _list,
    "postComment": _post,
    "getComment": _get,
    "updateComment": _update,
    "deleteComment": _comment,
    "listCommentReplies": _replies,
    "postCommentReply": _post_reply,
    "getCommentReply": _get_reply,
    "updateCommentReply": _update_reply,
    "deleteCommentReply": _reply,
    "listCommenters": _commenters,
}
COMMENTS: dict[str, Recipe] = {
    f"{name}{suffix}": partial(recipe, place)
    for suffix, place in (("InSpace", _space), ("InChangeRequest", _request))
    for name, recipe in OF_ONE.items()
}
COMMENTS["listMentions"] = _mentions
