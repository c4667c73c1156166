"""Languages of content, and settings for translated content.

Languages of content.

Settings for translated content: a title and the languages that content is translated into.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from annotated_types import Len
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Enumeration, Location, Permissions, Shape, Table, absent
from app.models.texts import Label

Language = Literal[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl",
    "pl", "tr", "sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk",
    "bg", "hr", "lt", "lv", "et", "sl",
]  # fmt: skip


MOST_LANGUAGES = 100
TranslationTitle = Annotated[str, Label(100)]
Languages = Annotated[list[Language], Len(0, MOST_LANGUAGES)]


class TranslationSettings(Table, table=True):
    """Which languages something is translated into."""

    __tablename__ = "translation_settings"
    __table_args__ = (Index(None, "organization_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    title: str
    languages: list[str] = Field(sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class TranslationSettingsCreate(Change):
    """New settings; without `languages` there are none yet."""

    title: TranslationTitle = Field(description="Title, 1 to 100 characters.")
    languages: Languages = absent("Languages that content is translated into, at most 100. By default none.")


class TranslationSettingsUpdate(Change):
    """Other settings; without `languages` those stay."""

    title: TranslationTitle = Field(description="Title, 1 to 100 characters.")
    languages: Languages = absent("Languages that content is translated into, at most 100.")


class TranslationPermissions(Permissions):
    """The permissions of the caller for translation settings."""

    view: bool = Field(description="Whether the caller may see the settings.")
    edit: bool = Field(description="Whether the caller may change and delete the settings.")


class TranslationSettingsOut(Shape):
    """Settings for translated content (specification, TranslationSettings)."""

    object: Literal["translation-settings"]
    id: str
    title: str = Field(description="Title of the settings.")
    languages: list[Language] = Field(description="Languages that content is translated into.")
    created_at: datetime
    updated_at: datetime
    permissions: TranslationPermissions
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "Language",
        Language,
        {
            "en": "English.",
            "fr": "French.",
            "de": "German.",
            "es": "Spanish.",
            "it": "Italian.",
            "pt": "Portuguese.",
            "pt-br": "Brazilian Portuguese.",
            "ru": "Russian.",
            "ja": "Japanese.",
            "zh": "Chinese.",
            "zh-tw": "Traditional Chinese, as in Taiwan.",
            "yue": "Cantonese.",
            "ko": "Korean.",
            "ar": "Arabic.",
            "hi": "Hindi.",
            "nl": "Dutch.",
            "pl": "Polish.",
            "tr": "Turkish.",
            "sv": "Swedish.",
            "no": "Norwegian.",
            "da": "Danish.",
            "fi": "Finnish.",
            "el": "Greek.",
            "cs": "Czech.",
            "hu": "Hungarian.",
            "ro": "Romanian.",
            "th": "Thai.",
            "vi": "Vietnamese.",
            "id": "Indonesian.",
            "ms": "Malay.",
            "he": "Hebrew.",
            "uk": "Ukrainian.",
            "sk": "Slovak.",
            "bg": "Bulgarian.",
            "hr": "Croatian.",
            "lt": "Lithuanian.",
            "lv": "Latvian.",
            "et": "Estonian.",
            "sl": "Slovenian.",
        },
    ),
)
