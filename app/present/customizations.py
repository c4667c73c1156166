"""How a site looks, as callers see it."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.models.customizations import CustomizationOut
from app.present.shape import shows


@shows(CustomizationOut)
def customization(cx: Context, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings as they are kept: what was not chosen is left out."""
    return settings
