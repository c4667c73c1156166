"""Normalized caches: after every mutation they hold what the server has, although nothing is asked again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import edits, make
from tests.browser.browser import Browser
from tests.cast import Cast
from tests.frontend.screens import Screen, served


@pytest.fixture(params=["apollo", "urql"])
def client(request: pytest.FixtureRequest) -> str:
    """The client that the app is made with."""
    name: str = request.param
    return name


@pytest.fixture
def screen(apps: Path, browser: Browser, client: str, fresh_database: str) -> Iterator[tuple[Cast, Screen]]:
    with served(apps, fresh_database) as (cast, origin), browser.page() as page:
        yield cast, Screen(page, origin, client)
        assert not page.complaints


def test_comments(screen: tuple[Cast, Screen]) -> None:
    cast, shown = screen
    space = make.space(cast.ada, cast.organization)["id"]
    page = edits.new_page(cast.ada, space, title="Setup")
    app = shown.app(cast.ada)
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


def test_change_requests(screen: tuple[Cast, Screen]) -> None:
    cast, shown = screen
    space = make.space(cast.ada, cast.organization)["id"]
    page = edits.new_page(cast.ada, space, title="Setup")
    app = shown.app(cast.ada)
    app.show("SpaceScreen", space=space, page=page)

    made = app.change("CreateChangeRequest", {"space": space, "subject": "Say more"})
    request = made["changeRequest"]["id"]
    app.show("ChangeRequestScreen", changeRequest=request, page=page)
    insert = {
        "updatePage": {
            "page": page,
            "title": "Setting up",
            "document": {"markdown": "More."},
        }
    }
    app.change("ChangeContent", {"changeRequest": request, "changes": [insert]}, page=page)
    app.change("UpdateChangeRequest", {"changeRequest": request, "subject": "Say much more"})
    app.change("RequestReviews", {"changeRequest": request, "users": [cast.rhea.id]})
    app.change("PostComment", {"changeRequest": request, "page": page, "body": {"markdown": "Good."}})
    app.change(
        "UpdateChangeRequest", {"changeRequest": request, "description": {"markdown": "**All** of it."}}
    )

    reviewer = shown.app(cast.rhea, "reviewer")
    reviewer.show("ChangeRequestScreen", changeRequest=request, page=page)
    reviewer.change("SubmitReview", {"changeRequest": request, "status": "CHANGES_REQUESTED"})

    app = shown.app(cast.ada)
    app.show("SpaceScreen", space=space, page=page)
    app.show("ChangeRequestScreen", changeRequest=request, page=page)
    merged = app.change("MergeChangeRequest", {"changeRequest": request}, page=page)
    assert merged["result"] == "MERGE"


def test_drafts_and_published_pages_side_by_side(screen: tuple[Cast, Screen]) -> None:
    cast, shown = screen
    space = make.space(cast.ada, cast.organization)["id"]
    page = edits.new_page(cast.ada, space, title="Setup", document={"markdown": "Published."})
    request = make.change_request(cast.ada, space)
    draft = {"operation": "update_page", "page": page, "document": {"markdown": "Drafted."}}
    make.changes(cast.ada, space, draft, request=request["id"])

    app = shown.app(cast.ada)
    published = app.show("SpaceScreen", space=space, page=page)["space"]
    made = published["changeRequests"]["edges"][0]["node"]["id"]
    drafted = app.show("ChangeRequestScreen", changeRequest=made, page=page)["node"]
    assert [each["page"]["markdown"] for each in (published, drafted)] == ["Published.", "Drafted."]
    assert published["page"]["id"] != drafted["page"]["id"]
    state = app.state()
    assert state["cached"] == state["server"]


def test_spaces(screen: tuple[Cast, Screen]) -> None:
    cast, shown = screen
    spaces = [make.space(cast.ada, cast.organization, title=title)["id"] for title in ("Guides", "Notes")]
    app = shown.app(cast.ada)
    app.show("Spaces", organization=cast.organization, first=10)
    app.change("RenameSpace", {"space": spaces[0], "title": "Manuals"})
    app.change("DeleteSpace", {"space": spaces[1]}, first=10)
