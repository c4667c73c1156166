"""Settings for translated content: a title and the languages that content is translated into."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from annotated_types import Len
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Location, Permissions, Shape, Table, absent
from app.models.languages import Language
from app.models.texts import Label

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
    """What the caller may do with translation settings."""

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
