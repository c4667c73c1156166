"""Snapshots of published spaces: pages, files, reusable contents and variables, without texts.

Revisions never change, so snapshots are cached, up to a total number of pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cachetools import LRUCache
from sqlalchemy import select

from app.access.context import Context
from app.domain.content.content import FILE_VERSIONS, PAGE_VERSIONS, page_columns, variables
from app.domain.content.views import NOW, SPACES
from app.formats.markdown.passages import BodyText
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.models.pages import Document
from app.models.revisions import LineProperties, ReusableVersion

MOST_CACHED = 100_000  # and files, of all snapshots together
DOCUMENTS, REUSABLE_VERSIONS, LINE_PROPERTIES = table(Document), table(ReusableVersion), table(LineProperties)


@dataclass(slots=True, frozen=True)
class SpaceSnapshot:
    """The content of a space at a revision, as it can be looked up."""

    space_id: str
    title: str
    language: str
    revision_id: str
    pages: Sequence[Any]
    files: Sequence[Any]
    reusable: Sequence[Any]
    variables: Mapping[str, Any]
    moved: Mapping[str, str] = field(repr=False)
    indexes: _SnapshotIndexes = field(repr=False)

    def __len__(self) -> int:
        return len(self.pages) + len(self.files) + 1


class _SnapshotIndexes:
    """Ways to find things in a snapshot, each made when it is first asked for."""

    def __init__(self, pages: Sequence[Any], files: Sequence[Any], reusable: Sequence[Any]) -> None:
        self._pages, self._files, self._reusable = pages, files, reusable

    @cached_property
    def pages(self) -> dict[str, Any]:
        """Pages by id."""
        return {row.page_id: row for row in self._pages}

    @cached_property
    def paths(self) -> dict[str, Any]:
        """Pages by path."""
        return {row.path: row for row in self._pages}

    @cached_property
    def page_sources(self) -> dict[str, Any]:
        """Pages by the file of a repository that they came from, or would be."""
        return {row.source: row for row in self._pages if row.source}

    @cached_property
    def files(self) -> dict[str, Any]:
        """Files by id."""
        return {row.file_id: row for row in self._files}

    @cached_property
    def file_sources(self) -> dict[str, Any]:
        """Files by where they are in the repository."""
        return {row.source: row for row in self._files if row.source}

    @cached_property
    def reusable(self) -> dict[str, Any]:
        """Reusable contents by where they are in the repository."""
        return {row.source: row for row in self._reusable}

    @cached_property
    def conditional(self) -> bool:
        """Tell whether any page is shown on a condition."""
        return any(row.condition for row in self._pages)


def _content() -> Any:
    files = select(
        FILE_VERSIONS.c.file_id,
        FILE_VERSIONS.c.name,
        FILE_VERSIONS.c.source,
        FILE_VERSIONS.c.content_type,
        FILE_VERSIONS.c.size,
        FILE_VERSIONS.c.width,
        FILE_VERSIONS.c.height,
    ).where(NOW.valid(FILE_VERSIONS))
    reusable = select(
        REUSABLE_VERSIONS.c.reusable_id,
        REUSABLE_VERSIONS.c.title,
        REUSABLE_VERSIONS.c.source,
        REUSABLE_VERSIONS.c.document_id,
    ).where(NOW.valid(REUSABLE_VERSIONS))
    moved = (
        select(LINE_PROPERTIES.c.redirects).where(NOW.valid(LINE_PROPERTIES)).scalar_subquery().label("moved")
    )
    return select(
        SPACES.c.id,
        SPACES.c.title,
        SPACES.c.language,
        SPACES.c.revision_id,
        nested(select(*page_columns()).where(NOW.valid(PAGE_VERSIONS)), "pages"),
        nested(files, "files"),
        nested(reusable, "reusable"),
        variables(NOW),
        moved,
    ).where(SPACES.c.id == given("id"), SPACES.c.deleted_at.is_(None))


_CONTENT = rows(_content)
_TEXTS = rows(lambda: select(*DOCUMENTS.c).where(among(DOCUMENTS.c.id, "documents")))


class SnapshotCache:
    """Keeps the snapshots of spaces that were used last, as far as there is room."""

    def __init__(self, most: int = MOST_CACHED) -> None:
        # One that is larger than there is room for is kept alone.
        self._kept: LRUCache[str, SpaceSnapshot] = LRUCache(
            most, getsizeof=lambda snapshot: min(len(snapshot), most)
        )

    async def of(self, cx: Context, space_id: str, revision_id: str) -> SpaceSnapshot | None:
        """Return what a space holds, where this is its revision now; None for a space that is gone."""
        kept = self._kept.get(space_id)
        if kept is not None and kept.revision_id == revision_id:
            return kept
        row = await cx.db.first(_CONTENT, id=space_id)
        if row is None:
            return None
        snapshot = SpaceSnapshot(
            row.id,
            row.title,
            row.language or "en",
            row.revision_id,
            row.pages,
            row.files,
            row.reusable,
            row.variables or {},
            row.moved or {},
            _SnapshotIndexes(row.pages, row.files, row.reusable),
        )
        self._kept[snapshot.space_id] = snapshot
        return snapshot


async def texts(cx: Context, documents: Sequence[str]) -> dict[str, BodyText]:
    """Return the bodies of documents by their ids, read in one statement."""
    wanted = sorted(set(documents))
    if not wanted:
        return {}
    found = await cx.db.read_inline(_TEXTS, documents=wanted)
    return {row.id: BodyText(row.markdown, bool(row.conditional)) for row in found}
