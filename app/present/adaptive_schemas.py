"""A site's schema of claims as callers see it (specification, SiteAdaptiveSchema)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.access.context import Context
from app.domain.sites.adaptive_schemas import AdaptiveSchema
from app.models.adaptive_schemas import SiteAdaptiveSchemaOut, TemplateConditionsOut
from app.present.shape import shows


@shows(SiteAdaptiveSchemaOut)
def adaptive_schema(cx: Context, schema: AdaptiveSchema) -> dict[str, Any]:
    """The schema, and when it was set."""
    return {
        "object": "site-adaptive-schema",
        "jsonSchema": schema.json_schema,
        "updatedAt": schema.updated_at,
    }


@shows(TemplateConditionsOut)
def template_conditions(cx: Context, found: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Conditions with their descriptions."""
    return {"items": [{"description": words, "condition": condition} for words, condition in found]}
