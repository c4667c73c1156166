"""Pages that both sides of a merge moved: a conflict of `position` says where each side has them."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.changes import delete, ids, insert, paths, place, update


def test_a_page_moved_to_two_places_says_which(cast: Cast, space: str) -> None:
    made = make.changes(cast.ed, space, *(insert(title, ref=title) for title in ("Bell", "Horn", "Lamp")))
    pages = ids(made)
    opened = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, update(pages["Bell"], into=pages["Horn"]), request=opened)
    make.changes(cast.ed, space, update(pages["Bell"], into=pages["Lamp"]))
    merge = f"{place(space, opened)}/merge"
    outcome = cast.rhea.post(merge, {}).json()
    sides = {"base": None, "main": pages["Lamp"], "changeRequest": pages["Horn"]}
    said = {side: {"parent": parent} for side, parent in sides.items()}
    assert outcome["conflicts"] == [{"page": pages["Bell"], "field": "position", **said}]
    assert cast.rhea.post(merge, {"onConflict": "change-request"}).json()["result"] == "merge"
    assert paths(cast.ria, space) == ["horn", "horn/bell", "lamp"]


@pytest.mark.parametrize("count", [1, 12])
def test_pages_that_an_update_brings_below_deleted_ones_move_up(cast: Cast, space: str, count: int) -> None:
    above = [insert(f"Tower {index}", ref=f"tower {index}") for index in range(count)]
    towers = list(ids(make.changes(cast.ed, space, insert("Bell"), *above)).values())
    opened = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, *(delete(tower) for tower in towers), request=opened)
    for index, tower in enumerate(towers):
        room = insert(f"Room {index}", ref="room", into=tower)
        make.changes(cast.ed, space, room, insert(f"Lamp {index}", into="room"))
    updated = cast.ed.post(f"{place(space, opened)}/update").json()
    assert updated["result"] == "update", updated
    rooms = [path for index in range(count) for path in (f"room-{index}", f"room-{index}/lamp-{index}")]
    assert sorted(paths(cast.ria, space, opened)) == sorted(["bell", *rooms])
    assert cast.rhea.post(f"{place(space, opened)}/merge", {}).json()["result"] == "merge"
    assert sorted(paths(cast.ria, space)) == sorted(["bell", *rooms])
