"""The ceiling for discussions: two statements on the driver, and orjson (`tests.bench.bare_comments:app`).

It knows no token, no rights, no filters, no mentions; it takes for granted that pages are as they were.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiosqlite
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

DATABASE, BASE = os.environ["DOCYARD_DATABASE"], os.environ["DOCYARD_BASE_URL"]
COMMENTS = """SELECT c.id, c.posted_at, c.body, c.status, c.replies, c.revision_id,
    u.id, u.display_name, u.email, p.page_id, p.title, p.created_at, p.updated_at, p.path
    FROM comment c JOIN user_account u ON u.id = c.posted_by
    JOIN page_version p ON p.line_id = c.space_id AND p.page_id = c.page_id AND p.valid_to IS NULL
    WHERE c.space_id = ? AND c.change_request_id IS NULL ORDER BY c.posted_at DESC, c.id DESC LIMIT ?"""
REACTIONS = """SELECT x.subject_id, x.emoji, x.reacted_at, u.id, u.display_name, u.email
    FROM comment_reaction x JOIN user_account u ON u.id = x.user_id
    WHERE x.subject_id IN (SELECT value FROM json_each(?)) ORDER BY x.reacted_at, x.emoji, x.user_id"""
PERMISSIONS = {"view": True, "edit": False, "reply": True, "delete": True}


def user(id: str, name: str, email: str) -> dict[str, Any]:
    """A person as the product answers them."""
    urls = {"location": f"{BASE}/v1/users/{id}"}
    return {"object": "user", "id": id, "displayName": name, "email": email, "urls": urls}


def comment(space: str, row: Sequence[Any], reactions: dict[str, list[Any]]) -> dict[str, Any]:
    """A comment as the product answers it."""
    i, posted, body, status, replies, revision, by, name, email, page, title, created, updated, path = row
    shown = {"id": page, "title": title, "createdAt": created, "updatedAt": updated, "path": path}
    return {
        "object": "comment", "id": i, "postedBy": user(by, name, email), "postedAt": posted,
        "reactions": [{"emoji": e, "count": len(users), "users": users} for e, users in reactions.items()],
        "replies": replies, "body": {"markdown": body}, "mentions": [], "permissions": PERMISSIONS,
        "target": {"space": space, "revision": revision, "page": {**shown, "outdated": False}},
        "urls": {"location": f"{BASE}/v1/spaces/{space}/comments/{i}"}, "status": status,
    }  # fmt: skip


async def list_comments(request: Request) -> Response:
    """The latest comments of a space."""
    db, space = request.app.state.db, request.path_params["id"]
    found = list(await db.execute_fetchall(COMMENTS, (space, int(request.query_params["limit"]))))
    ids = orjson.dumps([row[0] for row in found]).decode()
    reactions: dict[str, dict[str, list[Any]]] = {row[0]: {} for row in found}
    for subject, emoji, reacted, *person in await db.execute_fetchall(REACTIONS, (ids,)):
        reactions[subject].setdefault(emoji, []).append({"user": user(*person), "reactedAt": reacted})
    items = [comment(space, row, reactions[row[0]]) for row in found]
    return Response(orjson.dumps({"items": items}), media_type="application/json")


async def ready(_request: Request) -> Response:
    """The server is up."""
    return PlainTextResponse("ok\n")


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Open one connection that reads."""
    app.state.db = await aiosqlite.connect(DATABASE, isolation_level=None)
    await app.state.db.executescript("PRAGMA mmap_size=268435456; PRAGMA cache_size=-32768;")
    yield
    await app.state.db.close()


app = Starlette(
    lifespan=lifespan, routes=[Route("/ready", ready), Route("/spaces/{id}/comments", list_comments)]
)
