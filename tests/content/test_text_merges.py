"""Merging agrees with `git merge-file`, tells conflicts as data and settles them only in themselves."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.text import three_way_merge
from app.formats.text.diffs import lines
from app.formats.text.three_way_merge import (
    Absent,
    Merged,
    Part,
    Side,
    TextConflict,
    ValueConflict,
    merge_map,
    merge_text,
    merge_value,
)
from tests.scale import scaled

SIDES: tuple[Side, ...] = ("ours", "theirs")

alphabets = st.sampled_from(
    [["a\n"], ["a\n", "b\n"], ["a\n", "\n", "c\r\n", "c\n"], [f"{letter}\n" for letter in "abcdefghijklmnop"]]
)


@st.composite
def text_of(draw: st.DrawFn, found: Sequence[str]) -> str:
    text = "".join(found)
    return text[:-1] if text and draw(st.integers(0, 3)) == 0 else text


@st.composite
def edited(draw: st.DrawFn, base: Sequence[str], alphabet: list[str]) -> list[str]:
    """The base with some lines replaced, removed or added; or something else altogether."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.lists(st.sampled_from(alphabet), max_size=16))
    found = list(base)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(found)))
        new = draw(st.lists(st.sampled_from([*alphabet, "new\n"]), max_size=3))
        found[at : at + draw(st.integers(0, 3))] = new
    return found


@st.composite
def threes(draw: st.DrawFn) -> tuple[str, str, str]:
    """A base, and two sides made of it."""
    alphabet = draw(alphabets)
    base = draw(st.lists(st.sampled_from(alphabet), max_size=20))
    ours, theirs = draw(edited(base, alphabet)), draw(edited(base, alphabet))
    return draw(text_of(base)), draw(text_of(ours)), draw(text_of(theirs))


def git_merge(folder: Path, three: tuple[str, str, str], *options: str) -> str | None:
    """Return what git makes of a base, ours and theirs; None for a conflict."""
    for name, text in zip(("base", "ours", "theirs"), three, strict=True):
        (folder / name).write_bytes(text.encode())
    command = ["git", "merge-file", "-p", "-q", *options, "ours", "base", "theirs"]
    ran = subprocess.run(command, cwd=folder, capture_output=True)
    assert ran.returncode < 128, ran.stderr
    return None if ran.returncode else ran.stdout.decode()


def agrees_with_git(three: tuple[str, str, str]) -> None:
    with TemporaryDirectory() as folder:
        merged = merge_text(*three)
        git = git_merge(Path(folder), three)
        assert bool(merged.conflicts) == (git is None)
        assert git is None or merged.text == git
        for side in SIDES:
            assert merge_text(*three, side).text == git_merge(Path(folder), three, f"--{side}")


@settings(max_examples=scaled(40, full=600), deadline=None)
@given(threes())
@example(("", "", ""))
@example(("", "a", "b"))
@example(("", "a\n", ""))
@example(("a\n", "", "a"))
@example(("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n"))
@example(("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"))
@example(("a\nc\n", "a\nx\nc\n", "a\ny\nc\n"))
@example(("a\nb\n", "a\nb\nc", "a\nb\nc\n"))
@example(("a\nb\n", "a\r\nb\r\n", "a\nB\n"))
@example(("a\na\na\n", "a\na\n", "a\na\na\na\n"))
def test_random_texts_merge_as_git_merges_them(three: tuple[str, str, str]) -> None:
    agrees_with_git(three)


@pytest.mark.parametrize("seed", range(6))
def test_long_pages_merge_as_git_merges_them(seed: int) -> None:
    chance = random.Random(seed)
    words = [f"word {number}\n" for number in range((10, 60, 900)[seed % 3])]
    base = [line for _ in range(400) for line in (chance.choice(words), "\n")]

    def side() -> list[str]:
        found = base[:]
        for _ in range(25):
            at = chance.randrange(len(found))
            found[at : at + chance.randint(0, 4)] = chance.choices(
                [*words, "\n", "new\n"], k=chance.randint(0, 4)
            )
        return found

    agrees_with_git(("".join(base), "".join(side()), "".join(side())))


