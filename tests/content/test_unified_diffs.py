"""Hunks tell what changed, and the unified diff is one that `patch` and `git apply` take."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.text.diffs import Hunk, HunkLine, hunks, unified

letters = st.lists(st.sampled_from(["a", "b", "c", "", "-- x", "++ y", "d\r", "\\ e", "@@"]), max_size=14)
texts = st.builds(
    lambda found, ending: "\n".join(found) + ending * bool(found), letters, st.sampled_from(["\n", "\n", ""])
)
pages = st.builds(
    lambda size, at, change, ending: ("".join(f"{n}\n" for n in range(size)), at, change, ending),
    st.integers(0, 60),
    st.lists(st.integers(0, 60), max_size=4),
    st.sampled_from(["", "x\n", "x\ny\n"]),
    st.sampled_from(["", "end"]),
)


def edited(page: tuple[str, list[int], str, str]) -> tuple[str, str]:
    before, places, change, ending = page
    found = before.splitlines(keepends=True)
    for place in places:
        found[place : place + 1] = [change]
    return before, "".join(found) + ending


def numbered(first: int, last: int) -> str:
    return "".join(f"{number}\n" for number in range(first, last + 1))


def test_equal_texts_have_no_hunks() -> None:
    assert hunks("a\nb", "a\nb") == []
    assert unified("a\n", "a\n", "a/x", "b/x") == ""
    assert unified("", "", "a/x", "b/x") == ""


def test_a_hunk_tells_places_and_lines() -> None:
    before, after = numbered(1, 9), numbered(1, 4) + "five\n" + numbered(6, 9)
    assert hunks(before, after, context=1) == [
        Hunk(
            4,
            3,
            4,
            3,
            (
                HunkLine("context", "4\n"),
                HunkLine("removed", "5\n"),
                HunkLine("added", "five\n"),
                HunkLine("context", "6\n"),
            ),
        )
    ]


@pytest.mark.parametrize(
    ("before", "after", "context", "expected"),
    [
        ("", "a\nb\n", 3, [(0, 0, 1, 2)]),
        ("a\nb\n", "", 3, [(1, 2, 0, 0)]),
        ("a", "a\n", 3, [(1, 1, 1, 1)]),
        ("a\nb\nc\n", "a\nc\n", 0, [(2, 1, 1, 0)]),
        ("a\nc\n", "a\nb\nc\n", 0, [(1, 0, 2, 1)]),
        ("a\nb\n", "x\na\nb\n", 0, [(0, 0, 1, 1)]),
        # Six lines between two changes still join them at a context of three, seven do not.
        ("x\n" + numbered(1, 6) + "y\n", numbered(1, 6), 3, [(1, 8, 1, 6)]),
        ("x\n" + numbered(1, 7) + "y\n", numbered(1, 7), 3, [(1, 4, 1, 3), (6, 4, 5, 3)]),
        (numbered(1, 20), numbered(1, 9) + numbered(11, 20), 2, [(8, 5, 8, 4)]),
        (numbered(1, 3), "x\n" + numbered(1, 3), 100, [(1, 3, 1, 4)]),
    ],
)
def test_where_hunks_stand(
    before: str, after: str, context: int, expected: list[tuple[int, int, int, int]]
) -> None:
    found = hunks(before, after, context)
    assert [(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) for hunk in found] == expected


@given(texts, texts, st.integers(0, 4))
def test_hunks_quote_both_texts(before: str, after: str, context: int) -> None:
    old, new = before.split("\n"), after.split("\n")
    for hunk in hunks(before, after, context):
        shown = [line.text for line in hunk.lines if line.kind != "added"]
        assert len(shown) == hunk.old_count
        assert [line.rstrip("\n") for line in shown] == old[max(hunk.old_start - 1, 0) :][: len(shown)]
        shown = [line.text for line in hunk.lines if line.kind != "removed"]
        assert len(shown) == hunk.new_count
        assert [line.rstrip("\n") for line in shown] == new[max(hunk.new_start - 1, 0) :][: len(shown)]


def test_a_unified_diff_reads_as_usual() -> None:
    assert unified("a\nb\nc", "a\nB\nc\n", "a/page.md", "b/page.md", context=1) == (
        "--- a/page.md\n+++ b/page.md\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n\\ No newline at end of file\n+B\n+c\n"
    )


def applied(tool: list[str], before: str | None, diff: str, name: str = "page.md") -> str | None:
    """Return what the tool makes of the file, by the diff; None for no file."""
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        if before is not None:
            file.write_bytes(before.encode())
        ran = subprocess.run(tool, cwd=folder, input=diff.encode(), capture_output=True)
        assert ran.returncode == 0, (ran.stdout, ran.stderr, diff)
        left = [path for path in Path(folder).iterdir() if path != file]
        assert left == [], "the diff was not applied as it stands"
        return file.read_bytes().decode() if file.exists() else None


PATCH = ["patch", "--binary", "--fuzz=0", "--no-backup-if-mismatch", "-p1"]
GIT = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-"]


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.tuples(texts, texts), st.builds(edited, pages)), st.integers(0, 4))
@example(("a", "a\n"), 3)
@example(("a\n", "a"), 3)
@example(("a\nb", "a\nc"), 0)
@example(("a\na", "a\n"), 0)
@example(("x\r\ny\r\n", "x\r\ny\n"), 3)
@example(("-- a\n", "++ b\n"), 3)
def test_patch_and_git_apply_it(both: tuple[str, str], context: int) -> None:
    before, after = both
    if not before.endswith("\n"):
        context = max(context, 1)  # `git apply` misreads even git's own diff there without any
    diff = unified(before, after, "a/page.md", "b/page.md", context)
    if diff and after:
        assert applied(GIT, before, diff) == after
        assert applied(PATCH, before, diff) == after


@pytest.mark.parametrize("text", ["a\n", "a", "a\nb\r\n\n"])
def test_files_begin_and_end(text: str) -> None:
    begun = unified("", text, "/dev/null", "b/page.md")
    assert applied(GIT, None, begun) == applied(PATCH, None, begun) == text
    ended = unified(text, "", "a/page.md", "/dev/null")
    assert applied(GIT, text, ended) is None
    assert applied(PATCH, text, ended) is None
    emptied = unified(text, "", "a/page.md", "b/page.md")
    assert applied(GIT, text, emptied) == applied(PATCH, text, emptied) == ""


@pytest.mark.parametrize(
    "name",
    [
        "two words.md",
        'a "quoted".md',
        "back\\slash.md",
        "tab\there.md",
        "line\n+++ other.md",
        "\x01\x7f.md",
        "Übersicht.md",
    ],
)
def test_names_cannot_break_the_diff(name: str) -> None:
    diff = unified("a\nb\n", "a\nc\n", f"a/{name}", f"b/{name}")
    assert len(diff.splitlines()) == 6
    assert applied(GIT, "a\nb\n", diff, name) == "a\nc\n"
    assert applied(["patch", "--binary", "-p1"], "a\nb\n", diff, name) == "a\nc\n"
