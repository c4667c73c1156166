"""The search for the lines two texts share: a shortest way while affordable, bounded whatever the texts hold.

Myers' greedy search, from both corners of a box at once, finds a point on a shortest way through it, which
divides the box in two; d differences cost about d * d / 2 steps and the lines compared on the way. Where
that would take over a quarter of the steps left, the lines that occur just once in each text divide the box
instead; where there are none, or no steps to look for them, nothing in the box is matched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from app.kit.deadlines import check

STEPS = 1_000_000
"""The limit of a comparison: diagonals looked at, lines compared along them, places a block is moved."""


class Steps:
    """The budget that a comparison has left. It spends at most what it may and one walk along a diagonal."""

    __slots__ = ("left", "spent")

    def __init__(self, allowed: int = STEPS) -> None:
        self.left = allowed
        self.spent = 0

    def take(self, count: int) -> None:
        """Spend `count` steps."""
        check()
        self.left -= count
        self.spent += count


class Box(NamedTuple):
    """Rows [top, bottom) of the one text and columns [left, right) of the other, from 0."""

    top: int
    bottom: int
    left: int
    right: int

    def empty(self) -> bool:
        """Return whether a text has no line in it."""
        return self.top == self.bottom or self.left == self.right

    def trimmed(self, one: list[int], other: list[int]) -> Box:
        """Return the box without the lines that both texts have at its beginning and at its end."""
        top, bottom, left, right = self
        while top < bottom and left < right and one[top] == other[left]:
            top += 1
            left += 1
        while top < bottom and left < right and one[bottom - 1] == other[right - 1]:
            bottom -= 1
            right -= 1
        return Box(top, bottom, left, right)

    def divided(self, points: list[tuple[int, int]]) -> Iterator[Box]:
        """Yield the boxes between the points, from corner to corner."""
        top, left = self.top, self.left
        for row, column in [*points, (self.bottom, self.right)]:
            yield Box(top, row, left, column)
            top, left = row, column


def matches(one: list[int], other: list[int], steps: Steps) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of lines kept, in any order: where each begins in both texts (from 0),
    and its length.
    """
    fronts = _Front(one, other, -1), _Front(one[::-1], other[::-1], 1)
    boxes = [Box(0, len(one), 0, len(other))]
    while boxes:
        outer = boxes.pop()
        box = outer.trimmed(one, other)
        yield outer.top, outer.left, box.top - outer.top
        yield box.bottom, box.right, outer.bottom - box.bottom
        if not box.empty():
            middle = _middle(*fronts, box, steps)
            points = [middle] if middle else _anchors(one, other, box, steps)
            boxes += box.divided(points) if points else ()


class _Front:
    """The search from the upper corner of a box: how far each difference more leads on each diagonal.

    A diagonal is row - column; those below zero count from the end of `_reached`. The search from the lower
    corner is the same one over the reversed texts, except that git looks at its diagonals the other way
    round.
    """

    __slots__ = ("_box", "_direction", "_high", "_low", "_one", "_other", "_reached")

    def __init__(self, one: list[int], other: list[int], direction: int) -> None:
        self._one, self._other, self._direction = one, other, direction
        self._reached = [0] * (len(one) + len(other) + 3)

    def turned(self, row: int, column: int) -> tuple[int, int]:
        """Return a point as the search over the reversed texts names it."""
        return len(self._one) - row, len(self._other) - column

    def enter(self, box: Box) -> None:
        """Begin in the upper corner of the box, which is not empty."""
        self._box = box
        self._low = self._high = box.top - box.left
        self._reached[self._low] = box.top

    def advance(self, facing: _Front, steps: Steps, floor: int) -> tuple[int, int] | None:
        """Return one round; the point where it meets the facing search.
        Ends early when steps fall below `floor`.
        """
        self._widen()
        one, other, reached, (_, bottom, _, right) = self._one, self._other, self._reached, self._box
        turn, whole, met = len(one) - len(other), len(one), facing._reached
        low, high = turn - facing._high, turn - facing._low
        diagonals = range(self._low, self._high + 1, 2)
        cost, allowed = 0, steps.left - floor
        for diagonal in diagonals if self._direction > 0 else reversed(diagonals):
            before, after = reached[diagonal - 1], reached[diagonal + 1]
            begun = row = before + 1 if before >= after else after
            column = row - diagonal
            while row < bottom and column < right and one[row] == other[column]:
                row += 1
                column += 1
            reached[diagonal] = row
            cost += row - begun + 1
            if low <= diagonal <= high and row + met[turn - diagonal] >= whole:
                steps.take(cost)
                return row, column
            if cost > allowed:
                break
        steps.take(cost)
        return None

    def _widen(self) -> None:
        """Look at one diagonal more on each side, or at one less where the box ends."""
        top, bottom, left, right = self._box
        if self._low > top - right:
            self._low -= 1
            self._reached[self._low - 1] = -1
        else:
            self._low += 1
        if self._high < bottom - left:
            self._high += 1
            self._reached[self._high + 1] = -1
        else:
            self._high -= 1


def _middle(upper: _Front, lower: _Front, box: Box, steps: Steps) -> tuple[int, int] | None:
    """Return a point on a shortest way through the box; None when a quarter of the steps left does not do."""
    (bottom, right), (top, left) = upper.turned(box.top, box.left), upper.turned(box.bottom, box.right)
    upper.enter(box)
    lower.enter(Box(top, bottom, left, right))
    floor = steps.left - steps.left // 4
    while steps.left > floor:
        if point := upper.advance(lower, steps, floor):
            return point
        if steps.left > floor and (point := lower.advance(upper, steps, floor)):
            return upper.turned(*point)
    return None


def _anchors(one: list[int], other: list[int], box: Box, steps: Steps) -> list[tuple[int, int]]:
    """Return the lines that occur once on both sides of the box, as many as keep their order;
    costs its lines.
    """
    top, bottom, left, right = box
    cost = bottom - top + right - left
    if cost > steps.left:
        return []
    steps.take(cost)
    here, there = Counter(one[top:bottom]), Counter(other[left:right])
    columns = {line: left + column for column, line in enumerate(other[left:right]) if there[line] == 1}
    pairs = [(row, columns[one[row]]) for row in range(top, bottom) if here[one[row]] == 1 == there[one[row]]]
    # The longest rising chain of columns: per length, the chain that ends lowest, linked to its one before.
    ends: list[int] = []
    heads: list[int] = []
    links: list[int] = []
    for number, (_, column) in enumerate(pairs):
        length = bisect_left(ends, column)
        links.append(heads[length - 1] if length else -1)
        ends[length : length + 1] = [column]
        heads[length : length + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = heads[-1] if heads else -1
    while number >= 0:
        chain.append(pairs[number])
        number = links[number]
    return chain[::-1]
