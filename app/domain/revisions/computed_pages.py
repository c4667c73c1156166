"""Computed pages: one that somebody places, and all those below it, whatever computes them.

The pages below a placed page are named after what they show, so that they are the same pages whenever they
are computed: only what differs is written, and all else goes on from revision to revision.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain.revisions.branch import Branch
from app.domain.revisions.documents import document_id
from app.domain.revisions.drafts import Draft
from app.domain.revisions.records import PageRecord
from app.kit.database.interface import Transaction
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, Invalid
from app.kit.ids import rank_after, rank_between, spread_ranks
from app.models.change_requests import ChangeRequest
from app.models.pages import PageVersion
from app.models.spaces import Space

INTEGRATION = "integration:"
TURN = 1_000  # pages that are made ready in one turn of the event loop
SPACES, CHANGE_REQUESTS = table(Space), table(ChangeRequest)
_SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))
_REQUEST = query(ChangeRequest, lambda: select(*CHANGE_REQUESTS.c).where(CHANGE_REQUESTS.c.id == given("id")))


@dataclass(slots=True, kw_only=True)
class ComputedPage:
    """A page below a placed one, as it shall be. Without a `body`, it keeps the text that it has."""

    key: str
    parent: str
    title: str
    slug: str
    computed: dict[str, Any]
    seed: str | None
    body: str | None
    kind: str = "document"
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    href: str | None = None


def is_placed(page: PageRecord | PageVersion) -> bool:
    """Tell whether a page is one that somebody placed, with what is computed below it."""
    if not page.computed:
        return False
    if is_of_integration(page):
        return (page.computed_seed or "").startswith(INTEGRATION)
    return bool(page.computed["props"].get("doc") == "info")


def is_below_placed(page: PageRecord | PageVersion) -> bool:
    """Tell whether a page was computed below one that somebody placed: nothing of it is written by hand."""
    return bool(page.computed) and not is_placed(page)


def is_of_integration(page: PageRecord | PageVersion) -> bool:
    """Tell whether a content source of an integration computes a page."""
    return bool(page.computed and page.computed["type"].startswith(INTEGRATION))


def check_change(page: PageRecord, path: str, *, body: bool = False) -> None:
    """Refuse to change what is computed: all but the place and the look of the page that was placed."""
    if page.computed and (body or not is_placed(page)):
        raise Conflict("This page is computed; change its source instead.", path=path)


def check_parent(page: PageRecord, path: str) -> None:
    """Refuse to put a page among those that are computed."""
    if page.computed:
        raise Invalid("The pages below this one are computed; no others can be added.", path=path)


def page_id_of(placed_id: str, key: str) -> str:
    """Return the id of what a key means below a placed page."""
    return placed_id if key == "" else f"{placed_id}-{sha256(key.encode()).hexdigest()[:16]}"


async def fill(draft: Draft, placed: PageRecord, body: str | None, found: Sequence[ComputedPage]) -> None:
    """Make what is below a placed page, and its own text, what was computed."""
    ids = {"": placed.page_id, **{each.key: page_id_of(placed.page_id, each.key) for each in found}}
    before = {row.page_id: row for row in await draft.under(placed.page_id)}
    ranks = _ranks(found, ids, before)
    if body is not None:
        write(draft, placed, body)
    for number, each in enumerate(found, 1):
        page = draft.pages[ids[each.key]] = _record(each, ids, ranks[each.key], draft)
        if each.body is not None:
            write(draft, page, each.body)
        if number % TURN == 0:
            await asyncio.sleep(0)  # others have their turn
    for gone in before.keys() - ids.values():
        draft.pages[gone] = None
        draft.bodies.pop(gone, None)


def _record(each: ComputedPage, ids: Mapping[str, str], rank: str, draft: Draft) -> PageRecord:
    """Return a computed page as it shall be."""
    page_id, parent_id = ids[each.key], ids[each.parent]
    page = draft.pages.get(page_id) or PageRecord(
        page_id=page_id, kind=each.kind, title="", slug="", parent_id=parent_id, rank=""
    )
    page.set(
        kind=each.kind,
        title=each.title,
        slug=each.slug,
        parent_id=parent_id,
        rank=rank,
        description=each.description,
        emoji=each.emoji,
        icon=each.icon,
        href=each.href,
        computed=each.computed,
        computed_seed=each.seed,
    )
    return page


def write(draft: Draft, page: PageRecord, body: str) -> None:
    """Give a page its text, unless it is the one that it has."""
    if page.document_id != document_id(body):
        draft.write(page.page_id, body)


def _ranks(
    found: Sequence[ComputedPage], ids: Mapping[str, str], before: Mapping[str, PageRecord]
) -> dict[str, str]:
    """Return ranks of siblings in their order; those whose ranks are in order already keep them."""
    families: dict[str, list[ComputedPage]] = {}
    for each in found:
        families.setdefault(each.parent, []).append(each)
    ranks: dict[str, str] = {}
    for family in families.values():
        held = [before[page_id].rank if (page_id := ids[e.key]) in before else None for e in family]
        if not any(held):
            ranks |= zip((each.key for each in family), spread_ranks(len(family)), strict=True)
            continue
        last: str | None = None
        for n, each in enumerate(family):
            rank: str | None = held[n]
            if rank is None or (last is not None and rank <= last):
                following = (r for r in held[n + 1 :] if r is not None and (last is None or r > last))
                high = min(following, default=None)
                rank = rank_after(last) if high is None else rank_between(last, high)
            ranks[each.key] = last = rank
    return ranks


async def line_to_write(cx: Context, line_id: str, *, merged: bool = False) -> Branch | None:
    """Return the line, if it may be written on; nobody else does meanwhile.

    Of a change request that is merged it is the space's where `merged` is set, else there is none.
    """
    request = await cx.db.first(_REQUEST, id=line_id)
    space_id = request.space_id if request else line_id
    if request is not None and request.status == "merged":
        if not merged:
            return None
        request = None
    if isinstance(cx.db, Transaction):  # whoever only reads waits for nobody
        await cx.tx.lock(space_id)
    space = await cx.db.first(_SPACE, id=space_id)
    return None if space is None else Branch(space, request)
