"""Settings for translated content (specification, Translations), and which spaces of a site are translations.

Spaces that a site shows side by side, in one section or in a site without sections, are translations of each
other where each has a language of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.access.fetch import permissions_at, permit_in
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import given, query, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.queries import PageQuery
from app.models.translations import (
    TranslationSettings,
    TranslationSettingsCreate,
    TranslationSettingsUpdate,
)

_t = table(TranslationSettings)
LIST: Listing[TranslationSettings] = Listing(
    "translation settings",
    TranslationSettings,
    lambda: select(*_t.c).where(_t.c.organization_id == given("organization")),
    order=lambda: [_t.c.id],
)
_ONE = query(
    TranslationSettings,
    lambda: select(*_t.c).where(_t.c.organization_id == given("organization"), _t.c.id == given("id")),
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
    """The `permissions` of translation settings, from the table that refuses."""
    membership = cx.actor.memberships.get(row.organization_id)
    return permissions_at(cx, "translation", membership.level if membership else 0)


async def _find(cx: Context, organization_id: str, settings_id: str) -> TranslationSettings:
    found = await cx.db.first(_ONE, organization=organization_id, id=settings_id)
    if found is None:
        raise NotFound("There are no such translation settings.")
    return found


def _once(languages: Sequence[str]) -> list[str]:
    """Each language once, in the order that was sent."""
    return list(dict.fromkeys(languages))
