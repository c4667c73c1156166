"""What a site may know of its visitors, and conditions that suggest themselves."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from app.models.base import Change, Shape


class AdaptiveSchemaUpdate(Change):
    """A JSON Schema (draft-07): claims that are booleans, text, numbers, lists of those, or objects."""

    json_schema: dict[str, Any]


class SiteAdaptiveSchemaOut(Shape):
    """The schema of what a site may know of its visitors (specification, SiteAdaptiveSchema)."""

    object: Literal["site-adaptive-schema"]
    json_schema: dict[str, Any]
    updated_at: datetime


class TemplateCondition(Shape):
    """A condition that suggests itself."""

    description: str
    condition: str


class TemplateConditionsOut(Shape):
    """Conditions derived from a site's schema."""

    items: list[TemplateCondition]
