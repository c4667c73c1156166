"""Covers that batches of content changes give to pages, through REST."""

from __future__ import annotations

from typing import Any

import pytest

from app.models.pages import PageOut
from tests import make
from tests.cast import Cast
from tests.contract.shapes import fits
from tests.factories.changes import ids, insert, page, refused, update

ELSEWHERE = {"kind": "url", "url": "https://example.org/harbour.png"}


def picture(ref: str) -> dict[str, Any]:
    """A new file that is a picture."""
    upload = make.upload("harbour.png", make.picture(3, 2), ref=ref)
    return {"operation": "insert_files", "files": [upload]}


def test_a_cover_shows_a_file_of_the_same_batch(cast: Cast, space: str, request_id: str | None) -> None:
    cover = {"ref": {"kind": "file", "file": "sea"}, "refDark": ELSEWHERE, "yPos": -12.5, "height": 300}
    made = make.changes(
        cast.ed, space, picture("sea"), insert("Bell", ref="bell", cover=cover), request=request_id
    )
    bell, file = ids(made)["bell"], made["insertedFiles"][0]["id"]
    shown = {"ref": {"kind": "file", "file": file}, "refDark": ELSEWHERE, "yPos": -12.5, "height": 300}
    found = page(cast.ria, space, bell, request_id)["cover"]
    assert found == shown
    make.changes(cast.ed, space, update(bell, cover={"ref": found["ref"]}), request=request_id)
    assert page(cast.ria, space, bell, request_id)["cover"] == {"ref": found["ref"], "yPos": 0}
    make.changes(cast.ed, space, update(bell, cover=None), request=request_id)
    assert "cover" not in page(cast.ria, space, bell, request_id)


@pytest.mark.parametrize(
    ("cover", "path"),
    [
        ({"ref": {"kind": "file", "file": "nobody"}}, "ref.file"),
        ({"refDark": {"kind": "file"}}, "refDark.file"),
        ({"ref": {"kind": "url", "url": "javascript:alert(1)"}}, "ref.url"),
        ({"ref": {"kind": "url", "url": "https://[::1"}}, "ref.url"),
        ({"ref": {"kind": "page"}}, "ref.kind"),
        ({"ref": ELSEWHERE, "yPos": "nan"}, "yPos"),
        ({"ref": ELSEWHERE, "yPos": None}, "yPos"),
        ({"ref": ELSEWHERE, "height": 9}, "height"),
        ({"ref": ELSEWHERE, "height": 701}, "height"),
        ({"ref": "harbour.png"}, "ref"),
    ],
)
def test_covers_that_mean_nothing_are_refused(
    cast: Cast, space: str, cover: dict[str, Any], path: str
) -> None:
    bell = insert("Bell", ref="bell", cover=cover)
    assert refused(cast.ed, space, picture("sea"), bell, path=f"changes.1.cover.{path}") == 400


def test_a_file_of_another_space_is_no_cover(cast: Cast, space: str) -> None:
    other = str(make.space(cast.ada, cast.organization)["id"])
    file = make.changes(cast.ada, other, picture("sea"))["insertedFiles"][0]["id"]
    bell = insert("Bell", cover={"ref": {"kind": "file", "file": file}})
    assert refused(cast.ed, space, bell, path="changes.0.cover.ref.file") == 400


def test_a_layout_that_says_everything_has_its_shape(cast: Cast, space: str) -> None:
    parts = dict.fromkeys(("metadata", "tags", "actions", "anchors", "outline"), False)
    layout = {"width": "wide", "cover": {"visible": True, "size": "full", "mask": "radial"}, **parts}
    made = make.changes(cast.ed, space, insert("Bell", ref="bell", layout=layout))
    found = page(cast.ria, space, ids(made)["bell"])
    fits(PageOut, found)
    told = {"width": "wide", "coverSize": "full", "coverMask": "radial", **parts}
    assert told.items() <= found["layout"].items()
