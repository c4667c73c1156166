"""The tree of what a site shows, as a change sees it: read whole, changed in place, each change one row.

A position is the parent's and a rank of its own, so that text order is tree order. All kinds of items are
ordered by the same rules, within their level. Of peers (the sections of a site, the spaces of a section)
one is the default: the first there was, and where that goes, the first that is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import update

from app.access.context import Context
from app.access.fetch import level_on, named
from app.access.rights import Level
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import SITE_ITEMS, find
from app.domain.sites.structure_items import WITH_ITEMS, StructureItem, item_of
from app.formats.repository.names import Unique, slug
from app.kit.database.columns import Key
from app.kit.database.statements import command, given
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.ids import new_id, rank_after, rank_between, spread_ranks
from app.models.collections import Beside
from app.models.site_items import SiteItem
from app.models.sites import Site
from app.models.spaces import Space

LONGEST = 100  # of a rank
# What programs read of a site, at its address; what is in the site cannot be there.
OF_PROGRAMS = re.compile(r"(?:robots|llms|llms-full)\.txt|sitemap(?:-\d+)?\.xml", re.IGNORECASE)
NAMES = {
    "site-space": "space of the site",
    "site-section": "section",
    "site-section-group": "section group",
    "site-external-link": "external link",
}


_PLACE = command(
    lambda: (
        update(SITE_ITEMS)
        .values(position=given("position", Key), parent_id=given("parent", Key))
        .where(SITE_ITEMS.c.id == given("key"))
    )
)


async def of(cx: Context, organization_id: str, site_id: str, *, can: str) -> Structure:
    """Return the structure of a site that the caller may change like this; raises like `site_rows.find`."""
    site = await find(cx, organization_id, site_id, can=can, using=WITH_ITEMS)
    return Structure(cx, site, {row.id: item_of(cx, row) for row in site.items})


class Structure:
    """The structure that a site shows."""

    def __init__(self, cx: Context, site: Any, items: dict[str, StructureItem]) -> None:
        self.cx, self.site, self._items = cx, site, items

    def find(self, kind: str, id: str) -> StructureItem:
        """Return an item of the site; raises NotFound for another site's, and for what the caller does not
        see."""
        found = self._items.get(id)
        if found is None or found.kind != kind or not (found.alive and found.seen):
            raise NotFound(f"There is no such {NAMES[kind]}.")
        return found

    def there(self, id: str) -> StructureItem | None:
        """Return an item of the site, whether the caller sees it or not."""
        return self._items.get(id)

    def named(self, kind: str, id: str, path: str) -> StructureItem:
        """Return the item that a body names at `path`; raises Invalid with the field."""
        with named(path):
            return self.find(kind, id)

    def all(self, kind: str) -> list[StructureItem]:
        """Return the items of a kind, in order."""
        return [item for item in self._ordered() if item.kind == kind]

    def shows(self, space_id: str) -> bool:
        """Tell whether a space is somewhere on the site."""
        return any(item.space_id == space_id for item in self.all("site-space"))

    def children(self, parent_id: str | None) -> list[StructureItem]:
        """Return what is directly in an item, or at the root."""
        return [item for item in self._ordered() if item.parent_id == parent_id]

    def conditions(self) -> Iterator[StructureItem]:
        """Yield the items that are shown on a condition."""
        return (item for item in self._items.values() if item.condition)

    @property
    def default_section(self) -> StructureItem | None:
        """Return the section that is shown first."""
        return next((item for item in self.all("site-section") if item.is_default), None)

    def permit_showing(self, *items: StructureItem) -> None:
        """Refuse to let visitors see more of these items unless the caller administrates the site, or the
        spaces; as long as the site is not published, nobody sees it."""
        inside = (each for item in items for each in (item, *self.children(item.id)))
        self.permit_levels(each.held for each in inside if each.space_id)

    def permit_space(self, space: Space, *, draft: bool = False) -> Level:
        """Refuse to show a space on the site unless the caller may create in it, and where visitors will see
        it at once, administrates it or the site. Returns their level on it."""
        held = level_on(self.cx, Space, space)
        if held is None or held < Level.CREATE:
            raise Forbidden("This needs the level 'create' on the space.")
        if not draft:
            self.permit_levels([held])
        return held

    def permit_levels(self, levels: Iterable[Level]) -> None:
        """Refuse to let visitors see more of spaces that the caller has these levels on, like
        `permit_showing`."""
        if not self.site.published or level_on(self.cx, Site, self.site) == Level.ADMIN:
            return
        if any(held != Level.ADMIN for held in levels):
            raise Forbidden(
                "The site is published, so that more people would see it: this needs the level 'admin' on the"
                " site or on the space."
            )

    async def add(
        self, kind: str, parent_id: str | None, *, title: str = "", held: Level = Level.NONE, **columns: Any
    ) -> StructureItem:
        """Add an item, last in its parent; the first of its peers becomes their default."""
        item = StructureItem(
            new_id(), kind, parent_id, self._last(parent_id), columns.get("scope"),
            columns.get("path"), columns.get("space_id"), title=title, held=held,
        )  # fmt: skip
        self._items[item.id] = item
        item.is_default = item.scope is not None and not any(peer.is_default for peer in self._peers(item))
        stored = {"is_default": item.is_default, "draft": False, "site_id": self.site.id, **columns}
        now = {"created_at": self.cx.now, "updated_at": self.cx.now}
        own_title = {} if kind == "site-space" else {"title": title}
        await self.cx.tx.add(
            SiteItem, id=item.id, kind=kind, parent_id=parent_id, position=item.position,
            **own_title, **stored, **now,
        )  # fmt: skip
        return item

    async def change(self, item: StructureItem, **columns: Any) -> None:
        """Change what is kept of an item."""
        for name, value in columns.items():
            if hasattr(item, name):
                setattr(item, name, value)
        await self.cx.tx.put(SiteItem, {**columns, "updated_at": self.cx.now}, id=item.id)

    async def make_default(self, item: StructureItem) -> None:
        """Make an item the default of its peers."""
        for peer in self._peers(item):
            if peer.is_default != (peer.id == item.id):
                await self.change(peer, is_default=peer.id == item.id)

    async def remove(self, item: StructureItem) -> None:
        """Remove an item and all in it; what it was the default of passes to the first that is left."""
        for inner in self.children(item.id):
            await self.remove(inner)
        await self.cx.tx.remove(SiteItem, id=item.id)
        del self._items[item.id]
        if item.is_default:
            await self._pass_default(self._peers(item))

    async def move(self, item: StructureItem, position: Beside[Any] | None) -> None:
        """Put an item beside a neighbour of its level; last without a position."""
        siblings = [each for each in self.children(item.parent_id) if each.id != item.id]
        at = len(siblings)
        if position is not None:
            at = self._index(item, siblings, position)
        await self.place(item, item.parent_id, at)

    async def enter(self, item: StructureItem, section: StructureItem) -> None:
        """Put a space into another section, last in it; what it was the default of passes to the first that
        is left."""
        left = [peer for peer in self._peers(item) if peer is not item]
        path = self._numbered(section.id, item.path or "")
        first = not any(peer.is_default for peer in self.children(section.id))
        if item.is_default:
            await self._pass_default(left)
        await self.change(item, scope=section.id, path=path, is_default=first)
        await self.place(item, section.id)

    async def place(self, item: StructureItem, parent_id: str | None, at: int | None = None) -> None:
        """Put an item, with all in it, into a parent: before what is there at an index, else last."""
        siblings = [each for each in self.children(parent_id) if each.id != item.id]
        at = len(siblings) if at is None else at
        low = siblings[at - 1].rank if at else None
        high = siblings[at].rank if at < len(siblings) else None
        ranks = {item.id: _rank(low, high)}
        if len(ranks[item.id]) > LONGEST or (low and high and low >= high):
            ordered = [*siblings[:at], item, *siblings[at:]]
            ranks = {each.id: rank for each, rank in zip(ordered, spread_ranks(len(ordered)), strict=True)}
        item.parent_id = parent_id
        above = f"{self._items[parent_id].position}/" if parent_id else ""
        moved = [
            change for each, rank in ranks.items() for change in self._moved(self._items[each], above + rank)
        ]
        await self.cx.tx.run_many(_PLACE, moved)

    def free_path(self, scope: str, title: str, kind: str, *, besides: StructureItem | None = None) -> str:
        """Return the path that a title suggests, with a number where a peer has it."""
        name = slug(title, "section" if kind == "site-section" else "docs").lstrip("~.") or "docs"
        return self._numbered(
            scope, name.replace(".", "-") if OF_PROGRAMS.fullmatch(name) else name, besides=besides
        )

    def refuse_taken(self, item: StructureItem, path: str) -> None:
        """Raise Conflict where a peer has this path, Invalid where programs read something else."""
        if OF_PROGRAMS.fullmatch(path):
            raise Invalid("Programs read something else of the site at this path.", path="path")
        others = [p for p in self._items.values() if p.scope == item.scope and p.id != item.id]
        if any((peer.path or "").casefold() == path.casefold() for peer in others):
            raise Conflict("This path is already in use.", path="path")

    async def done(self, *gone: str | None) -> None:
        """Keep where the spaces of the site, and those that are gone from it, are published now."""
        if self.site.published:
            spaces = (item.space_id for item in self._items.values())
            await publication.refresh(self.cx, [*spaces, *gone])

    async def _pass_default(self, left: Iterable[StructureItem]) -> None:
        heir = next((peer for peer in left if peer.alive), None)
        if heir is not None:
            await self.change(heir, is_default=True)

    def _numbered(self, scope: str, name: str, *, besides: StructureItem | None = None) -> str:
        names = Unique()
        for item in self._items.values():
            if item.scope == scope and item.path and item is not besides:
                names.hold(item.path)
        return names.take(name)

    def _ordered(self) -> list[StructureItem]:
        return sorted(self._items.values(), key=lambda item: (item.position, item.id))

    def _peers(self, item: StructureItem) -> list[StructureItem]:
        if item.scope is None:
            return []
        return [each for each in self._ordered() if (each.kind, each.scope) == (item.kind, item.scope)]

    def _last(self, parent_id: str | None) -> str:
        siblings = self.children(parent_id)
        rank = rank_after(siblings[-1].rank if siblings else None)
        return f"{self._items[parent_id].position}/{rank}" if parent_id else rank

    def _index(self, item: StructureItem, siblings: list[StructureItem], position: Beside[Any]) -> int:
        side = position.side
        for index, sibling in enumerate(siblings):
            if sibling.id == side.id and _is(sibling, side.type) and sibling.alive and sibling.seen:
                return index if position.after is None else index + 1
        raise _no_neighbour(item, side)

    def _moved(self, item: StructureItem, position: str) -> Iterator[dict[str, Any]]:
        inside = self.children(item.id)
        item.position = position
        yield {"key": item.id, "position": position, "parent": item.parent_id}
        for each in inside:
            yield from self._moved(each, f"{position}/{each.rank}")


def _is(item: StructureItem, kind: str) -> bool:
    """Tell whether an item is what a position calls it; sections and groups are told apart by their ids."""
    return item.kind == kind or {item.kind, kind} == {"site-section", "site-section-group"}


def _no_neighbour(item: StructureItem, side: Any) -> Invalid:
    if side.id == item.id:
        return Invalid("An item cannot be placed before or after itself.", path="position")
    return Invalid(f"There is no such {NAMES[side.type]} on the same level.", path="position")


def _rank(low: str | None, high: str | None) -> str:
    return rank_after(low) if high is None else rank_between(low, high)
