"""Finding a block again in a later version of its text."""

from __future__ import annotations

import pytest

from app.formats.markdown import anchors
from app.formats.markdown.parser import to_document

TEXT = "# Lamp\n\nIt burns oil.\n\n* one\n* two\n\n| a | b |\n| - | - |\n| x | y |\n\n![wick](wick.png)\n"


def mark(text: str, key: str) -> str:
    return anchors.fingerprint_of(anchors.fingerprints(to_document(text)), key)


def test_equal_blocks_have_equal_marks_wherever_they_stand() -> None:
    before, after = (
        anchors.fingerprints(to_document(TEXT)),
        anchors.fingerprints(to_document(f"New.\n\n{TEXT}")),
    )
    assert before.keys() < after.keys()
    for found, keys in before.items():
        assert [anchors.place(key)[0] + 1 for key in keys] == [anchors.place(key)[0] for key in after[found]]


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("0", "# Lamp", "# Lamps"),
        ("0", "# Lamp", "## Lamp"),
        ("1", "burns oil", "burns **oil**"),
        ("1", "burns oil", "burns [oil](x.md)"),
        ("2", "two", "three"),
        ("3", "| x |", "| z |"),
        ("4", "wick.png", "other.png"),
    ],
)
def test_what_a_block_holds_is_in_its_mark(key: str, old: str, new: str) -> None:
    changed = TEXT.replace(old, new)
    assert mark(TEXT, key) != mark(changed, key)
    for other in "01234":
        assert (mark(TEXT, other) == mark(changed, other)) == (other != key)


def test_another_heading_of_the_same_name_does_not_change_a_heading() -> None:
    assert mark("# One\n\n## Same\n", "1") == mark("## Same\n\n# One\n\n## Same\n", "2")


@pytest.mark.parametrize(
    ("text", "preview"),
    [
        ("It *burns* `oil`.", "It burns oil."),
        ("* one\n* two", "one two"),
        ("![the wick](wick.png)", "the wick"),
        ("$$\na+b\n$$", "a+b"),
        ("---", ""),
        ("x" * 500, "x" * 199 + "…"),
    ],
)
def test_a_preview_is_how_a_block_begins(text: str, preview: str) -> None:
    block = anchors.block_of_key(to_document(text), "0")
    assert block is not None
    assert anchors.preview(block) == preview


def test_the_nearest_of_equal_blocks() -> None:
    assert anchors.nearest(["0", "4", "9"], "5") == "4"
    assert anchors.nearest(["0.1", "2.1"], "2.0") == "2.1"
