"""Passages: the parts of a page that a search finds.

What a page says on a condition is kept in passages of its own, each with that condition, so that a search for
a visitor never has to read a body: it finds what is for everybody, and what is under conditions that hold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from app.formats.markdown.scanner import Heading, Scan, ScannedLink, Section, scan
from app.formats.markdown.scanner_syntax import may_be
from app.formats.text.search_text import indexable
from app.kit.deadlines import check

if TYPE_CHECKING:
    from app.formats.markdown.conditions import Conditions


class BodyText(NamedTuple):
    """A body; where it is `conditional`, nobody is shown it before it was evaluated for them."""

    body: str
    conditional: bool


NO_TEXT = BodyText("", conditional=False)


def conditions_of(body: str) -> Conditions | None:
    """Return the conditions and expressions of a body; None where what it says is the same for everybody."""
    if not may_be(body):
        return None
    from app.formats.markdown.conditions import read

    found = read(body)
    return found if found.are_there else None


LONGEST_PASSAGE = 10_000  # characters; PostgreSQL keeps no positions of words far into a text
MOST_CONDITIONAL = 200  # parts of a page that have a condition each
DEEPEST_CONDITION = 10  # conditions inside each other
NOBODY = "false"
"""The condition of what no visitor is found: lines that a mistake hides, and conditions beyond measure."""


class Passage(NamedTuple):
    """A section of a page, or a part of a long one: as it is shown, and folded for looking up.

    `condition` holds the expressions, one to a line, that must all hold for whoever is to find it.
    """

    heading: str | None
    anchor: str | None
    body: str
    folded_heading: str
    folded_body: str
    condition: str | None = None


def passage(heading: str | None, anchor: str | None, body: str, condition: str | None = None) -> Passage:
    """Return a passage, folded; large imports do that beside the process that writes."""
    return Passage(heading, anchor, body, indexable(heading or ""), indexable(body), condition)


def passages(scanned: Scan, conditions: Conditions | None) -> list[Passage]:
    """Return the passages of a body, from its scan and from its conditions where it has any."""
    if conditions is None:
        return [each for section in scanned.sections for each in _cut(section, None)]
    public = scan(_public(conditions))
    found = [each for section in public.sections for each in _cut(section, None)]
    for part in _conditional(conditions):
        above = _above(public.headings, conditions.text.count("\n", 0, part.start) + 1)
        for section in scan("\n\n".join(part.texts)).sections:
            found += _cut(section if section.heading else Section(above, section.text), part.condition)
    return found


def passages_of(text: str) -> list[Passage]:
    """Return the passages of plain text, such as a page's description; none of a blank one."""
    return list(_cut(Section(None, text), None)) if text.strip() else []


def shown_if(links: Sequence[ScannedLink], body: str, conditions: Conditions | None) -> list[str | None]:
    """Return for each link on which conditions a body shows what it includes.

    Gives the expressions, one to a line, that must all hold, none where it is always shown; None for a link
    that includes nothing.
    """
    found: list[str | None] = ["" if link.kind == "include" else None for link in links]
    if conditions is None or "" not in found:
        return found
    changes, following = sorted(_changes(conditions)), 0
    within: list[str] = []
    left_out = conditional = passed = place = 0
    for start, n in sorted((link.start, n) for n, link in enumerate(links) if found[n] is not None):
        check()
        place += start - passed - body.count("\r\n", passed, start)  # conditions know one sign as line end
        passed = start
        while following < len(changes) and changes[following][0] <= place:
            _, _, what, more = changes[following]
            following += 1
            if not what.startswith("if "):
                left_out += more
            elif more > 0:
                within.append(what.removeprefix("if "))
            else:
                within.pop()
        conditional += bool(within)
        is_kept = not left_out and len(within) <= DEEPEST_CONDITION and conditional <= MOST_CONDITIONAL
        found[n] = "\n".join(within) if is_kept else NOBODY
    return found


def _above(headings: Sequence[Heading], line: int) -> Heading | None:
    """Return the heading of a text for everybody under which a line stands."""
    place = bisect_right(headings, line, key=lambda heading: heading.line)
    return headings[place - 1] if place else None


