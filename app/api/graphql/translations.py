"""GraphQL face of settings for translated content."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.sites import translations
from app.models.translations import (
    TranslationSettingsCreate,
    TranslationSettingsOut,
    TranslationSettingsUpdate,
)
from app.present.sites import translation_settings as show

TranslationSettingsCreateInput: Any = input_of(TranslationSettingsCreate)
TranslationSettingsUpdateInput: Any = input_of(TranslationSettingsUpdate)


@output(TranslationSettingsOut)
class TranslationSettings:
    """Settings for translated content."""


@strawberry.type
class OrganizationTranslations:
    """What an organization tells of its translations."""

    @reads(translations.list_settings)
    async def translation_settings_list(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[TranslationSettings]:
        return await pages(info, translations.list_settings, self["id"], first=first, after=after, show=show)

    @reads(translations.get)
    async def translation_settings(self: Any, info: Info, id: ID) -> TranslationSettings | None:
        return await read(info, translations.get, self["id"], id, show=show)


@strawberry.type
class TranslationMutation:
    @writes(translations.create)
    async def create_translation_settings(
        self, info: Info, organization: ID, new: TranslationSettingsCreateInput
    ) -> TranslationSettings | None:
        asked = body(TranslationSettingsCreate, new)
        return await write(info, translations.create, organization, asked, show=show)

    @writes(translations.update)
    async def update_translation_settings(
        self, info: Info, organization: ID, id: ID, change: TranslationSettingsUpdateInput
    ) -> TranslationSettings | None:
        asked = body(TranslationSettingsUpdate, change)
        return await write(info, translations.update, organization, id, asked, show=show)

    @writes(translations.delete)
    async def delete_translation_settings(self, info: Info, organization: ID, id: ID) -> bool | None:
        return await write(info, translations.delete, organization, id)
