"""Translation settings as callers see them (specification, TranslationSettings)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.sites import translations
from app.models.translations import TranslationSettings, TranslationSettingsOut
from app.present import links
from app.present.shape import shows


@shows(TranslationSettingsOut)
def translation_settings(cx: Context, row: TranslationSettings) -> dict[str, Any]:
    """Settings for translated content."""
    return {
        "object": "translation-settings",
        "id": row.id,
        "title": row.title,
        "languages": row.languages,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "permissions": translations.permissions(cx, row),
        "urls": links.translation_settings(cx, row),
    }
