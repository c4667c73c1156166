"""Line diffs of a page in a revision and in a change request."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import history, latest, new_page, place

BEFORE = "".join(f"Line {n}.\n" for n in range(1, 21))
AFTER = BEFORE.replace("Line 5.", "Line five.").replace("Line 15.\n", "")


def diff(person: Person, space: str, page: str, request: int | None = None, **query: Any) -> dict[str, Any]:
    """Return how a page changed in the last revision, or in a change request."""
    revision = latest(person, space) if request is None else ""
    where = f"content/page/{page}" if request is not None else f"revisions/{revision}/page/{page}"
    answer = person.get(f"{place(space, request)}/{where}/diff", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def text_of(hunk: dict[str, Any], *kinds: str) -> str:
    """The lines of these kinds in a hunk."""
    return "".join(line["text"] for line in hunk["lines"] if line["type"] in kinds)


def written(person: Person, space: str, page: str, text: str, request: int | None = None) -> None:
    """Give a page another text."""
    new = {"operation": "update_page", "page": page, "document": {"markdown": text}}
    make.changes(person, space, new, request=request)


def test_a_diff_has_hunks_that_say_where_they_stand(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": BEFORE})
    written(cast.ed, space, page, AFTER)
    found = diff(cast.ria, space, page)
    first, second = found["hunks"]
    assert [first[key] for key in ("oldStart", "oldLines", "newStart", "newLines")] == [2, 7, 2, 7]
    assert [second[key] for key in ("oldStart", "oldLines", "newStart", "newLines")] == [12, 7, 12, 6]
    assert text_of(first, "removed") == "Line 5.\n"
    assert text_of(first, "added") == "Line five.\n"
    assert text_of(second, "added") == ""
    assert BEFORE.startswith(text_of(first, "context", "removed"), 8)
    now = cast.ria.get(f"{place(space)}/content/page/{page}").json()
    assert found["after"] == now["documentId"] != found["before"]


@pytest.mark.parametrize(("context", "count"), [(0, 2), (4, 2), (5, 1), (100, 1)])
def test_the_lines_around_are_the_callers_choice(cast: Cast, context: int, count: int) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": BEFORE})
    written(cast.ed, space, page, AFTER)
    assert len(diff(cast.ria, space, page, context=context)["hunks"]) == count


@pytest.mark.parametrize("context", [-1, 101, "all"])
def test_context_out_of_range_is_refused(cast: Cast, context: object) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    path = f"{place(space)}/revisions/{latest(cast.ed, space)}/page/{page}/diff"
    assert cast.ria.get(path, params={"context": context}).status_code == 400


def test_a_unified_diff_can_be_applied(cast: Cast, tmp_path: Path) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": BEFORE})
    written(cast.ed, space, page, AFTER.rstrip("\n"))
    (tmp_path / "one.md").write_text(BEFORE)
    applying = ["git", "apply", "-"]
    unified = diff(cast.ria, space, page)["unified"]
    subprocess.run(applying, cwd=tmp_path, input=unified, text=True, check=True, capture_output=True)
    assert (tmp_path / "one.md").read_text() == AFTER.rstrip("\n")


def test_a_page_that_came_or_went_is_all_added_or_removed(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": BEFORE})
    found = diff(cast.ria, space, page)
    assert ("before" in found, "after" in found) == (False, True)
    assert found["unified"].startswith("--- /dev/null\n+++ b/one.md\n@@ -0,0 +1,20 @@\n")
    make.changes(cast.ed, space, {"operation": "delete_page", "page": page})
    gone = diff(cast.ria, space, page)
    assert (gone.get("before"), "after" in gone) == (found["after"], False)
    assert text_of(gone["hunks"][0], "removed") == BEFORE
    new_page(cast.ed, space, title="Two")
    path = f"{place(space)}/revisions/{latest(cast.ed, space)}/page/{page}/diff"
    assert cast.ria.get(path).status_code == 404


def test_a_page_whose_text_stayed_has_no_difference(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": BEFORE})
    group = new_page(cast.ed, space, title="Group", type="group")
    make.changes(cast.ed, space, {"operation": "update_page", "page": page, "title": "Uno"})
    found = diff(cast.ria, space, page)
    assert (found["unified"], found["hunks"]) == ("", [])
    assert found["before"] == found["after"]
    assert diff(cast.ria, space, group) == {"unified": "", "hunks": []}


def test_a_change_request_differs_from_its_base_and_not_from_what_came_since(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One", document={"markdown": BEFORE})
    number = make.change_request(cast.ed, space)["number"]
    assert diff(cast.ria, space, page, number)["hunks"] == []
    written(cast.ed, space, page, BEFORE.replace("Line 2.", "Line two."), request=number)
    written(cast.ed, space, page, AFTER, request=number)
    written(cast.ed, space, page, "Something else.\n")
    (hunk,) = diff(cast.ria, space, page, number, context=10)["hunks"]
    assert text_of(hunk, "context", "removed") == BEFORE
    assert text_of(hunk, "context", "added") == AFTER
    last = history(cast.ria, space, number)["items"][0]["id"]
    step = cast.ria.get(f"{place(space)}/revisions/{last}/page/{page}/diff").json()
    assert text_of(step["hunks"][0], "removed") == "Line two.\nLine 5.\n"


def test_line_endings_and_odd_characters_stay(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    before, after = "a\r\nb\u2028c\x0cd\r\n", "a\r\nb\u2028c\x0cD\r\nend"
    page = new_page(cast.ed, space, title="One", document={"markdown": before})
    written(cast.ed, space, page, after)
    (hunk,) = diff(cast.ria, space, page)["hunks"]
    assert text_of(hunk, "context", "removed") == before
    assert text_of(hunk, "context", "added") == after


def test_texts_with_nothing_in_common_are_compared_in_time(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    before = "".join(f"{n * 7919 % 10007}\n" for n in range(60_000))
    after = "".join(f"{n * 104729 % 10009}\n" for n in range(60_000))
    page = new_page(cast.ed, space, title="One", document={"markdown": before})
    written(cast.ed, space, page, after)
    hunks = diff(cast.ria, space, page, context=0)["hunks"]
    assert sum(hunk["newLines"] - hunk["oldLines"] for hunk in hunks) == 0


def test_a_diff_is_for_those_who_see_the_space(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ed, space, title="One")
    number = make.change_request(cast.ed, space)["number"]
    revision = latest(cast.ada, space)
    for path in (
        f"/revisions/{revision}/page/{page}/diff",
        f"/change-requests/{number}/content/page/{page}/diff",
    ):
        for person in (cast.gus, cast.sol):
            assert person.get(f"{place(space)}{path}").status_code == 404
        assert cast.ria.get(f"{place(space)}{path}").status_code == 200
