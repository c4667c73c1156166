"""The items of a site's structure as a change reads them, all in the statement that finds the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, select

from app.access.context import Context
from app.access.fetch import level_on
from app.access.rights import Level
from app.domain.site_addresses.site_rows import SITE_ITEMS, SITES, SPACES, reading
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, query
from app.models.sites import Site
from app.models.spaces import Space


@dataclass(slots=True)
class StructureItem:
    """A node of the tree; `alive` is what a space is that was not deleted. `held` is the caller's level on
    the space of a node."""

    id: str
    kind: str
    parent_id: str | None
    position: str
    scope: str | None = None
    path: str | None = None
    space_id: str | None = None
    is_default: bool = False
    title: str = ""
    condition: str | None = None
    draft: bool = False
    alive: bool = True
    held: Level = Level.NONE

    @property
    def seen(self) -> bool:
        """Return whether the caller may know of it: of anything but a space that they do not see."""
        return self.space_id is None or self.held > Level.NONE

    @property
    def rank(self) -> str:
        """Return its place among its siblings."""
        return self.position.rpartition("/")[2]


class ItemRow(Protocol):
    """An item of a site; the columns of its space are null where it is none."""

    id: str
    kind: str
    parent_id: str | None
    position: str
    scope: str | None
    path: str | None
    space_id: str | None
    is_default: bool
    title: str | None
    condition: str | None
    draft: bool
    space_title: str | None
    organization_id: str | None
    base_level: int
    lineage: str
    gone: bool


_SHOWN = ("id", "kind", "parent_id", "position", "scope", "path", "space_id", "is_default", "title",
          "condition", "draft")  # fmt: skip


def _with_items() -> Any:
    columns: list[ColumnElement[Any]] = [
        *(SITE_ITEMS.c[name] for name in _SHOWN),
        SPACES.c.title.label("space_title"), SPACES.c.organization_id.label("organization_id"),
        SPACES.c.base_level.label("base_level"), SPACES.c.lineage.label("lineage"),
        SPACES.c.deleted_at.is_not(None).label("gone"),
    ]  # fmt: skip
    items = (
        select(*columns)
        .select_from(SITE_ITEMS.outerjoin(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id))
        .where(SITE_ITEMS.c.site_id == SITES.c.id)
        .order_by(SITE_ITEMS.c.position, SITE_ITEMS.c.id)
        .correlate(SITES)
    )
    return reading(nested(items, "items"), inner=("adaptive_schema",))


WITH_ITEMS: Statement[Any] = query(Site, _with_items)


def item_of(cx: Context, row: ItemRow) -> StructureItem:
    """Return an item with what the caller may do with its space."""
    held = level_on(cx, Space, _Levels(row)) if row.space_id else None
    return StructureItem(
        row.id, row.kind, row.parent_id, row.position, row.scope, row.path, row.space_id, row.is_default,
        row.title or row.space_title or "", row.condition, row.draft, not row.gone, held or Level.NONE,
    )  # fmt: skip


class _Levels:
    """The space of an item, as far as its level goes."""

    def __init__(self, row: ItemRow) -> None:
        self.id, self.organization_id = row.space_id, row.organization_id
        self.base_level, self.lineage = row.base_level, row.lineage
