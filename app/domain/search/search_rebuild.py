"""Fills the engine's own index of a space whose sections are stored, as after a restore."""

from __future__ import annotations

from sqlalchemy import Integer, text

from app.access.context import Context
from app.domain.search import search_titles
from app.domain.search.search_index import LOOK_UP, OF_SPACE, all_again, scope
from app.domain.search.section_rows import terms
from app.domain.search.vocabulary import FOLDED
from app.kit.database.statements import command, given
from app.models.spaces import Space

_INDEX = command(
    lambda: text(f"UPDATE search_section SET terms = {terms(':')} WHERE id = :id").bindparams(
        given("id", Integer()), *(given(name) for name in FOLDED)
    )
)


async def rebuild(cx: Context, space: Space) -> None:
    """Index the sections of a space, of which the engine knows nothing yet."""
    sections = await cx.tx.all(OF_SPACE, space=space.id)
    if sections:
        statement = LOOK_UP if cx.tx.dialect == "sqlite" else _INDEX
        await cx.tx.run_many(statement, all_again(space, sections))
        await search_titles.index(cx, space.id, scope(space))
