"""Conditions of what a site shows, held to its schema of claims when they are written."""

from __future__ import annotations

from typing import Any

import orjson

from app.formats import conditions
from app.formats.conditions import claims


def check(site: Any, condition: str | None, *, path: str = "condition") -> None:
    """Refuse a condition that is none, or gives no boolean by the site's schema of claims."""
    if condition:
        known = claims.read(orjson.loads(site.adaptive_schema)) if site.adaptive_schema else None
        conditions.check(condition, known, path=path)
