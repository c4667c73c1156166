"""Settings for translated content (specification, Translations), and which spaces of a site are translations.

Spaces that a site shows side by side, in one section or in a site without sections, are translations of each
other where each has a language of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, exists, select

from app.access.context import Context
from app.access.fetch import permissions_at, permit_in
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.pages import PageVersion
from app.models.queries import PageQuery
from app.models.site_items import SiteItem
from app.models.spaces import Space
from app.models.translations import (
    TranslationSettings,
    TranslationSettingsCreate,
    TranslationSettingsUpdate,
)

SITE_ITEMS, SPACES, PAGE_VERSIONS = table(SiteItem), table(Space), table(PageVersion)
TRANSLATION_SETTINGS = table(TranslationSettings)
LIST: Listing[TranslationSettings] = Listing(
    "translation settings",
    TranslationSettings,
    lambda: select(*TRANSLATION_SETTINGS.c).where(
        TRANSLATION_SETTINGS.c.organization_id == given("organization")
    ),
    order=lambda: [TRANSLATION_SETTINGS.c.id],
)
_ONE = query(
    TranslationSettings,
    lambda: select(*TRANSLATION_SETTINGS.c).where(
        TRANSLATION_SETTINGS.c.organization_id == given("organization"),
        TRANSLATION_SETTINGS.c.id == given("id"),
    ),
)


async def list_settings(cx: Context, organization_id: str, query: PageQuery) -> Page[TranslationSettings]:
    """List the translation settings of an organization, oldest first."""
    permit_in(cx, organization_id, can="listTeams")
    return await LIST.page(cx.db, query.paging, cx.tokens, organization=organization_id)


async def get(cx: Context, organization_id: str, translation_settings_id: str) -> TranslationSettings:
    """Get translation settings."""
    permit_in(cx, organization_id, can="listTeams")
    return await _find(cx, organization_id, translation_settings_id)


async def create(cx: Context, organization_id: str, new: TranslationSettingsCreate) -> TranslationSettings:
    """Create translation settings, with languages from the start where they are named."""
    permit_in(cx, organization_id, can="createContent")
    return await cx.tx.add(
        TranslationSettings,
        id=new_id(),
        organization_id=organization_id,
        title=new.title,
        languages=_once(new.languages) if "languages" in new.model_fields_set else [],
        created_at=cx.now,
        updated_at=cx.now,
    )


async def update(
    cx: Context, organization_id: str, translation_settings_id: str, change: TranslationSettingsUpdate
) -> TranslationSettings:
    """Change translation settings; languages that are not named stay."""
    permit_in(cx, organization_id, can="createContent")
    held = await _find(cx, organization_id, translation_settings_id)
    values: dict[str, Any] = {"title": change.title, "updated_at": cx.now}
    if "languages" in change.model_fields_set:
        values["languages"] = _once(change.languages)
    return await cx.tx.change(TranslationSettings, values, id=held.id)


async def delete(cx: Context, organization_id: str, translation_settings_id: str) -> None:
    """Delete translation settings."""
    permit_in(cx, organization_id, can="createContent")
    held = await _find(cx, organization_id, translation_settings_id)
    await cx.tx.remove(TranslationSettings, id=held.id)


def permissions(cx: Context, row: TranslationSettings) -> dict[str, bool]:
    """Return the `permissions` of translation settings, from the table that refuses."""
    membership = cx.actor.memberships.get(row.organization_id)
    return permissions_at(cx, "translation", row.organization_id, membership.level if membership else 0)


async def _find(cx: Context, organization_id: str, settings_id: str) -> TranslationSettings:
    found = await cx.db.first(_ONE, organization=organization_id, id=settings_id)
    if found is None:
        raise NotFound("There are no such translation settings.")
    return found


def _once(languages: Sequence[str]) -> list[str]:
    """Return each language once, in the order that was sent."""
    return list(dict.fromkeys(languages))


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


_SHOWN = ("id", "parent_id", "space_id", "path", "title", "is_default", "condition")


def _of_site() -> Select[tuple[str, ...]]:
    return (
        select(
            *(SITE_ITEMS.c[name] for name in _SHOWN),
            SPACES.c.language,
            SPACES.c.title.label("space_title"),
        )
        .join(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id)
        .where(
            SITE_ITEMS.c.site_id == given("site"),
            SITE_ITEMS.c.draft.is_(False),
            SPACES.c.language.is_not(None),
            SPACES.c.deleted_at.is_(None),
        )
        .order_by(SITE_ITEMS.c.position)
    )


_OF_SITE = rows(_of_site)


def _same_page() -> Select[Any]:
    some = PAGE_VERSIONS.alias("some")
    conditional = exists().where(
        some.c.line_id == PAGE_VERSIONS.c.line_id, some.c.valid_to.is_(None), some.c.condition.is_not(None)
    )
    return select(PAGE_VERSIONS.c.line_id, PAGE_VERSIONS.c.page_id, conditional.label("conditional")).where(
        among(PAGE_VERSIONS.c.line_id, "spaces"),
        PAGE_VERSIONS.c.path == given("path"),
        PAGE_VERSIONS.c.valid_to.is_(None),
        PAGE_VERSIONS.c.hidden.is_(False),
    )


_SAME_PAGE = rows(_same_page)


async def languages_of(cx: Context, site_id: str) -> dict[str, list[Translation]]:
    """Return the translations of a site (`translations`)."""
    return translations(await cx.db.all(_OF_SITE, site=site_id))


def translations(placed: Iterable[Any]) -> dict[str, list[Translation]]:
    """Map the id of each translated item of the site to its translations, itself among them.

    A space without a language, or the only one of its kind, has none. Of several in the same language the
    first is the one.
    """
    families: dict[str | None, dict[str, Translation]] = {}
    for row in placed:
        if row.language is None:
            continue
        found = placed_space(row)
        families.setdefault(row.parent_id, {}).setdefault(row.language, found)
    return {
        each.item_id: list(family.values())
        for family in families.values()
        if len(family) > 1
        for each in family.values()
    }


def placed_space(row: Any) -> Translation:
    """Return a space of a site as one of those that a reader may change to; its language may be ""."""
    return Translation(
        row.id,
        row.parent_id,
        row.space_id,
        row.language or "",
        row.path,
        row.title or row.space_title,
        bool(row.is_default),
        row.condition,
    )


async def translations_of_page(cx: Context, translations: list[Translation], path: str) -> list[Translation]:
    """Return translations or variants, each with its page of this path; some have none."""
    spaces = [each.space_id for each in translations]
    found = await cx.db.all(_SAME_PAGE, spaces=spaces, path=path)
    pages = {row.line_id: {"page_id": row.page_id, "conditional": bool(row.conditional)} for row in found}
    return [each._replace(**pages.get(each.space_id, {})) for each in translations]
