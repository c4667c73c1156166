"""Translations on a site: spaces beside each other in several languages, and the same page in each of them.

Spaces that a site shows side by side, in one section or on a site without sections, are translations of each
other where they have different languages. For the reader's language switch and its `hreflang` links; who may
see an item (its condition, a draft) is judged there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Select, exists, select

from app.access.context import Context
from app.kit.database.sql import among
from app.kit.database.statements import given, rows, table
from app.models.pages import PageVersion
from app.models.site_items import SiteItem
from app.models.spaces import Space

_i, _s, _p = table(SiteItem), table(Space), table(PageVersion)


class Translation(NamedTuple):
    """A space of a site that has a language. `page_id` is the page of the same path, where one was asked for
    and there is one; `conditional` says that pages of the space may be hidden from some."""

    item_id: str
    section_id: str | None
    space_id: str
    language: str
    path: str | None
    title: str
    is_default: bool
    condition: str | None
    page_id: str | None = None
    conditional: bool = False


def _of_site() -> Select[tuple[str, ...]]:
    return (
        select(
            _i.c.id, _i.c.parent_id, _i.c.space_id, _s.c.language, _i.c.path,
            _i.c.title, _s.c.title.label("space_title"), _i.c.is_default, _i.c.condition,
        )
        .join(_s, _s.c.id == _i.c.space_id)
        .where(_i.c.site_id == given("site"), _s.c.language.is_not(None), _s.c.deleted_at.is_(None))
        .where(_i.c.draft.is_(False))
        .order_by(_i.c.position)
    )  # fmt: skip


_OF_SITE = rows(_of_site)


def _same_page() -> Select[Any]:
    some = _p.alias("some")
    conditional = exists().where(
        some.c.line_id == _p.c.line_id, some.c.valid_to.is_(None), some.c.condition.is_not(None)
    )
    return select(_p.c.line_id, _p.c.page_id, conditional.label("conditional")).where(
        among(_p.c.line_id, "spaces"),
        _p.c.path == given("path"),
        _p.c.valid_to.is_(None),
        _p.c.hidden.is_(False),
    )


_SAME_PAGE = rows(_same_page)


async def languages_of(cx: Context, site_id: str) -> dict[str, list[Translation]]:
    """The translations of a site (`translations`)."""
    return translations(await cx.db.all(_OF_SITE, site=site_id))


def translations(placed: Iterable[Any]) -> dict[str, list[Translation]]:
    """By the id of a space's item on the site, the translations that it is one of, itself among them.

    A space without a language, or the only one of its kind, has none. Of several in the same language the
    first is the one.
    """
    families: dict[str | None, dict[str, Translation]] = {}
    for row in placed:
        if row.language is None:
            continue
        found = Translation(
            row.id,
            row.parent_id,
            row.space_id,
            row.language,
            row.path,
            row.title or row.space_title,
            bool(row.is_default),
            row.condition,
        )
        families.setdefault(row.parent_id, {}).setdefault(row.language, found)
    return {
        each.item_id: list(family.values())
        for family in families.values()
        if len(family) > 1
        for each in family.values()
    }


async def of_page(cx: Context, translations: list[Translation], path: str) -> list[Translation]:
    """The same translations, each with its page of this path; those that have none lead to no page."""
    spaces = [each.space_id for each in translations]
    found = await cx.db.all(_SAME_PAGE, spaces=spaces, path=path)
    pages = {row.line_id: {"page_id": row.page_id, "conditional": bool(row.conditional)} for row in found}
    return [each._replace(**pages.get(each.space_id, {})) for each in translations]
