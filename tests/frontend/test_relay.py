"""Relay: lists that grow at both ends, objects by their ids alone, edges that a deletion removes."""

from __future__ import annotations

from collections.abc import Callable

from tests import make
from tests.cast import Cast
from tests.factories import changes
from tests.frontend.screens import App, Screen


def test_lists_grow_at_both_ends(cast: Cast, screens: Callable[[str], Screen]) -> None:
    for number in range(5):
        make.space(cast.ada, cast.organization, title=f"Space {number}")
    app = screens("relay").app(cast.ada)
    forward = app.call("spaces", cast.organization, 2, "forward")
    everything = forward[-1]
    assert len(everything) == 5
    assert forward == [everything[:2], everything[:4], everything]
    backward = screens("relay").app(cast.ada).call("spaces", cast.organization, 2, "backward")
    assert backward == [everything[3:], everything[1:], everything]


def test_objects_are_fetched_again_by_their_ids(cast: Cast, screens: Callable[[str], Screen]) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = changes.new_page(cast.ada, space, title="Setup", document={"markdown": "Unpack it."})
    query = "query ($space: ID!, $page: ID!) { space(id: $space) { id page(id: $page) { id } } }"
    found = cast.ada.ask(query, space=space, page=page)["space"]
    app = screens("relay").app(cast.ada)
    assert app.call("node", found["id"]) == {"__typename": "Space", "id": found["id"], "title": "Handbook"}
    page_again = app.call("node", found["page"]["id"])
    assert (page_again["title"], page_again["markdown"]) == ("Setup", "Unpack it.")


def test_comments_enter_and_leave_a_list(cast: Cast, screens: Callable[[str], Screen]) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    app = screens("relay").app(cast.ada)
    app.seen = app.call("comments", space)
    first, second = _posted(app, space, "Whose is this?"), _posted(app, space, "Mine.")
    for how, comment in (("drop", first), ("delete", second)):
        payload = app.call(how, comment)
        assert payload["deletedId"] == comment
        app.check(payload)
    assert app.seen == []


def _posted(app: App, space: str, text: str) -> str:
    payload = app.call("post", {"space": space, "body": {"markdown": text}})
    app.check(payload)
    return str(payload["comment"]["id"])
