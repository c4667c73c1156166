"""REST rows of translation settings."""

from __future__ import annotations

from app.api.operation import family, get, listing, post, put, remove
from app.domain.sites import translations
from app.models.translations import TranslationSettingsCreate, TranslationSettingsUpdate
from app.present.translations import translation_settings

T = "/orgs/{organizationId}/translations"
ONE = f"{T}/{{translationSettingsId}}"

OPERATIONS = family(
    "Translations",
    listing("listTranslationSettings", T, translations.list_settings, show=translation_settings),
    post(
        "createTranslationSettings",
        T,
        translations.create,
        body=TranslationSettingsCreate,
        show=translation_settings,
        status=201,
    ),
    get("getTranslationSettingsById", ONE, translations.get, show=translation_settings),
    put(
        "updateTranslationSettingsById",
        ONE,
        translations.update,
        body=TranslationSettingsUpdate,
        show=translation_settings,
    ),
    remove("deleteTranslationSettingsById", ONE, translations.delete),
)
