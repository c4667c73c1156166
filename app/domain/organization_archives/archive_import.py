"""Imports an archive that was made ready: all of it in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import Table, select

from app.access.context import Context
from app.domain.audit.audit_resigning import Resigning
from app.domain.infrastructure.service import audit_keys
from app.domain.organization_archives import archive_conflicts, ownership
from app.domain.organization_archives.archive_preparation import Prepared
from app.domain.search import search_rebuild
from app.kit.database import file_threads, table_copies
from app.kit.database.columns import Key
from app.kit.database.file_threads import FileThread
from app.kit.database.interface import insert_many
from app.kit.database.statements import given, query, table
from app.models.audit import AuditEvent, AuditHead
from app.models.spaces import Space

SPACES = table(Space)
COUNTED = frozenset({"agent_change", "search_inclusion", "search_section", "search_title"})
"""Tables whose rows an installation counts up: they get its next numbers."""
_KEPT_ONCE = frozenset({*ownership.SHARED, "blob_part"})
_AUDIT = frozenset({table(AuditEvent).name, table(AuditHead).name})
_SPACES = query(
    Space,
    lambda: (
        select(*SPACES.c).where(SPACES.c.organization_id == given("organization", Key)).order_by(SPACES.c.id)
    ),
)
Rows = AsyncIterator[list[dict[str, Any]]]


async def add(cx: Context, archive: Prepared) -> None:
    """Add the organization of an archive; asks nobody for a right.

    Its audit log is signed with the key of this installation, and goes on with the import. Raises
    ArchiveRefused where something conflicts.
    """
    organization_id = archive.manifest.organization_id
    async with file_threads.opened(archive.file) as file:
        await archive_conflicts.refuse(cx.db, file, archive.manifest)
        for selection in ownership.selections():
            if selection.table.name not in _AUDIT:
                await _add_rows(cx, selection.table, _rows(file, selection.table))
        resigning = Resigning(audit_keys(cx.settings), organization_id)
        await _add_rows(cx, table(AuditEvent), _resigned(resigning, _rows(file, table(AuditEvent))))
    await cx.tx.add_many(AuditHead, [resigning.head()])
    for space in await cx.tx.all(_SPACES, organization=organization_id):
        await search_rebuild.rebuild(cx, space)
    cx.note("organization", organization_id, organization_id, archive.manifest.title)


async def _add_rows(cx: Context, t: Table, batches: Rows) -> None:
    model = ownership.model_of(t)
    async for batch in batches:
        statement = insert_many(model, tuple(batch[0]), missing=t.name in _KEPT_ONCE)
        await cx.tx.run_many(statement, batch)


def _rows(file: FileThread, t: Table) -> Rows:
    """Yield the rows of a table, those before others that they hang on in it."""
    names = [c.name for c in t.columns if not (c.primary_key and t.name in COUNTED)]
    keys = ", ".join(f'"{c.name}"' for c in t.primary_key)
    is_nested = any(key.column.table is t for key in t.foreign_keys)
    return table_copies.batches(file, t, names, f'length("lineage"), {keys}' if is_nested else keys)


async def _resigned(resigning: Resigning, batches: Rows) -> Rows:
    async for batch in batches:
        yield [resigning.event(event) for event in batch]
