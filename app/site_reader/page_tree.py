"""The page tree of a space as one kind of visitor sees it: made once, then asked for single pages.

Only what stands around a page is ever shown: its ancestors with their siblings, its siblings, its children.
That is why a tree of ten thousand pages costs a page some dozens of links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

READ = ("document", "computed")


@dataclass(slots=True, frozen=True)
class TreeItem:
    """A page in the navigation; `inside` is None where it is closed, and has more."""

    row: Any
    href: str
    current: bool = False
    inside: Sequence[TreeItem | MorePages] | None = ()


@dataclass(slots=True, frozen=True)
class MorePages:
    """Pages on one level that are too many to be shown, with the address of the nearest of them."""

    count: int
    href: str


class PageTree:
    """Pages by their ids and parents. `base` is the path of the space, without a slash at the end.

    Rows have the columns of `models.pages.PageVersion`; hidden pages can be read but are not shown.
    """

    def __init__(self, rows: Iterable[Any], base: str) -> None:
        self.base = base
        self._rows = {row.page_id: row for row in rows}
        self._children: defaultdict[str | None, list[Any]] = defaultdict(list)
        self._reachable: dict[str, str | None] = {}
        for row in sorted(self._rows.values(), key=lambda row: (row.rank, row.page_id)):
            parent = row.parent_id if row.parent_id in self._rows else None
            self._reachable[row.page_id] = parent
            if not row.hidden:
                self._children[parent].append(row)
        self._leave_out_empty_groups()
        self._order = [row for row in self._in_order() if row.kind in READ]
        self._place = {row.page_id: number for number, row in enumerate(self._order)}
        groups = [row for row in self._children[None] if row.kind == "group"]
        self._groups_are_small = sum(len(self._children.get(row.page_id, ())) for row in groups) <= SMALL
        self.home = self._order[0] if self._order else None

    def __len__(self) -> int:
        return len(self._rows)

    def _in_order(self) -> Iterator[Any]:
        waiting = [iter(self._children[None])]
        while waiting:
            for row in waiting[-1]:
                yield row
                waiting.append(iter(self._children.get(row.page_id, ())))
                break
            else:
                waiting.pop()

    def _leave_out_empty_groups(self) -> None:
        """Remove groups, which are headings over pages, where none of their pages is shown."""
        empty: set[str] = set()
        for row in reversed(list(self._in_order())):
            inside = self._children.get(row.page_id, ())
            if row.kind == "group" and all(each.page_id in empty for each in inside):
                empty.add(row.page_id)
        if empty:
            for parent, rows in self._children.items():
                self._children[parent] = [row for row in rows if row.page_id not in empty]

    def get(self, page_id: str) -> Any | None:
        """Return the page of this id, shown or not."""
        return self._rows.get(page_id)

    def href(self, row: Any) -> str:
        """Return where a page is read; the first page of a space is at the address of the space."""
        if row.kind == "link":
            return row.href or ""
        if row.kind == "group":
            first = self._first_inside(row)
            return self.href(first) if first is not None else ""
        if self.home is not None and row.page_id == self.home.page_id:
            return self.base or "/"
        return f"{self.base}/" + quote(row.path, errors="replace")

    def in_order(self) -> Sequence[Any]:
        """Return the pages that are read one after another: documents that are not hidden."""
        return self._order

    @cached_property
    def _models(self) -> dict[str, dict[str, Any]]:
        """Return the pages of named schemas, by name and by the specification that has them."""
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for row in self._rows.values():
            props = (getattr(row, "computed", None) or {}).get("props") or {}
            if props.get("doc") == "model":
                found[str(props.get("page"))].setdefault(spec_of(row), row)
        return found

    def model_href(self, name: str, spec_id: str) -> str:
        """Return where a named schema of a specification is read; "" where it has no page.

        Without an id of a specification it is that of the only one with such a name.
        """
        known = self._models.get(name)
        if not known or not (spec_id or len(known) == 1):
            return ""
        row = known.get(spec_id) if spec_id else next(iter(known.values()))
        return self.href(row) if row is not None else ""

    def above(self, page_id: str) -> list[Any]:
        """Return what a page is inside of, the outermost first."""
        found: list[Any] = []
        seen = {page_id}
        parent = self._reachable.get(page_id)
        while parent is not None and parent not in seen:
            seen.add(parent)
            found.append(self._rows[parent])
            parent = self._reachable[parent]
        return found[::-1]

    def below(self, page_id: str | None) -> Sequence[Any]:
        """Return what stands directly below a page, or at the root."""
        return self._children.get(page_id, ())

    def around(self, page_id: str) -> tuple[Any | None, Any | None]:
        """Return the pages read before and after this one."""
        place = self._place.get(page_id)
        if place is None:
            return None, None
        before = self._order[place - 1] if place else None
        after = self._order[place + 1] if place + 1 < len(self._order) else None
        return before, after

    def open_at(self, page_id: str | None) -> Sequence[TreeItem | MorePages]:
        """Return the tree with only the branch open in which the page is; groups are open while few."""
        opened = {row.page_id for row in self.above(page_id)} | {page_id} if page_id else set()
        return self._opened(None, opened, page_id)

    def level(self, page_id: str | None) -> Sequence[TreeItem | MorePages]:
        """Return what is directly below a page, or at the root, with all branches closed."""
        return self._opened(page_id, set(), None)

    def _opened(
        self, parent: str | None, opened: set[Any], current: str | None
    ) -> list[TreeItem | MorePages]:
        made: list[TreeItem | MorePages] = []
        before, rows, after = self._window(self._children.get(parent, ()), opened)
        if before:
            made.append(MorePages(len(before), self.href(before[-1])))
        for row in rows:
            inside: Sequence[TreeItem | MorePages] | None = ()
            if self._children.get(row.page_id):
                is_open = row.page_id in opened or self._is_small_group(row)
                inside = self._opened(row.page_id, opened, current) if is_open else None
            made.append(TreeItem(row, self.href(row), row.page_id == current, inside))
        if after:
            made.append(MorePages(len(after), self.href(after[0])))
        return made

    def _window(
        self, rows: Sequence[Any], opened: set[Any]
    ) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Return of a long level what is before, around and after its open page."""
        if len(rows) <= LONGEST_LEVEL:
            return (), rows, ()
        at = next((number for number, row in enumerate(rows) if row.page_id in opened), 0)
        begin = min(max(at - LONGEST_LEVEL // 2, 0), len(rows) - LONGEST_LEVEL)
        return rows[:begin], rows[begin : begin + LONGEST_LEVEL], rows[begin + LONGEST_LEVEL :]

    def _first_inside(self, row: Any) -> Any | None:
        """Return the first page to read below a group."""
        waiting = list(reversed(self._children.get(row.page_id, ())))
        while waiting:
            found = waiting.pop()
            if found.kind in READ:
                return found
            waiting.extend(reversed(self._children.get(found.page_id, ())))
        return None

    def _is_small_group(self, row: Any) -> bool:
        """Return whether a group at the root is open: so they all are while their pages are not too many."""
        return row.kind == "group" and self._reachable[row.page_id] is None and self._groups_are_small


SMALL = 150
"""Pages directly in the groups at the root that are all shown at once."""
LONGEST_LEVEL = 100
"""Pages beside each other that are shown at once."""


def spec_of(row: Any) -> str:
    """Return the id of the specification that a page was computed from; "" for any other page."""
    computed = getattr(row, "computed", None) or {}
    reference = ((computed.get("dependencies") or {}).get("spec") or {}).get("ref") or {}
    return str(reference.get("spec") or "")
