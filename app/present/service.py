"""The service as callers see it (decisions, Service information)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.infrastructure.service import Service
from app.models.service import ServiceOut
from app.present.shape import shows


@shows(ServiceOut)
def service(cx: Context, row: Service) -> dict[str, Any]:
    """Both fields, always."""
    return {"version": row.version, "build": row.build}
