"""Normalized caches in apps of their own: after each mutation they hold what the server has, unasked.

test_console_caches.py compares them after every mutation of the console.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import changes
from tests.frontend.screens import Screen


@pytest.fixture(params=["apollo", "urql"])
def screen(request: pytest.FixtureRequest, screens: Callable[[str], Screen]) -> Screen:
    """The page of a client whose cache is normalized."""
    return screens(request.param)


def test_comments(cast: Cast, screen: Screen) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = changes.new_page(cast.ada, space, title="Setup")
    app = screen.app(cast.ada)
    app.show("SpaceScreen", space=space, page=page)

    on_space = app.change("PostComment", {"space": space, "body": {"markdown": "Whose is this?"}})
    on_page = app.change("PostComment", {"space": space, "page": page, "body": {"markdown": "Too short."}})
    first, second = on_space["comment"]["id"], on_page["comment"]["id"]
    app.change("UpdateComment", {"comment": second, "body": {"markdown": "Much too short."}})
    app.change("UpdateComment", {"comment": second, "addedReactions": ["1f44d"]})
    app.change("UpdateComment", {"comment": first, "resolved": True})
    reply = app.change("PostCommentReply", {"comment": second, "body": {"markdown": "Longer now."}})
    named = {"commentReply": reply["commentReply"]["id"]}
    app.change("UpdateCommentReply", {**named, "body": {"markdown": "It is longer now."}})
    app.change("DeleteCommentReply", named)
    app.change("DeleteComment", {"comment": second})
    app.change("DeleteComment", {"comment": first})


def test_change_requests(cast: Cast, screen: Screen) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = changes.new_page(cast.ada, space, title="Setup")
    app = screen.app(cast.ada)
    app.show("SpaceScreen", space=space, page=page)

    made = app.change("CreateChangeRequest", {"space": space, "subject": "Say more"})
    request = made["changeRequest"]["id"]
    app.show("ChangeRequestScreen", changeRequest=request, page=page)
    update = {"page": page, "title": "Setting up", "document": {"markdown": "More."}}
    app.change("ChangeContent", {"changeRequest": request, "changes": [{"updatePage": update}]}, page=page)
    app.change("UpdateChangeRequest", {"changeRequest": request, "subject": "Say much more"})
    app.change("RequestReviews", {"changeRequest": request, "users": [cast.rhea.id]})
    app.change("WithdrawReviewRequest", {"changeRequest": request, "user": cast.rhea.id})
    app.change("RequestReviews", {"changeRequest": request, "users": [cast.rhea.id]})
    app.change("PostComment", {"changeRequest": request, "page": page, "body": {"markdown": "Good."}})
    app.change(
        "UpdateChangeRequest", {"changeRequest": request, "description": {"markdown": "**All** of it."}}
    )

    reviewer = screen.app(cast.rhea, "reviewer")
    reviewer.show("ChangeRequestScreen", changeRequest=request, page=page)
    reviewer.change("SubmitReview", {"changeRequest": request, "status": "CHANGES_REQUESTED"})

    app = screen.app(cast.ada)
    app.show("SpaceScreen", space=space, page=page)
    app.show("ChangeRequestScreen", changeRequest=request, page=page)
    merged = app.change("MergeChangeRequest", {"changeRequest": request}, page=page)
    assert merged["result"] == "MERGE"


def test_drafts_and_published_pages_side_by_side(cast: Cast, screen: Screen) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = changes.new_page(cast.ada, space, title="Setup", document={"markdown": "Published."})
    request = make.change_request(cast.ada, space)
    draft = {"operation": "update_page", "page": page, "document": {"markdown": "Drafted."}}
    make.changes(cast.ada, space, draft, request=request["id"])

    app = screen.app(cast.ada)
    published = app.show("SpaceScreen", space=space, page=page)["space"]
    made = published["changeRequests"]["edges"][0]["node"]["id"]
    drafted = app.show("ChangeRequestScreen", changeRequest=made, page=page)["node"]
    assert [each["page"]["markdown"] for each in (published, drafted)] == ["Published.", "Drafted."]
    assert published["page"]["id"] != drafted["page"]["id"]
    state = app.call("state")
    assert state["cached"] == state["server"]


def test_what_happened_to_the_space_is_taken_over_or_undone(cast: Cast, screen: Screen) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = changes.new_page(cast.ada, space, title="Setup", document={"markdown": "First."})
    request = make.change_request(cast.ada, space)["id"]
    more = {"operation": "update_page", "page": page, "document": {"markdown": "Second."}}
    make.changes(cast.ada, space, more)
    latest = cast.ada.get(f"/v1/spaces/{space}").json()["revision"]

    app = screen.app(cast.ada)
    shown = app.show("SpaceScreen", space=space, page=page)["space"]
    made = shown["changeRequests"]["edges"][0]["node"]["id"]
    app.show("ChangeRequestScreen", changeRequest=made, page=page)
    app.change("UpdateChangeRequestFromMain", {"space": space, "changeRequest": request}, page=page)

    app = screen.app(cast.ada)
    app.show("SpaceScreen", space=space, page=page)
    app.change("RevertRevision", {"space": space, "revision": latest}, page=page)
    assert app.seen != shown


def test_an_account(cast: Cast, screen: Screen) -> None:
    app = screen.app(cast.ed)
    app.show("Account")
    made = app.change("CreateToken", {"name": "Build", "readOnly": True})["token"]["id"]
    app.change("UpdateToken", {"token": made, "name": "Nightly build"})
    app.change("DeleteToken", {"token": made})
    app.change("UpdateUser", {"user": cast.ed.id, "displayName": "Edward"})
    app.change("UpdateNotificationPreferences", {"mentions": "NEVER"})
    app.change("CreateOrganization", {"title": "Difference Engines"})


def test_spaces(cast: Cast, screen: Screen) -> None:
    spaces = [make.space(cast.ada, cast.organization, title=title)["id"] for title in ("Guides", "Notes")]
    app = screen.app(cast.ada)
    app.show("Spaces", organization=cast.organization, first=10)
    app.change("RenameSpace", {"space": spaces[0], "title": "Manuals"})
    app.change("DeleteSpace", {"space": spaces[1]}, first=10)
    app.change("RestoreSpace", {"space": spaces[1]}, first=10)


def test_collections(cast: Cast, screen: Screen) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    app = screen.app(cast.ada)
    organization = app.show("Structure", organization=cast.organization)["organization"]["id"]
    outer, inner = (
        app.change("CreateCollection", {"organization": organization, "title": title})["collection"]["id"]
        for title in ("Guides", "Notes")
    )
    app.change("MoveSpace", {"space": space, "parent": outer})
    app.change("MoveSpace", {"space": space, "parent": inner})
    app.change("CreateSpace", {"organization": organization, "parent": outer, "title": "Setup"})
    app.change("CreateCollection", {"organization": organization, "parent": outer, "title": "Old"})
    app.change("MoveSpace", {"space": space, "parent": None})
    app.change("DeleteCollection", {"collection": inner})


def test_teams(cast: Cast, screen: Screen) -> None:
    app = screen.app(cast.ada)
    organization = app.show("Teams", organization=cast.organization)["organization"]["id"]
    members = [cast.ed.id, f"User:{cast.tom.id}"]
    made = app.change("CreateTeam", {"organization": organization, "title": "Docs", "members": members})
    team = made["team"]["id"]
    app.change("UpdateTeamMembers", {"team": team, "add": [cast.ria.id], "remove": [cast.ed.id]})
    app.change("RemoveTeamMember", {"team": team, "user": cast.tom.id})
    app.change("DeleteTeam", {"team": team})
