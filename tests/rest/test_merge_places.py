"""Pages that both sides of a merge moved: a conflict of `position` says where each side has them."""

from __future__ import annotations

from tests import make
from tests.batches import ids, insert, paths, place, update
from tests.cast import Cast


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
