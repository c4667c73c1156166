"""Operations on translation settings."""

from __future__ import annotations

from app.api.operation import family, get, listing, post, put, remove
from app.domain.sites import translations
from app.models.translations import TranslationSettingsCreate, TranslationSettingsUpdate
from app.present.sites import translation_settings

TRANSLATIONS = "/orgs/{organizationId}/translations"
TRANSLATION = f"{TRANSLATIONS}/{{translationSettingsId}}"

OPERATIONS = family(
    "Translations",
    listing(
        "listTranslationSettings",
        TRANSLATIONS,
        translations.list_settings,
        show=translation_settings,
        field="Organization.translations",
        permission="organization:listTeams",
    ),
    post(
        "createTranslationSettings",
        TRANSLATIONS,
        translations.create,
        body=TranslationSettingsCreate,
        show=translation_settings,
        status=201,
        field="createTranslationSettings",
        permission="organization:createContent",
    ),
    get(
        "getTranslationSettingsById",
        TRANSLATION,
        translations.get,
        show=translation_settings,
        field="Organization.translation",
        permission="organization:listTeams",
    ),
    put(
        "updateTranslationSettingsById",
        TRANSLATION,
        translations.update,
        body=TranslationSettingsUpdate,
        show=translation_settings,
        field="updateTranslationSettings",
        permission="organization:createContent",
    ),
    remove(
        "deleteTranslationSettingsById",
        TRANSLATION,
        translations.delete,
        field="deleteTranslationSettings",
        permission="organization:createContent",
    ),
)
