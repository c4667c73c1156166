"""Spaces through REST."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast


@pytest.mark.parametrize("role", ["ada", "cleo", "rhea", "ed", "tom", "ria"])
def test_every_member_reads_a_space_that_inherits(cast: Cast, role: str) -> None:
    space = make.space(cast.ada, cast.organization)
    answer = getattr(cast, role).get(f"/v1/spaces/{space['id']}")
    assert answer.status_code == 200
    assert answer.json()["title"] == "Handbook"


def test_a_stranger_and_a_guest_cannot_know_of_a_space(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    for person in (cast.sol, cast.gus):
        assert person.get(f"/v1/spaces/{space['id']}").status_code == 404


def test_a_reader_cannot_rename_a_space(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    assert cast.ria.patch(f"/v1/spaces/{space['id']}", {"title": "Mine"}).status_code == 403
    assert cast.ada.get(f"/v1/spaces/{space['id']}").json()["title"] == "Handbook"


def test_an_editor_renames_but_does_not_administrate(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")
    answer = cast.ed.patch(f"/v1/spaces/{space['id']}", {"title": "Guide"})
    assert answer.status_code == 200
    assert (answer.json()["title"], answer.json()["emoji"]) == ("Guide", "1f4d6")
    for change in ({"editMode": "locked"}, {"defaultLevel": "read"}):
        assert cast.ed.patch(f"/v1/spaces/{space['id']}", change).status_code == 403


def test_null_clears_an_emoji_and_is_refused_for_a_title(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")
    assert "emoji" not in cast.ada.patch(f"/v1/spaces/{space['id']}", {"emoji": None}).json()
    refused = cast.ada.patch(f"/v1/spaces/{space['id']}", {"title": None})
    assert refused.status_code == 400
    assert refused.json()["error"]["details"][0]["path"] == "title"
