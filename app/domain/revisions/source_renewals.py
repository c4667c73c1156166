"""Pages of content sources that are looked at again: brought back, copied, or handed to others."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, or_, select, update

from app.access.context import Context
from app.domain import jobs
from app.domain.integrations import outbox
from app.domain.revisions.computed_pages import CHANGE_REQUESTS, INTEGRATION, is_of_integration, is_placed
from app.domain.revisions.drafts import PAGE_VERSIONS, Draft
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows
from app.models.spaces import Space


def seed_of(organization_id: str, integration_name: str) -> str:
    """Return the seed by which pages that were placed for an integration are found."""
    return f"{INTEGRATION}{organization_id}:{integration_name}"


def _on_lines_of_spaces() -> ColumnElement[bool]:
    requests = select(CHANGE_REQUESTS.c.id).where(among(CHANGE_REQUESTS.c.space_id, "spaces"))
    lines = or_(among(PAGE_VERSIONS.c.line_id, "spaces"), PAGE_VERSIONS.c.line_id.in_(requests))
    return lines & (func.substr(PAGE_VERSIONS.c.computed_seed, 1, len(INTEGRATION)) == INTEGRATION)


_SEEDS = rows(lambda: select(PAGE_VERSIONS.c.computed_seed).distinct().where(_on_lines_of_spaces()))
_HAND_OVER = command(
    lambda: (
        update(PAGE_VERSIONS)
        .values(computed_seed=func.replace(PAGE_VERSIONS.c.computed_seed, given("before"), given("now")))
        .where(_on_lines_of_spaces())
    )
)


async def ask(
    cx: Context, line_id: str, organization_id: str, page_id: str, type_: str, *, again: bool
) -> None:
    """Have one placed page computed, on the line that it was placed on."""
    asked = {"line": line_id, "page": page_id, "again": again}
    name = type_.split(":")[1]
    await jobs.enqueue(cx, outbox.COMPUTE, name, organization_id, due_at=cx.now, payload=asked)


def brought_back(draft: Draft) -> list[tuple[str, str]]:
    """Return the placed pages of a draft, with their types, that were computed at another time or elsewhere:
    in a change request that is merged, or at a revision that is restored.
    """
    placed = [page for page in draft.changed if is_of_integration(page) and is_placed(page)]
    found = []
    for page in placed:
        computed, held = page.computed or {}, draft.held.get(page.page_id)
        is_other = held is None or held.computed != computed
        if is_other and ("version" in computed or "error" in computed):
            found.append((page.page_id, computed["type"]))
    return found


async def look_at(draft: Draft, placed: Sequence[tuple[str, str]]) -> None:
    """Have placed pages of a draft computed where that is needed."""
    for page_id, type_ in placed:
        line = draft.line
        await ask(draft.cx, line.id, line.space.organization_id, page_id, type_, again=False)


async def look_at_copy(cx: Context, space: Space) -> None:
    """Have the pages of a space that was copied computed where the original waited for that."""
    await _look(cx, [space.id], space.organization_id)


async def hand_over(cx: Context, space_ids: Sequence[str], before: str, now: str) -> None:
    """Make the pages of spaces those of another organization, which may have the integration or not."""
    if before != now:
        seeds = {"before": seed_of(before, ""), "now": seed_of(now, "")}
        await cx.tx.run(_HAND_OVER, spaces=space_ids, **seeds)
        await _look(cx, space_ids, now)


async def _look(cx: Context, space_ids: Sequence[str], organization_id: str) -> None:
    for row in await cx.db.all(_SEEDS, spaces=space_ids):
        await outbox.renew_pages_of(cx, row.computed_seed.split(":")[2], organization_id)
