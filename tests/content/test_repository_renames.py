"""Detection of renames by comparing removed files with new ones."""

from __future__ import annotations

import pytest

from app.formats.repository import files

LINES = "\n".join(f"line {number} of some words" for number in range(10))


def test_what_is_the_same_was_renamed() -> None:
    assert files.same({"b/new.md": "1", "c.md": "2"}, {"a/old.md": "1", "d.md": "3"}) == {
        "b/new.md": "a/old.md"
    }


def test_of_several_that_are_the_same_those_go_together_whose_name_stayed() -> None:
    gone = {"a/one.md": "1", "a/two.md": "1", "a/three.md": "1"}
    assert files.same({"b/two.md": "1", "b/one.md": "1"}, gone) == {
        "b/one.md": "a/one.md",
        "b/two.md": "a/two.md",
    }
    assert files.same({"x.md": "1", "y.md": "1"}, gone) == {}


@pytest.mark.parametrize(
    ("new", "is_known"),
    [
        pytest.param(LINES + "\nand one more", True, id="a line more"),
        pytest.param("\n".join(LINES.split("\n")[:4]) + "\nother words\n" * 30, False, id="a part of it"),
        pytest.param("nothing of it", False, id="another"),
        pytest.param("", False, id="empty"),
    ],
)
def test_what_is_alike_was_renamed(new: str, is_known: bool) -> None:
    assert files.alike({"new.md": new}, {"old.md": LINES}) == ({"new.md": "old.md"} if is_known else {})


def test_links_may_change_with_the_folder() -> None:
    assert files.alike(
        {"deep/a.md": "See [b](../b.md) and\n![c](../../img/c.png)\n"},
        {"a.md": "See [b](b.md) and\n![c](img/c.png)\n"},
    ) == {"deep/a.md": "a.md"}


def test_the_most_alike_go_together() -> None:
    gone = {"one.md": LINES + "\nfirst", "two.md": LINES + "\nsecond"}
    new = {"b.md": LINES + "\nsecond\nand more", "a.md": LINES + "\nfirst"}
    assert files.alike(new, gone) == {"a.md": "one.md", "b.md": "two.md"}


def test_too_much_is_not_compared() -> None:
    many = {f"{number}.md": "same words" for number in range(200)}
    assert files.alike(many, {f"old/{path}": text for path, text in many.items()}) == {}
    long = "x" * (files.LONGEST + 1)
    assert files.alike({"a.md": long}, {"b.md": long}) == {}


def test_very_many_of_the_same_are_told_apart_by_their_names() -> None:
    """With a look at each other one these would be four hundred million comparisons."""
    gone = {f"a/{number}.md": "1" for number in range(20_000)}
    moved = {f"b/{number}.md": "1" for number in range(20_000)}
    assert files.same(moved, gone) == {path: path.replace("b/", "a/") for path in moved}
    assert files.same({f"c/x{path[2:]}": "1" for path in moved}, gone) == {}
