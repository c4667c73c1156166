"""Which lines correspond: right always, shortest while that is affordable, and never dear."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.text import diffs, myers
from app.formats.text.diffs import STEPS, LineChange, Steps, changes, lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n", ["\n"]),
        ("a", ["a"]),
        ("a\nb", ["a\n", "b"]),
        ("a\r\nb\r\n", ["a\r\n", "b\r\n"]),
        ("a\rb\n\rc", ["a\rb\n", "\rc"]),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n", ["a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n"]),
        ("\ud800\n\x00", ["\ud800\n", "\x00"]),
    ],
)
def test_only_a_line_feed_ends_a_line(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


@given(st.text(alphabet="a\r\n\u2028\x0b"))
def test_lines_lose_nothing(text: str) -> None:
    assert "".join(lines(text)) == text


def rewritten(before: Sequence[str], after: Sequence[str], found: list[LineChange]) -> list[str]:
    """`after`, put together from `before` and what the changes bring."""
    made: list[str] = []
    at = 0
    for change in found:
        made += before[at : change.before]
        assert len(made) == change.after
        made += after[change.after : change.after_end]
        at = change.before_end
    return [*made, *before[at:]]


def kept(before: Sequence[str], found: list[LineChange]) -> int:
    return len(before) - sum(change.before_end - change.before for change in found)


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines both have in the same order, by the textbook's table."""
    row = [0] * (len(other) + 1)
    for line in one:
        above = row[:]
        for column, there in enumerate(other, 1):
            row[column] = above[column - 1] + 1 if line == there else max(above[column], row[column - 1])
    return row[-1]


few = st.lists(st.sampled_from("abcd"), max_size=40)


@given(few, few)
def test_changes_turn_the_one_text_into_the_other(before: list[str], after: list[str]) -> None:
    found = changes(before, after)
    assert rewritten(before, after, found) == after
    assert all(change.before < change.before_end or change.after < change.after_end for change in found)
    assert all(one.before_end < other.before for one, other in itertools.pairwise(found))


@given(few, few, st.integers(0, 60))
@example(list("ab") * 20, list("ba") * 20, 4)
def test_changes_are_right_however_few_steps_they_have(
    before: list[str], after: list[str], allowed: int
) -> None:
    steps = Steps(allowed)
    assert rewritten(before, after, changes(before, after, steps)) == after
    assert steps.spent <= allowed + min(len(before), len(after)) + 1


# Both texts have every letter: noise, which is not matched, needs lines that only one text has.
@settings(max_examples=400)
@given(few.map(lambda found: [*"abcd", *found]), few.map(lambda found: [*found, *"dcba"]))
def test_short_texts_keep_as_many_lines_as_possible(before: list[str], after: list[str]) -> None:
    assert kept(before, changes(before, after)) == longest_common(before, after)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", []),
        ("abc", "abc", []),
        ("", "ab", [(0, 0, 0, 2)]),
        ("ab", "", [(0, 2, 0, 0)]),
        ("abc", "axc", [(1, 2, 1, 2)]),
        ("abc", "bcd", [(0, 1, 0, 0), (3, 3, 2, 3)]),
        # A block that could stand in several places stands as low as it can.
        ("ab", "aab", [(1, 1, 1, 2)]),
        ("xababy", "xabababy", [(5, 5, 5, 7)]),
        # Beside a change of the other text it stands there.
        ("aaxb", "ayb", [(1, 3, 1, 2)]),
    ],
)
def test_where_changes_stand(before: str, after: str, expected: list[tuple[int, int, int, int]]) -> None:
    assert changes(before, after) == expected


def test_an_empty_line_amid_a_rewritten_passage_ties_nothing_together() -> None:
    rest = [line for number in range(20) for line in (f"{number}", "")]
    before, after = [*"abcd", "", *"efgh", *rest], [*"ABCD", "", *"EFGH", *rest]
    assert changes(before, after) == [(0, 9, 0, 9)]
    # Where fewer lines are new, it is worth keeping.
    assert changes(["a", "", "b", *rest], ["A", "", "B", *rest]) == [(0, 1, 0, 1), (2, 3, 2, 3)]


