"""What the platform stops: a paused installation's tokens open nothing, and its script is not run."""

from __future__ import annotations

from app.access.context import Context
from app.domain.integrations import configurations
from app.domain.integrations.installation_status import INSTALLATIONS
from app.domain.integrations.integration_rows import WHOLE, note, unknown
from app.kit.errors import NotFound
from app.models.installations import Installation


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
        status = "paused" if paused else configurations.status(asked, row.configuration)
        await cx.tx.put(Installation, {"status": status, "updated_at": cx.now}, id=row.id)
    return len(changed)
