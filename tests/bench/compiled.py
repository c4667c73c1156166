"""GraphQL documents that are measured, and what a compiler could make of them at best.

Each plan runs the statements its document needs and builds the answer, nothing else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import aiosqlite
import orjson

FIELDS = "id title visibility editMode createdAt updatedAt organizationId revisionId emoji deletedAt"
ONE = f"query one($id: ID!) {{ space(id: $id) {{ {FIELDS} }} }}"
LIST = (
    "query list($id: ID!, $first: Int!)"
    f" {{ organization(id: $id) {{ spaces(first: $first) {{ nodes {{ {FIELDS} }} }} }} }}"
)
NESTED = (
    "query nested($outer: Int!, $inner: Int!) { me { organizations(first: $outer)"
    f" {{ nodes {{ id title plan spaces(first: $inner) {{ nodes {{ {FIELDS} }} }} }} }} }} }}"
)
_COLUMNS = "id, title, edit_mode, created_at, updated_at, organization_id, revision_id, emoji, deleted_at"
_ONE = f"SELECT {_COLUMNS} FROM space WHERE id = ?"
_LIST = (
    f"SELECT {_COLUMNS} FROM space WHERE organization_id = ? AND deleted_at IS NULL ORDER BY rank, id LIMIT ?"
)
_ORGANIZATIONS = (
    "SELECT id, title, plan FROM organization JOIN member ON member.organization_id = id"
    " WHERE user_id = (SELECT id FROM user_account WHERE email = 'traveller@example.org')"
    " ORDER BY id LIMIT ?"
)
_SPACES = (
    f"SELECT {', '.join(f'space.{c}' for c in _COLUMNS.split(', '))} FROM json_each(?) AS wanted, space"
    " WHERE space.id IN (SELECT id FROM space AS s WHERE s.organization_id = wanted.value"
    " AND s.deleted_at IS NULL ORDER BY rank, id LIMIT ?) ORDER BY wanted.key, space.rank, space.id"
)
Plan = Callable[[aiosqlite.Connection, dict[str, Any]], Awaitable[dict[str, Any]]]


def _space(row: Any) -> dict[str, Any]:
    i, title, mode, created, updated, organization, revision, emoji, deleted = row
    return {
        "id": f"Space:{i}", "title": title, "visibility": "PRIVATE", "editMode": mode.upper(),
        "createdAt": created, "updatedAt": updated, "organizationId": organization, "revisionId": revision,
        "emoji": emoji, "deletedAt": deleted,
    }  # fmt: skip


async def _one(db: aiosqlite.Connection, given: dict[str, Any]) -> dict[str, Any]:
    rows = list(await db.execute_fetchall(_ONE, (given["id"],)))
    return {"space": _space(rows[0])}


async def _list(db: aiosqlite.Connection, given: dict[str, Any]) -> dict[str, Any]:
    rows = await db.execute_fetchall(_LIST, (given["id"], given["first"]))
    return {"organization": {"spaces": {"nodes": [_space(row) for row in rows]}}}


async def _nested(db: aiosqlite.Connection, given: dict[str, Any]) -> dict[str, Any]:
    outer = list(await db.execute_fetchall(_ORGANIZATIONS, (given["outer"],)))
    found: dict[str, list[Any]] = {row[0]: [] for row in outer}
    wanted = orjson.dumps(list(found)).decode()
    for row in await db.execute_fetchall(_SPACES, (wanted, given["inner"])):
        found[row[5]].append(_space(row))
    nodes = [
        {"id": f"Organization:{i}", "title": t, "plan": p.upper(), "spaces": {"nodes": found[i]}}
        for i, t, p in outer
    ]
    return {"me": {"organizations": {"nodes": nodes}}}


PLANS: dict[str, Plan] = {ONE: _one, LIST: _list, NESTED: _nested}