def test_lines_that_occur_once_divide_what_is_too_dear_to_search() -> None:
    chance = random.Random(5)
    before = [*chance.choices("ab", k=300), "once", *chance.choices("ab", k=300)]
    after = [*chance.choices("ab", k=200), "once", *chance.choices("ab", k=400)]
    found = changes(before, after, Steps(4000))
    assert rewritten(before, after, found) == after
    assert kept(before, found) < 200, "this was not too dear to search"
    assert not any(change.before <= 300 < change.before_end for change in found)


def hostile(size: int) -> dict[str, tuple[list[str], list[str]]]:
    """Pairs of texts with about `size` lines each that are dear to compare."""
    chance = random.Random(size)
    order = [str(number) for number in range(size)]
    mixed = chance.sample(order, size)
    noisy = [line for number in order[: size // 2] for line in ("", number)]
    return {
        "long walks": (["x"] * size + ["y"] * (size // 40), (["x"] * 40 + ["y"]) * (size // 40)),
        "equal lines": (["x"] * size, ["y", *["x"] * (size // 2), "z"]),
        "interleaved repeats": (list("ab") * (size // 2), list("ba") * (size // 2)),
        "two rhythms": (list("ab") * (size // 2), list("aab") * (size // 3)),
        "one after the other": (["x"] * size + ["y"] * size, ["y"] * size + ["x"] * size),
        "two random letters": (chance.choices("ab", k=size), chance.choices("ab", k=size)),
        "many random words": (chance.choices(order[:200], k=size), chance.choices(order[:200], k=size)),
        "a rhythm with holes": (
            list("abcdefg") * (size // 7),
            [c for c in "abcdefg" * (size // 7) if chance.random() < 0.9],
        ),
        "shuffled": (order, mixed),
        "reversed": (order, order[::-1]),
        "halves changed round": (order, order[size // 2 :] + order[: size // 2]),
        "nothing in common": (order, [f"-{line}" for line in order]),
        "noise between": (noisy, [line for number in reversed(order[: size // 2]) for line in ("", number)]),
        "far walks": (order[:300] + ["x"] * size + ["y"], order[299::-1] + ["x"] * size),
    }


@pytest.mark.parametrize("kind", hostile(14))
def test_hostile_texts_cost_no_more_than_their_steps(kind: str) -> None:
    before, after = hostile(20_000)[kind]
    steps = Steps()
    assert rewritten(before, after, changes(before, after, steps)) == after
    assert steps.spent <= STEPS + min(len(before), len(after)) + 1


@pytest.mark.parametrize("kind", hostile(14))
def test_steps_are_counted_honestly(kind: str) -> None:
    """Lines of code run stay in proportion to the steps told and the lines given."""
    before, after = hostile(1400)[kind]
    steps = Steps(20_000)
    run = lines_run(lambda: changes(before, after, steps))
    assert run <= 10 * steps.spent + 25 * (len(before) + len(after))


def test_moving_a_block_over_equal_lines_costs_its_way() -> None:
    steps = Steps()
    changes(["x"] * 1000, ["y", *["x"] * 500, "z"], steps)
    assert steps.spent == 2 * 500
    steps = Steps(100)
    changes(["x"] * 1000, ["y", *["x"] * 500, "z"], steps)
    assert steps.spent == 100


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of the matcher's code `work` runs."""
    count = 0
    files = {diffs.__file__, myers.__file__}

    def within(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return within

    def entered(frame: FrameType, event: str, _: Any) -> Any:
        return within if frame.f_code.co_filename in files else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_a_long_page_with_some_edits_takes_few_steps() -> None:
    chance = random.Random(3)
    page = [line for number in range(1500) for line in (f"Sentence {number}.\n", "\n")]
    edited = page[:]
    for number in range(100):
        at = chance.randrange(len(edited))
        edited[at : at + chance.randint(0, 2)] = [f"New sentence {number}.\n", "\n"]
    steps = Steps()
    assert rewritten(page, edited, changes(page, edited, steps)) == edited
    assert steps.spent < 20 * len(page)