@given(threes())
def test_the_sides_are_equals(three: tuple[str, str, str]) -> None:
    base, ours, theirs = three
    merged, mirrored = merge_text(base, ours, theirs), merge_text(base, theirs, ours)
    assert merged.text == mirrored.text
    assert [(found.base, found.theirs, found.ours) for found in mirrored.conflicts] == [
        (found.base, found.ours, found.theirs) for found in merged.conflicts
    ]
    assert merge_text(base, ours, theirs, "ours").text == merge_text(base, theirs, ours, "theirs").text


@given(threes())
def test_conflicts_are_parts_of_the_texts_and_all_that_a_favour_settles(three: tuple[str, str, str]) -> None:
    base, ours, theirs = (lines(text) for text in three)
    unsettled = merge_text(*three)
    for found in unsettled.conflicts:
        for text, part in ((base, found.base), (ours, found.ours), (theirs, found.theirs)):
            assert list(part.lines) == text[part.start - 1 : part.end]
            assert part.text == "".join(part.lines)
        assert len({found.base.lines, found.ours.lines, found.theirs.lines}) == 3
    for side in SIDES:
        settled = merge_text(*three, side)
        assert settled.conflicts == unsettled.conflicts
        assert (settled.text == unsettled.text) == (not unsettled.conflicts)


def test_an_unchanged_side_takes_the_other_s_changes() -> None:
    assert merge_text("a\n", "a\n", "b") == merge_text("a\n", "b", "a\n") == Merged("b")
    assert merge_text("a\n", "b", "b") == Merged("b")


def test_a_conflict_tells_lines_and_places_and_leaves_the_rest_alone() -> None:
    base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    ours = "zero\none\ntwo\nTHREE\nfour\nfive\nsix\nseven\n"
    theirs = "one\ntwo\nthird\n3\nfour\nfive\nsix\n7"
    conflict = TextConflict(Part(3, ("three\n",)), Part(4, ("THREE\n",)), Part(3, ("third\n", "3\n")))
    assert (conflict.theirs.start, conflict.theirs.end) == (3, 4)
    for side, settled in ((None, "three\n"), ("ours", "THREE\n"), ("theirs", "third\n3\n")):
        text = f"zero\none\ntwo\n{settled}four\nfive\nsix\n7"
        assert merge_text(base, ours, theirs, side) == Merged(text, (conflict,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        pytest.param("x (3)\n", "x (2)\n", "x (2)\n", id="neither says anything new: theirs"),
        pytest.param("y (1)\n", "x (2)\n", "y (1)\n", id="ours does"),
        pytest.param("x (2)\n", "y (1)\n", "y (1)\n", id="theirs does"),
        pytest.param("y (2)\n", "y (3)\n", "y (3)\n", id="both say the same: theirs"),
        pytest.param("y (2)\n", "z (1)\n", None, id="both do"),
    ],
)
def test_lines_that_mean_the_same_are_no_change(ours: str, theirs: str, merged: str | None) -> None:
    texts = ("a\nx (1)\nb\n", f"a\n{ours}b\n", f"a\n{theirs}b\n")
    first, second, third = (re.sub(r"\(\d\)", "", text) for text in texts)
    found = merge_text(*texts, meant=(first, second, third))
    assert found.text == f"a\n{merged or 'x (1)' + chr(10)}b\n"
    assert len(found.conflicts) == (merged is None)
    assert merge_text(*texts, meant=("a\n", second, third)) == merge_text(*texts)


def test_an_insertion_at_the_same_place_is_a_conflict_about_no_line_of_the_base() -> None:
    (conflict,) = merge_text("a\nb\n", "a\nx\nb\n", "a\ny\nb\n").conflicts
    assert conflict == TextConflict(Part(2, ()), Part(2, ("x\n",)), Part(2, ("y\n",)))
    assert conflict.base.end == 1


