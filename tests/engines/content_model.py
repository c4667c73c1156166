"""A simple model of writing: what a place must hold after an edit, and what three states come to together.

It knows nothing of how the product does it: pages are dictionaries, bodies are numbered lines that never
touch each other, so that each line is merged by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.engines.content_state import Page, State

SLOTS = 3
SAYS = ("title", "description", "slug")
Conflicts = Counter[tuple[str, str]]


def body(*lines: str) -> str:
    """A body with these lines in its slots, and lines between them that nobody changes."""
    return "".join(f"slot {n}: {line}\n\nbetween {n}\n\n" for n, line in enumerate(lines))


def with_line(text: str, number: int, line: str) -> str:
    """The body with another line in one slot."""
    return re.sub(rf"(?m)^slot {number}: .*$", lambda _: f"slot {number}: {line}", text)


@dataclass
class Wanted:
    """What must be there. Pages are fields by name; `placed` says whether the order is foretold too."""

    pages: dict[str, dict[str, Any]]
    families: dict[str | None, list[str]]
    files: set[str]
    reusable: dict[str, Any]
    variables: dict[str, Any]
    placed: bool = True
    loose: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, state: State) -> Wanted:
        """Exactly what is there."""
        return cls(
            {page_id: said(page) for page_id, page in state.pages.items()},
            {parent: list(family) for parent, family in state.families.items()},
            set(state.files),
            dict(state.reusable),
            dict(state.variables),
        )

    def free_slug(self, parent: str | None, slug: str, page_id: str | None = None) -> str:
        """The slug, or with the first number that no sibling has."""
        taken = {self.pages[each]["slug"] for each in self.families.get(parent, []) if each != page_id}
        names = (slug if not number else f"{slug}-{number}" for number in range(1000))
        return next(name for name in names if name not in taken)

    def put(self, page_id: str, parent: str | None, at: int | None) -> None:
        """Give a page its place among its siblings."""
        for family in self.families.values():
            if page_id in family:
                family.remove(page_id)
        family = self.families.setdefault(parent, [])
        family.insert(len(family) if at is None else at, page_id)
        self.pages[page_id]["parent"] = parent

    def delete(self, page_id: str) -> None:
        """Take a page and what is below it away."""
        for child in list(self.families.pop(page_id, [])):
            self.delete(child)
        page = self.pages.pop(page_id)
        if page["parent"] in self.families:
            self.families[page["parent"]] = [p for p in self.families[page["parent"]] if p != page_id]


def said(page: Page) -> dict[str, Any]:
    """Return the text of a page, with its links by what they lead to."""
    meant = {number: page.meant(line) for number, line in page.slots.items()}
    return {**{name: getattr(page, name) for name in (*SAYS, "kind", "parent")}, "slots": meant}


def agree(wanted: Wanted, state: State) -> None:
    """Refuse a state that is not what must be there."""
    assert state.pages.keys() == wanted.pages.keys(), _difference(wanted, state)
    assert set(state.files) == wanted.files
    assert dict(state.reusable) == wanted.reusable
    assert dict(state.variables) == wanted.variables
    for page_id, fields in wanted.pages.items():
        page = state.pages[page_id]
        for name in ("title", "description", "kind"):
            assert getattr(page, name) == fields[name], f"{name} of {page.path}"
        _agree_place(wanted, state, page, fields)
        for number, meant in fields["slots"].items():
            _agree_line(state, page, number, meant)
    if wanted.placed:
        families = {parent: family for parent, family in wanted.families.items() if family}
        assert {parent: list(family) for parent, family in state.families.items()} == families


def _difference(wanted: Wanted, state: State) -> str:
    more = [state.pages[page_id].path for page_id in state.pages.keys() - wanted.pages.keys()]
    less = [wanted.pages[page_id]["title"] for page_id in wanted.pages.keys() - state.pages.keys()]
    return f"pages that should not be there: {more}; that should: {less}"


def _agree_place(wanted: Wanted, state: State, page: Page, fields: Mapping[str, Any]) -> None:
    if page.id not in wanted.loose and (fields["parent"] is None or fields["parent"] in state.pages):
        assert page.parent == fields["parent"], f"{page.path} is in another place"
    if page.slug != fields["slug"]:
        siblings = {state.pages[each].slug for each in state.families[page.parent]}
        assert not wanted.placed, f"{page.slug} is not {fields['slug']}"
        assert page.slug.startswith(fields["slug"] + "-"), f"{page.slug} is not {fields['slug']}"
        assert fields["slug"] in siblings, f"{page.slug} has a number for nothing"


def _agree_line(state: State, page: Page, number: int, meant: tuple[str, ...]) -> None:
    found = page.meant(page.slots[number])
    if meant[0] == "says":
        assert found == meant, f"slot {number} of {page.path}"
        return
    assert len(found) == len(meant), f"slot {number} of {page.path}"
    for leads, should in zip(found[1:], meant[1:], strict=True):
        if should in state.pages or should in state.files:
            assert leads == should, f"the link in slot {number} of {page.path} leads elsewhere"


def three_way(base: State, main: State, ours: State, favour: str | None) -> tuple[Wanted, Conflicts]:
    """Return what three states come to, and where two of them said different things."""
    merge = _ThreeWay(favour)
    pages: dict[str, dict[str, Any]] = {}
    for page_id in {**base.pages, **main.pages, **ours.pages}:
        states = [side.pages.get(page_id) for side in (base, main, ours)]
        merged = merge.page(page_id, *states)
        if merged is not None:
            pages[page_id] = merged
    files = merge.wholes("file", base.files, main.files, ours.files)
    reusable = merge.wholes("reusableContent", base.reusable, main.reusable, ours.reusable)
    variables = merge.variables(base.variables, main.variables, ours.variables)
    loose = {page_id for page_id in pages if _circles(pages, page_id)}
    return Wanted(pages, {}, set(files), reusable, variables, placed=False, loose=loose), merge.conflicts


def _circles(pages: Mapping[str, Mapping[str, Any]], page_id: str) -> bool:
    seen: set[str] = set()
    above: str | None = page_id
    while above is not None and above in pages and above not in seen:
        seen.add(above)
        above = pages[above]["parent"]
    return above in seen


class _ThreeWay:
    def __init__(self, favour: str | None) -> None:
        self.favour = favour
        self.conflicts: Conflicts = Counter()

    def side(self, key: str, name: str, base: Any, main: Any, ours: Any) -> int:
        """Whose value stands: the base's (0), main's (1) or ours (2)."""
        if ours == main or base == main:
            return 2
        if base == ours:
            return 1
        self.conflicts[key, name] += 1
        return {None: 0, "main": 1, "ours": 2}[self.favour]

    def slot(self, page_id: str, *said: tuple[str, tuple[str, ...]]) -> int:
        """Whose line stands; one that only leads to the same from elsewhere is no change."""
        lines, meanings = zip(*said, strict=True)
        differ = len(set(lines)) == 3
        return self.side(page_id, "document", *(meanings if differ else lines))

    def page(self, page_id: str, *states: Page | None) -> dict[str, Any] | None:
        base, main, ours = states
        if main is None or ours is None:
            there = main or ours
            if there is None or (base is not None and _same(base, there)):
                return None
            if base is not None:
                self.conflicts[page_id, "page"] += 1
                if (self.favour == "ours") != (there is ours):
                    return None
            return said(there)
        merged = said(main)
        for name in SAYS:
            values = [getattr(state, name, None) for state in states]
            merged[name] = values[self.side(page_id, name, *values)]
        places = [state and (state.parent, state.rank) for state in states]
        place = places[self.side(page_id, "position", *places)]
        merged["parent"] = place and place[0]
        self._lines(page_id, merged, base, main, ours)
        return merged

    def _lines(self, page_id: str, merged: dict[str, Any], base: Page | None, main: Page, ours: Page) -> None:
        if base is None:
            side = self.side(page_id, "document", None, main.body, ours.body)
            merged["slots"] = {} if side == 0 else said((main, ours)[side - 1])["slots"]
            return
        for number in main.slots:
            sides = (base, main, ours)
            side = self.slot(page_id, *((state.slots[number], _meaning(state, number)) for state in sides))
            merged["slots"][number] = sides[side].meant(sides[side].slots[number])

    def wholes(self, name: str, *states: Mapping[str, Any]) -> dict[str, Any]:
        merged = {}
        for key in {**states[0], **states[1], **states[2]}:
            values = [state.get(key) for state in states]
            value = values[self.side(key, name, *values)]
            if value is not None:
                merged[key] = value
        return merged

    def variables(self, *states: Mapping[str, Any]) -> dict[str, Any]:
        merged = {}
        for key in {**states[0], **states[1], **states[2]}:
            values = [state.get(key) for state in states]
            value = values[self.side("", f"variables.{key}", *values)]
            if value is not None:
                merged[key] = value
        return merged


def _same(one: Page, other: Page) -> bool:
    names = (*SAYS, "parent", "rank")
    says_the_same = one.slots.keys() == other.slots.keys() and all(
        _meaning(one, number) == _meaning(other, number) for number in one.slots
    )
    is_same_text = one.body == other.body or (
        one.body is not None and other.body is not None and says_the_same
    )
    return is_same_text and all(getattr(one, name) == getattr(other, name) for name in names)


def _meaning(page: Page, number: int) -> tuple[str, ...]:
    """Return what a line says, by what its links lead to; as it stands where one leads nowhere."""
    meant = page.meant(page.slots[number])
    return meant if meant[0] == "says" or all(meant[1:]) else ("says", page.slots[number])
