"""Configurations of installations, and the status that follows: active, pending, or paused by an operator.

A paused installation's tokens open nothing, and its script is not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import select

from app.access.context import Context
from app.domain.integrations import outbox
from app.domain.integrations.integration_rows import WHOLE, n_, note, unknown
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Invalid, NotFound
from app.models.installations import Installation, Placement
from app.models.integration_configurations import fits

p_ = table(Placement)
INSTALLATIONS = query(Installation, lambda: select(*n_.c).where(n_.c.integration_id == given("integration")))
PLACEMENTS = rows(
    lambda: (
        select(*p_.c, n_.c.organization_id)
        .join(n_, n_.c.id == p_.c.installation_id)
        .where(n_.c.integration_id == given("integration"))
    ),
)


async def update_statuses(cx: Context, integration: Any, asked: Mapping[str, Any]) -> None:
    """Make installations active or pending by the configurations asked for now, and tell of each change."""
    told = []
    for row in await cx.db.all(INSTALLATIONS, integration=integration.id):
        status = status_of(asked.get("account"), row.configuration, row.status)
        if status != row.status:
            now: Any = await cx.tx.change(Installation, {"status": status, "updated_at": cx.now}, id=row.id)
            told.append(outbox.setup(integration, row.organization_id, row.id, now, row))
    for row in await cx.db.all(PLACEMENTS, integration=integration.id):
        status = status_of(asked.get(row.kind), row.configuration, row.status)
        if status != row.status:
            keys = {"installation_id": row.installation_id, "object_id": row.object_id}
            now = await cx.tx.change(Placement, {"status": status, "updated_at": cx.now}, **keys)
            told.append(outbox.setup(integration, row.organization_id, row.installation_id, now, row))
    await outbox.tell(cx, told)


async def pause(cx: Context, integration_name: str, organization_id: str | None = None) -> int:
    """Pause an integration in one organization, or wherever it is installed; how often it was.

    For operators: no right is asked for. Raises NotFound where it is not installed.
    """
    return await _stand(cx, integration_name, organization_id, paused=True)


async def resume(cx: Context, integration_name: str, organization_id: str | None = None) -> int:
    """End that: installations are active again, or pending, as their configurations are."""
    return await _stand(cx, integration_name, organization_id, paused=False)


async def _stand(cx: Context, name: str, organization_id: str | None, *, paused: bool) -> int:
    integration = await cx.db.first(WHOLE, name=name)
    if integration is None:
        raise unknown()
    installed = await cx.db.all(INSTALLATIONS, integration=integration.id)
    concerned = [row for row in installed if organization_id in (None, row.organization_id)]
    if not concerned:
        raise NotFound("The integration is not installed there.")
    asked = integration.manifest["configurations"].get("account")
    changed = [row for row in concerned if (row.status == "paused") is not paused]
    for row in changed:
        note(cx, integration, row.organization_id)
        status = "paused" if paused else status_of(asked, row.configuration)
        await cx.tx.put(Installation, {"status": status, "updated_at": cx.now}, id=row.id)
    return len(changed)


LARGEST = 100_000  # bytes of one configuration


def check_configuration(asked: Mapping[str, Any] | None, values: Mapping[str, Any]) -> None:
    """Raise Invalid for a value that is not of its property's type; what no property names is kept."""
    if len(orjson.dumps(values)) > LARGEST:
        raise Invalid(f"A configuration may have at most {LARGEST} bytes.", path="configuration")
    for name, wanted in _properties(asked).items():
        value = values.get(name)
        if (
            value is not None
            and wanted["type"] != "button"
            and not fits(wanted["type"], value, wanted.get("enum"))
        ):
            raise Invalid(
                f"“{name}” is not a {wanted['type']} of the property.", path=f"configuration.{name}"
            )


def initial_configuration(asked: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a configuration starts with: the defaults."""
    return {name: wanted["default"] for name, wanted in _properties(asked).items() if "default" in wanted}


def status_of(asked: Mapping[str, Any] | None, values: Mapping[str, Any], before: str = "pending") -> str:
    """`active` once all that is required is there, else `pending`; what was paused stays so."""
    if before == "paused":
        return before
    properties = _properties(asked)
    for name in (asked or {}).get("required", ()):
        wanted, value = properties[name], values.get(name)
        is_there = value is not None and value != ""
        if not is_there or (
            wanted["type"] != "button" and not fits(wanted["type"], value, wanted.get("enum"))
        ):
            return "pending"
    return "active"


def was_configured(now: Any, before: Any) -> bool:
    """Return whether an installation was configured: one that answers by writing what is there is told
    once."""
    return bool(now.configuration != before.configuration or now.status != before.status)


def _properties(asked: Mapping[str, Any] | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (asked or {}).get("properties", {})
    return found