def _cut(section: Section, condition: str | None) -> Iterator[Passage]:
    """Yield a section as passages that every engine can index: a long one in several, cut between words."""
    heading, anchor = (section.heading.text, section.heading.anchor) if section.heading else (None, None)
    text, start = section.text, 0
    while len(text) - start > LONGEST_PASSAGE:
        end = start + LONGEST_PASSAGE
        cut = text.rfind(" ", start + LONGEST_PASSAGE // 2, end) + 1 or end
        yield passage(heading, anchor, text[start:cut].rstrip(), condition)
        start = cut
    yield passage(heading, anchor, text[start:], condition)


def _public(conditions: Conditions) -> str:
    """Return what a body says to everybody, on the lines on which it says it."""
    spans = [(each.branches[0].start, each.end) for each in conditions.conditions]
    spans += [(each.start, each.end) for each in conditions.expressions]
    text, parts, done = conditions.text, list[str](), 0
    for start, end in sorted([*spans, *conditions.hidden]):
        if end > done:
            parts += (text[done:start], " ", "\n" * text.count("\n", max(start, done), end))
            done = end
    return "".join([*parts, text[done:]])


@dataclass(slots=True)
class _PassagePart:
    """Texts under one condition, and where the first of them begins."""

    condition: str
    start: int = 0
    texts: list[str] = field(default_factory=list)


def _conditional(conditions: Conditions) -> list[_PassagePart]:
    """Return what a body says on conditions, without the tags and the expressions among it."""
    nobody = _PassagePart(NOBODY)
    parts = [nobody]
    within: list[_PassagePart] = []
    left_out = hidden = begin = 0
    for place, _, what, more in sorted(_changes(conditions)):
        check()
        part = nobody if hidden else within[-1] if within and not left_out else None
        if part and begin < place:
            part.start = part.start if part.texts else begin
            part.texts.append(conditions.text[begin:place])
        begin = place
        if what == "left out":
            left_out += more
        elif what == "hidden":
            hidden += more
        elif more < 0:
            within.pop()
        else:
            within.append(_inner(within, what, nobody, room=len(parts) <= MOST_CONDITIONAL))
            parts += [within[-1]] if within[-1] is not nobody else []
    return [part for part in parts if part.texts]


def _changes(conditions: Conditions) -> Iterator[tuple[int, int, str, int]]:
    """Yield where a branch begins and ends (`if` and its expression),
    and what is left out or hidden altogether.
    """
    for condition in conditions.conditions:
        for branch in condition.branches:
            yield from _both("left out", branch.start, branch.inside)
            yield from _both(f"if {branch.expression}", branch.inside, branch.end)
        yield from _both("left out", condition.branches[-1].end, condition.end)
    for expression in conditions.expressions:
        yield from _both("left out", expression.start, expression.end)
    for start, end in conditions.hidden:
        yield from _both("hidden", start, end)


def _both(what: str, start: int, end: int) -> Iterator[tuple[int, int, str, int]]:
    """Yield a beginning and an end; where nothing is between them, the beginning comes first."""
    yield start, 0, what, 1
    yield end, 1, what, -1


def _inner(within: Sequence[_PassagePart], what: str, nobody: _PassagePart, *, room: bool) -> _PassagePart:
    """Return the part for a branch inside others: what these ask for and what it asks for itself."""
    if not room or len(within) >= DEEPEST_CONDITION or (within and within[-1] is nobody):
        return nobody
    above = f"{within[-1].condition}\n" if within else ""
    return _PassagePart(above + what.removeprefix("if "))


DEEPEST_INCLUDED = 5  # reusable contents inside each other that are shown, found and entered by links
MOST = 50  # that one page is found by


class Include(NamedTuple):
    """A text that includes a reusable content; `condition` as of `passages.shown_if`."""

    target_id: str
    condition: str


def included(page_id: str, includes: Mapping[str, Sequence[Include]]) -> list[Include]:
    """Return the reusable contents that a page shows, the nearest first, given what each text includes.

    One that is shown on several conditions is there several times, unless it is also shown always.
    """
    found: dict[str, set[str]] = {}
    room, level = MOST, [Include(page_id, "")]
    for _ in range(DEEPEST_INCLUDED):
        following = []
        for holder_id, above in level:
            for target_id, own in includes.get(holder_id, ()):
                check()
                condition, known = _joined(above, own), found.setdefault(target_id, set())
                if condition is None or "" in known or condition in known:
                    continue
                if not room:
                    return _listed(found)
                if not condition:
                    room += len(known)
                    known.clear()
                known.add(condition)
                room -= 1
                following.append(Include(target_id, condition))
        level = following
    return _listed(found)


def _joined(above: str, own: str) -> str | None:
    """Join two conditions, one to a line; None where nobody meets them, or they are too many."""
    lines = [*filter(None, (above, own))]
    if own == NOBODY or sum(line.count("\n") + 1 for line in lines) > DEEPEST_CONDITION:
        return None
    return "\n".join(lines)


def _listed(found: Mapping[str, set[str]]) -> list[Include]:
    return [Include(key, condition) for key, conditions in found.items() for condition in sorted(conditions)]
