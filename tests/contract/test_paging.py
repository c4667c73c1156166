"""Lists are read in both directions: the same items in the same order with the same cursors, each page in one
statement."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.kit.errors import Invalid
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.list_pages import PagedList, ReadPage
from tests.contract.long_lists import MORE, several
from tests.contract.second_process import Stage
from tests.factories import collections, grants

LISTS = {row.id: row for row in OPERATIONS if row.paged}
STEPS = (1, 2, 3)
SPACES = LISTS["listSpacesInOrganizationById"]
# The orders that a list has besides the one that its recipe asks for.
OTHER_ORDERS: dict[str, list[dict[str, Any]]] = {
    "listMembersInOrganizationById": [{"order": "desc"}, {"sort": "joinedAt"}, {"sort": "lastSeenAt"}],
    "listSpacesForOrganizationMember": [{"order": "asc"}, {"order": "desc"}],
    "listSpacesForOrganizationTeam": [{"order": "asc"}, {"order": "desc"}],
    "listCommentsInSpace": [{"order": "desc"}],
    "listCommentsInChangeRequest": [{"order": "desc"}],
    "listChangeRequestsForOrganization": [{"orderBy": "updatedAt"}],
}


@pytest.mark.parametrize("row", LISTS.values(), ids=lambda row: row.id)
def test_a_list_is_the_same_in_both_directions(cast: Cast, stage: Stage, row: Operation) -> None:
    call = several(cast, row)
    whole = walked(PagedList(cast, stage, row, call))
    assert len(whole.items) > MORE
    for order in OTHER_ORDERS.get(row.id, []):
        walked(PagedList(cast, stage, row, Call(call.path, {**call.query, **order}, call.body)))


def walked(found: PagedList) -> ReadPage:
    """The whole list on one page, once all smaller pages of it are right in both directions."""
    whole = found.page(1000)
    is_right(whole, whole, 0, len(whole.items))
    for step in STEPS:
        walk_forward(found, whole, step)
        walk_backward(found, whole, step)
    look_around(found, whole)
    return whole


def walk_forward(found: PagedList, whole: ReadPage, step: int) -> None:
    """The pages that REST has: their tokens are cursors of items."""
    token, at, count = None, 0, len(whole.items)
    while at < count:
        part, end = found.page(step, token), min(at + step, count)
        is_right(part, whole, at, end)
        if step == 2:
            assert part.body == found.over_rest(step, token)
        assert part.body.get("next") == ({"page": part.cursors[-1]} if end < count else None)
        token, at = part.cursors[-1], end


def walk_backward(found: PagedList, whole: ReadPage, step: int) -> None:
    token, at = None, len(whole.items)
    while at > 0:
        part, start = found.page(step, token, backward=True), max(at - step, 0)
        is_right(part, whole, start, at)
        assert part.page.next == (part.cursors[-1] if token else None)
        token, at = part.cursors[0], start


def look_around(found: PagedList, whole: ReadPage) -> None:
    """Also where a page has no items, there may be some on either side."""
    count = len(whole.items)
    is_right(found.page(0), whole, 0, 0)
    is_right(found.page(0, backward=True), whole, count, count)
    for at in {0, 1, count - 1} & set(range(count)):
        token = whole.cursors[at]
        is_right(found.page(0, token), whole, at + 1, at + 1)
        is_right(found.page(0, token, backward=True), whole, at, at)
    if count:
        is_right(found.page(2, whole.cursors[0], backward=True), whole, 0, 0)
        is_right(found.page(2, whole.cursors[-1]), whole, count, count)


def is_right(part: ReadPage, whole: ReadPage, start: int, end: int) -> None:
    """The page has these of all items, tells what is on both sides, and took one statement at most."""
    assert part.items == whole.items[start:end]
    assert part.cursors == whole.cursors[start:end]
    assert (part.page.has_previous, part.page.has_next) == (start > 0, end < len(whole.items))
    assert part.page.count == whole.page.count
    assert part.statements <= 1


def spaces(cast: Cast, stage: Stage, **people: Any) -> PagedList:
    return PagedList(cast, stage, SPACES, Call({"organizationId": cast.organization}), **people)


def titles(part: ReadPage) -> list[str]:
    return [item["title"] for item in part.items]


def make_spaces(cast: Cast, names: str) -> list[str]:
    return [make.space(cast.ada, cast.organization, title=name)["id"] for name in names]


def test_a_cursor_holds_without_its_item(cast: Cast, stage: Stage) -> None:
    made, found = make_spaces(cast, "ABC"), spaces(cast, stage)
    cursor = found.page(50).cursors[1]
    assert cast.ada.delete(f"/v1/spaces/{made[1]}").status_code == 205
    assert titles(found.page(50, cursor, backward=True)) == ["A"]
    assert titles(found.page(50, cursor)) == ["C"]


def test_what_is_new_is_on_the_pages_before_a_cursor(cast: Cast, stage: Stage) -> None:
    make_spaces(cast, "AC")
    found = spaces(cast, stage)
    first, last = found.page(50).cursors
    between = make_spaces(cast, "B")[0]
    position = {"after": {"type": "space", "space": found.page(50).items[0]["id"]}}
    moved = cast.ada.post(f"/v1/spaces/{between}/move", {"parent": None, "position": position})
    assert moved.status_code == 200, moved.text
    assert titles(found.page(1, last, backward=True)) == ["B"]
    assert titles(found.page(1, first)) == ["B"]


def test_a_page_backward_shows_what_its_reader_may_see(cast: Cast, stage: Stage) -> None:
    """And counts anew where that has changed, though nothing is on the page."""
    hidden = make_spaces(cast, "ABC")[2]
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    first = spaces(cast, stage, person=cast.ria).page(50).cursors[0]
    grants.grant(cast.ada, f"/v1/spaces/{hidden}", "read", users=[cast.ria])
    page = spaces(cast, stage, person=cast.ria).page(50, first, backward=True).page
    assert (page.items, page.count, page.has_previous, page.has_next) == ([], 3, False, True)


@pytest.mark.parametrize("backward", [False, True])
def test_a_token_of_another_list_is_refused(cast: Cast, stage: Stage, backward: bool) -> None:
    make_spaces(cast, "AB")
    cursor = spaces(cast, stage).page(50).cursors[0]
    for wrong in (cursor[1:], cursor + "x", "x"):
        with pytest.raises(Invalid, match="does not belong"):
            spaces(cast, stage).page(1, wrong, backward=backward)
    with pytest.raises(Invalid, match="does not belong"):
        spaces(cast, stage, person=cast.ria).page(1, cursor, backward=backward)


def test_no_page_is_before_a_token_that_names_no_item(cast: Cast, stage: Stage) -> None:
    """REST gives one where a page of no items was asked for; it starts with the first item."""
    make_spaces(cast, "AB")
    found = spaces(cast, stage)
    token = found.over_rest(0)["next"]["page"]
    assert titles(found.page(1, token)) == ["A"]
    with pytest.raises(Invalid, match="names no item") as refused:
        found.page(1, token, backward=True)
    assert refused.value.details[0]["path"] == "page"


def test_rest_has_no_parameter_for_it(cast: Cast, stage: Stage) -> None:
    make_spaces(cast, "ABC")
    found = spaces(cast, stage)
    plain = found.over_rest(1)
    for name in ("backward", "_backward", "reversed"):
        assert found.over_rest(1, also={name: True}) == plain