def test_what_is_taken_of_a_conflict_is_chosen_by_passage() -> None:
    texts = ("a\n-\na\n-\nb", "x\n-\nx\n-\no", "y\n-\ny\n-\nt")
    first, second, last = (each.passage for each in merge_text(*texts).conflicts)
    assert second == f"{first}-2"  # the same lines on all sides
    merged = merge_text(*texts, "ours", won={second: "theirs", last: "both"})
    assert merged.text == "x\n-\ny\n-\nt\no"
    assert merged.origins == (
        (1, "all"),
        (1, "ours"),
        (2, "all"),
        (3, "theirs"),
        (4, "all"),
        (5, "theirs"),
        (6, "ours"),
        (7, "all"),
    )
    assert merge_text(*texts, won={first: "both"}).text == "y\nx\n-\na\n-\nb"
    assert merge_text(*texts, won={"other": "ours"}) == merge_text(*texts)


def test_a_text_of_too_many_lines_is_merged_as_one_piece() -> None:
    base = "x\n" * (three_way_merge.MOST_LINES + 1)
    assert merge_text(base, base, base + "y") == Merged(base + "y")
    merged = merge_text(base, "y\n" + base, base + "y", "ours")
    assert merged.text == "y\n" + base
    assert [found.theirs for found in merged.conflicts] == [Part(1, (base + "y",))]


def test_one_change_may_meet_very_many() -> None:
    count = 50_000
    base = "".join(f"{number}\n" for number in range(count))
    theirs = "".join("new\n" if number % 2 else f"{number}\n" for number in range(count))
    merged = merge_text(base, "other\n", theirs, "ours")
    assert merged.text == "other\n"
    assert [len(found.base.lines) for found in merged.conflicts] == [count]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("a", "a", "a", "a"),
        ("a", "b", "a", "b"),
        ("a", "a", "b", "b"),
        ("a", "b", "b", "b"),
        (None, None, "b", "b"),
        ("a", None, "a", None),
        (1, True, 1, True),
        (0, 0, False, False),
        ({"icon": "x"}, {"icon": "x"}, {}, {}),
    ],
)
def test_a_value_that_one_side_changed(base: object, ours: object, theirs: object, expected: object) -> None:
    merged = merge_value(base, ours, theirs)
    assert merged.conflict is None
    assert (type(merged.value), merged.value) == (type(expected), expected)


@pytest.mark.parametrize(("favour", "expected"), [(None, "a"), ("ours", None), ("theirs", "c")])
def test_a_value_that_both_sides_changed(favour: Side | None, expected: str | None) -> None:
    merged = merge_value("a", None, "c", favour)
    assert merged.value == expected
    assert merged.conflict == ValueConflict("a", None, "c")


def test_a_map_is_merged_key_by_key() -> None:
    base = {"kept": 1, "changed": 1, "gone": 1, "gone twice": 1}
    merged = merge_map(
        base, {"ours": 2, "kept": 1, "changed": 1, "gone": 1}, {"kept": 1, "changed": 3, "new": 3}
    )
    assert list(merged.values.items()) == [("ours", 2), ("kept", 1), ("changed", 3), ("new", 3)]
    assert merged.conflicts == {}


@pytest.mark.parametrize(
    ("favour", "expected"),
    [
        (None, {"both": 1, "removed": 1, "rest": 9}),
        ("ours", {"both": 2, "added": 2, "rest": 9}),
        ("theirs", {"both": 3, "removed": 3, "added": 3, "rest": 9}),
    ],
)
def test_conflicts_of_a_map_are_told_by_key(favour: Side | None, expected: dict[str, int]) -> None:
    base, ours = {"both": 1, "removed": 1}, {"both": 2, "added": 2}
    merged = merge_map(base, ours, {"both": 3, "removed": 3, "added": 3, "rest": 9}, lambda _key: favour)
    assert merged.values == expected
    assert merged.conflicts == {
        "both": ValueConflict(1, 2, 3),
        "removed": ValueConflict(1, Absent.ABSENT, 3),
        "added": ValueConflict(Absent.ABSENT, 2, 3),
    }
