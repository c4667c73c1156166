"""Fills the engine's own index of a space whose sections are stored, as after a restore."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, text

from app.access.context import Context
from app.domain.search import full_text_engines, search_titles
from app.domain.search.search_index import LOOK_UP, OF_SPACE, all_again, scope
from app.domain.search.vocabulary import FOLDED
from app.kit.database.statements import EachEngine, Statement, command, given
from app.models.spaces import Space


def _indexing(name: str) -> Statement[Any]:
    terms = full_text_engines.named(name).terms
    if not terms:
        return LOOK_UP
    return command(
        lambda: text(f"UPDATE search_section SET terms = {terms} WHERE id = :id").bindparams(
            given("id", Integer()), *(given(name) for name in FOLDED)
        )
    )


_INDEX = EachEngine(_indexing)


async def rebuild(cx: Context, space: Space) -> None:
    """Index the sections of a space, of which the engine knows nothing yet."""
    sections = await cx.tx.all(OF_SPACE, space=space.id)
    if sections:
        await cx.tx.run_many(_INDEX(full_text_engines.name(cx)), all_again(space, sections))
        await search_titles.index(cx, space.id, scope(space))
