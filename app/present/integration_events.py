"""Events of integrations, and what a component looks like."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from app.access.context import Context
from app.domain.integrations.component_rendering import Rendered
from app.models.integration_events import (
    EventDetailOut,
    IntegrationEventOut,
    RenderOutput,
    SiteScriptsOut,
)
from app.present.shape import shows


@shows(IntegrationEventOut)
def event(cx: Context, row: Any) -> dict[str, Any]:
    """An event without the trace."""
    out: dict[str, Any] = {
        "id": row.id,
        "integrationId": row.integration_name,
        "createdAt": row.created_at,
        "payload": row.payload,
    }
    optional = {"installationId": row.installation_id, "status": row.status}
    return out | {name: value for name, value in optional.items() if value is not None}


@shows(EventDetailOut)
def event_detail(cx: Context, row: Any) -> dict[str, Any]:
    """An event with the trace of its last delivery."""
    logs = [{**line, "timestamp": _time(line["timestamp"])} for line in row.logs]
    return {"event": event(cx, row), "trace": {"logs": logs}}


@shows(RenderOutput)
def rendered(cx: Context, found: Rendered) -> dict[str, Any]:
    """What was rendered, which was checked before."""
    return found.output


@shows(SiteScriptsOut)
def site_scripts(cx: Context, found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The scripts of a site."""
    return list(found)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
