"""The three states that a merge looks at, and what the links of texts led to in each of them.

`main` is what is written on, `ours` what comes to it, `base` what both began with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from sqlalchemy import Integer, Select, or_, select

from app.access.context import Context
from app.domain.revisions.link_targets import LinkMeanings, TargetRef, TargetRefs, refs_of
from app.formats.text.three_way_merge import Merged, merge_value
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.links import Link
from app.models.pages import PageVersion
from app.models.revisions import ReusableVersion

T = TypeVar("T")
U = TypeVar("U")
Name = Literal["base", "main", "ours"]
NAMES: tuple[Name, ...] = ("base", "main", "ours")
LATEST = (1 << 31) - 1
LINKS = table(Link)


class States(NamedTuple, Generic[T]):
    """One thing in three states; None where it is not there."""

    base: T
    main: T
    ours: T

    def map(self, change: Callable[[T], U]) -> States[U]:
        """Return the same with every state changed."""
        return States(*(change(state) for state in self))


@dataclass(slots=True, frozen=True)
class MergeRows:
    """Three states of the same things by id; what is not there is left out."""

    base: Mapping[str, Any]
    main: Mapping[str, Any]
    ours: Mapping[str, Any]

    def of(self, key: str) -> States[Any]:
        """Return the three states of one thing."""
        return States(self.base.get(key), self.main.get(key), self.ours.get(key))

    @property
    def keys(self) -> list[str]:
        """Everything that comes."""
        return list(dict.fromkeys([*self.base, *self.ours, *self.main]))


def _links() -> Select[Any]:
    number = given("number", Integer())
    here = (LINKS.c.line_id == given("line"), among(LINKS.c.holder_id, "ids"), LINKS.c.valid_from <= number)
    columns = (
        LINKS.c.holder_id,
        LINKS.c.href,
        LINKS.c.target_kind,
        LINKS.c.target_id,
        LINKS.c.target_path,
        LINKS.c.target_anchor,
    )
    return select(*columns).where(*here, or_(LINKS.c.valid_to.is_(None), LINKS.c.valid_to > number))


_LINKS = rows(_links)


@dataclass(slots=True)
class LinkStates:
    """The targets of the links of texts in the three states; `numbers` are those of the main line there.

    A change request's own state is read on its own line. `space` is the id of the main line.
    """

    cx: Context
    space: str
    numbers: States[int]
    _read: dict[tuple[Name, str], list[Any]] = field(default_factory=dict)

    async def read(self, sides: MergeRows, keys: Iterable[str], names: Iterable[Name] = NAMES) -> None:
        """Read the links of these, as far as they are not known, in as few statements as there are lines."""
        wanted: defaultdict[tuple[str, int], list[tuple[Name, str]]] = defaultdict(list)
        for key in keys:
            for name in names:
                row = getattr(sides.of(key), name)
                if row is not None and (name, key) not in self._read:
                    wanted[self._place(name, row)].append((name, key))
        for (line, number), named in wanted.items():
            found: defaultdict[str, list[Any]] = defaultdict(list)
            ids = sorted({key for _, key in named})
            for link in await self.cx.db.all(_LINKS, line=line, ids=ids, number=number):
                found[link.holder_id].append(link)
            self._read |= {(name, key): found[key] for name, key in named}

    def _place(self, name: Name, row: PageVersion | ReusableVersion) -> tuple[str, int]:
        """Return the line and the number at which a state has its links."""
        if row.line_id == self.space:
            return self.space, getattr(self.numbers, name)
        return row.line_id, LATEST if row.valid_to is None else row.valid_from

    def links(self, name: Name, key: str) -> list[Any]:
        """Return the links of something in a state, of what was read."""
        return self._read.get((name, key), [])

    def meanings(self, key: str, merged: Merged | None = None) -> LinkMeanings:
        """Return what the links of a merged text led to; without one, of a text that all states have."""
        refs: States[TargetRefs] = States(*(refs_of(self.links(name, key)) for name in NAMES))
        sides: list[TargetRefs] = [common_meanings(refs), refs.ours, refs.main]
        if merged is None:
            return LinkMeanings(sides[:1])
        place = {"all": 0, "ours": 1, "theirs": 2}
        starts, origins = zip(*merged.origins, strict=True)
        return LinkMeanings(sides, starts, [place[origin] for origin in origins])

    def meanings_in(self, name: Name, key: str) -> LinkMeanings:
        """Return what the links of the text led to that a state has."""
        return LinkMeanings([refs_of(self.links(name, key))])

    def loses(self, key: str) -> bool:
        """Tell whether a link that leads somewhere on the main line leads nowhere in what comes."""
        main = refs_of(self.links("main", key))
        return any(ref is None and main.get(href) for href, ref in refs_of(self.links("ours", key)).items())


def common_meanings(refs: States[TargetRefs]) -> dict[str, TargetRef | None]:
    """Return what hrefs lead to that all states have: what one side made of them, ours where both did."""
    found: dict[str, TargetRef | None] = {}
    for href in {**refs.base, **refs.ours, **refs.main}:
        known = [each[href] for each in (refs.main, refs.ours) if href in each]
        if len(known) == 2 and href in refs.base:
            found[href] = merge_value(refs.base[href], refs.ours[href], refs.main[href], "ours").value
        elif known:
            found[href] = known[0]
    return found


def meaning(links: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield the hrefs of a text that lead somewhere, each with what says where."""
    for link in links:
        if link.target_id is not None and link.target_path is not None:
            kind = "page" if link.target_kind == "anchor" else link.target_kind
            yield link.href, f"/{kind}/{link.target_id}#{link.target_anchor or ''}"


@dataclass(slots=True)
class MergeConflict:
    """A conflict of two changes; `page` is the id of a page, file or reusable content.

    `passage` names a conflict among those of a text.
    """

    page: str
    field: str
    base: Any
    main: Any
    ours: Any
    passage: str = ""


@dataclass(slots=True, frozen=True)
class MergeOutcome:
    """The revision now, whether it was done without leaving anything open, and where sides met."""

    revision_id: str
    done: bool
    conflicts: Sequence[MergeConflict]
